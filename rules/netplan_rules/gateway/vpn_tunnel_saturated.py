"""VPN tunnels that carry about as many packets as one may."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput.limits.tables import PathLimit
from netplan_rules.base import Rule, ratio_limit
from netplan_rules.gateway._tunnels import (
    TunnelLoad,
    counted_load,
    edges_by_tunnel,
    owner_key,
    packet_limit,
    seen_load,
    tunnel_gbps,
)
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import gbps
from netplan_rules.work import GATEWAY

RULE = Rule(
    id="vpn-tunnel-saturated",
    title="A VPN tunnel carries as many packets as it may",
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.VPN_TUNNELS, model.Need.TUNNEL_LOADS}),
    rationale="A Cloud VPN tunnel carries a fixed number of packets a second, both directions"
    " added, whatever the machines behind it may send; small packets fill it long before its"
    " Gbit/s do. What comes on top is dropped.",
    remediation="More tunnels with routes of one priority, which share the flows (ECMP), greater"
    " packets, or an Interconnect.",
    guards="Silent below the share of the limit. The tunnel's own metrics go before flow records,"
    " which tell the rate of each pair, not of the tunnel: where several pairs share it, or two"
    " directions are counted, their 95th percentiles are added up and the confidence is lower, for"
    " they need not fall together. Tunnels that neither names are listed as not judged.",
    references=(
        "https://docs.cloud.google.com/network-connectivity/docs/vpn/quotas",
        "https://docs.cloud.google.com/network-connectivity/docs/vpn/concepts/classic-topologies",
    ),
    work=GATEWAY,
    thresholds=(
        ratio_limit(
            "p95_ratio",
            0.8,
            "share of the packets that a tunnel may carry which it carries at the 95th percentile",
        ),
    ),
    group_message="{count} VPN tunnels carry about as many packets as they may; the first"
    " {packets:,.0f} a second",
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each tunnel whose packets reach the share of its limit."""
    limit = packet_limit(facts)
    carried = edges_by_tunnel(facts)
    for tunnel in facts.inventory.vpn_tunnels:
        edges = carried.get(owner_key(tunnel), ())
        # Metrics count every packet of the tunnel, whoever sends it.
        load = counted_load(facts, tunnel) or seen_load(facts, edges)
        if limit is None:
            yield model.Gap(
                resource=tunnel.ref, reason="no source states what a tunnel carries then"
            )
        elif load is None:
            yield model.Gap(
                resource=tunnel.ref, reason="no metric and no flow record names the tunnel"
            )
        elif load.packets_per_s >= facts.threshold(RULE.id, "p95_ratio") * limit.value:
            yield _hit(tunnel, load, limit)


def _hit(tunnel: model.VpnTunnel, load: TunnelLoad, limit: PathLimit) -> model.Hit:
    doubts = Doubts()
    for reason in load.doubts:
        doubts.add(reason)
    return model.Hit(
        resources=(tunnel.ref,),
        subject=f"{tunnel.name} ({tunnel.region})",
        message=_message(tunnel, load, limit),
        evidence=(
            model.Evidence(
                name="packets",
                value=round(load.packets_per_s),
                unit="packets/s",
                source=load.source,
            ),
            *_sizes(load, limit),
        ),
        limit=_limit(load, limit),
        used_ratio=load.packets_per_s / limit.value,
        fix=RULE.fix(
            label="another tunnel beside it",
            text=f"Make a tunnel more between the two gateways of {tunnel.name}, with a BGP session"
            " that announces the same prefixes with the same priority on both sides: the flows are"
            " shared among them. One flow stays in one tunnel.",
            verify="Both tunnels carry traffic: compare vpn.googleapis.com/network/"
            "sent_packets_count of each.",
            undo="Take the BGP session of the new tunnel down, then delete it.",
            caution="Two tunnels in use at once leave no spare one: while one is down the other"
            " carries all.",
        ),
        doubts=doubts.reasons,
    )


def _message(tunnel: model.VpnTunnel, load: TunnelLoad, limit: PathLimit) -> str:
    size_bytes = load.packet_bytes
    if size_bytes is None:
        of, with_such = "", ""
    else:
        rate = tunnel_gbps(load.packets_per_s, size_bytes)
        of = f" ({gbps(rate)} of {size_bytes:,.0f} bytes)"
        with_such = f", with such packets {gbps(tunnel_gbps(limit.value, size_bytes))}"
    return (
        f"{tunnel.name} carries {load.packets_per_s:,.0f} packets a second{of} at the 95th"
        f" percentile, both directions added; a tunnel carries {limit.value:,.0f}{with_such}"
    )


def _sizes(load: TunnelLoad, limit: PathLimit) -> Iterator[model.Evidence]:
    if load.packet_bytes is not None:
        size = round(load.packet_bytes)
        yield model.Evidence(name="packet_size", value=size, unit="bytes", source=load.source)
        most = tunnel_gbps(limit.value, load.packet_bytes)
        yield model.Evidence(name="cap", value=most, unit="Gbit/s", source=limit.source)


def _limit(load: TunnelLoad, limit: PathLimit) -> model.Limit | None:
    if load.packet_bytes is None:
        return None
    return model.Limit(
        name="vpn-tunnel",
        gbps=tunnel_gbps(limit.value, load.packet_bytes),
        kind=model.LimitKind.DOCUMENTED,
        source=limit.source,
        as_of=limit.as_of,
        detail=f"{limit.value:,.0f} packets/s of {load.packet_bytes:,.0f} bytes",
        lifted_by="more tunnels, or an Interconnect",
    )
