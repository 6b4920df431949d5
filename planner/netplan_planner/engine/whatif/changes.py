"""The steps of changes that are made to machines, as far as gcloud has commands for them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.engine.plan_changes import by_image, groups, in_order, in_place
from netplan_planner.machines import why_new_machine
from netplan_planner.model import BandwidthTier, Facts, Instance, InstanceGroup, SelfLink
from netplan_planner.model.changes import PlanChange, PlanChanges
from netplan_planner.model.whatif import WhatifField
from netplan_planner.optimise.whatif.selecting import Aimed

_WHY = (
    "Every machine by itself, its zone first and then what it is, so that one may stop after any"
    " of them."
)
_NO_STEPS = {
    WhatifField.ADDRESS: "the kind of address is in the configuration of what calls",
    WhatifField.MTU: "the MTU of a network is changed while all its machines are stopped",
    WhatifField.NIC: "an interface has its type from when its machine is made",
    WhatifField.PLUGIN: "a plugin is installed with the cluster's own tools",
}


class _Target(NamedTuple):
    machine_type: str
    is_tier1: bool
    cpu_platform: str = ""


def changes_of(before: Facts, after: Facts, aims: Sequence[Aimed]) -> PlanChanges:
    """Return the steps from one state of the machines to the other."""
    steps: list[PlanChange] = []
    done: set[SelfLink] = set()
    for old, new in zip(before.inventory.instances, after.inventory.instances, strict=True):
        if old == new:
            continue
        group = before.inventory.group_by_member.get(old.ref.self_link)
        if group is not None and group.is_managed:
            if group.ref.self_link not in done:
                done.add(group.ref.self_link)
                steps += _of_group(group, old, new)
        else:
            steps += _of_machine(before, old, new)
    fields = dict.fromkeys(aim.change.field for aim in aims if aim.change.field in _NO_STEPS)
    without = "; ".join(_NO_STEPS[field] for field in fields)
    return in_order(steps, f"{_WHY} Without steps here: {without}." if without else _WHY)


def _of_group(group: InstanceGroup, old: Instance, new: Instance) -> Iterator[PlanChange]:
    """Yield the step of all machines of a managed group: they are what its template says."""
    is_tier1 = new.bandwidth_tier is BandwidthTier.TIER_1
    if (old.machine_type, old.bandwidth_tier) != (new.machine_type, new.bandwidth_tier):
        yield groups.change_group(
            group, new.machine_type, is_tier1=is_tier1, before=old.machine_type
        )


def _of_machine(facts: Facts, old: Instance, new: Instance) -> Iterator[PlanChange]:
    now = old
    if old.zone != new.zone:
        yield by_image.move_to_zone(old, new.zone)
        now = replace(old, zone=new.zone)
    if old.bandwidth_tier is not new.bandwidth_tier:
        is_on = new.bandwidth_tier is BandwidthTier.TIER_1
        yield by_image.with_tier1(now, is_on=is_on, machine_type=new.machine_type)
    elif old.machine_type != new.machine_type:
        is_tier1 = new.bandwidth_tier is BandwidthTier.TIER_1
        target = _Target(new.machine_type, is_tier1)
        why = why_new_machine(now, facts.shape(old.machine_type), target)
        if is_tier1:
            yield by_image.with_tier1(now, is_on=True, machine_type=new.machine_type)
        elif why:
            yield by_image.with_type(now, new.machine_type, why)
        else:
            yield in_place.change_type(now, new.machine_type)
    for before, after in zip(old.interfaces, new.interfaces, strict=True):
        if before.network_tier != after.network_tier and after.network_tier:
            yield in_place.change_tier(now, before, after.network_tier)
