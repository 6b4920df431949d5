"""VPN tunnels: which networks they join, and what the flow logs say they carry."""

from collections import defaultdict
from collections.abc import Sequence

from netplan_planner import model
from netplan_planner.throughput.limits.tables import PathLimit, path_limit
from netplan_planner.units import gbps_from_bytes
from netplan_rules.shared.trust import Doubts, doubts_of_edges, minutes_per_day

_PACKETS = "vpn-tunnel-packets"


class TunnelLoad(model.Value, frozen=True, kw_only=True):
    """What a tunnel carries, both directions added, and who says so."""

    packets_per_s: float
    """At the 95th percentile."""
    packet_bytes: float | None
    """Their mean size, headers included; None: not known."""
    source: str
    doubts: tuple[str, ...] = ()
    minutes_per_day: float | None = None
    """For which the pairs of flow records send that much at least; None: counted by a metric."""


def packet_limit(facts: model.Facts) -> PathLimit | None:
    """Return how many packets a second a tunnel carries, both directions added; None: no source."""
    return path_limit(_PACKETS, facts.caps.as_of)


def owner_key(tunnel: model.VpnTunnel) -> str:
    """Return how the owners of traffic name the other end of a tunnel."""
    return f"hybrid:{tunnel.project}/{tunnel.region}/{tunnel.name}"


def edges_by_tunnel(facts: model.Facts) -> dict[str, list[model.Edge]]:
    """Return what goes over each hop into a tunnel, either way, by `owner_key`."""
    found: dict[str, list[model.Edge]] = defaultdict(list)
    for edge in facts.traffic.edges if facts.traffic is not None else ():
        for owner in (facts.src(edge), facts.dst(edge)):
            if owner.kind is model.OwnerKind.HYBRID:
                found[owner.key].append(edge)
    return found


def counted_load(facts: model.Facts, tunnel: model.VpnTunnel) -> TunnelLoad | None:
    """Return what Cloud Monitoring counted of a tunnel; None: nothing."""
    packets = _both(facts, tunnel, model.Metric.VPN_SENT_PACKETS, model.Metric.VPN_RECEIVED_PACKETS)
    if not packets:
        return None
    doubts = Doubts()
    if len(packets) == 1:
        doubts.add("only the packets of one direction are counted")
    else:
        doubts.add("the 95th percentiles of both directions are added")
    if not all(one.is_by_minute for one in packets):
        doubts.add("points cover more than one minute, so bursts are hidden")
    sizes = _both(facts, tunnel, model.Metric.VPN_SENT_BYTES, model.Metric.VPN_RECEIVED_BYTES)
    mean = sum(one.mean for one in packets)
    is_whole = len(sizes) == len(packets) and mean > 0
    return TunnelLoad(
        packets_per_s=sum(one.p95 for one in packets),
        packet_bytes=sum(one.mean for one in sizes) / mean if is_whole else None,
        source="Cloud Monitoring, vpn.googleapis.com/network",
        doubts=doubts.reasons,
    )


def _both(
    facts: model.Facts, tunnel: model.VpnTunnel, *metrics: model.Metric
) -> list[model.MetricSeries]:
    if facts.metrics is None:
        return []
    found = (facts.metrics.of(tunnel.ref.self_link, metric) for metric in metrics)
    return [one for one in found if one is not None]


def seen_load(facts: model.Facts, edges: Sequence[model.Edge]) -> TunnelLoad | None:
    """Return what flow records say of the pairs that share a tunnel; None: nothing."""
    size_bytes = packet_bytes(edges)
    if size_bytes is None:
        return None
    doubts = Doubts()
    if len({(edge.src, edge.dst) for edge in edges}) > 1:
        doubts.add("the rates of several pairs are added, assuming all peak together")
    doubts.add(*doubts_of_edges(facts, edges, of_month=False).reasons)
    rate = sum(edge.series.p95_gbps for edge in edges)
    return TunnelLoad(
        packets_per_s=rate / tunnel_gbps(1.0, size_bytes),
        packet_bytes=size_bytes,
        source="flow logs",
        doubts=doubts.reasons,
        minutes_per_day=min(
            minutes_per_day(facts, edge.series, edge.series.p95_gbps) for edge in edges
        ),
    )


def networks_of_gateways(facts: model.Facts) -> dict[model.SelfLink, model.SelfLink]:
    """Return the network of each VPN gateway: that of the router of its tunnels."""
    routers = {router.ref.self_link: router.network for router in facts.inventory.routers}
    return {
        tunnel.vpn_gateway: routers[tunnel.router]
        for tunnel in facts.inventory.vpn_tunnels
        if tunnel.vpn_gateway is not None and tunnel.router in routers
    }


def packet_bytes(edges: Sequence[model.Edge]) -> float | None:
    """Return the mean size of the packets of edges, headers included; None without packets."""
    packets = sum(edge.packet_count for edge in edges)
    return sum(edge.wire_bytes for edge in edges) / packets if packets else None


def tunnel_gbps(packets_per_s: float, size_bytes: float) -> float:
    """Return the rate of packets of a size, in Gbit/s."""
    return gbps_from_bytes(packets_per_s * size_bytes, 1)
