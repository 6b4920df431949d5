"""Which resources of an inventory claim which addresses, and since when."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from netplan_planner.model import (
    Address as AddressResource,
)
from netplan_planner.model import (
    Certainty,
    ForwardingRule,
    Instance,
    Inventory,
    NatGateway,
    NetworkInterface,
    Owner,
    OwnerKind,
    Router,
    SelfLink,
    Subnetwork,
    Value,
    last_part,
    project_of,
)
from netplan_planner.paths.addresses import Address, address_text
from netplan_planner.paths.ends import Face, FlowEnd, Tenure, service_end, unknown_end

_GOOGLE_API_BUNDLES = frozenset({"all-apis", "vpc-sc"})
"""Targets of a Private Service Connect endpoint that leads to Google's own APIs."""

_PROXY_PURPOSES = frozenset(
    {"REGIONAL_MANAGED_PROXY", "GLOBAL_MANAGED_PROXY", "INTERNAL_HTTPS_LOAD_BALANCER"}
)
"""Purposes of proxy-only subnetworks: their addresses are load balancers' proxies."""

Tenures = tuple[Tenure, ...]


class Claim(Value, frozen=True, kw_only=True):
    """A range of addresses that a resource holds, in one network or (None) everywhere."""

    range: str
    network: SelfLink | None
    holders: Callable[[Address], Tenures]
    """Who an address of the range is, and since when."""


class MachineEnds:
    """Makes the flow ends of the inventory's machines; each owner is made once."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._owners: dict[SelfLink, Owner] = {}
        self._nats: dict[SelfLink, list[NatGateway]] = {}
        for router in inventory.routers:
            for nat in router.nats:
                self._nats.setdefault(nat.network, []).append(nat)

    def owner(self, instance: Instance) -> Owner:
        """Return the owner that stands for a machine, with the network of its first interface."""
        link = instance.ref.self_link
        found = self._owners.get(link)
        if found is None:
            first = instance.interfaces[0] if instance.interfaces else None
            found = self._owners[link] = Owner(
                kind=OwnerKind.VM,
                key=link,
                name=instance.name,
                project=instance.project,
                zone=instance.zone,
                region=instance.region,
                network=first.network if first else None,
                subnetwork=first.subnetwork if first else None,
                link=link,
            )
        return found

    def end(
        self,
        instance: Instance,
        nic: NetworkInterface | None,
        face: Face,
        address: Address,
        *,
        literal: str | None = None,
        is_pod: bool = False,
        certainty: Certainty = Certainty.HELD,
    ) -> FlowEnd:
        """Return a machine as it is met at one address; `nic` is None where none has it."""
        is_ipv6 = address[0] == 6
        external = None
        if nic is not None and not is_ipv6:
            external = nic.external_ipv4
        shown = literal if face is Face.VIRTUAL else None
        if face is Face.EXTERNAL:
            shown = literal or address_text(address)
        return FlowEnd(
            owner=self.owner(instance),
            face=face,
            address=shown,
            is_ipv6=is_ipv6,
            is_pod=is_pod,
            certainty=certainty,
            external_address=external,
            is_behind_nat=nic is not None and not is_ipv6 and self._is_behind_nat(instance, nic),
            reported_by=_subnetworks(instance, nic),
        )

    def _is_behind_nat(self, instance: Instance, nic: NetworkInterface) -> bool:
        if nic.external_ipv4 is not None or nic.access_config_name is not None:
            return False
        return any(
            nat.region == instance.region
            and (not nat.subnetworks or nic.subnetwork in nat.subnetworks)
            for nat in self._nats.get(nic.network, ())
        )

    def claims(self, instance: Instance) -> Iterator[Claim]:
        """Yield what the interfaces of a machine claim."""
        for nic in instance.interfaces:
            for text in (nic.internal_ipv4, nic.internal_ipv6):
                if text:
                    yield self._claim(instance, nic, Face.INTERNAL, text.partition("/")[0])
            for text in nic.alias_ranges:
                yield self._claim(instance, nic, Face.INTERNAL, text, is_pod=is_gke_node(instance))
            if nic.external_ipv4:
                yield self._claim(instance, nic, Face.EXTERNAL, nic.external_ipv4)
            if nic.external_ipv6:
                length = nic.external_ipv6_prefix_length or 128
                yield self._claim(instance, nic, Face.EXTERNAL, f"{nic.external_ipv6}/{length}")

    def _claim(
        self,
        instance: Instance,
        nic: NetworkInterface,
        face: Face,
        text: str,
        *,
        is_pod: bool = False,
    ) -> Claim:
        # The literal of a machine's external IPv6 range is its first address: one edge, not many.
        literal = nic.external_ipv6 if face is Face.EXTERNAL and ":" in text else None

        def holders(address: Address) -> Tenures:
            def end(certainty: Certainty) -> FlowEnd:
                return self.end(
                    instance,
                    nic,
                    face,
                    address,
                    literal=literal,
                    is_pod=is_pod,
                    certainty=certainty,
                )

            earlier = unknown_end(address_text(address), is_ipv6=address[0] == 6)
            if face is Face.INTERNAL:
                return _since(earlier, end(Certainty.HELD), instance.created)
            reserved = self._inventory.address_by_ip.get(address_text(address))
            if reserved is not None:
                since = max(
                    (t for t in (instance.created, reserved.created) if t is not None), default=None
                )
                return _since(earlier, end(Certainty.HELD), since)
            return _ephemeral(earlier, end, instance)

        network = nic.network if face is Face.INTERNAL else None
        return Claim(range=text, network=network, holders=holders)


def is_gke_node(instance: Instance) -> bool:
    """Return whether a machine is a node of a GKE cluster: its alias ranges are pods."""
    return instance.name.startswith("gke-") or any(
        key.startswith("goog-gke-") for key, _ in instance.labels
    )


def _subnetworks(instance: Instance, nic: NetworkInterface | None) -> tuple[SelfLink, ...]:
    if nic is None and len(instance.interfaces) == 1:
        nic = instance.interfaces[0]
    return (nic.subnetwork,) if nic is not None and nic.subnetwork else ()


def _since(earlier: FlowEnd, end: FlowEnd, since: datetime | None) -> Tenures:
    if since is None:
        return (Tenure(end=end),)
    return (Tenure(end=earlier), Tenure(end=end, since=since))


def _ephemeral(
    earlier: FlowEnd, end: Callable[[Certainty], FlowEnd], instance: Instance
) -> Tenures:
    """Return an ephemeral address's holders: sure since the last start, unknown before creation."""
    created, started = instance.created, instance.last_started
    if started is None:
        return _since(earlier, end(Certainty.ASSUMED), created)
    held = Tenure(end=end(Certainty.HELD), since=started)
    if created is None:
        return (Tenure(end=end(Certainty.ASSUMED)), held)
    if started <= created:
        return (Tenure(end=earlier), Tenure(end=end(Certainty.HELD), since=created))
    assumed = Tenure(end=end(Certainty.ASSUMED), since=created)
    return (Tenure(end=earlier), assumed, held)


def rule_claims(rules: Iterable[ForwardingRule]) -> Iterator[Claim]:
    """Yield what forwarding rules claim: load balancers, and endpoints of Private Service Connect.

    Rules that share an address are one front: the first by link stands for all.
    """
    for rule in rules:
        if rule.ip_address:
            network = None if rule.is_external else rule.network
            yield Claim(range=rule.ip_address, network=network, holders=_front(rule))


def _front(rule: ForwardingRule) -> Callable[[Address], Tenures]:
    target = last_part(rule.target) if rule.target else ""

    def holders(address: Address) -> Tenures:
        is_ipv6 = address[0] == 6
        if rule.scheme is None and target in _GOOGLE_API_BUNDLES:
            return (Tenure(end=service_end(target, is_ipv6=is_ipv6, link=rule.ref.self_link)),)
        owner = Owner(
            kind=OwnerKind.LOAD_BALANCER,
            key=rule.ref.self_link,
            name=rule.name,
            project=rule.project,
            region=rule.region,
            network=rule.network,
            subnetwork=rule.subnetwork,
            link=rule.ref.self_link,
        )
        end = FlowEnd(
            owner=owner, face=Face.VIRTUAL, address=address_text(address), is_ipv6=is_ipv6
        )
        return (Tenure(end=end),)

    return holders


def nat_claims(inventory: Inventory) -> Iterator[Claim]:
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
                yield Claim(range=literal, network=None, holders=_gateway(router, nat, behind))


def _gateway(
    router: Router, nat: NatGateway, behind: tuple[SelfLink, ...]
) -> Callable[[Address], Tenures]:
    owner = Owner(
        kind=OwnerKind.NAT,
        key=f"{router.ref.self_link}/nats/{nat.name}",
        name=nat.name,
        project=router.project,
        region=nat.region,
        network=nat.network,
        link=router.ref.self_link,
    )

    def holders(address: Address) -> Tenures:
        end = FlowEnd(
            owner=owner,
            face=Face.EXTERNAL,
            address=address_text(address),
            is_ipv6=address[0] == 6,
            reported_by=behind,
        )
        return (Tenure(end=end),)

    return holders


_USER_KINDS = (
    ("/routers/", OwnerKind.NAT),
    ("/forwardingRules/", OwnerKind.LOAD_BALANCER),
    ("VpnGateways/", OwnerKind.HYBRID),
    ("/vpnGateways/", OwnerKind.HYBRID),
)


def reserved_claims(addresses: Iterable[AddressResource]) -> Iterator[Claim]:
    """Yield reserved external addresses that no machine, rule or gateway claims for itself.

    The resource names its users; one without any belongs to the project, but who held it when the
    flow was made is unknown.
    """
    for resource in addresses:
        if resource.is_external and resource.address:
            length = f"/{resource.prefix_length}" if resource.prefix_length else ""
            text = f"{resource.address}{length}"
            yield Claim(range=text, network=None, holders=_reserved(resource))


def _reserved(resource: AddressResource) -> Callable[[Address], Tenures]:
    user = next(iter(resource.users), None)
    kind = next((k for part, k in _USER_KINDS if user and part in user), None)

    def holders(address: Address) -> Tenures:
        is_ipv6 = address[0] == 6
        literal = address_text(address)
        if user is None or kind is None:
            end = unknown_end(literal, is_ipv6=is_ipv6, link=resource.ref.self_link)
            return (Tenure(end=end),)
        owner = Owner(
            kind=kind,
            key=user,
            name=last_part(user),
            project=project_of(user),
            region=resource.region,
            link=user,
        )
        face = Face.VIRTUAL if kind is OwnerKind.LOAD_BALANCER else Face.EXTERNAL
        return (Tenure(end=FlowEnd(owner=owner, face=face, address=literal, is_ipv6=is_ipv6)),)

    return holders


def proxy_claims(subnetworks: Iterable[Subnetwork]) -> Iterator[Claim]:
    """Yield proxy-only subnetworks: what their addresses send comes from a load balancer."""
    for subnetwork in subnetworks:
        if subnetwork.purpose in _PROXY_PURPOSES and subnetwork.ipv4_range:
            yield Claim(
                range=subnetwork.ipv4_range,
                network=subnetwork.network,
                holders=_proxies(subnetwork),
            )


def _proxies(subnetwork: Subnetwork) -> Callable[[Address], Tenures]:
    owner = Owner(
        kind=OwnerKind.LOAD_BALANCER,
        key=subnetwork.ref.self_link,
        name=f"proxies of {subnetwork.name}",
        project=subnetwork.project,
        region=subnetwork.region,
        network=subnetwork.network,
        subnetwork=subnetwork.ref.self_link,
        link=subnetwork.ref.self_link,
    )

    def holders(address: Address) -> Tenures:
        return (Tenure(end=FlowEnd(owner=owner, is_ipv6=address[0] == 6)),)

    return holders
