"""Priced paths: traffic of one price, by where it comes from, where it goes and over which tier."""

import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.model.report_rows import HUB_WORK
from netplan_planner.paths.gateways import ENDPOINT_DATA, balancer_kind, endpoint_kind

PREMIUM = "PREMIUM"
"""The tier of an external address that states none: Compute Engine's default."""
_SEVERAL = "PREMIUM and STANDARD"
VPN = "vpn"
_TUNNEL = re.compile(r"^hybrid:(?P<project>[^/]+)/(?P<region>[^/]+)/(?P<name>[^/]+)$")
_OWN_GATEWAY = re.compile(r"/regions/([^/]+)/vpnGateways/")
"""A peer that is a gateway of Google Cloud, not of elsewhere."""

WHAT_TELLS = {
    model.PathClass.INTERNET: "flow logs with metadata, which name the destination's area",
    model.PathClass.NAT: "flow logs with metadata, which name the destination's area",
    model.PathClass.GOOGLE_APIS: "gcloud storage buckets list",
    model.PathClass.SAME_ZONE_EXTERNAL: "the bill: SKU DE9E-AFBC-A15A (between zones), or none",
    model.PathClass.LOAD_BALANCER: "the forwarding rule, which tells the kind of load balancer",
    model.PathClass.HYBRID: "VPN tunnels and routes in the input, or flow logs with gateway"
    " annotations",
}


class PricedPath(NamedTuple):
    """What the price of an edge depends on; texts are empty where not known."""

    path_class: model.PathClass
    src_region: str
    dst_region: str
    area: str
    """Of an internet peer."""
    network_tier: str = PREMIUM
    balancer: str = ""
    """The kind of a load balancer, as the catalogue names it, or one of `ENDPOINT_DATA`."""
    carrier: str = ""
    """What carries hybrid traffic, where it is known: `vpn`."""
    is_ipv6: bool = False
    """To an external IPv6 address of an own machine."""
    is_through_nat: bool = False
    """To an external address of one's own, through the sender's Cloud NAT gateway."""
    hub: str = ""
    """The hub of Network Connectivity Center that it passes, by name."""
    is_reply: bool = False
    """What Cloud NAT processes of what comes back through it, which costs nothing else."""

    @property
    def is_processed(self) -> bool:
        """Whether Cloud NAT is paid for it as well, which is the last of its prices then."""
        return self.path_class is model.PathClass.NAT or self.is_through_nat

    @property
    def ends(self) -> str:
        """Where from and to, for people."""
        return " → ".join(filter(None, (self.src_region, self.dst_region or self.area)))


class PathPrice(NamedTuple):
    """One of the prices of a path; where it is not known, why, and between which ones it is."""

    tiers: tuple[model.PriceTier, ...]
    """Empty where the price is not known."""
    reason: str = ""
    choices: tuple[tuple[model.PriceTier, ...], ...] = ()
    """The prices that it may have; empty: nothing bounds it."""
    what_tells: str = ""
    """What evidence would settle it."""
    work: str = ""
    """Who is paid, beside the sending, where a line says so."""


def priced_path_of(facts: model.Facts, edge: model.Edge) -> PricedPath:
    """Return the priced path of an edge."""
    src, dst = facts.src(edge), facts.dst(edge)
    priced = PricedPath(edge.path_class, src.region or "", dst.region or "", dst.area or "")
    match edge.path_class:
        case model.PathClass.INTERNET:
            return priced._replace(network_tier=_tier(facts, edge))
        case model.PathClass.LOAD_BALANCER:
            return _balanced(facts, edge, priced)
        case model.PathClass.GOOGLE_APIS:
            return priced._replace(dst_region=priced.dst_region or _named_region(facts, dst.name))
        case model.PathClass.HYBRID:
            return _hybrid(facts, edge, priced)
        case _:
            return priced._replace(
                is_ipv6=_is_external_ipv6(edge),
                is_through_nat=_is_through_nat(facts, edge),
                hub="" if edge.path_class.is_external_address else hub_of(facts, edge),
            )


OWN = frozenset({model.OwnerKind.VM, model.OwnerKind.LOAD_BALANCER, model.OwnerKind.NAT})
"""Kinds of ends that are of the inventory."""


def billed_path(facts: model.Facts, edge: model.Edge, priced: PricedPath) -> PricedPath | None:
    """Return what an edge is billed as, with its priced path; None where nobody of ours pays.

    What comes in is free, but for the work of Cloud NAT, of passthrough load balancers and of
    endpoints of Private Service Connect. What proxies pass on was processed where clients reached
    them, which machines do not record.
    """
    sender = facts.src(edge).kind
    # What unnamed back ends answer to the internet leaves the own project too.
    if sender is model.OwnerKind.VM or (
        sender is model.OwnerKind.LOAD_BALANCER and priced.path_class is model.PathClass.INTERNET
    ):
        return priced
    if facts.dst(edge).kind not in OWN:
        return None
    if priced.path_class is model.PathClass.NAT:
        return PricedPath(model.PathClass.NAT, priced.dst_region, "", "", is_reply=True)
    if priced.path_class is model.PathClass.LOAD_BALANCER:
        front = front_of(facts, edge)
        kind = endpoint_kind(front) or balancer_kind(front) if front is not None else ""
        is_paid = "Passthrough" in kind or kind in ENDPOINT_DATA
        if front is not None and front.region and is_paid:
            return PricedPath(priced.path_class, front.region, front.region, "", balancer=kind)
    return None


class Billed(NamedTuple):
    """The edges that are billed, each with its path."""

    paths: tuple[tuple[model.Edge, PricedPath], ...]


def billed_edges(facts: model.Facts) -> tuple[tuple[model.Edge, PricedPath], ...]:
    """Return the edges that own machines pay for, with their paths; worked out once."""
    found = facts.memo.get(Billed)
    if not isinstance(found, Billed):
        edges = facts.traffic.edges if facts.traffic is not None else ()
        paths = ((edge, billed_path(facts, edge, priced_path_of(facts, edge))) for edge in edges)
        found = Billed(tuple((edge, path) for edge, path in paths if path is not None))
        facts.memo[Billed] = found
    return found.paths


def billed_volumes(facts: model.Facts) -> Counter[PricedPath]:
    """Return the bytes that own machines pay for, by path."""
    found: Counter[PricedPath] = Counter()
    for edge, path in billed_edges(facts):
        found[path] += edge.wire_bytes
    return found


def hub_of(facts: model.Facts, edge: model.Edge) -> str:
    """Return the hub by which an edge reaches an internal address of a machine, or nothing."""
    is_empty = facts.inventory.spoke_pairs.is_empty
    if is_empty or edge.path_class.distance is None:
        return ""
    sending, receiving = (_networks(facts, owner) for owner in (facts.src(edge), facts.dst(edge)))
    return facts.inventory.hub_seen(sending, receiving)


def _networks(facts: model.Facts, owner: model.Owner) -> list[model.SelfLink]:
    """Return the networks that an end is in; of one of another project what the records name."""
    machine = facts.instance(owner)
    if machine is not None:
        return [nic.network for nic in machine.interfaces]
    return [owner.network] if owner.network else []


def _is_external_ipv6(edge: model.Edge) -> bool:
    return edge.path_class.is_external_address and ":" in (edge.dst_address or "")


def _is_through_nat(facts: model.Facts, edge: model.Edge) -> bool:
    """Return whether a machine without an external address sends to one of its own by one."""
    is_external = edge.path_class.is_external_address and not _is_external_ipv6(edge)
    return is_external and _is_behind_nat(facts, edge)


def _is_behind_nat(facts: model.Facts, edge: model.Edge) -> bool:
    sender = facts.instance(facts.src(edge))
    return sender is not None and any(
        facts.inventory.nat_of(sender, nic) is not None for nic in sender.interfaces
    )


def _tier(facts: model.Facts, edge: model.Edge) -> str:
    """Return the network tier of the sender's external addresses, or of the front it answers by."""
    front = facts.inventory.front_by_ip.get(edge.dst_address) if edge.dst_address else None
    if front is not None:
        return front.network_tier or PREMIUM
    instance = facts.instance(facts.src(edge))
    tiers = {
        nic.network_tier or PREMIUM
        for nic in (instance.interfaces if instance is not None else ())
        if nic.may_be_external
    }
    return next(iter(tiers or {PREMIUM})) if len(tiers) < 2 else _SEVERAL


def _balanced(facts: model.Facts, edge: model.Edge, priced: PricedPath) -> PricedPath:
    """Return the priced path of traffic that meets a load balancer."""
    front = front_of(facts, edge)
    if front is None:
        return priced
    region = front.region or priced.dst_region
    is_through_nat = front.is_external and _is_behind_nat(facts, edge)
    sender, hub = facts.instance(facts.src(edge)), ""
    if sender is not None and front.network is not None and not front.is_external:
        hub = facts.inventory.hub_to(sender, front.network)
    kind = endpoint_kind(front) or balancer_kind(front)
    return priced._replace(balancer=kind, dst_region=region, is_through_nat=is_through_nat, hub=hub)


def front_of(facts: model.Facts, edge: model.Edge) -> model.ForwardingRule | None:
    """Return the forwarding rule that an edge meets, the first by link that has its address."""
    rules = facts.inventory.forwarding_rule_by_link
    for owner in (facts.dst(edge), facts.src(edge)):
        if owner.kind is model.OwnerKind.LOAD_BALANCER and owner.link in rules:
            return rules[owner.link]
    found = facts.inventory.forwarding_rules_by_ip.get(edge.dst_address or "", ())
    # Two networks may have rules of one internal address: then it is not known.
    return found[0] if len({rule.network for rule in found}) == 1 else None


def _named_region(facts: model.Facts, service: str) -> str:
    """Return the region that a service's name holds, as `us-central1-aiplatform`, or nothing."""
    found = re.search(r"(?:^|[.-])([a-z]+-[a-z]+\d+)(?=[.-])", service)
    return found[1] if found and found[1] in facts.prices.regions() else ""


def _hybrid(facts: model.Facts, edge: model.Edge, priced: PricedPath) -> PricedPath:
    """Return the path of what a tunnel of the inventory carries, with the region of a peer of ours.

    A VLAN attachment's name is built alike: only a tunnel that the inventory has is one.
    """
    found = _TUNNEL.match(facts.dst(edge).key)
    tunnels = facts.inventory.vpn_tunnels if found else ()
    for tunnel in tunnels:
        if found and (tunnel.project, tunnel.region, tunnel.name) == found.groups():
            peer = _OWN_GATEWAY.search(tunnel.peer_gateway or "")
            own = peer[1] if peer else ""
            routers = facts.inventory.routers
            network = next((r.network for r in routers if r.ref.self_link == tunnel.router), None)
            sender, region = facts.instance(facts.src(edge)), tunnel.region or ""
            hub = facts.inventory.hub_out(sender, network) if sender and network else ""
            return priced._replace(carrier=VPN, src_region=region, dst_region=own, hub=hub)
    return priced


def path_prices_of(prices: model.PriceBook, priced: PricedPath) -> tuple[PathPrice, ...]:
    """Return the prices of a GiB on a path: what is sent, and what a gateway does with it."""
    path_class = priced.path_class
    if priced.is_reply:
        return (nat_part(prices, priced.src_region),)
    if path_class is model.PathClass.UNKNOWN:
        return (PathPrice((), "bytes with an unknown end have no price"),)
    if not priced.src_region:
        return (PathPrice((), "the region of a sender is unknown"),)
    if path_class is model.PathClass.LOAD_BALANCER:
        found = _through_balancer(prices, priced)
    elif path_class is model.PathClass.HYBRID:
        found = (_part(prices, priced, lambda: _vpn(prices, priced)),)
    else:
        found = (_part(prices, priced, lambda: _sent(prices, priced)),)
    if priced.hub:
        found = (*found, _hub_part(prices, priced.hub))
    # What NAT processes has a SKU of its own beside the traffic's.
    return (*found, nat_part(prices, priced.src_region)) if priced.is_processed else found


def _hub_part(prices: model.PriceBook, hub: str) -> PathPrice:
    """Return what a hub charges for what VPC spokes send through it, beside the sending.

    cloud.google.com/network-connectivity/pricing, "Advanced Data Networking"
    """
    work = f"{HUB_WORK}, hub {hub}"
    try:
        return PathPrice(prices.service_price("ncc_data"), work=work)
    except MissingDatum as error:
        return PathPrice((), str(error), work=work)


def nat_part(prices: model.PriceBook, region: str) -> PathPrice:
    """Return what Cloud NAT charges for what it processes, in either direction."""
    try:
        price = prices.nat_data(region)
    except MissingDatum as error:
        return PathPrice((), str(error))
    return PathPrice((model.PriceTier(start=Decimal(0), price=price),))


def _sent(prices: model.PriceBook, priced: PricedPath) -> tuple[model.PriceTier, ...]:
    if priced.network_tier == _SEVERAL:
        raise MissingDatum("the sender has external IP addresses of both network tiers")
    if priced.is_ipv6 and priced.path_class is model.PathClass.SAME_ZONE_EXTERNAL:
        raise MissingDatum(
            "no source states the price of traffic to an external IPv6 address in the same zone"
        )
    # Said alike for all regions, so that what lacks one thing stands together.
    if priced.path_class is model.PathClass.GOOGLE_APIS and not priced.dst_region:
        raise MissingDatum("it depends on the location of the bucket: free in the VM's region")
    is_internet = priced.path_class in {model.PathClass.INTERNET, model.PathClass.NAT}
    if is_internet and not priced.area and priced.network_tier == PREMIUM:
        raise MissingDatum("it depends on the location of the peer, which the records do not have")
    return prices.traffic(
        model.PathClass.INTERNET if priced.path_class is model.PathClass.NAT else priced.path_class,
        src_region=priced.src_region,
        dst_region=priced.dst_region or None,
        area=priced.area or None,
        network_tier=priced.network_tier,
    )


def _vpn(prices: model.PriceBook, priced: PricedPath) -> tuple[model.PriceTier, ...]:
    if priced.carrier != VPN:
        raise MissingDatum(
            "whether Cloud VPN, Interconnect or an appliance carries the traffic is unknown"
        )
    if priced.dst_region == priced.src_region:
        raise MissingDatum("the price of VPN traffic inside one region is unknown")
    return prices.vpn_traffic(
        src_region=priced.src_region, dst_region=priced.dst_region or None, area=priced.area or None
    )


def _through_balancer(prices: model.PriceBook, priced: PricedPath) -> tuple[PathPrice, ...]:
    """Return what a load balancer or an endpoint processes, and the way to another region."""
    region = priced.dst_region or priced.src_region

    def processed() -> tuple[model.PriceTier, ...]:
        if not priced.balancer:
            return prices.traffic(model.PathClass.LOAD_BALANCER, src_region=region)
        if priced.balancer in ENDPOINT_DATA:
            return prices.service_price("psc_data", region, ENDPOINT_DATA[priced.balancer])
        return prices.service_price("lb_data_inbound", region, priced.balancer)

    work = _part(prices, priced, processed)
    if region == priced.src_region:
        return (work,)
    between = priced._replace(path_class=model.PathClass.INTER_REGION_INTERNAL)
    return work, _part(prices, between, lambda: _sent(prices, between))


def _part(
    prices: model.PriceBook, priced: PricedPath, ask: Callable[[], tuple[model.PriceTier, ...]]
) -> PathPrice:
    try:
        return PathPrice(ask())
    except MissingDatum as error:
        return PathPrice(
            (), str(error), _possible(prices, priced), WHAT_TELLS.get(priced.path_class, "")
        )


def _possible(
    prices: model.PriceBook, priced: PricedPath
) -> tuple[tuple[model.PriceTier, ...], ...]:
    if priced.path_class is model.PathClass.HYBRID and priced.carrier != VPN:
        return ()
    if priced.path_class is model.PathClass.SAME_ZONE_EXTERNAL and not priced.is_ipv6:
        return ()
    return prices.possible_prices(
        priced.path_class,
        src_region=priced.src_region,
        dst_region=priced.dst_region or None,
        area=priced.area or None,
        network_tier=priced.network_tier,
    )


def path_prices(
    prices: model.PriceBook, priced: PricedPath
) -> tuple[tuple[model.PriceTier, ...], ...]:
    """Return the prices of a GiB on a path, each with its steps: what is sent, and NAT's work.

    Raises:
        MissingDatum: If one is not known, or which one applies is not.
    """
    parts = path_prices_of(prices, priced)
    for part in parts:
        if not part.tiers:
            raise MissingDatum(part.reason)
    return tuple(part.tiers for part in parts)
