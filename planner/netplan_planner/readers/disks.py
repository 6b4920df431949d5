"""Disks and resource policies of the Compute API: what ties a machine to some series."""

from netplan_planner.model import Disk, ResourcePolicy, ResourceRef
from netplan_planner.readers.links import Problems, bare_name, place_of, resolve
from netplan_planner.readers.wire import WireResourcePolicy, WireVolume

_COMPACT = "COLLOCATED"
"""`collocation` of a compact placement policy; a spread policy states a number of domains."""


def disk(wire: WireVolume, ref: ResourceRef, problems: Problems) -> Disk:
    """Return one disk; a planned one need not state its type."""
    project, _, _, name = place_of(ref.self_link)
    return Disk(
        ref=ref,
        project=project,
        name=wire.name or name,
        disk_type=bare_name(wire.type) if wire.type else None,
        users=tuple(sorted(resolve(user, project) for user in wire.users)),
    )


def resource_policy(
    wire: WireResourcePolicy, ref: ResourceRef, problems: Problems
) -> ResourcePolicy:
    """Return one resource policy; schedules of snapshots and of machines are none of placement."""
    project, _, _, name = place_of(ref.self_link)
    placement = wire.group_placement_policy
    return ResourcePolicy(
        ref=ref,
        project=project,
        name=wire.name or name,
        is_placement=placement is not None,
        is_compact=placement is not None and placement.collocation == _COMPACT,
    )
