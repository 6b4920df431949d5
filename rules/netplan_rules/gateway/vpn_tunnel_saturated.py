"""VPN tunnels that carry about as many packets as one may."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput.limits.tables import PathLimit
from netplan_rules.base import ratio_limit, rule_of
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

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.VPN_TUNNELS, model.Need.TUNNEL_LOADS}),
    work=GATEWAY,
    thresholds=(
        ratio_limit(
            "p95_ratio",
            0.8,
            "minimum share of a tunnel's packet limit at the 95th percentile",
        ),
    ),
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
                resource=tunnel.ref, reason="no source states the capacity of a tunnel in this case"
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
        limit_minutes_per_day=load.minutes_per_day,
        fix=RULE.fix(
            label="a second tunnel",
            text=f"Create one more tunnel between the two gateways of {tunnel.name}. Its BGP"
            " session announces the same prefixes with the same priority on both sides, so"
            " that they share the flows. One flow stays in one tunnel.",
            verify="Both tunnels carry traffic: compare vpn.googleapis.com/network/"
            "sent_packets_count of each.",
            undo="Shut down the BGP session of the new tunnel, then delete it.",
            caution="With two tunnels in use there is no spare one: while one is down, the other"
            " carries everything.",
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
        f"{tunnel.name} carries {load.packets_per_s:,.0f} packets per second{of} at the 95th"
        " percentile, both directions added; the limit of a tunnel is"
        f" {limit.value:,.0f}{with_such}"
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
