"""Packets that flow logs say were dropped, where they bear on what a rule says.

Whether a machine sends as much as it may: one judgement for the rules that speak of it.
"""

from collections import Counter
from collections.abc import Iterable

from netplan_planner.model import Edge, EgressCap, Evidence, Facts, MachineRates
from netplan_planner.units import counted

_SHARED = "egress-cap-saturated"
"""The rule whose thresholds say when a machine stands at its cap."""


def is_full(facts: Facts, rates: MachineRates, cap: EgressCap) -> bool:
    """Return whether the 95th percentile, or enough single minutes, stand at the cap."""
    full_gbps = facts.threshold(_SHARED, "max_ratio") * cap.egress_gbps
    full_minutes = facts.threshold(_SHARED, "full_minutes")
    is_high = rates.egress.p95_gbps >= facts.threshold(_SHARED, "p95_ratio") * cap.egress_gbps
    return is_high or rates.egress.minutes_at_least(full_gbps) >= full_minutes


OVERFLOW = "QUEUE_OVERFLOW"
"""The sender gave more packets than it may send: the queue before its cap ran over."""


def sent_drops(facts: Facts, owner: int) -> Counter[str]:
    """Return the packets that a machine lost before they left, by reason."""
    return drops_before(facts.seen_traffic.edges_by_src.get(owner, ()))


def drops_of(facts: Facts, rates: MachineRates) -> Counter[str]:
    """Return the same of a machine whose rates are known; without flow records nothing is."""
    return sent_drops(facts, rates.traffic.owner) if rates.traffic is not None else Counter()


def drops_before(edges: Iterable[Edge]) -> Counter[str]:
    """Return the packets of edges that the sender lost before they left, by reason."""
    found: Counter[str] = Counter()
    for edge in edges:
        for drops in edge.drops:
            if not drops.at_receiver:
                found[drops.reason] += drops.packet_count
    return found


def overflow_evidence(found: Counter[str]) -> tuple[Evidence, ...]:
    """Return what speaks for a queue that ran over; nothing where no record tells of one."""
    if not found[OVERFLOW]:
        return ()
    return (
        Evidence(
            name="dropped_queue_overflow",
            value=found[OVERFLOW],
            unit="packets",
            source="flow logs (drop_reason)",
        ),
    )


def overflow_text(found: Counter[str]) -> str:
    """Return the same for the end of a sentence; empty where no record tells of one."""
    if not found[OVERFLOW]:
        return ""
    packets = counted(found[OVERFLOW], "packet")
    return f" Its queue ran over: {packets} dropped before leaving ({OVERFLOW})."
