"""Machines that reach machines of their own through Cloud NAT, by external addresses."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.ledger import ledger_of
from netplan_rules.base import reaches_floor, rule_of, volume_floor
from netplan_rules.gateway._served import processed, served_interfaces
from netplan_rules.shared.peering import NOT_PEERED, joining, over_hub
from netplan_rules.shared.trust import doubts_of_edges
from netplan_rules.wording import internal_target, listed, no_longer_addressed, volume
from netplan_rules.work import ADDRESS

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.NAT_GATEWAYS, model.Need.FLOW_RECORDS}),
    work=ADDRESS,
    thresholds=(volume_floor(1.0),),
    summed=("volume",),
)

_UNCONNECTED = "unconnected networks"
_FRONT = "a load balancer"


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each own external address that machines reach through a gateway."""
    if facts.traffic is None:
        return
    behind = {
        instance.ref.self_link: nat
        for instance in facts.inventory.instances
        for nat, _ in served_interfaces(facts, instance)
    }
    found: dict[tuple[model.SelfLink, str, model.SelfLink, str], list[model.Edge]] = defaultdict(
        list
    )
    nats: dict[tuple[model.SelfLink, str], model.NatGateway] = {}
    for edge in facts.traffic.edges:
        nat = _gateway_of(facts, edge, behind)
        target = facts.dst(edge).link
        if nat is not None and target is not None and edge.dst_address is not None:
            nats[nat.router, nat.name] = nat
            found[nat.router, nat.name, target, edge.dst_address].append(edge)
    for (router, name, target, address), edges in sorted(found.items()):
        if reaches_floor(facts, RULE.id, sum(edge.wire_bytes for edge in edges)):
            yield _hit(facts, nats[router, name], target, address, edges)


def _gateway_of(
    facts: model.Facts, edge: model.Edge, behind: dict[model.SelfLink, model.NatGateway]
) -> model.NatGateway | None:
    """Return the gateway that an edge to an own external address goes through, or None."""
    src, dst = facts.src(edge), facts.dst(edge)
    if src.link is None or ":" in (edge.dst_address or ""):
        return None
    if src.kind is model.OwnerKind.NAT and edge.path_class is model.PathClass.NAT:
        nats = (nat for router in facts.inventory.routers for nat in router.nats)
        named = (nat for nat in nats if nat.router == src.link and nat.name == src.name)
        return next(named, None) if facts.instance(dst) is not None else None
    if edge.path_class.is_external_address and facts.instance(dst) is not None:
        return behind.get(src.link)
    front = facts.inventory.forwarding_rule_by_link.get(dst.link) if dst.link else None
    if edge.path_class is model.PathClass.LOAD_BALANCER and front is not None and front.is_external:
        return behind.get(src.link)
    return None


def _hit(
    facts: model.Facts,
    nat: model.NatGateway,
    target: model.SelfLink,
    address: str,
    edges: Sequence[model.Edge],
) -> model.Hit:
    byte_count = sum(edge.wire_bytes for edge in edges)
    gib = facts.gib_per_month(byte_count)
    owner = facts.dst(edges[0])
    senders = sorted({facts.src(edge).name for edge in edges})
    doubts = doubts_of_edges(facts, edges)
    clients = [c for edge in edges if (c := facts.instance(facts.src(edge))) is not None]
    machine = facts.inventory.instance_by_link.get(target)
    front = facts.inventory.forwarding_rule_by_link.get(target)
    cause, fix = _fix(facts, clients, machine, front, address)
    change = _change(clients, target) if fix.commands or not cause else None
    return model.Hit(
        resources=(model.ResourceRef(self_link=target), model.ResourceRef(self_link=nat.router)),
        subject=f"{nat.name} ({nat.region}) → {owner.name}",
        message=f"{volume(gib)} of {listed(senders)} go through the Cloud NAT gateway {nat.name} to"
        f" {address}, the external address of your {owner.name}",
        cause=cause,
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(name="external_address", value=address, source="inventory"),
            model.Evidence(name="senders", value=len(senders)),
        ),
        saving=_saving(facts, nat, change, byte_count, cause),
        edges=tuple(edges) if change is None else (),
        gib_per_month=gib,
        fix=fix,
        doubts=doubts.reasons,
        change=change,
    )


def _change(clients: Sequence[model.Instance], target: model.SelfLink) -> model.Change | None:
    """Return the change of all clients at once; None where no record names one."""
    links = tuple(sorted({client.ref.self_link for client in clients}))
    if not links:
        return None
    return model.Change(
        kind=model.ChangeKind.INTERNAL_ADDRESS, target=links[0], destination=target, members=links
    )


def _saving(
    facts: model.Facts,
    nat: model.NatGateway,
    change: model.Change | None,
    byte_count: int,
    cause: str,
) -> model.Saving:
    """Return all that the traffic costs less, else what Cloud NAT processes of it."""
    if change is not None:
        return ledger_of(facts).value(change).saving
    if cause == _UNCONNECTED:
        return model.Saving(unknown=NOT_PEERED)
    try:
        return model.Saving(items=(processed(facts, nat.region, byte_count),))
    except MissingDatum as error:
        return model.Saving(unknown=str(error))


def _fix(
    facts: model.Facts,
    clients: Sequence[model.Instance],
    machine: model.Instance | None,
    front: model.ForwardingRule | None,
    address: str,
) -> tuple[str, model.Fix]:
    """Return which of the causes it is, and what mends it."""
    project = machine.project if machine is not None else front.project if front is not None else ""
    verify = no_longer_addressed(address, project)
    undo = model.Instruction(text=f"Resolve the name to {address} again.")
    if machine is None:
        return _FRONT, RULE.fix(
            label="internal load balancer",
            text=f"Put an internal load balancer in front of the same backends as {address}."
            " Resolve its name to it for internal clients (a private DNS zone).",
            verify=verify,
            undo=undo,
            documents=("https://cloud.google.com/load-balancing/docs/internal",),
        )
    inside = [(c, facts.inventory.reachable_interface(c, machine)) for c in clients]
    reached = [(client, nic) for client, nic in inside if nic is not None]
    if inside and not reached:
        return _UNCONNECTED, joining(facts.inventory, clients[0], machine).fix
    hub = facts.inventory.hub_over(reached[0][0], machine) if reached else ""
    if reached:
        by = internal_target(reached[0][0], machine, reached[0][1])
    else:
        nic = machine.interfaces[0]
        by = nic.internal_ipv4 or nic.internal_ipv6 or "its internal address"
    return "", RULE.fix(
        label="internal address",
        text=f"Let {listed([c.name for c in clients] or ['the clients'])} reach {machine.name} at"
        f" {by} instead of {address}.{over_hub(hub)}",
        verify=verify,
        undo=undo,
        documents=("https://cloud.google.com/compute/docs/internal-dns",),
        caution=f"Firewall rules of {machine.name} must allow the internal ranges of the senders.",
    )
