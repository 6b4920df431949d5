"""Pairs that wait for one flow: what holds for them, so that all rules see the same path."""

from msgspec.structs import replace

from netplan_planner.model import Edge, Estimate, Facts, Instance, PathQuery, SelfLink, TopFlow
from netplan_planner.throughput import edge_query, instance_cap, single_flow
from netplan_planner.throughput.limits.shared_by import OF_VM

_SHARED = "single-flow-limited"
"""The rule whose thresholds say when one flow is what limits a pair."""
_LIMITS_OF_A_MACHINE = frozenset({*OF_VM, "external-path"})
_WINDOW = "window-over-rtt"
_LIMITS_OF_A_FLOW = frozenset({"external-flow", "internal-flow", _WINDOW})


def used_ratio(facts: Facts, edge: Edge, now: Estimate) -> float | None:
    """Return the share of what a path carries that is in use at the 95th percentile.

    Limits of a machine are shared by all of its flows, so what all of them send counts there.
    """
    if not now.gbps or now.binding is None or facts.traffic is None:
        return None
    rate = edge.series.p95_gbps
    sender = facts.traffic.vm_by_link.get(facts.src(edge).link or SelfLink(""))
    if sender is not None and now.binding.name in _LIMITS_OF_A_MACHINE:
        is_outside = now.binding.name != "vm-egress"
        rate = max(rate, (sender.egress_outside_vpc if is_outside else sender.egress).p95_gbps)
    return rate / now.gbps


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
        return "one flow carries it, and the cap of the sender's type is not known"
    limits = {limit.name for limit in single_flow(edge_query(facts, edge), facts.caps).limits}
    if edge.path_class.distance == "inter-region" and not limits & _LIMITS_OF_A_FLOW:
        return "one flow carries it, and its round-trip time is not known"
    return ""


def _dominates(facts: Facts, flow: TopFlow) -> bool:
    return flow.byte_ratio > facts.threshold(
        _SHARED, "flow_ratio"
    ) and flow.active_minutes >= facts.threshold(_SHARED, "min_active_minutes")


def _stands_at(facts: Facts, flow: TopFlow, alone: Estimate) -> bool:
    limit = alone.binding
    if limit is None or limit.name not in _LIMITS_OF_A_FLOW:
        return False
    near = facts.threshold(_SHARED, "near_ratio") * limit.gbps
    over = facts.threshold(_SHARED, "over_ratio") * limit.gbps
    return near <= flow.p95_gbps <= over


def _is_above_window(facts: Facts, flow: TopFlow, alone: Estimate) -> bool:
    limit = alone.binding
    if limit is None or limit.name != _WINDOW:
        return False
    return flow.p95_gbps > facts.threshold(_SHARED, "over_ratio") * limit.gbps


def _is_idle(facts: Facts, sender: Instance) -> bool:
    cap = instance_cap(sender, facts.caps)
    if cap is None or facts.traffic is None:
        return False
    whole = facts.traffic.vm_by_link[sender.ref.self_link].egress.p95_gbps
    return whole < facts.threshold(_SHARED, "idle_cap_ratio") * cap.egress_gbps
