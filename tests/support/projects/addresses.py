"""Resources with addresses, in as few words as a test needs; every link is canonical."""

from datetime import UTC, datetime

from netplan_planner import model
from netplan_planner.paths import AddressBook, FlowEnd, RecordedEnd
from support.resources import resource

ZONE = "us-central1-a"
REGION = "us-central1"


def at(day: int) -> datetime:
    """Return noon of a day of the month in which all tests happen."""
    return datetime(2026, 3, day, 12, tzinfo=UTC)


def network_link(name: str = "default", project: str = "p") -> model.SelfLink:
    """Return the link of a network."""
    return model.SelfLink(f"projects/{project}/global/networks/{name}")


def subnet_link(name: str = "default", project: str = "p", region: str = REGION) -> model.SelfLink:
    """Return the link of a subnetwork."""
    return model.SelfLink(f"projects/{project}/regions/{region}/subnetworks/{name}")


def nic(
    internal: str | None = None,
    *,
    external: str | None = None,
    alias: tuple[str, ...] = (),
    ipv6: str | None = None,
    external_ipv6: str | None = None,
    prefix: int | None = None,
    network: str = "default",
    subnetwork: model.SelfLink | None = None,
    name: str = "nic0",
    has_access_config: bool | None = None,
    host: str = "p",
) -> model.NetworkInterface:
    """Return an interface; `host` is the project of its network."""
    has_config = external is not None if has_access_config is None else has_access_config
    return model.NetworkInterface(
        name=name,
        network=network_link(network, host),
        subnetwork=subnetwork,
        internal_ipv4=internal,
        alias_ranges=alias,
        external_ipv4=external,
        access_config_name="External NAT" if has_config else None,
        internal_ipv6=ipv6,
        external_ipv6=external_ipv6,
        external_ipv6_prefix_length=prefix,
    )


def vm(
    name: str,
    *interfaces: model.NetworkInterface,
    project: str = "p",
    zone: str = ZONE,
    labels: tuple[tuple[str, str], ...] = (),
    created: datetime | None = None,
    started: datetime | None = None,
) -> model.Instance:
    """Return a running machine."""
    return model.Instance(
        ref=model.ResourceRef(
            self_link=model.SelfLink(f"projects/{project}/zones/{zone}/instances/{name}")
        ),
        project=model.ProjectId(project),
        zone=model.Zone(zone),
        name=name,
        machine_type="n2-standard-8",
        status="RUNNING",
        interfaces=interfaces,
        labels=labels,
        created=created,
        last_started=started,
    )


def network(name: str = "default", *peers: model.SelfLink, project: str = "p") -> model.Network:
    """Return a network that is actively peered with others."""
    return resource(
        model.Network,
        network_link(name, project),
        project=model.ProjectId(project),
        name=name,
        peerings=tuple(
            model.Peering(name=f"to-{n}", network=peer, is_active=True)
            for n, peer in enumerate(peers)
        ),
    )


def subnet(
    cidr: str | None,
    *,
    name: str = "default",
    network: str = "default",
    project: str = "p",
    secondary: tuple[str, ...] = (),
    ipv6: str | None = None,
    purpose: str | None = None,
) -> model.Subnetwork:
    """Return a subnetwork of the one region."""
    return resource(
        model.Subnetwork,
        subnet_link(name, project),
        project=model.ProjectId(project),
        region=model.Region(REGION),
        name=name,
        network=network_link(network, project),
        ipv4_range=cidr,
        secondary_ranges=secondary,
        ipv6_range=ipv6,
        purpose=purpose,
    )


def reserved(
    address: str,
    *users: str,
    name: str = "reserved",
    created: datetime | None = None,
    prefix: int | None = None,
    is_external: bool = True,
    purpose: str | None = None,
    network: model.SelfLink | None = None,
) -> model.Address:
    """Return a reserved address and who uses it."""
    return resource(
        model.Address,
        f"projects/p/regions/{REGION}/addresses/{name}",
        address=address,
        is_external=is_external,
        status="IN_USE" if users else "RESERVED",
        users=tuple(model.SelfLink(user) for user in users),
        prefix_length=prefix,
        purpose=purpose,
        network=network,
        created=created,
    )


def front(
    address: str,
    scheme: str | None,
    *,
    name: str = "front",
    network: str | None = None,
    target: str | None = None,
    backend: str | None = None,
) -> model.ForwardingRule:
    """Return a forwarding rule."""
    return resource(
        model.ForwardingRule,
        f"projects/p/regions/{REGION}/forwardingRules/{name}",
        ip_address=address,
        scheme=scheme,
        network=None if network is None else network_link(network),
        target=None if target is None else model.SelfLink(target),
        backend_service=None if backend is None else model.SelfLink(backend),
    )


def router(
    *addresses: str,
    subnetworks: tuple[model.SelfLink, ...] = (),
    network: str = "default",
    region: str = REGION,
) -> model.Router:
    """Return a router with one NAT gateway."""
    link = model.SelfLink(f"projects/p/regions/{region}/routers/r")
    nat = model.NatGateway(
        name="nat",
        router=link,
        network=network_link(network),
        region=model.Region(region),
        addresses=addresses,
        subnetworks=subnetworks,
    )
    return resource(model.Router, link, network=network_link(network), nats=(nat,))


def route(dest: str, hop: str, target: str | None = None, network: str = "default") -> model.Route:
    """Return a route."""
    return resource(
        model.Route,
        f"projects/p/global/routes/to-{dest}",
        name=f"to-{dest}",
        network=network_link(network),
        dest_range=dest,
        next_hop=hop,
        next_hop_target=target,
    )


Resource = (
    model.Instance
    | model.Network
    | model.Subnetwork
    | model.Address
    | model.ForwardingRule
    | model.Router
    | model.Route
)


def inventory_of(*resources: Resource, read: tuple[str, ...] = ()) -> model.Inventory:
    """Return the inventory of these resources; `read` names projects that hold no machine."""

    def of(kind: type) -> tuple[Resource, ...]:
        chosen = [r for r in resources if isinstance(r, kind)]
        return tuple(sorted(chosen, key=lambda r: r.ref.self_link))

    return model.Inventory(
        instances=of(model.Instance),  # type: ignore[arg-type]
        networks=of(model.Network),  # type: ignore[arg-type]
        subnetworks=of(model.Subnetwork),  # type: ignore[arg-type]
        addresses=of(model.Address),  # type: ignore[arg-type]
        forwarding_rules=of(model.ForwardingRule),  # type: ignore[arg-type]
        routers=of(model.Router),  # type: ignore[arg-type]
        routes=of(model.Route),  # type: ignore[arg-type]
        projects=tuple(model.ProjectCoverage(project=model.ProjectId(name)) for name in read),
    )


def book_of(*resources: Resource, read: tuple[str, ...] = ()) -> AddressBook:
    """Return the address book of these resources."""
    return AddressBook(inventory_of(*resources, read=read))


def who(book: AddressBook, address: str, **said: object) -> FlowEnd:
    """Return the present holder of an address, with what a record says besides."""
    ownerships = book.resolve(RecordedEnd(address=address, **said))  # type: ignore[arg-type]
    assert ownerships is not None
    return ownerships[-1].end


def owner(end: FlowEnd) -> tuple[str, str]:
    """Return the kind and the name of an end's owner."""
    return end.owner.kind.value, end.owner.name


def placed(owner: model.Owner) -> tuple[str | None, str | None]:
    """Return zone and region of an owner, which must belong together."""
    if owner.zone is not None:
        assert owner.region == model.region_of(owner.zone)
    return owner.zone, owner.region
