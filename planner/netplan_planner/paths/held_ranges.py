"""Which addresses belong to what is no machine: fronts, gateways, reservations, proxies."""

from collections.abc import Callable, Iterable, Iterator

from netplan_planner.model import Address as AddressResource
from netplan_planner.model import (
    ForwardingRule,
    Inventory,
    NatGateway,
    Owner,
    OwnerKind,
    Router,
    SelfLink,
    Subnetwork,
    Value,
    last_part,
    project_of,
)
from netplan_planner.paths.addresses import Address, address_text, parse_range
from netplan_planner.paths.ends import AddressKind, FlowEnd, Ownership, service_end, unknown_end

_GOOGLE_API_BUNDLES = frozenset({"all-apis", "vpc-sc"})
"""Targets of a Private Service Connect endpoint that leads to Google's own APIs."""

_PROXY_PURPOSES = frozenset(
    {"REGIONAL_MANAGED_PROXY", "GLOBAL_MANAGED_PROXY", "INTERNAL_HTTPS_LOAD_BALANCER"}
)
"""Purposes of proxy-only subnetworks: their addresses are load balancers' proxies."""

Ownerships = tuple[Ownership, ...]


class HeldRange(Value, frozen=True, kw_only=True):
    """A range of addresses that a resource holds, in one network or (None) everywhere."""

    range: str
    network: SelfLink | None
    holders: Callable[[Address], Ownerships]
    """Who an address of the range is, and since when."""


def rule_ranges(rules: Iterable[ForwardingRule]) -> Iterator[HeldRange]:
    """Yield forwarding rules' ranges: load balancers, and endpoints of Private Service Connect.

    Rules that share an address are one front: the first by link stands for all.
    """
    for rule in rules:
        if rule.ip_address:
            network = None if rule.is_external else rule.network
            yield HeldRange(range=rule.ip_address, network=network, holders=_front(rule))


def _front(rule: ForwardingRule) -> Callable[[Address], Ownerships]:
    target = rule.target or ""
    is_google_api = rule.scheme is None and last_part(target) in _GOOGLE_API_BUNDLES
    # The rules of a Classic VPN gateway forward its tunnels' packets.
    is_vpn = _user_kind(target) is OwnerKind.HYBRID
    owner = Owner(
        kind=OwnerKind.HYBRID if is_vpn else OwnerKind.LOAD_BALANCER,
        key=rule.ref.self_link,
        name=rule.name,
        project=rule.project,
        region=rule.region,
        network=rule.network,
        subnetwork=rule.subnetwork,
        link=rule.ref.self_link,
    )
    first, _ = parse_range(rule.ip_address or "") or (None, 0)

    def holders(address: Address) -> Ownerships:
        is_ipv6 = address[0] == 6
        if is_google_api:
            service = last_part(target)
            return (Ownership(end=service_end(service, is_ipv6=is_ipv6, link=rule.ref.self_link)),)
        end = FlowEnd(
            owner=owner,
            address_kind=AddressKind.EXTERNAL if is_vpn else AddressKind.VIRTUAL,
            address=address_text(first or address),
            is_ipv6=is_ipv6,
            is_passthrough=rule.is_external_passthrough,
        )
        return (Ownership(end=end),)

    return holders


def nat_ranges(inventory: Inventory) -> Iterator[HeldRange]:
    """Yield the addresses that NAT gateways were given by hand; those that Google picks are unseen.

    What a NAT address sends is logged by the subnetworks behind it.
    """
    literal_of = {a.ref.self_link: a.address for a in inventory.addresses}
    for router in inventory.routers:
        for nat in router.nats:
            behind = nat.subnetworks or tuple(
                s.ref.self_link
                for s in inventory.subnetworks
                if s.network == nat.network and s.region == nat.region
            )
            for text in nat.addresses:
                literal = literal_of.get(SelfLink(text), text)
                yield HeldRange(range=literal, network=None, holders=_gateway(router, nat, behind))


def _gateway(
    router: Router, nat: NatGateway, behind: tuple[SelfLink, ...]
) -> Callable[[Address], Ownerships]:
    owner = Owner(
        kind=OwnerKind.NAT,
        key=f"{router.ref.self_link}/nats/{nat.name}",
        name=nat.name,
        project=router.project,
        region=nat.region,
        network=nat.network,
        link=router.ref.self_link,
    )

    def holders(address: Address) -> Ownerships:
        end = FlowEnd(
            owner=owner,
            address_kind=AddressKind.EXTERNAL,
            address=address_text(address),
            is_ipv6=address[0] == 6,
            reported_by=behind,
        )
        return (Ownership(end=end),)

    return holders


_USER_KINDS = (
    ("/routers/", OwnerKind.NAT),
    ("/forwardingRules/", OwnerKind.LOAD_BALANCER),
    ("VpnGateways/", OwnerKind.HYBRID),
    ("/vpnGateways/", OwnerKind.HYBRID),
)


def _user_kind(link: str) -> OwnerKind | None:
    """Return what kind of owner a user of an address is, None where netplan does not know it."""
    return next((kind for part, kind in _USER_KINDS if part in link), None)


def reserved_ranges(addresses: Iterable[AddressResource]) -> Iterator[HeldRange]:
    """Yield reserved external addresses that no machine, rule or gateway holds.

    The resource names its users; one without any belongs to the project, but who held it when the
    flow was made is unknown.
    """
    for resource in addresses:
        if resource.is_external and resource.address:
            length = f"/{resource.prefix_length}" if resource.prefix_length else ""
            text = f"{resource.address}{length}"
            yield HeldRange(range=text, network=None, holders=_reserved(resource))


def _reserved(resource: AddressResource) -> Callable[[Address], Ownerships]:
    user = next(iter(resource.users), None)
    kind = _user_kind(user or "")

    def holders(address: Address) -> Ownerships:
        is_ipv6 = address[0] == 6
        literal = address_text(address)
        if user is None or kind is None:
            end = unknown_end(literal, is_ipv6=is_ipv6, link=resource.ref.self_link)
            return (Ownership(end=end),)
        owner = Owner(
            kind=kind,
            key=user,
            name=last_part(user),
            project=project_of(user),
            region=resource.region,
            link=user,
        )
        address_kind = (
            AddressKind.VIRTUAL if kind is OwnerKind.LOAD_BALANCER else AddressKind.EXTERNAL
        )
        return (
            Ownership(
                end=FlowEnd(
                    owner=owner, address_kind=address_kind, address=literal, is_ipv6=is_ipv6
                )
            ),
        )

    return holders


_PRODUCERS = "VPC_PEERING"
"""Purpose of a range that is set aside for the peered network of a service producer
(docs.cloud.google.com/vpc/docs/configure-private-services-access)."""


def producer_ranges(addresses: Iterable[AddressResource]) -> Iterator[HeldRange]:
    """Yield the ranges of service producers, such as Cloud SQL's: machines that nobody can list."""
    for resource in addresses:
        if resource.purpose == _PRODUCERS and resource.address and not resource.is_external:
            yield HeldRange(
                range=f"{resource.address}/{resource.prefix_length or 32}",
                network=resource.network,
                holders=_held_by(_producer(resource)),
            )


def _producer(resource: AddressResource) -> Owner:
    return Owner(
        kind=OwnerKind.OTHER_PROJECT,
        key=f"service-producer:{resource.ref.self_link}",
        name=f"a service producer's network ({resource.name})",
        network=resource.network,
        link=resource.ref.self_link,
    )


def proxy_ranges(subnetworks: Iterable[Subnetwork]) -> Iterator[HeldRange]:
    """Yield proxy-only subnetworks: what their addresses send comes from a load balancer."""
    for subnetwork in subnetworks:
        if subnetwork.purpose in _PROXY_PURPOSES and subnetwork.ipv4_range:
            yield HeldRange(
                range=subnetwork.ipv4_range,
                network=subnetwork.network,
                holders=_held_by(_proxies(subnetwork)),
            )


def _proxies(subnetwork: Subnetwork) -> Owner:
    return Owner(
        kind=OwnerKind.LOAD_BALANCER,
        key=subnetwork.ref.self_link,
        name=f"proxies of {subnetwork.name}",
        project=subnetwork.project,
        region=subnetwork.region,
        network=subnetwork.network,
        subnetwork=subnetwork.ref.self_link,
        link=subnetwork.ref.self_link,
    )


def _held_by(owner: Owner) -> Callable[[Address], Ownerships]:
    """Return the holder of every address of a range that one owner has."""

    def holders(address: Address) -> Ownerships:
        return (Ownership(end=FlowEnd(owner=owner, is_ipv6=address[0] == 6)),)

    return holders
