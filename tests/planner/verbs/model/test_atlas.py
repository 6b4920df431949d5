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


def test_without_measurements_every_pair_of_regions_says_that_nobody_measured(
    plain: Mapping[str, Any],
) -> None:
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


def test_runs_of_one_set_up_are_one_row_with_their_median(tmp_path: Path) -> None:
    rows = [ROW | {"value": value} for value in ("5", "6", "5.5")]
    other = ROW | {"value": "2", "note": "rmem 1GiB"}
    file = written(tmp_path / "grid.csv", *rows, other)
    found = of_pair(atlas("--measurements", str(file)), PAIR)
    big, small = sorted(found, key=lambda row: row["run_count"])
    assert (small["run_count"], small["measured_gbps"]) == (3, 5.5)
    assert (small["least_gbps"], small["most_gbps"]) == (5, 6)
    assert "64 streams, 5 s, buffers of 64 MiB" in small["setup"]
    assert "buffers of 1,024 MiB" in big["setup"]
    # The same machines from a cold start of five seconds are slower than in steady state.
    assert small["setup_low_gbps"] < small["setup_gbps"] < small["gbps"]


def test_rows_that_are_no_rate_of_a_path_with_a_google_end_are_counted(tmp_path: Path) -> None:
    rows = (
        ROW,
        ROW | {"metric": "application_goodput"},
        ROW | {"src_location": ""},
        ROW | {"path_class": "router-forwarding"},
        ROW | {"cloud": "aws>aws", "src_location": "aws:a", "dst_location": "aws:b"},
        ROW | {"value": ""},
    )
    found = atlas("--measurements", str(written(tmp_path / "grid.csv", *rows)))
    assert found["unused_count"] == len(rows) - 1
    assert len(of_pair(found, PAIR)) == 1


def test_a_path_to_another_cloud_stands_by_its_name(tmp_path: Path) -> None:
    row = ROW | {"cloud": "gcp>aws", "path_class": "internet-cross-cloud"}
    row |= {"dst_location": "aws:eu-west-1", "dst_machine_type": "m5.8xlarge"}
    found = atlas("--measurements", str(written(tmp_path / "grid.csv", row)))
    (one,) = of_pair(found, ("us-east1", "aws:eu-west-1", "internet"))
    assert one["measured_gbps"] == 5.5
    assert one["usd_per_gib"] is None, "the price depends on where that is"


def test_what_only_buffers_bound_is_no_prediction(tmp_path: Path) -> None:
    far = ROW | {
        "cloud": "aws>gcp",
        "path_class": "internet-cross-cloud",
        "network_tier": "PREMIUM",
    }
    far |= {"machine_type": "m5.8xlarge", "src_location": "aws:eu-central-1", "value": "4.75"}
    slow = far | {"source": "one", "streams": "1"}
    found = atlas("--measurements", str(written(tmp_path / "grid.csv", far, slow)))
    many, one = of_pair(found, ("aws:eu-central-1", "europe-west1", "internet"))
    # 64 windows of 64 MiB over 11 ms are 3,000 Gbit/s, and no limit of 2022 is known.
    assert (many["measured_gbps"], many["setup_gbps"], many["setup_high_gbps"]) == (
        4.75,
        None,
        None,
    )
    assert one["setup_low_gbps"] < one["setup_gbps"] < 30


def test_the_diagonal_of_a_grid_is_within_the_region(tmp_path: Path) -> None:
    row = ROW | {"src_location": "gcp:us-east1", "dst_location": "gcp:us-east1"}
    found = atlas("--measurements", str(written(tmp_path / "grid.csv", row)))
    (one,) = of_pair(found, ("us-east1", "us-east1", "inter-zone-external"))
    assert one["run_count"] == 1


def test_own_probes_stand_beside_published_figures(tmp_path: Path) -> None:
    ends = (
        MeasuredEnd(name="a", machine_type="n2-standard-8", zone=Zone("us-east1-b")),
        MeasuredEnd(name="b", machine_type="n2-standard-8", zone=Zone("europe-west1-b")),
    )
    run = replace(
        measured(),
        src=ends[0],
        dst=ends[1],
        path_class=PathClass.INTER_REGION_EXTERNAL,
        streams=16,
        gbps=4.5,
        source="my plan",
    )
    store = tmp_path / "store.jsonl"
    append(store, [run])
    file = written(tmp_path / "grid.csv", ROW)
    found = of_pair(atlas("--measurements", str(store), "--measurements", str(file)), PAIR)
    assert {row["source"]: row["measured_gbps"] for row in found} == {"my plan": 4.5, "grid": 5.5}


def test_the_page_has_a_matrix_for_each_address_and_says_where_nothing_was_measured(
    tmp_path: Path,
) -> None:
    page = tmp_path / "atlas.html"
    file = written(tmp_path / "grid.csv", ROW)
    line = ["model", "atlas", "--measurements", str(file), "--output", f"html:{page}"]
    assert run_verbs(arguments=line).returncode == 0
    text = page.read_text("utf-8")
    assert text.count('<table class="matrix">') == 2 * 6
    assert "nobody measured" in text
    assert "<script" not in text or "src=" not in text.split("<script", 1)[1].split(">")[0]


def test_a_type_that_is_none_and_a_row_that_makes_no_sense_are_told(tmp_path: Path) -> None:
    done = run_verbs(arguments=["model", "atlas", "--machine-type", "n2-standrad-32"])
    assert done.returncode == 2
    assert "n2-standard-32" in done.stderr
    file = written(tmp_path / "grid.csv", ROW, ROW | {"streams": "many"})
    done = run_verbs(arguments=["model", "atlas", "--measurements", str(file)])
    assert done.returncode == 0
    assert "note: rows that are refused, among them row 2: streams is" in done.stderr


@pytest.mark.parametrize("value", ["inf", "-3", "0", "nan"])
def test_a_value_that_is_no_rate_is_in_no_line(tmp_path: Path, value: str) -> None:
    file = written(tmp_path / "grid.csv", ROW, ROW | {"source": "mine", "value": value})
    done = run_verbs(arguments=["model", "atlas", "--measurements", str(file), "-o", "csv"])
    assert done.returncode == 0
    assert "mine" not in done.stdout
