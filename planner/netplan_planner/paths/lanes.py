"""Lanes: traffic of one price, by where it comes from, where it goes and over which tier."""

from decimal import Decimal
from typing import NamedTuple

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Edge, Facts, PathClass, PriceTier

PREMIUM = "PREMIUM"
"""The tier of an external address that states none: Compute Engine's default."""
_SEVERAL = "PREMIUM and STANDARD"


class Lane(NamedTuple):
    """What the price of an edge depends on; texts are empty where not known."""

    path_class: PathClass
    src_region: str
    dst_region: str
    area: str
    """Of an internet peer."""
    network_tier: str = PREMIUM

    @property
    def ends(self) -> str:
        """Where from and to, for people."""
        return " → ".join(filter(None, (self.src_region, self.dst_region or self.area)))


def lane_of(facts: Facts, edge: Edge) -> Lane:
    """Return the lane of an edge."""
    src, dst = facts.src(edge), facts.dst(edge)
    tier = _tier(facts, edge) if edge.path_class is PathClass.INTERNET else PREMIUM
    return Lane(edge.path_class, src.region or "", dst.region or "", dst.area or "", tier)


def _tier(facts: Facts, edge: Edge) -> str:
    """Return the network tier of the sender's external addresses, or of the front it answers by."""
    front = facts.inventory.front_by_ip.get(edge.dst_address) if edge.dst_address else None
    if front is not None:
        return front.network_tier or PREMIUM
    instance = facts.instance(facts.src(edge))
    tiers = {
        nic.network_tier or PREMIUM
        for nic in (instance.interfaces if instance is not None else ())
        if nic.access_config_name is not None or nic.external_ipv4 is not None
    }
    return next(iter(tiers or {PREMIUM})) if len(tiers) < 2 else _SEVERAL


def lane_prices(facts: Facts, lane: Lane) -> tuple[tuple[PriceTier, ...], ...]:
    """Return the prices of a GiB on a lane, each with its steps: what is sent, and NAT's work.

    Raises:
        MissingDatum: If one is not known, or which one applies is not.
    """
    if lane.path_class is PathClass.UNKNOWN:
        raise MissingDatum("bytes without an owner have no price")
    if not lane.src_region:
        raise MissingDatum("the region of a sender is not known")
    if lane.network_tier == _SEVERAL:
        raise MissingDatum("the sender has external addresses of both network tiers")
    # What NAT processes has a SKU of its own beside the traffic's.
    is_nat = lane.path_class is PathClass.NAT
    sent = facts.prices.traffic(
        PathClass.INTERNET if is_nat else lane.path_class,
        src_region=lane.src_region,
        dst_region=lane.dst_region or None,
        area=lane.area or None,
        network_tier=lane.network_tier,
    )
    if not is_nat:
        return (sent,)
    nat = PriceTier(start=Decimal(0), price=facts.prices.nat_data(lane.src_region))
    return sent, (nat,)
