"""`netplan recommend` and `netplan job` as processes, on the embedded prices."""

import csv
import io
import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from netplan_pricing import open_snapshot
from support.commands.run import run_verbs
from support.projects.compute_json import machine

HERE = ["--gbps", "10", "--region", "us-central1"]
Answer = dict[str, Any]


def recommend(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["recommend", *arguments])


def test_json_holds_the_whole_plan_and_csv_a_row_for_every_type() -> None:
    answer = json.loads(recommend(*HERE, "--format", "json").stdout)
    book = open_snapshot()
    offered = {shape.machine_type for shape in book.offered("us-central1")}
    assert answer["schema"] == "netplan.recommend/1"
    assert answer["is_feasible"]
    assert {c["machine_type"] for c in answer["ranked"]} <= offered
    best = answer["ranked"][0]
    hourly = float(book.machine("us-central1", best["machine_type"]).usd)
    assert best["usd_per_month"] == pytest.approx(best["count"] * hourly * 730)
    keys = [
        (c["is_peak"], c["architecture"] != "X86_64", c["usd_per_month"])
        for c in answer["ranked"]
        if c["usd_per_month"] is not None
    ]
    assert keys == sorted(keys)
    assert not answer["ranked"][0]["is_peak"]
    rows = list(csv.DictReader(io.StringIO(recommend(*HERE, "--format", "csv").stdout)))
    assert rows[0]["rank"] == "1"
    assert all(bool(row["rank"]) != bool(row["reason"]) for row in rows)
    assert any(c["is_peak"] for c in json.loads(recommend(*HERE, "-o", "json").stdout)["ranked"])
    anything = json.loads(recommend(*HERE, "--architecture", "any", "--format", "json").stdout)
    mixed = [c["architecture"] for c in anything["ranked"] if not c["is_peak"]]
    assert mixed != sorted(mixed, reverse=True)


def test_a_machine_that_sends_to_the_outside_keeps_the_cap_for_it(tmp_path: Path) -> None:
    tier1 = {"totalEgressBandwidthTier": "TIER_1"}
    inventory = machine_file(tmp_path, "n2-standard-32", networkPerformanceConfig=tier1)
    traffic = tmp_path / "rates.csv"
    traffic.write_text("src,dst,gbps\none,203.0.113.9,15\n", "utf-8")
    vm = ["--inventory", inventory, "--traffic", str(traffic), "--vm", "one"]
    answer = json.loads(recommend(*vm, "--format", "json").stdout)
    refused = {r["machine_type"]: r["detail"] for r in answer["rejected"] if not r["is_tier1"]}
    assert refused["n2d-standard-32"] == "carries 5.6 Gbit/s to external addresses after headroom"


def test_a_region_to_send_to_adds_what_its_traffic_costs() -> None:
    options = ["--gbps", "1", "--region", "us-central1", "--to", "europe-west1"]
    answer = json.loads(recommend(*options, "--month-ratio", "0.5", "--format", "json").stdout)
    gib = sum(item["quantity"] for item in answer["traffic_items"])
    assert gib == pytest.approx(1e9 / 8 * 730 * 3600 / 2**30 / 2)
    usd = sum(item["usd_per_month"] for item in answer["traffic_items"])
    assert usd == pytest.approx(gib * 0.05, rel=1e-3)


def machine_file(folder: Path, machine_type: str, **fields: Any) -> str:
    """Write an inventory of one machine; return its path."""
    path = folder / "machines.json"
    path.write_text(json.dumps([machine("one", machine_type, **fields)]), "utf-8")
    return str(path)


def replaced(folder: Path, machine_type: str, **fields: Any) -> Answer:
    path = machine_file(folder, machine_type, **fields)
    options = ["--inventory", path, "--vm", "one", "--gbps", "3", "--format", "json"]
    answer: Answer = json.loads(recommend(*options).stdout)
    return answer


def test_attached_gpus_are_in_todays_price_and_in_that_of_every_other_type(tmp_path: Path) -> None:
    gpu = {
        "acceleratorType": "projects/p/zones/z/acceleratorTypes/nvidia-tesla-t4",
        "acceleratorCount": 2,
    }
    answer = replaced(tmp_path, "n1-standard-8", guestAccelerators=[gpu])
    book = open_snapshot()
    hourly = float(book.gpu("us-central1", "nvidia-tesla-t4").usd)
    (line,) = [i for i in answer["baseline"]["line_items"] if "nvidia-tesla-t4" in i["name"]]
    assert line["usd_per_month"] == pytest.approx(2 * 730 * hourly * 0.7, rel=1e-3)
    hours = float(book.machine("us-central1", "n1-standard-8").usd) * 730 * 0.7
    whole = hours + line["usd_per_month"]
    assert answer["baseline"]["usd_per_month"] == pytest.approx(whole, rel=1e-3)
    assert {c["machine_type"].partition("-")[0] for c in answer["ranked"]} == {"n1"}
    for candidate in answer["ranked"]:
        assert any("nvidia-tesla-t4" in item["name"] for item in candidate["line_items"])


def test_only_types_that_take_the_disks_are_proposed(tmp_path: Path) -> None:
    answer = replaced(tmp_path, "n2-standard-8")
    proposed = {c["machine_type"].partition("-")[0] for c in answer["ranked"]}
    assert not proposed & {"n4", "n4d", "c4", "c4d"}
    checked = [bool(c["to_check"]) for c in answer["ranked"] if not c["is_peak"]]
    assert checked == sorted(checked)


COMMANDS_BY_ANSWER = {
    "JobAnswer": (
        "job --demo dobermanifesto",
        "job --region us-central1 --bytes-in 2TB --cpu-seconds 90000 --series n1,n2"
        " --deadline 1h --runs-per-day 4 --baseline n1-standard-1 --spot"
        " --spot-interruptions-per-day 1",
        "job --region us-central1 --bytes-in 2TB --series n2,e2 --deadline 1s",
        "job --region us-east1 --bytes-in 2TB --machine-type m4n-hypermem-16",
    )
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""


def test_csv_has_the_ranking_and_the_front() -> None:
    asked = ("--region", "us-central1", "--bytes-in", "2TB", "--series", "n1", "--max-count", "4")
    done = run_verbs(arguments=["job", *asked, "-o", "csv"])
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    ranked = [row for row in rows if row["rank"]]
    assert [int(row["rank"]) for row in ranked] == list(range(1, len(ranked) + 1))
    costs = [float(row["usd_per_run"]) for row in ranked]
    assert costs == sorted(costs)
    assert any(row["is_front"] == "true" for row in rows)
