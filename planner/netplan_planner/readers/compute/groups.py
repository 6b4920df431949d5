"""Instance groups, managers, commitments and sole-tenant nodes of the Compute API as values."""

from collections.abc import Iterable, Sequence

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.model import (
    Commitment,
    Instance,
    InstanceGroup,
    NodeGroup,
    NodeTemplate,
    Region,
    ResourceRef,
    Zone,
)
from netplan_planner.readers import links
from netplan_planner.readers.compute.wire import (
    LARGEST_COUNT,
    Count,
    LongNumber,
    Wire,
    WireCommitment,
    WireInstanceGroup,
    WireManager,
)


def instance_group(
    wire: WireInstanceGroup, ref: ResourceRef, problems: links.Problems
) -> InstanceGroup:
    """Return one instance group; its members stand in another method's answer, not in this one.

    Raises:
        Unusable: If it names neither zone nor region.
    """
    project, _, _, name = links.place_of(ref.self_link)
    location, is_regional = _location(ref, wire.zone, wire.region)
    return InstanceGroup(
        ref=ref,
        project=project,
        name=wire.name or name,
        is_managed=False,
        is_regional=is_regional,
        location=location,
        size=wire.size,
    )


def group_manager(wire: WireManager, ref: ResourceRef, problems: links.Problems) -> InstanceGroup:
    """Return one instance group manager.

    Raises:
        Unusable: If it names neither zone nor region.
    """
    project, _, _, name = links.place_of(ref.self_link)
    location, is_regional = _location(ref, wire.zone, wire.region)
    template = wire.instance_template or next(
        (version.instance_template for version in wire.versions if version.instance_template), None
    )
    return InstanceGroup(
        ref=ref,
        project=project,
        name=wire.name or name,
        is_managed=True,
        is_regional=is_regional,
        location=location,
        size=wire.target_size,
        template=links.resolve_optional(template, project),
        instance_group=links.resolve_optional(wire.instance_group, project),
        base_instance_name=wire.base_instance_name,
        is_autoscaled=bool(wire.status and wire.status.autoscaler),
        is_stateful=_is_stateful(wire),
    )


def _is_stateful(wire: WireManager) -> bool:
    """Return whether a group keeps anything of its machines; a policy may be there and empty."""
    stateful, policy = wire.status and wire.status.stateful, wire.stateful_policy
    if stateful and stateful.has_stateful_config is not None:
        return stateful.has_stateful_config
    return bool(policy and policy.preserved_state and any(policy.preserved_state.values()))


def _location(ref: ResourceRef, zone: str | None, region: str | None) -> tuple[str, bool]:
    _, scope, place, _ = links.place_of(ref.self_link)
    if scope in {"zones", "regions"}:
        return place, scope == "regions"
    return links.bare_name(links.needed(zone or region, "zone or region")), not zone


def commitment(wire: WireCommitment, ref: ResourceRef, problems: links.Problems) -> Commitment:
    """Return one commitment; memory in MiB, as the API counts it.

    Raises:
        Unusable: If it has no region.
    """
    project, _, _, name = links.place_of(ref.self_link)
    amounts: dict[str, int] = {}
    for index, part in enumerate(wire.resources):
        amount = _whole(part.amount)
        if part.type and amount is not None:
            amounts[part.type] = amounts.get(part.type, 0) + amount
        else:
            problems.append((f"resources[{index}]", "no type or no integer amount"))
    return Commitment(
        ref=ref,
        project=project,
        name=wire.name or name,
        region=Region(links.needed(links.region_at(ref.self_link, wire.region), "region")),
        plan=wire.plan,
        category=wire.category,
        commitment_type=wire.type,
        status=wire.status,
        vcpu_count=amounts.get("VCPU"),
        memory_mib=amounts.get("MEMORY"),
        ends=wire.end_timestamp,
        others=tuple(sorted(set(amounts) - {"VCPU", "MEMORY"})),
        is_renewed=wire.auto_renew,
    )


def _whole(amount: LongNumber | None) -> int | None:
    text = str(amount)
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST_COUNT)):
        return None
    return int(text) if int(text) <= LARGEST_COUNT else None


# Sole-tenant nodes of the Compute API: their groups, and the templates that they are made from


GROUP_NAME = "compute.googleapis.com/node-group-name"
"""The label of a node with its group's name (docs.cloud.google.com/compute/docs/nodes/
sole-tenant-nodes, "Default affinity labels")."""


class WireNodeAffinity(Wire):
    """`SchedulingNodeAffinity`: of which sole-tenant nodes a machine wants to be, or not to be."""

    key: str | None = None
    operator: str | None = None
    values: tuple[str, ...] = ()


class WireNodeTemplate(Wire):
    """`NodeTemplate`."""

    name: str | None = None
    self_link: str | None = None
    region: str | None = None
    node_type: str | None = None
    cpu_overcommit_type: str | None = None
    accelerators: tuple[msgspec.Raw, ...] = ()
    disks: tuple[msgspec.Raw, ...] = ()


class WireNodeAutoscaling(Wire):
    """`NodeGroupAutoscalingPolicy`."""

    mode: str | None = None


class WireNodeGroup(Wire):
    """`NodeGroup`."""

    name: str | None = None
    self_link: str | None = None
    zone: str | None = None
    node_template: str | None = None
    size: Count | None = None
    autoscaling_policy: WireNodeAutoscaling | None = None


def node_template(
    wire: WireNodeTemplate, ref: ResourceRef, problems: links.Problems
) -> NodeTemplate:
    """Return one template of nodes.

    Raises:
        Unusable: If it has no region.
    """
    project, _, _, name = links.place_of(ref.self_link)
    others = {"ACCELERATOR": wire.accelerators, "LOCAL_SSD": wire.disks}
    return NodeTemplate(
        ref=ref,
        project=project,
        region=Region(
            links.bare_name(links.needed(links.region_at(ref.self_link, wire.region), "region"))
        ),
        name=wire.name or name,
        node_type=links.bare_name(wire.node_type) if wire.node_type else None,
        has_overcommit=wire.cpu_overcommit_type == "ENABLED",
        others=tuple(word for word, found in others.items() if found),
    )


def node_group(wire: WireNodeGroup, ref: ResourceRef, problems: links.Problems) -> NodeGroup:
    """Return one group of nodes.

    Raises:
        Unusable: If it has no zone.
    """
    project, scope, place, name = links.place_of(ref.self_link)
    zone = place if scope == "zones" else links.needed(wire.zone, "zone")
    policy = wire.autoscaling_policy
    return NodeGroup(
        ref=ref,
        project=project,
        zone=Zone(links.bare_name(zone)),
        name=wire.name or name,
        template=links.resolve_optional(wire.node_template, project),
        size=wire.size,
        # `ONLY_SCALE_OUT` adds nodes as well.
        is_autoscaled=policy is not None and policy.mode in {"ON", "ONLY_SCALE_OUT"},
    )


def groups_asked_for(affinities: Sequence[msgspec.Raw]) -> tuple[str, ...] | None:
    """Return the groups of nodes that a machine asks for by name; damaged ones name none.

    None: all that it says is what it avoids.
    """
    names: set[str] = set()
    avoided = 0
    for raw in affinities:
        try:
            one = decode_json(raw, WireNodeAffinity)
        except msgspec.DecodeError:
            continue
        avoided += one.operator == "NOT_IN"
        if (one.key, one.operator) == (GROUP_NAME, "IN"):
            names.update(one.values)
    return None if affinities and avoided == len(affinities) else tuple(sorted(names))


def on_nodes(machines: Iterable[Instance], groups: Iterable[NodeGroup]) -> tuple[Instance, ...]:
    """Mark the machines whose sole-tenant nodes were read: in their zone, and as they ask for.

    Of their own project alone: others may share theirs, and their names do not say so.
    """
    read: dict[tuple[str, str], set[str]] = {}
    for group in groups:
        if group.size != 0:
            read.setdefault((group.project, group.zone), set()).add(group.name)
    return tuple(
        msgspec.structs.replace(one, has_known_nodes=_is_on(one, read.get((one.project, one.zone))))
        if one.is_sole_tenant
        else one
        for one in machines
    )


def _is_on(one: Instance, names: set[str] | None) -> bool:
    asked = one.node_groups
    return names is not None and asked is not None and (not asked or not names.isdisjoint(asked))
