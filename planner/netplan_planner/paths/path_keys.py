"""Paths: the edges between two places whose GiB have one price."""

from netplan_planner.model import Edge, Inventory, OwnerKind, PathClass, TrafficMatrix

PricedPathKey = tuple[str, ...]


def priced_path_key(matrix: TrafficMatrix, edge: Edge, inventory: Inventory) -> PricedPathKey:
    """Return what edges of one path have in common: their places, and what their price asks for.

    The price of an internet path asks for the sender's network tiers, that of a load balancer, of
    a tunnel and of Google's services for which one it is.
    """
    src, dst = matrix.owners[edge.src], matrix.owners[edge.dst]
    places = (src.region, src.zone, dst.region, dst.zone, dst.area)
    address = edge.dst_address or ""
    match edge.path_class:
        case PathClass.INTERNET:
            instance = inventory.instance_by_link.get(src.link) if src.link else None
            nics = instance.interfaces if instance is not None else ()
            tiers = sorted({nic.network_tier or "" for nic in nics if nic.may_be_external})
            told = [*tiers, address if address in inventory.front_by_ip else ""]
        case PathClass.LOAD_BALANCER:
            told = [src.key if src.kind is OwnerKind.LOAD_BALANCER else "", dst.key, address]
        case PathClass.HYBRID | PathClass.GOOGLE_APIS:
            told = [dst.key]
        case _:
            told = ["IPv6" if ":" in address else ""]
    kinds = (edge.path_class.value, src.kind.value, dst.kind.value)
    return (*kinds, *(place or "" for place in places), *told)
