"""Metrics as evidence: which witness decides a rate, and what a machine's size follows."""

from pathlib import Path
from typing import Any

import pytest

from netplan_planner.judging.judged import judge
from netplan_planner.machines import SizeLimits, seen_size
from netplan_planner.model import Facts, Hit, Need
from netplan_planner.units import BYTES_PER_GIB
from netplan_rules.needs import lacking
from netplan_rules.registry import find_rule
from support.rules.fixtures import facts_of

Case = dict[str, Any]
VM = {"name": "a", "zone": "us-central1-a", "type": "n2-standard-8", "internal": "10.0.0.2"}
CAP_BYTES_PER_S = 16e9 / 8
"""The cap of an n2-standard-8 (caps table, 2026)."""
FULL = {"metric": "VM_SENT_BYTES", "machine": "a", "values": [CAP_BYTES_PER_S * 0.97]}
LIMITS = SizeLimits(cpu_ratio=0.7, memory_ratio=0.8, min_days=14.0)


def facts(tmp_path: Path, *metrics: Case, **case: Any) -> Facts:
    return facts_of({"machines": [VM], "metrics": list(metrics), **case}, tmp_path)


def hits(rule: str, found: Facts) -> list[Hit]:
    return list(judge(find_rule(rule), found).hits)


def why_not(rule: str, found: Facts) -> str:
    return "; ".join(note.reason for note in judge(find_rule(rule), found).not_evaluated)


def test_a_machine_at_its_cap_is_found_without_flow_logs(tmp_path: Path) -> None:
    (hit,) = hits("egress-cap-saturated", facts(tmp_path, FULL))
    rates = {one.name: one for one in hit.evidence}
    assert float(rates["p95"].value) == pytest.approx(15.52)
    assert rates["p95"].source == "Cloud Monitoring, instance/network/sent_bytes_count"
    assert hit.confidence.value == "high"


def test_coarse_points_hide_bursts(tmp_path: Path) -> None:
    (hit,) = hits("egress-cap-saturated", facts(tmp_path, {**FULL, "step_s": 300}))
    assert "points cover more than one minute" in hit.confidence_reason


def test_counters_go_before_a_sample_of_flows(tmp_path: Path) -> None:
    flows = {"minutes": 60, "flows": [{"src": "a", "dst": "8.8.8.8", "gbps": 1.0}]}
    with_logs = facts(tmp_path, FULL, traffic=flows)
    (rates,) = with_logs.machine_rates
    assert rates.is_counted
    assert rates.traffic is not None
    assert rates.egress.p95_gbps == pytest.approx(15.52)
    # Where the counters are coarser than a minute, the records of a minute stay.
    coarse = facts(tmp_path, {**FULL, "step_s": 3600}, traffic=flows)
    (rates,) = coarse.machine_rates
    assert (rates.is_counted, rates.source) == (False, "flow logs")


OUTSIDE = {"flow": "egress", "machine": "a", "where": "EXTERNAL", "values": [0.9e9]}


NO_TRAFFIC, NO_PEER = "no traffic given", "name no peer"


@pytest.mark.parametrize(
    ("metric", "need", "said"),
    [
        # Counters alone are rates and no traffic.
        *((FULL, need, NO_TRAFFIC) for need in (Need.TRAFFIC, Need.WINDOW, Need.PEERS)),
        (FULL, Need.FLOW_RECORDS, NO_TRAFFIC),
        *((FULL, need, None) for need in (Need.RATES, Need.METRICS)),
        # Metrics of flows name no peers.
        *((OUTSIDE, need, None) for need in (Need.TRAFFIC, Need.WINDOW, Need.RATES)),
        *((OUTSIDE, need, NO_PEER) for need in (Need.PEERS, Need.FLOW_RECORDS)),
    ],
)
def test_what_metrics_are_evidence_of(
    tmp_path: Path, metric: Case, need: Need, said: str | None
) -> None:
    reason = lacking(need, facts(tmp_path, metric))
    assert reason is None if said is None else said in (reason or "")


def test_no_metrics_are_not_evaluated(tmp_path: Path) -> None:
    bare = facts_of({"machines": [VM]}, tmp_path)
    assert bare.metrics is None
    assert "no metrics given" in (lacking(Need.METRICS, bare) or "")
    assert "no traffic" in why_not("egress-cap-saturated", bare)


def test_the_outside_part_comes_from_metrics_of_flows(tmp_path: Path) -> None:
    (hit,) = hits("external-cap-saturated", facts(tmp_path, OUTSIDE))
    sources = {one.name: one.source for one in hit.evidence}
    assert sources["outside_p95"] == "Cloud Monitoring, vm_flow"
    # Who the peers are is not told, so neither is a share of them.
    assert "to_own_machines" not in sources
    assert "headers" in hit.confidence_reason


def test_rules_of_addresses_are_not_evaluated_on_metrics(tmp_path: Path) -> None:
    found = facts(tmp_path, OUTSIDE)
    for rule in ("external-ip-intra-zone", "chatty-inter-zone-pair", "single-flow-limited"):
        assert "name no peer" in why_not(rule, found)


IDLE = {"metric": "VM_CPU", "machine": "a", "values": [0.1], "days": 15, "step_s": 3600}
SMALL = {"metric": "VM_MEMORY", "machine": "a", "values": [25.0], "days": 15, "step_s": 3600}


def size(found: Facts) -> tuple[int, float]:
    (instance,) = found.inventory.instances
    shape = found.shape(instance.machine_type)
    assert shape is not None
    seen = seen_size(found, instance, shape, LIMITS)
    return seen.vcpus, seen.memory_gib


@pytest.mark.parametrize(
    ("metrics", "vcpus", "memory_gib"),
    [
        ((), 8, 32.0),
        ((IDLE,), 2, 32.0),  # 0.1 × 8 / 0.7 = 1.14
        ((SMALL,), 8, 10.0),  # 0.25 × 32 / 0.8
        ((IDLE, SMALL), 2, 10.0),
        (({**IDLE, "days": 13},), 8, 32.0),
        (({**IDLE, "values": [0.99]},), 8, 32.0),
        (({**IDLE, "values": [0.1] * 3 + [None] * 3},), 8, 32.0),  # Half of the time is a gap.
        (({**SMALL, "metric": "VM_BALLOON_USED", "values": [4.0 * BYTES_PER_GIB]},), 8, 5.0),
    ],
)
def test_a_size_follows_what_was_seen_for_long_enough(
    tmp_path: Path, metrics: tuple[Case, ...], vcpus: int, memory_gib: float
) -> None:
    found_vcpus, found_gib = size(facts(tmp_path, *metrics))
    assert found_vcpus == vcpus
    assert found_gib == pytest.approx(memory_gib)


@pytest.mark.parametrize(
    "more",
    [{"labels": {"netplan-role": "standby"}}, {"type": "e2-medium"}],
    ids=["standby", "shared"],
)
def test_a_machine_that_is_idle_on_purpose_keeps_its_size(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    found = facts(tmp_path, IDLE, SMALL, machines=[VM | more])
    (instance,) = found.inventory.instances
    shape = found.shape(instance.machine_type)
    assert shape is not None
    assert size(found) == (shape.vcpus, shape.memory_gib)


def test_a_proposal_that_follows_the_size_tells_it(tmp_path: Path) -> None:
    (hit,) = hits("egress-cap-saturated", facts(tmp_path, FULL, IDLE, SMALL))
    told = {one.name: one.value for one in hit.evidence}
    assert (told["cpu_p95"], told["memory_max"]) == (0.1, 0.25)
    (plain,) = hits("egress-cap-saturated", facts(tmp_path, FULL))
    assert not {"cpu_p95", "memory_max"} & {one.name for one in plain.evidence}
