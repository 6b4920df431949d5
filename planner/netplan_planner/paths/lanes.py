"""Lanes: traffic of one price, by where it comes from, where it goes and over which tier."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Edge, Facts, ForwardingRule, OwnerKind, PathClass, PriceTier
from netplan_planner.paths.fronts import balancer_kind

PREMIUM = "PREMIUM"
"""The tier of an external address that states none: Compute Engine's default."""
_SEVERAL = "PREMIUM and STANDARD"
VPN = "vpn"
_TUNNEL = re.compile(r"^hybrid:(?P<project>[^/]+)/(?P<region>[^/]+)/(?P<name>[^/]+)$")
_OWN_GATEWAY = re.compile(r"/regions/([^/]+)/vpnGateways/")
"""A peer that is a gateway of Google Cloud, not of elsewhere."""

WHAT_TELLS = {
    PathClass.INTERNET: "flow logs with metadata name the destination's area",
    PathClass.NAT: "flow logs with metadata name the destination's area",
    PathClass.GOOGLE_APIS: "`gcloud storage buckets list`",
    PathClass.SAME_ZONE_EXTERNAL: "the bill: SKU DE9E-AFBC-A15A (between zones), or none",
    PathClass.LOAD_BALANCER: "the forwarding rule says of which kind the load balancer is",
    PathClass.HYBRID: "VPN tunnels and routes in the input, or flow logs with gateway annotations",
}


class Lane(NamedTuple):
    """What the price of an edge depends on; texts are empty where not known."""

    path_class: PathClass
    src_region: str
    dst_region: str
    area: str
    """Of an internet peer."""
    network_tier: str = PREMIUM
    balancer: str = ""
    """The kind of a load balancer, as the catalogue names it."""
    carrier: str = ""
    """What carries hybrid traffic, where it is known: `vpn`."""
    is_ipv6: bool = False
    """To an external IPv6 address of an own machine."""

    @property
    def ends(self) -> str:
        """Where from and to, for people."""
        return " → ".join(filter(None, (self.src_region, self.dst_region or self.area)))


class LanePart(NamedTuple):
    """One of the prices of a lane; where it is not known, why, and between which ones it is."""

    tiers: tuple[PriceTier, ...]
    """Empty where the price is not known."""
    reason: str = ""
    choices: tuple[tuple[PriceTier, ...], ...] = ()
    """The prices that it may have; empty: nothing bounds it."""
    what_tells: str = ""
    """What evidence would settle it."""


def lane_of(facts: Facts, edge: Edge) -> Lane:
    """Return the lane of an edge."""
    src, dst = facts.src(edge), facts.dst(edge)
    lane = Lane(edge.path_class, src.region or "", dst.region or "", dst.area or "")
    match edge.path_class:
        case PathClass.INTERNET:
            return lane._replace(network_tier=_tier(facts, edge))
        case PathClass.LOAD_BALANCER:
            return _balanced(facts, edge, lane)
        case PathClass.GOOGLE_APIS:
            return lane._replace(dst_region=lane.dst_region or _named_region(facts, dst.name))
        case PathClass.HYBRID:
            return _hybrid(facts, edge, lane)
        case _:
            return lane._replace(is_ipv6=_is_external_ipv6(edge))


def _is_external_ipv6(edge: Edge) -> bool:
    return edge.path_class.is_external_address and ":" in (edge.dst_address or "")


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


def _balanced(facts: Facts, edge: Edge, lane: Lane) -> Lane:
    """Return the lane of traffic that meets a load balancer."""
    front = front_of(facts, edge)
    if front is None:
        return lane
    region = front.region or lane.dst_region
    return lane._replace(balancer=balancer_kind(front), dst_region=region)


def front_of(facts: Facts, edge: Edge) -> ForwardingRule | None:
    """Return the forwarding rule that an edge meets, the first by link that has its address."""
    rules = facts.inventory.forwarding_rule_by_link
    for owner in (facts.dst(edge), facts.src(edge)):
        if owner.kind is OwnerKind.LOAD_BALANCER and owner.link in rules:
            return rules[owner.link]
    found = facts.inventory.forwarding_rules_by_ip.get(edge.dst_address or "", ())
    # Two networks may have rules of one internal address: then it is not known.
    return found[0] if len({rule.network for rule in found}) == 1 else None


def _named_region(facts: Facts, service: str) -> str:
    """Return the region that a service's name holds, as `us-central1-aiplatform`, or nothing."""
    found = re.search(r"(?:^|[.-])([a-z]+-[a-z]+\d+)(?=[.-])", service)
    return found[1] if found and found[1] in facts.prices.regions() else ""


def _hybrid(facts: Facts, edge: Edge, lane: Lane) -> Lane:
    """Return the lane of what a tunnel of the inventory carries, with the region of a peer of ours.

    A VLAN attachment's name is built alike: only a tunnel that the inventory has is one.
    """
    found = _TUNNEL.match(facts.dst(edge).key)
    tunnels = facts.inventory.vpn_tunnels if found else ()
    for tunnel in tunnels:
        if found and (tunnel.project, tunnel.region, tunnel.name) == found.groups():
            peer = _OWN_GATEWAY.search(tunnel.peer_gateway or "")
            own = peer[1] if peer else ""
            return lane._replace(carrier=VPN, src_region=tunnel.region or "", dst_region=own)
    return lane


def lane_parts(facts: Facts, lane: Lane) -> tuple[LanePart, ...]:
    """Return the prices of a GiB on a lane: what is sent, and what a gateway does with it."""
    path_class = lane.path_class
    if path_class is PathClass.UNKNOWN:
        return (LanePart((), "bytes without an owner have no price"),)
    if not lane.src_region:
        return (LanePart((), "the region of a sender is not known"),)
    if path_class is PathClass.LOAD_BALANCER:
        return _through_balancer(facts, lane)
    if path_class is PathClass.HYBRID:
        return (_part(facts, lane, lambda: _vpn(facts, lane)),)
    # What NAT processes has a SKU of its own beside the traffic's.
    is_nat = path_class is PathClass.NAT
    sent = _part(facts, lane, lambda: _sent(facts, lane))
    if not is_nat:
        return (sent,)
    return sent, nat_part(facts, lane.src_region)


def nat_part(facts: Facts, region: str) -> LanePart:
    """Return what Cloud NAT charges for what it processes, in either direction."""
    try:
        price = facts.prices.nat_data(region)
    except MissingDatum as error:
        return LanePart((), str(error))
    return LanePart((PriceTier(start=Decimal(0), price=price),))


def _sent(facts: Facts, lane: Lane) -> tuple[PriceTier, ...]:
    if lane.network_tier == _SEVERAL:
        raise MissingDatum("the sender has external addresses of both network tiers")
    if lane.is_ipv6 and lane.path_class is PathClass.SAME_ZONE_EXTERNAL:
        raise MissingDatum(
            "no source says what traffic to an external IPv6 address in the same zone costs"
        )
    # Said alike for all regions, so that what lacks one thing stands together.
    if lane.path_class is PathClass.GOOGLE_APIS and not lane.dst_region:
        raise MissingDatum("it depends on where the bucket is: free in the machine's region")
    is_internet = lane.path_class in {PathClass.INTERNET, PathClass.NAT}
    if is_internet and not lane.area and lane.network_tier == PREMIUM:
        raise MissingDatum("it depends on where the peer is, which the records do not say")
    return facts.prices.traffic(
        PathClass.INTERNET if lane.path_class is PathClass.NAT else lane.path_class,
        src_region=lane.src_region,
        dst_region=lane.dst_region or None,
        area=lane.area or None,
        network_tier=lane.network_tier,
    )


def _vpn(facts: Facts, lane: Lane) -> tuple[PriceTier, ...]:
    if lane.carrier != VPN:
        raise MissingDatum(
            "what carries the traffic is not known: Cloud VPN, Interconnect or an appliance"
        )
    if lane.dst_region == lane.src_region:
        raise MissingDatum("no price of VPN traffic inside one region is known")
    return facts.prices.vpn_traffic(
        src_region=lane.src_region, dst_region=lane.dst_region or None, area=lane.area or None
    )


def _through_balancer(facts: Facts, lane: Lane) -> tuple[LanePart, ...]:
    """Return what a load balancer processes, and the way to it where it is in another region."""
    region = lane.dst_region or lane.src_region

    def processed() -> tuple[PriceTier, ...]:
        if not lane.balancer:
            return facts.prices.traffic(PathClass.LOAD_BALANCER, src_region=region)
        return facts.prices.service_price("lb_data_inbound", region, lane.balancer)

    work = _part(facts, lane, processed)
    if region == lane.src_region:
        return (work,)
    between = lane._replace(path_class=PathClass.INTER_REGION_INTERNAL)
    return work, _part(facts, between, lambda: _sent(facts, between))


def _part(facts: Facts, lane: Lane, ask: Callable[[], tuple[PriceTier, ...]]) -> LanePart:
    try:
        return LanePart(ask())
    except MissingDatum as error:
        return LanePart((), str(error), _possible(facts, lane), WHAT_TELLS.get(lane.path_class, ""))


def _possible(facts: Facts, lane: Lane) -> tuple[tuple[PriceTier, ...], ...]:
    if lane.path_class is PathClass.HYBRID and lane.carrier != VPN:
        return ()
    if lane.path_class is PathClass.SAME_ZONE_EXTERNAL and not lane.is_ipv6:
        return ()
    return facts.prices.possible_prices(
        lane.path_class,
        src_region=lane.src_region,
        dst_region=lane.dst_region or None,
        area=lane.area or None,
        network_tier=lane.network_tier,
    )


def lane_prices(facts: Facts, lane: Lane) -> tuple[tuple[PriceTier, ...], ...]:
    """Return the prices of a GiB on a lane, each with its steps: what is sent, and NAT's work.

    Raises:
        MissingDatum: If one is not known, or which one applies is not.
    """
    parts = lane_parts(facts, lane)
    for part in parts:
        if not part.tiers:
            raise MissingDatum(part.reason)
    return tuple(part.tiers for part in parts)
