"""Pairs that send everything in one flow, at the limit of a flow."""

from collections.abc import Iterator

from netplan_planner.model import (
    Change,
    ChangeKind,
    Edge,
    Estimate,
    Evidence,
    Facts,
    Gap,
    Hit,
    Instance,
    Need,
    Severity,
    TopFlow,
)
from netplan_planner.throughput import edge_query, predict
from netplan_planner.throughput.limits.shared_by import tells_buffers
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.shared.flows import (
    drops_before,
    flow_at_its_limit,
    overflow_evidence,
    why_not_judged,
)
from netplan_rules.shared.trust import doubts_of_edge, minutes_per_day
from netplan_rules.wording import gbps, pair_subject, rate_evidence
from netplan_rules.work import APPLICATION

RULE = rule_of(
    __name__,
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.FLOW_RECORDS}),
    work=APPLICATION,
    thresholds=(
        ratio_limit("flow_ratio", 0.7, "minimum share of the pair's bytes in the largest flow"),
        ratio_limit(
            "near_ratio", 0.85, "minimum share of the flow limit at the flow's 95th percentile"
        ),
        ratio_limit(
            "over_ratio",
            1.1,
            "share of the limit above which another limit must apply",
            least=1.0,
            most=2.0,
        ),
        ratio_limit("idle_cap_ratio", 0.5, "share of the VM's cap below which it counts as idle"),
        Threshold(
            name="min_active_minutes",
            default=5.0,
            unit="minutes",
            about="minimum active time of the flow",
        ),
    ),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each pair whose greatest flow stands at the limit of a single flow."""
    if facts.traffic is None:
        return
    for edge in facts.traffic.edges:
        alone, sender = flow_at_its_limit(facts, edge), facts.instance(facts.src(edge))
        if alone is not None and sender is not None and edge.top_flow is not None:
            yield _hit(facts, edge, sender, edge.top_flow, alone)
        elif alone is None and sender is not None and (why := why_not_judged(facts, edge)):
            yield Gap(resource=sender.ref, reason=why)


def _hit(facts: Facts, edge: Edge, sender: Instance, flow: TopFlow, alone: Estimate) -> Hit:
    doubts = doubts_of_edge(facts, edge, of_month=False)
    limit = alone.binding
    assert limit is not None
    query = edge_query(facts, edge)
    many = predict(query, facts.caps)
    receiver = facts.dst(edge).link
    if limit.name == "window-over-rtt" and not tells_buffers(query):
        doubts.add("the receiver's window is assumed to be the default of a stock Linux image")
    return Hit(
        resources=(sender.ref,),
        subject=pair_subject(facts.src(edge), facts.dst(edge)),
        message=f"one flow carries {flow.byte_ratio:.0%} of the traffic at {gbps(flow.p95_gbps)};"
        f" the limit of a single flow here is {gbps(limit.gbps)} ({limit.name})",
        evidence=(
            Evidence(name="flow_share", value=flow.byte_ratio, unit="ratio", source="flow logs"),
            rate_evidence("flow_p95", flow.p95_gbps),
            rate_evidence("flow_limit", limit.gbps, limit.source),
            *overflow_evidence(drops_before((edge,))),
            Evidence(name="rtt", value=edge.rtt_ms if edge.rtt_ms is not None else "", unit="ms"),
        ),
        limit=limit,
        throughput_now=alone,
        throughput_fixed=many,
        used_ratio=flow.p95_gbps / limit.gbps,
        limit_minutes_per_day=minutes_per_day(facts, edge.series, limit.gbps),
        fix=RULE.fix(
            label="several connections",
            verify=f"In the next audit, the busiest minute of the pair exceeds {gbps(limit.gbps)}.",
            undo="Set the tool back to one connection.",
            text="Send over several parallel connections (most transfer tools have an option for"
            " it). The VM's cap has room.",
            documents=("https://cloud.google.com/compute/docs/network-bandwidth",),
        ),
        doubts=doubts.reasons,
        change=Change(kind=ChangeKind.MORE_FLOWS, target=sender.ref.self_link, destination=receiver)
        if receiver is not None
        else None,
    )
