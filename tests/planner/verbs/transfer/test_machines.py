"""Machines that people have: vCPUs, disks, as few of them as it takes; and the tier of the plan."""

import json
from decimal import Decimal
from typing import Any

import pytest

from netplan_planner.errors import UsageError
from netplan_planner.machines.disks import disk_of
from netplan_planner.verbs.transfer.answer import TransferPlan
from netplan_planner.verbs.transfer.ask import VCPU_GBPS, NetworkTier, TransferGoal, TransferNeed
from netplan_planner.verbs.transfer.plan import plan_transfer
from support.commands.run import run_verbs
from support.known import known
from support.nightly import every
from support.transfers.linear import Case
from support.transfers.made import CAPS, PRICES, case_of, mesh_of, planned

FIFTY_TB = 5 * 10**13


def plan(*targets: str, **more: Any) -> TransferPlan:
    told: dict[str, Any] = {"source": "us-central1", "volume_bytes": FIFTY_TB} | more
    return plan_transfer(TransferNeed(targets=targets, **told), PRICES, CAPS)


def vcpus(machine_type: str) -> int:
    return known(PRICES.shape(machine_type)).vcpus


@pytest.fixture(scope="module")
def assumed() -> TransferPlan:
    return plan("europe-west4", goal=TransferGoal.TIME)


def test_no_machine_moves_more_than_its_vcpus_and_its_disk(assumed: TransferPlan) -> None:
    """3,125 GB a machine are a balanced disk of 2,911 GiB: 955 MiB/s, so 52 minutes and no 63 s."""
    for one in (known(assumed.plan), *assumed.front):
        assert one.duration_s > 3_000
        for machines in one.machines:
            assert one.gbps <= VCPU_GBPS * vcpus(machines.machine_type) * machines.count * 1.000001
    rate = (140 + 0.28 * 2911) * 2**20 * 8 / 1e9
    assert known(assumed.plan).gbps == pytest.approx(16 * rate, rel=1e-6)
    assert "disk" in {one.name for one in known(assumed.plan).binding}
    assert any("pd-balanced:2911GiB" in one for one in assumed.assumptions)
    assert any("a vCPU moves 2 Gbit/s" in one for one in assumed.assumptions)


def test_what_is_told_of_machines_is_what_they_do() -> None:
    asked = {"goal": TransferGoal.TIME, "series": ("n2",)}
    told = plan("europe-west4", disk=disk_of("--disk", "500MiB/s"), **asked)
    assert known(told.plan).gbps == pytest.approx(16 * 500 * 2**20 * 8 / 1e9, rel=1e-6)
    assert not any("--disk" in one for one in told.assumptions)
    measured = plan("europe-west4", machine_gbps=3.0, **asked)
    assert known(measured.plan).gbps == pytest.approx(48.0, rel=1e-6)
    assert not any("--disk" in one or "vCPU" in one for one in measured.assumptions)
    great = plan("europe-west4", vcpus=8, series=("e2", "n2"))
    assert min(vcpus(one.machine_type) for one in known(great.plan).machines) >= 8


def test_a_disk_is_read_once_for_several_targets() -> None:
    """One machine a place: each byte passes the source's disk once, not once for each target."""
    told = {"goal": TransferGoal.TIME, "max_count": 1, "disk": disk_of("--disk", "500MiB/s")}
    told["series"] = ("n2",)
    found = known(plan("us-east1", "us-west1", relays=(), **told).plan)
    assert found.gbps == pytest.approx(500 * 2**20 * 8 / 1e9, rel=1e-6)


@pytest.mark.parametrize("text", ["pd-fast:1TB", "pd-ssd", "fast", "pd-ssd:x"])
def test_a_disk_that_nobody_knows_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        disk_of("--disk", text)


@pytest.mark.parametrize("text", ["pd-standard:1000GiB", "pd-ssd:20000GiB"])
def test_documented_limits_by_type_and_size(text: str) -> None:
    found = disk_of("--disk", text)
    expected = {"pd-standard:1000GiB": (120.0, 120.0), "pd-ssd:20000GiB": (1200.0, 1200.0)}[text]
    assert (found.read_mib_per_s, found.write_mib_per_s) == pytest.approx(expected)


def test_a_small_machine_is_held_to_what_google_documents_of_it() -> None:
    told = {"goal": TransferGoal.TIME, "max_count": 1, "machine_types": ("n2-standard-2",)}
    found = plan("europe-west4", disk=disk_of("--disk", "pd-ssd:4TB"), **told)
    assert known(found.plan).gbps == pytest.approx(240 * 2**20 * 8 / 1e9, rel=1e-6)
    said = "n2-standard-2 reads at most 240 MiB/s, n2-standard-2 writes at most 240 MiB/s"
    assert any(said in one for one in found.assumptions)


def test_a_limit_that_is_not_known_is_neither_none_nor_the_best(assumed: TransferPlan) -> None:
    """Where others are to be had such machines are left out; else what holds them is said."""
    (refused,) = [one for one in assumed.unknown if "pd-balanced" in one.detail]
    assert {"n4-standard-2", "c4-standard-2"} <= set(refused.machine_types)
    for option in (known(assumed.plan), *assumed.front):
        ends = {one.machine_type for one in option.machines if one.role != "relay"}
        assert not ends & set(refused.machine_types)
    alone = plan("europe-west4", series=("n4",), max_count=2)
    assert known(alone.plan).machines[0].machine_type.startswith("n4-")
    assert any("so only its size limits it" in one for one in alone.assumptions)
    assert not any("pd-balanced" in one.detail for one in alone.unknown)


def test_a_way_that_is_dear_does_not_lower_what_is_proven() -> None:
    """Of two ways the dear one is of no use: the bound is that of the cheap one."""
    case = Case(
        places=("a", "b", "c"),
        gbps={("a", "b"): 4.0, ("a", "c"): 4.0, ("c", "b"): 4.0},
        usd_per_gib={("a", "b"): 0.08, ("a", "c"): 0.08, ("c", "b"): 0.02},
        source="a",
        targets=("b",),
        gib=10_000.0,
        usd_per_hour=1.6,
        most=8,
        deadline_s=None,
    )
    found = planned(case)
    assert known(found.bound_usd) >= Decimal("0.999") * known(found.plan).usd_total


@pytest.mark.parametrize("volume", [10**12, FIFTY_TB])
def test_the_tier_is_a_choice_and_never_dearer_than_premium(volume: int) -> None:
    asked: dict[str, Any] = {"area": "Europe", "volume_bytes": volume, "relays": ("us-east1",)}
    asked["series"] = ("n2",)
    chosen = plan("internet", **asked)
    best = known(chosen.plan)
    for tier in NetworkTier:
        only = known(plan("internet", network_tier=tier, **asked).plan)
        assert best.usd_total <= only.usd_total
    assert {one.network_tier for one in best.flows if one.dst == "internet"} == {"STANDARD"}
    assert known(chosen.bound_usd) <= best.usd_total
    (way,) = [one for one in chosen.ways if one.name.endswith("Tier")]
    assert way.name == "Premium Tier"
    assert known(way.option).usd_total > best.usd_total


def test_a_byte_takes_a_machine_in_each_place() -> None:
    for targets in (1, 2):
        case = mesh_of(6, targets=targets)._replace(gib=2**-30, most=16)
        found = known(planned(case).plan)
        assert {one.count for one in found.machines} == {1}
        assert len(found.machines) <= 2 * targets + 1


@pytest.mark.parametrize("seed", every(3, range(9)))
def test_of_free_machines_no_plan_of_equal_cost_and_time_takes_fewer(seed: int) -> None:
    """One machine less in any place keeps the cost and the time in no way."""
    case = case_of(seed, is_priced=False)._replace(most=4, deadline_s=None)
    found = known(planned(case).plan)
    total = sum(one.count for one in found.machines)
    narrow = planned(case._replace(most=max(one.count for one in found.machines))).plan
    assert sum(one.count for one in known(narrow).machines) == total
    fewer = max(one.count for one in found.machines) - 1
    assert fewer
    other = known(planned(case._replace(most=fewer)).plan)
    is_slower = other.duration_s > found.duration_s * (1 + 1e-4) + 0.1
    assert is_slower or other.usd_total > found.usd_total


def test_json_holds_each_line_once_and_a_start_up_of_none_is_one() -> None:
    words = "transfer --from us-central1 --to europe-west4 --bytes 10TB --start-up 0s -o json"
    done = run_verbs(arguments=words.split())
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) < 45_000
    answer = json.loads(done.stdout)["transfer"]
    assert answer["direct"] is None
    assert not any(one["line_items"] for one in answer["front"])
    reasons = [(one["reason"], one["detail"]) for one in answer["unknown"]]
    assert len(reasons) == len(set(reasons))
    assert not any("start-up time is not given" in one for one in answer["assumptions"])
