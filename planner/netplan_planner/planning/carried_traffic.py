"""Traffic that was seen of running VMs, carried to the VMs of a plan: by link, name, then group.

A VM that is replaced has another address, and one that is made has none yet: flow logs cannot name
it. Its traffic is that of the VM whose place it takes, which is an assumption.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.model import Instance, Inventory, MachineRow, OwnerKind, SelfLink
from netplan_planner.model.base import project_of
from netplan_planner.units import counted

_BY_LINK, _BY_NAME, _BY_GROUP, _IN_GROUP = "link", "name", "group", "stays in its group"


class Match(NamedTuple):
    """The VM that takes the place of one that was seen."""

    instance: Instance | None
    """None: its group is there, and names no VM that is free."""
    how: str


def matches(links: Iterable[SelfLink], inventory: Inventory) -> dict[SelfLink, Match]:
    """Return the VM of an inventory for each link that has one: each VM once."""
    by_link, wanted = inventory.instance_by_link, sorted(set(links))
    found = {link: Match(by_link[link], _BY_LINK) for link in wanted if link in by_link}
    free = [one for one in inventory.instances if one.ref.self_link not in found]
    by_name: dict[tuple[str, str], list[Instance]] = defaultdict(list)
    for one in free:
        by_name[one.project, one.name].append(one)
    names = Counter(_name(link) for link in wanted if link not in found)
    for link in wanted:
        alike = by_name.get(_name(link), [])
        if link not in found and len(alike) == 1 and names[_name(link)] == 1:
            found[link] = Match(alike[0], _BY_NAME)
    taken = {match.instance.ref.self_link for match in found.values() if match.instance}
    for group in sorted(inventory.instance_groups, key=lambda one: not one.is_managed):
        base = f"{group.base_instance_name or group.name}-"
        own = [one for one in free if one.ref.self_link not in taken]
        own = [one for one in own if _is_of(one, group, base, inventory)]
        left = [one for one in wanted if one not in found and _is_so_named(one, group, base)]
        for link, instance in zip(left, own, strict=False):
            found[link] = Match(instance, _BY_GROUP)
            taken.add(instance.ref.self_link)
        if group.is_managed:
            found |= dict.fromkeys(left[len(own) :], Match(None, _IN_GROUP))
    return found


def _is_of(one: Instance, group: model.InstanceGroup, base: str, inventory: Inventory) -> bool:
    of = inventory.group_by_member.get(one.ref.self_link)
    return of == group if of is not None else one.name.startswith(base)


def _is_so_named(link: SelfLink, group: model.InstanceGroup, base: str) -> bool:
    return _name(link)[0] == group.project and _name(link)[1].startswith(base)


def _name(link: SelfLink) -> tuple[str, str]:
    return project_of(link), model.last_part(link)


def carried(
    facts: model.Facts, traffic: model.TrafficMatrix
) -> tuple[model.Facts, tuple[str, ...]]:
    """Return facts with the traffic of VMs that were seen, and what is assumed."""
    links = {one.link for one in traffic.owners if one.kind is OwnerKind.VM and one.link}
    found = matches(links, facts.inventory)
    new = {link: match.instance for link, match in found.items() if match.instance}
    moved = _moved(traffic, new, links - found.keys())
    return replace(facts, traffic=moved), tuple(_said(found, links, facts.inventory))


def _moved(
    traffic: model.TrafficMatrix, new: dict[SelfLink, Instance], gone: set[SelfLink]
) -> model.TrafficMatrix:
    """Return traffic between the new VMs; that of VMs that are gone is left out."""
    owners = tuple(_owner(one, new) for one in traffic.owners)
    lost = {number for number, one in enumerate(traffic.owners) if one.link in gone}
    edges = [
        _edge(one, traffic.owners, owners)
        for one in traffic.edges
        if one.src not in lost and one.dst not in lost
    ]
    edges.sort(key=lambda one: (one.src, one.dst, one.path_class, one.dst_address or ""))
    vms = tuple(one for one in traffic.vms if one.owner not in lost)
    # What is by hour names edges by their number.
    return replace(traffic, owners=owners, edges=tuple(edges), vms=vms, hours=None)


def _owner(owner: model.Owner, new: dict[SelfLink, Instance]) -> model.Owner:
    to = new.get(owner.link) if owner.link else None
    if to is None or to.ref.self_link == owner.link:
        return owner
    nic = to.interfaces[0] if to.interfaces else None
    return replace(
        owner,
        key=to.ref.self_link,
        link=to.ref.self_link,
        name=to.name,
        project=to.project,
        zone=to.zone,
        region=to.region,
        network=nic.network if nic else owner.network,
        subnetwork=nic.subnetwork if nic else owner.subnetwork,
    )


def _edge(edge: model.Edge, old: Sequence[model.Owner], new: Sequence[model.Owner]) -> model.Edge:
    ends = [(old[end].zone, new[end].zone) for end in (edge.src, edge.dst)]
    if all(was == now for was, now in ends):
        return edge
    (_, src), (_, dst) = ends
    is_between = edge.path_class.distance is not None and src and dst
    way = edge.path_class.between(src, dst) if is_between else edge.path_class  # type: ignore[arg-type]
    return replace(edge, path_class=way, rtt_ms=None)


def _said(
    found: dict[SelfLink, Match], links: set[SelfLink], inventory: Inventory
) -> Iterator[str]:
    """Yield what is assumed of the traffic of VMs that are not the ones that were seen."""
    how = Counter(match.how for match in found.values())
    if count := how[_BY_NAME]:
        yield f"{counted(count, 'replaced VM')}: traffic of the VM of the same name."
    if count := how[_BY_GROUP]:
        yield f"{counted(count, 'replaced VM')}: traffic of a VM of the same group."
    if count := how[_IN_GROUP]:
        yield f"The traffic of {counted(count, 'VM')} stays as it is: only the group is planned."
    if count := len(links) - len(found):
        yield f"The traffic of {counted(count, 'VM')} that is gone is left out."
    seen = {match.instance.ref.self_link for match in found.values() if match.instance}
    if count := sum(one.ref.self_link not in seen for one in inventory.instances):
        yield f"The traffic of {counted(count, 'VM')} is not known and not included."


def rated(
    rows: Sequence[MachineRow], seen: Sequence[MachineRow], inventory: Inventory
) -> tuple[tuple[MachineRow, ...], tuple[str, ...]]:
    """Return rows with the rates of a report's, and what is assumed."""
    of_report = {link_of(row): row for row in seen if row.egress_p95_gbps is not None}
    found = matches(of_report, inventory)
    source = {m.instance.ref.self_link: of_report[link] for link, m in found.items() if m.instance}
    told = tuple(
        replace(row, **{name: getattr(source[link_of(row)], name) for name in _RATES})
        if link_of(row) in source
        else row
        for row in rows
    )
    return told, tuple(_said(found, set(of_report), inventory))


_RATES = ("egress_p95_gbps", "egress_max_gbps", "external_p95_gbps", "external_max_gbps")


def link_of(row: MachineRow) -> SelfLink:
    """Return the link of a row's VM."""
    return model.instance_link(row.project, row.zone, row.name)
