"""Sole-tenant nodes of the Compute API: their groups, and the templates that they are made from."""

import msgspec

from netplan_planner.model import NodeGroup, NodeTemplate, Region, ResourceRef, Zone
from netplan_planner.readers.compute.wire import Count, Wire, WireNodeAffinity
from netplan_planner.readers.links import (
    Problems,
    bare_name,
    needed,
    place_of,
    region_at,
    resolve_optional,
)

GROUP_NAME = "compute.googleapis.com/node-group-name"
"""The label of a node with its group's name (docs.cloud.google.com/compute/docs/nodes/
sole-tenant-nodes, "Default affinity labels")."""


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


def node_template(wire: WireNodeTemplate, ref: ResourceRef, problems: Problems) -> NodeTemplate:
    """Return one template of nodes.

    Raises:
        Unusable: If it has no region.
    """
    project, _, _, name = place_of(ref.self_link)
    others = {"ACCELERATOR": wire.accelerators, "LOCAL_SSD": wire.disks}
    return NodeTemplate(
        ref=ref,
        project=project,
        region=Region(bare_name(needed(region_at(ref.self_link, wire.region), "region"))),
        name=wire.name or name,
        node_type=bare_name(wire.node_type) if wire.node_type else None,
        has_overcommit=wire.cpu_overcommit_type == "ENABLED",
        others=tuple(word for word, found in others.items() if found),
    )


def node_group(wire: WireNodeGroup, ref: ResourceRef, problems: Problems) -> NodeGroup:
    """Return one group of nodes.

    Raises:
        Unusable: If it has no zone.
    """
    project, scope, place, name = place_of(ref.self_link)
    zone = place if scope == "zones" else needed(wire.zone, "zone")
    policy = wire.autoscaling_policy
    return NodeGroup(
        ref=ref,
        project=project,
        zone=Zone(bare_name(zone)),
        name=wire.name or name,
        template=resolve_optional(wire.node_template, project),
        size=wire.size,
        # `ONLY_SCALE_OUT` adds nodes as well.
        is_autoscaled=policy is not None and policy.mode in {"ON", "ONLY_SCALE_OUT"},
    )


def groups_asked_for(affinities: list[WireNodeAffinity]) -> tuple[str, ...]:
    """Return the groups of nodes that a machine asks for by name."""
    named = (one.values for one in affinities if (one.key, one.operator) == (GROUP_NAME, "IN"))
    return tuple(sorted({value for values in named for value in values}))
