"""`netplan model atlas`: every path between regions, what campaigns measured, and who did not."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.measuring.store import append
from netplan_planner.model import MeasuredEnd, PathClass, Zone
from support.commands.run import run_verbs
from support.paths.tables import written
from support.probes.measurements import measured

COMMANDS_BY_ANSWER = {"Atlas": ("model atlas --as-of 2026-11-22",)}
ROW = {
    "source": "grid",
    "date": "2022-01-29",
    "cloud": "gcp>gcp",
    "machine_type": "n2-standard-32",
    "dst_machine_type": "n2-standard-32",
    "path_class": "inter-region-external",
    "src_location": "gcp:us-east1-b",
    "dst_location": "gcp:europe-west1-c",
    "streams": "64",
    "duration_s": "5",
    "value": "5.5",
    "note": "cpu 8; rmem 64MiB",
    "metric": "tcp_goodput_received",
    "network_tier": "PREMIUM/PREMIUM",
}
PAIR = ("us-east1", "europe-west1", "inter-region-external")


def atlas(*arguments: str) -> dict[str, Any]:
    done = run_verbs(
        arguments=["model", "atlas", "--as-of", "2026-11-22", "--output", "json", *arguments]
    )
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def of_pair(found: Mapping[str, Any], pair: tuple[str, str, str]) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if (row["src"], row["dst"], row["path_class"]) == pair]


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    return atlas()


def test_without_measurements_every_pair_says_so(plain: Mapping[str, Any]) -> None:
    regions = {row["src"] for row in plain["rows"]}
    assert len(regions) > 40
    between = [row for row in plain["rows"] if row["path_class"] == "inter-region-internal"]
    assert len(between) == len(regions) * (len(regions) - 1)
    assert all(row["measured_gbps"] is None and row["source"] == "" for row in plain["rows"])
    assert {one["measured_count"] for one in plain["summaries"]} == {0}


def test_what_the_model_says_of_a_path_is_what_predict_says(plain: Mapping[str, Any]) -> None:
    (row,) = of_pair(plain, PAIR)
    ends = ["n2-standard-32", "n2-standard-32", "--src-place", PAIR[0], "--dst-place", PAIR[1]]
    more = ["--external", "--streams", "64", "--as-of", "2026-11-22", "--output", "json"]
    said = json.loads(run_verbs(arguments=["predict", *ends, *more]).stdout)["estimate"]
    for name in ("gbps", "low_gbps", "high_gbps"):
        assert row[name] == pytest.approx(said[name], rel=1e-3)
    assert row["rtt_basis"] == "table"
    assert row["usd_per_gib"] == 0.05


AWS = {"cloud": "gcp>aws", "path_class": "internet-cross-cloud", "dst_location": "aws:eu-west-1"}
FROM_AWS = ROW | {
    **{"cloud": "aws>gcp", "path_class": "internet-cross-cloud", "network_tier": "PREMIUM"},
    **{"machine_type": "m5.8xlarge", "src_location": "aws:eu-central-1", "value": "4.75"},
}
UNUSED = (
    {"metric": "application_goodput"},
    {"src_location": ""},
    {"path_class": "router-forwarding"},
    {"cloud": "aws>aws", "src_location": "aws:a", "dst_location": "aws:b"},
    {"value": ""},
)
"""Rows that are no rate of a path with an end of Google's."""
REGION = "gcp:us-east1"
PUBLISHED = (
    *(ROW | {"value": value} for value in ("5", "6", "5.5")),
    ROW | {"value": "2", "note": "rmem 1GiB"},
    *(ROW | one for one in UNUSED),
    ROW | AWS | {"dst_machine_type": "m5.8xlarge"},
    FROM_AWS,
    FROM_AWS | {"source": "one", "streams": "1"},
    ROW | {"src_location": REGION, "dst_location": REGION},
)


@pytest.fixture(scope="module")
def measured_atlas(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """Return the atlas with published figures and own probes, and its page."""
    folder = tmp_path_factory.mktemp("atlas")
    src, dst = (
        MeasuredEnd(name=name, machine_type="n2-standard-8", zone=Zone(zone))
        for name, zone in (("a", "us-east1-b"), ("b", "europe-west1-b"))
    )
    told = {"path_class": PathClass.INTER_REGION_EXTERNAL, "streams": 16, "gbps": 4.5}
    append(
        folder / "store.jsonl", [replace(measured(), src=src, dst=dst, **told, source="my plan")]
    )
    files = (folder / "store.jsonl", written(folder / "grid.csv", *PUBLISHED))
    given = [word for file in files for word in ("--measurements", str(file))]
    found = atlas(*given, "--output", f"html:{folder / 'atlas.html'}")
    return found, (folder / "atlas.html").read_text("utf-8")


def test_runs_of_one_set_up_are_one_row(measured_atlas: tuple[dict[str, Any], str]) -> None:
    found, page = measured_atlas
    big, probed, small = sorted(of_pair(found, PAIR), key=lambda row: row["measured_gbps"])
    assert (small["run_count"], small["measured_gbps"]) == (3, 5.5)
    assert (small["least_gbps"], small["most_gbps"]) == (5, 6)
    assert "64 streams, 5 s, buffers of 64 MiB" in small["setup"]
    assert "buffers of 1,024 MiB" in big["setup"]
    # The same machines from a cold start of five seconds are slower than in steady state.
    assert small["setup_low_gbps"] < small["setup_gbps"] < small["gbps"]
    # Own probes stand beside published figures.
    assert (probed["source"], probed["measured_gbps"], small["source"]) == ("my plan", 4.5, "grid")
    assert found["unused_count"] == len(UNUSED)
    # The page has a matrix for each address and says where nothing was measured.
    assert page.count('<table class="matrix">') == 2 * 6
    assert "not measured" in page
    assert "<script" not in page or "src=" not in page.split("<script", 1)[1].split(">")[0]


def test_another_cloud_stands_by_its_name(measured_atlas: tuple[dict[str, Any], str]) -> None:
    found, _ = measured_atlas
    (one,) = of_pair(found, ("us-east1", "aws:eu-west-1", "internet"))
    assert one["measured_gbps"] == 5.5
    assert one["usd_per_gib"] is None, "the price depends on where that is"
    many, one = of_pair(found, ("aws:eu-central-1", "europe-west1", "internet"))
    # 64 windows of 64 MiB over 11 ms are 3,000 Gbit/s, and no limit of 2022 is known.
    assert (many["measured_gbps"], many["setup_gbps"]) == (4.75, None)
    assert many["setup_high_gbps"] is None
    assert one["setup_low_gbps"] < one["setup_gbps"] < 30
    # The diagonal of a grid is within the region.
    (one,) = of_pair(found, ("us-east1", "us-east1", "inter-zone-external"))
    assert one["run_count"] == 1


def test_a_type_that_is_none_and_a_row_that_makes_no_sense_are_told(tmp_path: Path) -> None:
    done = run_verbs(arguments=["model", "atlas", "--machine-type", "n2-standrad-32"])
    assert done.returncode == 2
    assert "n2-standard-32" in done.stderr
    file = written(tmp_path / "grid.csv", ROW, ROW | {"streams": "many"})
    done = run_verbs(arguments=["model", "atlas", "--measurements", str(file)])
    assert done.returncode == 0
    assert "note: refused rows, such as row 2: streams is" in done.stderr


def test_a_value_that_is_no_rate_is_in_no_line(tmp_path: Path) -> None:
    bad = [ROW | {"source": "mine", "value": value} for value in ("inf", "-3", "0", "nan")]
    file = written(tmp_path / "grid.csv", ROW, *bad)
    done = run_verbs(arguments=["model", "atlas", "--measurements", str(file), "-o", "csv"])
    assert done.returncode == 0
    assert "mine" not in done.stdout
