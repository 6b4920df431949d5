"""What the rules on packet sizes share: the command that sets an MTU, and networks with tunnels."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Network, OwnerKind, SelfLink, VpnTunnel
from netplan_rules.wording import command

PING_HEADERS = 28
"""IPv4 and ICMP."""


def set_mtu(network: Network, mtu_bytes: int) -> str:
    """Return the command that gives a network an MTU."""
    project = f"--project={network.project}"
    mtu = f"--mtu={mtu_bytes}"
    return command("gcloud", "compute", "networks", "update", network.name, project, mtu)


def tunnels_by_network(
    facts: Facts,
) -> tuple[dict[SelfLink, tuple[VpnTunnel, ...]], tuple[VpnTunnel, ...]]:
    """Return the VPN tunnels of each network, and those whose network the input does not tell.

    By the router of a tunnel, or by the routes that lead into it.
    """
    by_router = {router.ref.self_link: router.network for router in facts.inventory.routers}
    by_route = {
        route.next_hop_target: route.network
        for route in facts.inventory.routes
        if route.next_hop == "vpn"
    }
    found: dict[SelfLink, list[VpnTunnel]] = {}
    lost = []
    for tunnel in facts.inventory.vpn_tunnels:
        router = tunnel.router or SelfLink("")
        network = by_router.get(router) or by_route.get(tunnel.ref.self_link)
        if network is None:
            lost.append(tunnel)
        else:
            found.setdefault(network, []).append(tunnel)
    return {network: tuple(tunnels) for network, tunnels in found.items()}, tuple(lost)


def hybrid_bytes(facts: Facts, network: SelfLink) -> int | None:
    """Return what machines of a network exchange with networks that are not Google's, in bytes.

    None without flow logs.
    """
    if facts.traffic is None:
        return None
    return sum(_hybrid_of(facts, network))


def _hybrid_of(facts: Facts, network: SelfLink) -> Iterator[int]:
    for edge in facts.seen_traffic.edges:
        ends = facts.src(edge), facts.dst(edge)
        if any(end.kind is OwnerKind.HYBRID for end in ends) and any(
            end.kind is OwnerKind.VM and end.network == network for end in ends
        ):
            yield edge.wire_bytes
