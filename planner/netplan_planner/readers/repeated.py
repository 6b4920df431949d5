"""What several readings of one project come to: each resource once, whatever their order."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from netplan_planner import model
from netplan_planner.model.project.kubernetes import Node, Service

OF_GKE_CLUSTERS = frozenset({"clusters", "node_pools"})
"""Fields of `Kubernetes` that the Kubernetes Engine API states; their links name the cluster."""
_CLUSTER = "goog-k8s-cluster-name"
"""Label that VMs of GKE carry."""
_NOT_STATED: tuple[Any, ...] = (None, (), "", frozenset())


def once(values: list[Any], unread: set[model.Unread]) -> tuple[Any, ...]:
    """Every resource once, by self link. Of several readings the fullest counts."""
    links = [value.ref.self_link for value in values]
    if len(set(links)) == len(links):
        return tuple(sorted(values, key=lambda value: value.ref.self_link))
    by_link: dict[str, list[Any]] = {}
    for link, value in zip(links, values, strict=True):
        by_link.setdefault(link, []).append(value)
    return tuple(_chosen(by_link[link], unread) for link in sorted(by_link))


def _chosen(readings: list[Any], unread: set[model.Unread]) -> Any:
    if len(readings) == 1:
        return readings[0]
    ordered = sorted(readings, key=_rank)
    best = ordered[0]
    bare = _content(best)
    for other in ordered[1:]:
        if _content(other) != bare:
            said = f"differs from the same resource in {best.ref.source}"
            reason = f"{said}, which is used: give one of the two"
            unread.add(
                model.Unread(source=other.ref.source, resource=best.ref.self_link, reason=reason)
            )
    return best


def _content(value: Any) -> bytes:
    """All of a value but where it was read."""
    fields = msgspec.structs.asdict(value) | {"ref": value.ref.self_link}
    return msgspec.json.encode(fields, order="deterministic")


def _rank(value: Any) -> tuple[int, bytes, str]:
    """Fullest first; then by content, then by source, so that order of reading cannot matter."""
    stated = sum(getattr(value, field) not in _NOT_STATED for field in value.__struct_fields__)
    return -stated, _content(value), value.ref.source


def shapes_once(shapes: Iterable[model.MachineShape]) -> tuple[model.MachineShape, ...]:
    """Each type once: zones agree on a type but for its deprecation; an offered one counts."""
    found: dict[str, model.MachineShape] = {}
    for shape in sorted(set(shapes), key=lambda s: (s.deprecation is not None, repr(s))):
        found.setdefault(shape.machine_type, shape)
    return tuple(found[name] for name in sorted(found))


def managed(groups: tuple[model.InstanceGroup, ...]) -> tuple[model.InstanceGroup, ...]:
    """Mark the groups that a manager names as managed: their own answer does not say so."""
    names = {group.instance_group for group in groups if group.instance_group}
    return tuple(
        msgspec.structs.replace(group, is_managed=True) if group.ref.self_link in names else group
        for group in groups
    )


def unmarked(group: model.InstanceGroup) -> model.InstanceGroup:
    """Undo `managed`: the parts of a merge must not differ by what else was in them."""
    if "/instanceGroupManagers/" in group.ref.self_link or not group.is_managed:
        return group
    return msgspec.structs.replace(group, is_managed=False)


def with_members(
    groups: tuple[model.InstanceGroup, ...], members: Mapping[model.SelfLink, set[model.SelfLink]]
) -> tuple[model.InstanceGroup, ...]:
    """Return the groups with the machines that were said to be in them."""
    if not members:
        return groups
    return tuple(
        msgspec.structs.replace(
            group, members=tuple(sorted({*group.members, *members[group.ref.self_link]}))
        )
        if group.ref.self_link in members
        else group
        for group in groups
    )


def themselves(machines: tuple[model.Instance, ...]) -> tuple[model.Instance, ...]:
    """Leave out those that only stand for a group's machines where these were read themselves.

    Their names have parentheses (`terraform.groups`), which no machine's can have.
    """
    if not any("(" in machine.name for machine in machines):
        return machines
    read = {machine.created_by for machine in machines if "(" not in machine.name}
    return tuple(
        machine
        for machine in machines
        if "(" not in machine.name or machine.created_by is None or machine.created_by not in read
    )


def why_several(found: Mapping[str, Sequence[Any]]) -> str:
    """Return what shows that objects are of several clusters, which none of them says; else empty.

    Names of one cluster are used again in the next: put together, their Services would have each
    other's endpoints, and their nodes each other's network plugin.

    Args:
        found: Readings by field of `Kubernetes` and of `Inventory`, repeated ones included.
    """
    services: Sequence[Service] = found["services"]
    addresses: dict[str, set[tuple[str, ...]]] = {}
    for one in services:
        if one.cluster_ips:
            addresses.setdefault(one.full_name, set()).add(one.cluster_ips)
    for name, held in sorted(addresses.items()):
        # A Service keeps its address; only where it was made anew has it another.
        if len(held) > 1:
            shown = "; ".join(sorted(", ".join(each) for each in held)[:3])
            return f"the Service {name} has several addresses ({shown})"
    nodes: Sequence[Node] = found["nodes"]
    pooled = {one.instance for one in nodes if one.node_pool is not None and one.instance}
    projects = {link.split("/")[1] for link in pooled if "/" in link}
    if len(projects) > 1:
        return f"nodes of GKE are in several projects ({', '.join(sorted(projects)[:3])})"
    machines: Sequence[model.Instance] = found["instances"]
    names = {
        label
        for machine in machines
        if machine.ref.self_link in pooled
        for key, label in machine.labels
        if key == _CLUSTER
    }
    if len(names) > 1:
        return f"the VMs of nodes name several clusters ({', '.join(sorted(names)[:3])})"
    return ""
