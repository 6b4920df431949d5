"""VPN tunnels that carry about as many packets as one may."""

from collections.abc import Iterator, Sequence

from netplan_planner.model import (
    Edge,
    Evidence,
    Facts,
    Fix,
    Gap,
    Hit,
    Instruction,
    Limit,
    LimitKind,
    Need,
    Severity,
    VpnTunnel,
)
from netplan_planner.throughput.limits.tables import PathLimit
from netplan_rules.base import Rule, Threshold
from netplan_rules.gateway._tunnels import (
    edges_by_tunnel,
    owner_key,
    packet_bytes,
    packet_limit,
    tunnel_gbps,
)
from netplan_rules.trust import Doubts, doubts_of_edge
from netplan_rules.wording import gbps
from netplan_rules.work import GATEWAY

RULE = Rule(
    id="vpn-tunnel-saturated",
    title="A VPN tunnel carries as many packets as it may",
    severity=Severity.HIGH,
    needs=frozenset({Need.VPN_TUNNELS, Need.FLOW_RECORDS}),
    rationale="A Cloud VPN tunnel carries a fixed number of packets a second, both directions"
    " added, whatever the machines behind it may send; small packets fill it long before its"
    " Gbit/s do. What comes on top is dropped.",
    remediation="More tunnels with routes of one priority, which share the flows (ECMP), greater"
    " packets, or an Interconnect.",
    guards="Silent below the share of the limit. The records tell the rate of each pair, not of the"
    " tunnel: where several pairs share it their 95th percentiles are added up and the confidence"
    " is lower, for they need not fall together. What tunnels carry that no flow record names is"
    " not seen; tunnels without any are listed as not judged.",
    references=(
        "https://docs.cloud.google.com/network-connectivity/docs/vpn/quotas",
        "https://docs.cloud.google.com/network-connectivity/docs/vpn/concepts/classic-topologies",
    ),
    work=GATEWAY,
    since="0.1.0",
    thresholds=(
        Threshold(
            name="p95_ratio",
            default=0.8,
            unit="ratio",
            about="share of the packets that a tunnel may carry which it carries at the 95th"
            " percentile",
        ),
    ),
    group_message="{count} VPN tunnels carry about as many packets as they may; the first"
    " {packets:,.0f} a second",
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each tunnel whose packets reach the share of its limit."""
    limit = packet_limit(facts)
    if facts.traffic is None:
        return
    carried = edges_by_tunnel(facts)
    for tunnel in facts.inventory.vpn_tunnels:
        edges = carried.get(owner_key(tunnel), ())
        size_bytes = packet_bytes(edges)
        if limit is None:
            yield Gap(resource=tunnel.ref, reason="no source states what a tunnel carries then")
        elif size_bytes is None:
            yield Gap(resource=tunnel.ref, reason="no flow record names the tunnel")
        else:
            rate = sum(edge.series.p95_gbps for edge in edges)
            packets = rate / tunnel_gbps(1.0, size_bytes)
            if packets >= facts.threshold(RULE.id, "p95_ratio") * limit.value:
                yield _hit(facts, tunnel, edges, limit, packets, size_bytes)


def _hit(
    facts: Facts,
    tunnel: VpnTunnel,
    edges: Sequence[Edge],
    limit: PathLimit,
    packets: float,
    size_bytes: float,
) -> Hit:
    doubts = Doubts()
    ways = {(edge.src, edge.dst) for edge in edges}
    if len(ways) > 1:
        doubts.add("the rates of several pairs are added up as if they fell together")
    for edge in edges:
        for reason in doubts_of_edge(facts, edge, of_month=False).reasons:
            doubts.add(reason)
    rate, most = tunnel_gbps(packets, size_bytes), tunnel_gbps(limit.value, size_bytes)
    return Hit(
        resources=(tunnel.ref,),
        subject=f"{tunnel.name} ({tunnel.region})",
        message=f"{tunnel.name} carries {packets:,.0f} packets a second ({gbps(rate)} of"
        f" {size_bytes:,.0f} bytes) at the 95th percentile, both directions added; a tunnel carries"
        f" {limit.value:,.0f}, with such packets {gbps(most)}",
        evidence=(
            Evidence(name="packets", value=round(packets), unit="packets/s", source="flow logs"),
            Evidence(name="packet_size", value=round(size_bytes), unit="bytes", source="flow logs"),
            Evidence(name="cap", value=most, unit="Gbit/s", source=limit.source),
        ),
        limit=Limit(
            name="vpn-tunnel",
            gbps=most,
            kind=LimitKind.DOCUMENTED,
            source=limit.source,
            as_of=limit.as_of,
            detail=f"{limit.value:,.0f} packets/s of {size_bytes:,.0f} bytes",
            lifted_by="more tunnels, or an Interconnect",
        ),
        used_ratio=packets / limit.value,
        fix=Fix(
            label="another tunnel beside it",
            text=f"Make a tunnel more between the two gateways of {tunnel.name}, with a BGP session"
            " that announces the same prefixes with the same priority on both sides: the flows are"
            " shared among them. One flow stays in one tunnel.",
            verify=Instruction(
                text="Both tunnels carry traffic: compare vpn.googleapis.com/network/"
                "sent_packets_count of each."
            ),
            undo=Instruction(text="Take the BGP session of the new tunnel down, then delete it."),
            documents=RULE.references,
            caution="Two tunnels in use at once leave no spare one: while one is down the other"
            " carries all.",
        ),
        confidence=doubts.confidence,
        confidence_reason=doubts.text,
    )
