"""Pairs that wait for one flow: what holds for them, so that all rules see the same path."""

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from netplan_planner.model import (
    LIFT_RATIO,
    Edge,
    EgressCap,
    Estimate,
    Evidence,
    Facts,
    Instance,
    MachineRates,
    PathQuery,
    SelfLink,
    Series,
    TopFlow,
)
from netplan_planner.throughput import edge_query, instance_cap, single_flow
from netplan_planner.throughput.limits.shared_by import OF_VM
from netplan_planner.units import counted

# Packets that flow logs say were dropped, where they bear on what a rule says
#
# Whether a machine sends as much as it may: one judgement for the rules that speak of it.


_CAP_RULE = "egress-cap-saturated"
"""The rule whose thresholds say when a machine stands at its cap."""


def is_full(facts: Facts, rates: MachineRates, cap: EgressCap) -> bool:
    """Return whether the 95th percentile, or enough single minutes, stand at the cap."""
    full_gbps = facts.threshold(_CAP_RULE, "max_ratio") * cap.egress_gbps
    full_minutes = facts.threshold(_CAP_RULE, "full_minutes")
    is_high = rates.egress.p95_gbps >= facts.threshold(_CAP_RULE, "p95_ratio") * cap.egress_gbps
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
    return f" Its queue overflowed: {packets} dropped before leaving ({OVERFLOW})."


# Pairs that wait for one flow: what holds for them, so that all rules see the same path


_FLOW_RULE = "single-flow-limited"
"""The rule whose thresholds say when one flow is what limits a pair."""
_LIMITS_OF_A_MACHINE = frozenset({*OF_VM, "external-path"})
_WINDOW = "window-over-rtt"
_LIMITS_OF_A_FLOW = frozenset({"external-flow", "internal-flow", _WINDOW})


def used_ratio(facts: Facts, edge: Edge, now: Estimate) -> float | None:
    """Return the share of what a path carries that is in use at the 95th percentile.

    Limits of a machine are shared by all of its flows, so what all of them send counts there; but
    a path that sends little beside the largest of them is held back by nothing.
    """
    series = using_series(facts, edge, now)
    return series.p95_gbps / now.gbps if series is not None and now.gbps else None


def using_series(facts: Facts, edge: Edge, now: Estimate) -> Series | None:
    """Return the rates that use what binds a path: of its edge, or of all that its sender sends."""
    if not now.gbps or now.binding is None or facts.traffic is None:
        return None
    sender = facts.traffic.vm_by_link.get(facts.src(edge).link or SelfLink(""))
    if sender is None or now.binding.name not in _LIMITS_OF_A_MACHINE:
        return edge.series
    is_outside = now.binding.name != "vm-egress"
    if edge.series.max_gbps < _LEAST_SHARE * _largest_gbps(facts, edge.src, is_outside):
        return edge.series
    whole = sender.egress_outside_vpc if is_outside else sender.egress
    return max(edge.series, whole, key=lambda one: one.p95_gbps)


_LEAST_SHARE = LIFT_RATIO - 1
"""Of the largest flow under the same limit: less changes nothing that two runs would show."""


class _Largest(dict[tuple[int, bool], float]):
    """The busiest minute of each sender's largest path, of all or of those that leave the VPC."""


def _largest_gbps(facts: Facts, owner: int, is_outside: bool) -> float:
    known = facts.memo.setdefault(_Largest, _Largest())
    assert isinstance(known, _Largest)
    if (owner, is_outside) not in known:
        known[owner, is_outside] = max(
            edge.series.max_gbps
            for edge in facts.seen_traffic.edges_by_src[owner]
            if edge.path_class.leaves_vpc or not is_outside
        )
    return known[owner, is_outside]


def used_path(facts: Facts, edge: Edge) -> PathQuery:
    """Return the path as its pair uses it: with one flow where that stands at its own limit."""
    query = edge_query(facts, edge)
    return query if flow_at_its_limit(facts, edge) is None else replace(query, streams=1)


def flow_at_its_limit(facts: Facts, edge: Edge) -> Estimate | None:
    """Return what one flow gets, for a pair whose single flow stands at that; None for others."""
    flow, sender = edge.top_flow, facts.instance(facts.src(edge))
    if flow is None or sender is None or not _dominates(facts, flow):
        return None
    if not _is_idle(facts, sender):
        return None
    query = edge_query(facts, edge)
    alone = single_flow(query, facts.caps)
    if _is_above_window(facts, flow, alone):
        # Faster than the default window lets it be, so its buffers are greater: what is behind?
        alone = single_flow(replace(query, rtt_ms=None), facts.caps)
    return alone if _stands_at(facts, flow, alone) else None


def why_not_judged(facts: Facts, edge: Edge) -> str:
    """Return why it cannot be told whether one flow is what limits a pair; empty where it can."""
    flow, sender = edge.top_flow, facts.instance(facts.src(edge))
    if flow is None or sender is None or not _dominates(facts, flow):
        return ""
    if instance_cap(sender, facts.caps) is None:
        return "one flow carries it, and the cap of the sender's type is unknown"
    limits = {limit.name for limit in single_flow(edge_query(facts, edge), facts.caps).limits}
    if edge.path_class.distance == "inter-region" and not limits & _LIMITS_OF_A_FLOW:
        return "one flow carries it, and its round-trip time is unknown"
    return ""


def _dominates(facts: Facts, flow: TopFlow) -> bool:
    return flow.byte_ratio > facts.threshold(
        _FLOW_RULE, "flow_ratio"
    ) and flow.active_minutes >= facts.threshold(_FLOW_RULE, "min_active_minutes")


def _stands_at(facts: Facts, flow: TopFlow, alone: Estimate) -> bool:
    limit = alone.binding
    if limit is None or limit.name not in _LIMITS_OF_A_FLOW:
        return False
    near = facts.threshold(_FLOW_RULE, "near_ratio") * limit.gbps
    over = facts.threshold(_FLOW_RULE, "over_ratio") * limit.gbps
    return near <= flow.p95_gbps <= over


def _is_above_window(facts: Facts, flow: TopFlow, alone: Estimate) -> bool:
    limit = alone.binding
    if limit is None or limit.name != _WINDOW:
        return False
    return flow.p95_gbps > facts.threshold(_FLOW_RULE, "over_ratio") * limit.gbps


def _is_idle(facts: Facts, sender: Instance) -> bool:
    cap = instance_cap(sender, facts.caps)
    if cap is None or facts.traffic is None:
        return False
    whole = facts.traffic.vm_by_link[sender.ref.self_link].egress.p95_gbps
    return whole < facts.threshold(_FLOW_RULE, "idle_cap_ratio") * cap.egress_gbps
