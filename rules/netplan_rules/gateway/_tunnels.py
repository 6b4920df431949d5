"""VPN tunnels: which networks they join, and what the flow logs say they carry."""

from collections import defaultdict
from collections.abc import Sequence

from netplan_planner.model import Edge, Facts, OwnerKind, SelfLink, VpnTunnel
from netplan_planner.throughput.limits.tables import PathLimit, path_limit
from netplan_planner.units import gbps_from_bytes

_PACKETS = "vpn-tunnel-packets"


def packet_limit(facts: Facts) -> PathLimit | None:
    """Return how many packets a second a tunnel carries, both directions added; None: no source."""
    return path_limit(_PACKETS, facts.caps.as_of)


def owner_key(tunnel: VpnTunnel) -> str:
    """Return how the owners of traffic name the other end of a tunnel."""
    return f"hybrid:{tunnel.project}/{tunnel.region}/{tunnel.name}"


def edges_by_tunnel(facts: Facts) -> dict[str, list[Edge]]:
    """Return what goes over each hop into a tunnel, either way, by `owner_key`."""
    found: dict[str, list[Edge]] = defaultdict(list)
    for edge in facts.traffic.edges if facts.traffic is not None else ():
        for owner in (facts.src(edge), facts.dst(edge)):
            if owner.kind is OwnerKind.HYBRID:
                found[owner.key].append(edge)
    return found


def networks_of_gateways(facts: Facts) -> dict[SelfLink, SelfLink]:
    """Return the network of each VPN gateway: that of the router of its tunnels."""
    routers = {router.ref.self_link: router.network for router in facts.inventory.routers}
    return {
        tunnel.vpn_gateway: routers[tunnel.router]
        for tunnel in facts.inventory.vpn_tunnels
        if tunnel.vpn_gateway is not None and tunnel.router in routers
    }


def packet_bytes(edges: Sequence[Edge]) -> float | None:
    """Return the mean size of the packets of edges, headers included; None without packets."""
    packets = sum(edge.packet_count for edge in edges)
    return sum(edge.wire_bytes for edge in edges) / packets if packets else None


def tunnel_gbps(packets_per_s: float, size_bytes: float) -> float:
    """Return the rate of packets of a size, in Gbit/s."""
    return gbps_from_bytes(packets_per_s * size_bytes, 1)
