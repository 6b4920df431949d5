"""`netplan recommend` as a process, on the embedded prices."""

import csv
import io
import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from netplan_pricing import open_snapshot
from support.commands.run import run_verbs

HERE = ["--gbps", "10", "--region", "us-central1"]
Answer = dict[str, Any]


def recommend(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["recommend", *arguments])


def test_it_ranks_with_prices_and_dates() -> None:
    found = recommend(*HERE, "--top", "3", "--max-count", "1", "--series", "e2", "--arch", "x86")
    assert found.returncode == 0
    assert found.stderr == ""
    assert " 1.  e2-highcpu-8" in found.stdout
    assert "of 16 Gbit/s" in found.stdout
    assert "List prices of 20" in found.stdout
    assert max(map(len, found.stdout.splitlines())) <= 100


def test_it_tells_what_became_of_a_type() -> None:
    found = recommend(*HERE, "--max-count", "1", "--why-not", "n1-standard-1", "--why-not", "\x1bq")
    assert "n1-standard-1: bandwidth, carries 1.6 Gbit/s after headroom" in found.stdout
    assert "no region offers a predefined type of this name" in found.stdout
    assert "\x1b" not in found.stdout


def test_what_a_month_of_use_brings_by_itself_is_said_or_included() -> None:
    at_list_price = recommend(*HERE, "--series", "n2,e2", "--top", "1").stdout
    assert "Without discounts for use." in at_list_price
    assert "n2 bring sustained-use discounts of 20 %" in " ".join(at_list_price.split())
    included = recommend(*HERE, "--series", "n2", "--top", "1", "--sustained-use").stdout
    assert "Sustained-use discounts are included" in included
    assert "Without discounts" not in recommend(*HERE, "--series", "e2").stdout
    assert "iscounts" not in recommend(*HERE, "--series", "n2", "--spot").stdout


def test_a_machine_of_the_input_is_priced_as_it_is_billed() -> None:
    vm = ["--demo", "gecko", "--vm", "transcoder-5", "--series", "n1", "--format", "json"]
    billed, listed = (json.loads(recommend(*vm, *f).stdout) for f in ([], ["--on-demand"]))
    assert (billed["need"]["usage"], listed["need"]["usage"]) == ("sustained-use", "on-demand")
    hourly = float(open_snapshot().machine("us-central1", "n1-standard-16").usd)
    assert listed["baseline"]["usd_per_month"] == pytest.approx(hourly * 730)
    assert billed["baseline"]["usd_per_month"] == pytest.approx(hourly * 730 * 0.7)


def test_several_machines_are_shown_with_all_they_have_together() -> None:
    many = ["--gbps", "20", "--region", "us-central1", "--series", "e2", "--month-ratio", "0.3"]
    found = recommend(*many, "--max-count", "2", "--top", "1").stdout
    assert "on demand for 30 % of the month" in " ".join(found.split())
    (row,) = (line.split() for line in found.splitlines() if line.startswith("   1."))
    assert row[:6] == ["1.", "2", "×", "e2-highcpu-8", "16", "16"]


def test_a_region_in_capitals_is_understood_as_a_slip() -> None:
    found = recommend("--gbps", "1", "--region", "US-CENTRAL1")
    assert found.returncode == 2
    assert "near: us-central1" in found.stderr


def test_json_holds_the_whole_plan_and_only_what_is_offered() -> None:
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


def test_csv_has_a_row_for_every_type() -> None:
    rows = list(csv.DictReader(io.StringIO(recommend(*HERE, "--format", "csv").stdout)))
    assert rows[0]["rank"] == "1"
    assert all(bool(row["rank"]) != bool(row["reason"]) for row in rows)


def test_what_nothing_carries_ends_with_1_and_says_what_binds() -> None:
    found = recommend("--gbps", "5000", "--region", "us-central1")
    assert found.returncode == 1
    assert "Nothing meets this: bandwidth" in found.stdout


def table_and_inventory(folder: Path, labels: dict[str, str]) -> list[str]:
    """Return the options of an input: one Tier_1 machine that sends 15 Gbit/s to the internet."""
    link = "https://www.googleapis.com/compute/v1/projects/p"
    machine = {
        "kind": "compute#instance",
        "name": "edge",
        "status": "RUNNING",
        "zone": f"{link}/zones/us-central1-a",
        "machineType": f"{link}/zones/us-central1-a/machineTypes/n2-standard-32",
        "selfLink": f"{link}/zones/us-central1-a/instances/edge",
        "networkInterfaces": [{"name": "nic0", "networkIP": "10.0.0.2"}],
        "networkPerformanceConfig": {"totalEgressBandwidthTier": "TIER_1"},
        "labels": labels,
    }
    inventory, traffic = folder / "machines.json", folder / "rates.csv"
    inventory.write_text(json.dumps([machine]), encoding="utf-8")
    traffic.write_text("src,dst,gbps\nedge,203.0.113.9,15\n", encoding="utf-8")
    return ["--inventory", str(inventory), "--traffic", str(traffic), "--vm", "edge"]


def test_a_machine_that_sends_to_the_outside_keeps_the_cap_for_it(tmp_path: Path) -> None:
    vm = table_and_inventory(tmp_path, {})
    answer = json.loads(recommend(*vm, "--format", "json").stdout)
    assert answer["need"]["outside_gbps"] == pytest.approx(15)
    assert answer["need"]["basis"] == "95th percentile of what it was seen to send"
    refused = {r["machine_type"]: r["detail"] for r in answer["rejected"] if not r["is_tier1"]}
    assert refused["n2d-standard-32"] == "carries 7 Gbit/s to outside addresses"
    inside = json.loads(recommend(*vm, "--to", "internal", "--format", "json").stdout)
    assert inside["ranked"][0]["machine_type"] == "n2d-standard-32"


def test_a_declared_target_counts_where_it_is_more(tmp_path: Path) -> None:
    target = {"netplan-target-mbps": "36000"}
    vm = table_and_inventory(tmp_path, target)
    answer = json.loads(recommend(*vm, "--format", "json").stdout)
    assert answer["need"]["gbps"] == 36
    assert answer["need"]["basis"] == "label netplan-target-mbps=36000"
    told = json.loads(recommend(*vm, "--gbps", "3", "--format", "json").stdout)
    assert (told["need"]["gbps"], told["need"]["outside_gbps"]) == (3, 0)


def test_outside_traffic_at_its_cap_is_said_and_asks_for_no_more(tmp_path: Path) -> None:
    vm = table_and_inventory(tmp_path, {})
    (tmp_path / "rates.csv").write_text("src,dst,gbps\nedge,203.0.113.9,25.1\n", encoding="utf-8")
    answer = json.loads(recommend(*vm, "--format", "json").stdout)
    assert answer["need"]["outside_gbps"] == 25
    assert "stands at its cap of 25 Gbit/s" in answer["need"]["basis"]


def test_an_unknown_cap_to_the_outside_is_said(tmp_path: Path) -> None:
    vm = table_and_inventory(tmp_path, {})
    inventory = tmp_path / "machines.json"
    text = inventory.read_text(encoding="utf-8").replace("n2-standard-32", "n1-standard-16")
    inventory.write_text(text.replace("TIER_1", "DEFAULT"), encoding="utf-8")
    early = ["--as-of", "2017-07-27", "--headroom", "0"]
    answer = json.loads(recommend(*vm, *early, "--format", "json").stdout)
    assert answer["need"]["outside_gbps"] == 0
    assert "no cap is asked for the 15 Gbit/s that go there" in answer["need"]["basis"]


def test_steady_x86_machines_go_first_and_several_only_on_request() -> None:
    first = json.loads(recommend(*HERE, "--format", "json").stdout)["ranked"]
    assert {c["count"] for c in first} == {1}
    assert (first[0]["architecture"], first[0]["is_peak"]) == ("X86_64", False)
    peaks = [c["is_peak"] for c in first]
    assert peaks == sorted(peaks)
    assert any(peaks)
    anything = json.loads(recommend(*HERE, "--architecture", "any", "--format", "json").stdout)
    mixed = [c["architecture"] for c in anything["ranked"] if not c["is_peak"]]
    assert mixed != sorted(mixed, reverse=True)
    only = json.loads(recommend(*HERE, "--architecture", "arm", "--format", "json").stdout)
    assert {c["architecture"] for c in only["ranked"]} == {"ARM64"}


def test_what_was_left_out_is_counted_by_reason() -> None:
    text = " ".join(recommend(*HERE).stdout.split())
    assert "with too little bandwidth: " in text
    assert "for their GPUs: a2 " in text
    assert "a2-highgpu-1g" not in text


def test_a_region_to_send_to_adds_what_its_traffic_costs() -> None:
    options = ["--gbps", "1", "--region", "us-central1", "--to", "europe-west1"]
    answer = json.loads(recommend(*options, "--month-ratio", "0.5", "--format", "json").stdout)
    gib = sum(item["quantity"] for item in answer["traffic_items"])
    assert gib == pytest.approx(1e9 / 8 * 730 * 3600 / 2**30 / 2)
    usd = sum(item["usd_per_month"] for item in answer["traffic_items"])
    assert usd == pytest.approx(gib * 0.05, rel=1e-3)
    wrong = recommend(*options[:-1], "mars-west1")
    assert wrong.returncode == 2
    assert "--to 'mars-west1'" in wrong.stderr
    assert "internal, zone, external, or a region" in wrong.stderr


def test_old_spot_prices_lower_the_confidence() -> None:
    answer = json.loads(recommend(*HERE, "--spot", "--format", "json").stdout)
    assert answer["confidence"] == "low"
    assert "Spot prices are of 2026-" in answer["confidence_reason"]


def machine_file(folder: Path, machine_type: str, **fields: object) -> str:
    """Write an inventory of one machine; return its path."""
    link = "https://www.googleapis.com/compute/v1/projects/p"
    machine = {
        "kind": "compute#instance",
        "name": "one",
        "status": "RUNNING",
        "zone": f"{link}/zones/us-central1-a",
        "machineType": f"{link}/zones/us-central1-a/machineTypes/{machine_type}",
        "selfLink": f"{link}/zones/us-central1-a/instances/one",
        "networkInterfaces": [{"name": "nic0", "networkIP": "10.0.0.2"}],
        **fields,
    }
    path = folder / "machines.json"
    path.write_text(json.dumps([machine]), encoding="utf-8")
    return str(path)


def replaced(folder: Path, machine_type: str, **fields: object) -> Answer:
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
    machine = float(book.machine("us-central1", "n1-standard-8").usd) * 730 * 0.7
    whole = machine + line["usd_per_month"]
    assert answer["baseline"]["usd_per_month"] == pytest.approx(whole, rel=1e-3)
    assert {c["machine_type"].partition("-")[0] for c in answer["ranked"]} == {"n1"}
    for candidate in answer["ranked"]:
        assert any("nvidia-tesla-t4" in item["name"] for item in candidate["line_items"])


def test_only_types_that_take_the_disks_are_proposed(tmp_path: Path) -> None:
    answer = replaced(tmp_path, "n2-standard-8")
    proposed = {c["machine_type"].partition("-")[0] for c in answer["ranked"]}
    assert not proposed & {"n4", "n4d", "c4", "c4d"}
    why = {r["machine_type"]: (r["reason"], r["detail"]) for r in answer["rejected"]}
    assert why["n4-standard-8"] == (
        "disks",
        "N4 takes Hyperdisk only; the machine has Persistent Disk, as all N2",
    )
    assert not answer["ranked"][0]["to_check"]
    checked = [bool(c["to_check"]) for c in answer["ranked"] if not c["is_peak"]]
    assert checked == sorted(checked)
    old = next(c for c in answer["ranked"] if c["machine_type"] == "n1-highmem-8")
    assert "older generation (N1, 1) than N2 (2)" in old["note"]


def test_a_specific_reservation_allows_its_own_type_only(tmp_path: Path) -> None:
    held = {"consumeReservationType": "SPECIFIC_RESERVATION", "values": ["held"]}
    answer = replaced(tmp_path, "n2-standard-8", reservationAffinity=held)
    assert {c["machine_type"] for c in answer["ranked"]} == {"n2-standard-8"}
    path = machine_file(tmp_path, "n2-standard-8", reservationAffinity=held)
    more = recommend("--inventory", path, "--vm", "one", "--gbps", "20")
    assert more.returncode == 1
    assert "more types cannot take its" in " ".join(more.stdout.split())


def test_a_stopped_machine_costs_nothing_now_and_says_so(tmp_path: Path) -> None:
    path = machine_file(tmp_path, "n2-standard-8", status="TERMINATED")
    found = recommend("--inventory", path, "--vm", "one", "--gbps", "3", "--top", "1").stdout
    assert "terminated: costs nothing now but disks and addresses" in " ".join(found.split())
