"""Why two networks cannot be peered: asked of every peering, whoever proposes it.

Source: cloud.google.com/vpc/docs/vpc-peering.
"""

from collections.abc import Callable, Iterable

from netplan_planner.model import Inventory, SelfLink, last_part

AUTO_MODE_RANGE = "10.128.0.0/9"
"""All subnetworks of every auto-mode network lie in it (cloud.google.com/vpc/docs/subnets)."""
Peers = Callable[[SelfLink], Iterable[SelfLink]]
"""The networks that one is peered with."""


def why_not_peered(inventory: Inventory, local: SelfLink, remote: SelfLink, peers: Peers) -> str:
    """Return why two networks cannot be peered, or may not without a look first, or nothing."""
    if inventory.spoke_pairs.are_spokes(local, remote):
        names = " and ".join(map(last_part, sorted((local, remote))))
        return f"{names} are Network Connectivity Center VPC spokes, which cannot be peered"
    if hub := hub_of_sites(inventory, local, remote):
        return f"the hub {hub} already joins {last_part(local)} and {last_part(remote)} to one site"
    if legacy := legacy_networks(inventory, local, remote):
        return f"{' and '.join(legacy)} is a legacy network, which cannot be peered"
    if overlap := overlap_of(inventory, local, remote, peers):
        return f"the ranges {overlap} prevent the peering"
    return untold_over_hub(inventory, local, remote)


def hub_of_sites(inventory: Inventory, local: SelfLink, remote: SelfLink) -> str:
    """Return the hub to which two networks belong, one by a hybrid spoke, by name, or nothing.

    What tunnels, VLAN attachments or appliances of one bring to the hub reaches the other already:
    over a peering it would come a second way.
    """
    sites = [spoke for spoke in inventory.spokes if spoke.kind.is_hybrid]
    if not sites or local == remote:
        return ""
    routers = {router.ref.self_link: router.network for router in inventory.routers}
    network_of = {
        link: routers.get(router or SelfLink(""))
        for link, router in (
            *((one.ref.self_link, one.router) for one in inventory.vpn_tunnels),
            *((one.ref.self_link, one.router) for one in inventory.vlan_attachments),
        )
    }
    network_of |= {one.ref.self_link: one.primary_network for one in inventory.instances}
    network_of |= {
        SelfLink(route.next_hop_target): route.network
        for route in inventory.routes
        if route.next_hop_target and network_of.get(SelfLink(route.next_hop_target)) is None
    }
    by_site = {(network_of.get(link), last_part(one.hub)) for one in sites for link in one.linked}
    at = by_site | {(spoke.network, last_part(spoke.hub)) for spoke in inventory.spokes}
    shared = {
        hub
        for one, other in ((local, remote), (remote, local))
        for network, hub in by_site
        if network == one and (other, hub) in at
    }
    return min(shared, default="")


def legacy_networks(inventory: Inventory, local: SelfLink, remote: SelfLink) -> list[str]:
    """Return by name which of two networks is a legacy one, which cannot be peered."""
    return [
        last_part(link)
        for link in (local, remote)
        for network in (inventory.network_by_link.get(link),)
        if network is not None and network.legacy_ipv4_range is not None
    ]


def overlap_of(
    inventory: Inventory, local: SelfLink, remote: SelfLink, peers: Peers | None = None
) -> str:
    """Return the ranges of two networks that stand against a peering, or an empty text.

    Args:
        inventory: Where the ranges stand.
        local: One network.
        remote: The other.
        peers: Of each network by then; None: as they were read.
    """
    return (
        _auto_mode(inventory, local, remote)
        or inventory.overlapping_ranges(local, remote)
        or _of_peers(inventory, local, remote, peers or inventory.peers_of)
        or _over_hub(inventory, local, remote)
        or _over_hub(inventory, remote, local)
    )


def untold_over_hub(inventory: Inventory, local: SelfLink, remote: SelfLink) -> str:
    """Return that the ranges which a hub brings to one of two networks are not all known."""
    found = filter(None, map(inventory.spoke_pairs.untold, (local, remote)))
    name = next(found, "")
    return (
        f"the ranges that the spoke {name} adds through its hub are unknown: check first for"
        " overlaps (gcloud network-connectivity hubs route-tables routes list)"
        if name
        else ""
    )


def _auto_mode(inventory: Inventory, local: SelfLink, remote: SelfLink) -> str:
    """Return what of an auto-mode network stands against a peering, or an empty text.

    Google refuses two of them, and one with ranges of the other within 10.128.0.0/9, whichever
    subnetworks were read.
    """
    networks = [inventory.network_by_link.get(link) for link in (local, remote)]
    automatic = [n for n in networks if n is not None and n.is_auto_mode]
    if len(automatic) == len(networks):
        return f"{AUTO_MODE_RANGE} of two auto-mode networks"
    for one in automatic:
        other = remote if one.ref.self_link == local else local
        if text := inventory.range_within(other, AUTO_MODE_RANGE):
            return f"{AUTO_MODE_RANGE} (auto mode) and {text}"
    return ""


def _of_peers(inventory: Inventory, local: SelfLink, remote: SelfLink, peers: Peers) -> str:
    """Return ranges of a network that one of two is peered with and of the other that overlap.

    Google refuses the peering then, for routes of both would stand in one network.
    """
    for one, other in ((local, remote), (remote, local)):
        for peer in peers(one):
            found = inventory.overlapping_ranges(peer, other)
            if found and peer != other:
                return f"{found} (of {last_part(peer)}, a peer of {last_part(one)})"
    return ""


def _over_hub(inventory: Inventory, network: SelfLink, other: SelfLink) -> str:
    """Return what a hub brings to a network that overlaps a range of another, or nothing."""
    for text, whose in inventory.spoke_pairs.brought(network):
        # A default route overlaps all, and what is nearer goes before it.
        if not text.endswith("/0") and (found := inventory.range_within(other, text)):
            return f"{found} and {text} ({whose})"
    return ""
