"""Edges of traffic whose GiB have one price, and what traffic between pods costs at those."""

from decimal import Decimal

from netplan_planner.model import (
    Edge,
    Facts,
    Inventory,
    LineItem,
    OwnerKind,
    PathClass,
    TrafficMatrix,
    Value,
    bill,
)
from netplan_planner.model.evidence.pod_traffic import PodFlow
from netplan_planner.paths.priced_paths import PricedPath, path_prices_of
from netplan_planner.units import gib_per_month

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


# What traffic between pods costs, workload by workload and zone by zone, at the edges' prices


class PodCost(Value, frozen=True, kw_only=True):
    """A flow of pods with its monthly volume and price; it is part of the edges' bill."""

    flow: PodFlow
    gib_per_month: Decimal
    items: tuple[LineItem, ...] = ()
    """Empty where the price is not known, and where the way costs nothing."""
    unknown: str = ""
    """Why there is no price."""

    @property
    def usd_per_month(self) -> Decimal | None:
        """The sum of the lines in US dollars, None where the price is not known."""
        if self.unknown:
            return None
        return sum((item.usd_per_month for item in self.items), Decimal(0))


def pod_costs(facts: Facts) -> tuple[PodCost, ...]:
    """Return the cost of each flow of pods that counts bytes, the dearest first.

    Not to be added to the bill of the edges: these are the same bytes under other names.
    """
    traffic = facts.pod_traffic
    seconds = traffic.month_seconds if traffic is not None else None
    if traffic is None or seconds is None:
        return ()
    found = [_cost(facts, flow, seconds) for flow in traffic.flows if flow.wire_bytes is not None]
    return tuple(sorted(found, key=lambda cost: (-(cost.usd_per_month or 0), repr(cost.flow))))


def _cost(facts: Facts, flow: PodFlow, seconds: int) -> PodCost:
    gib = gib_per_month(flow.wire_bytes or 0, seconds)
    path_class = flow.path_class
    if path_class is None or flow.regions is None:
        return PodCost(flow=flow, gib_per_month=gib, unknown="the zone of a Pod is unknown")
    src_region, dst_region = flow.regions
    (part,) = path_prices_of(facts.prices, PricedPath(path_class, src_region, dst_region, ""))
    if not part.tiers:
        return PodCost(flow=flow, gib_per_month=gib, unknown=part.reason)
    name = f"{flow.src.workload} ({flow.src.zone}) to {flow.dst.workload} ({flow.dst.zone})"
    # Each flow by itself, from the first price step: traffic between zones has one price.
    items = tuple(item for item in bill(name, gib, part.tiers) if item.usd_per_month)
    return PodCost(flow=flow, gib_per_month=gib, items=items)
