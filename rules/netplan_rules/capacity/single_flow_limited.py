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
from netplan_rules.base import Rule, Threshold, ratio_limit
from netplan_rules.shared.flows import (
    drops_before,
    flow_at_its_limit,
    overflow_evidence,
    why_not_judged,
)
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import gbps, pair_subject, rate_evidence
from netplan_rules.work import APPLICATION

RULE = Rule(
    id="single-flow-limited",
    title="One flow carries everything and stands at the limit of a flow",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.FLOW_RECORDS}),
    rationale="One five-tuple has limits of its own: 3 Gbit/s to an address outside the VPC, and a"
    " receive window per round trip everywhere. The machine's cap stays idle behind it.",
    remediation="Send over several connections in parallel; inside the VPC also raise the"
    " receiver's TCP buffers on long paths.",
    guards="Silent for flows that were active for a few minutes only, when the machine's own cap is"
    " in use, when several flows share the load, and when the flow is faster than a documented"
    " limit. One that is faster than a stock window allows has greater buffers: the limit behind"
    " the window is judged. Pairs without a known limit or round trip are listed as not judged.",
    references=("https://cloud.google.com/compute/docs/network-bandwidth",),
    work=APPLICATION,
    group_message="{count} pairs send nearly everything in one flow, at the limit of a flow:"
    " {flow_limit_rate} for the first",
    thresholds=(
        ratio_limit("flow_ratio", 0.7, "share of the pair's bytes that the greatest flow carries"),
        ratio_limit(
            "near_ratio", 0.85, "share of the limit of a flow that its 95th percentile reaches"
        ),
        ratio_limit(
            "over_ratio",
            1.1,
            "share of the limit above which another limit must hold",
            least=1.0,
            most=2.0,
        ),
        ratio_limit(
            "idle_cap_ratio", 0.5, "share of the machine's cap below which it counts as idle"
        ),
        Threshold(
            name="min_active_minutes",
            default=5.0,
            unit="minutes",
            about="how long the flow must have been active",
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
    many = predict(edge_query(facts, edge), facts.caps)
    receiver = facts.dst(edge).link
    if limit.name == "window-over-rtt":
        doubts.add("the receiver's window is the default of a stock Linux image, not read")
    return Hit(
        resources=(sender.ref,),
        subject=pair_subject(facts.src(edge), facts.dst(edge)),
        message=f"one flow carries {flow.byte_ratio:.0%} of the traffic at {gbps(flow.p95_gbps)};"
        f" a single flow gets at most {gbps(limit.gbps)} here ({limit.name})",
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
        fix=RULE.fix(
            label="several connections",
            verify=f"The busiest minute of the pair passes {gbps(limit.gbps)} in the next audit.",
            undo="Set the tool back to one connection.",
            text="Send over several connections in parallel (most transfer tools have an option"
            " for it); the machine's cap leaves room.",
            documents=("https://cloud.google.com/compute/docs/network-bandwidth",),
        ),
        doubts=doubts.reasons,
        change=Change(kind=ChangeKind.MORE_FLOWS, target=sender.ref.self_link, destination=receiver)
        if receiver is not None
        else None,
    )
