"""Another type for a machine, by the way that it can have it: in place, made again, by a group."""

from typing import NamedTuple

from netplan_planner.machines import why_new_machine
from netplan_planner.machines.groups import is_managed
from netplan_planner.model import BandwidthTier, Facts, Fix, Instance, taken
from netplan_planner.model.plans.changes import PlanChange, TerraformChange
from netplan_planner.planning.steps import by_image, groups, in_place
from netplan_rules.shared.managed import replacement


class Target(NamedTuple):
    """What a machine becomes."""

    machine_type: str
    is_tier1: bool
    cpu_platform: str = ""
    """The least CPU platform to ask for; empty: what it has."""


def resize(facts: Facts, machine: Instance, target: Target) -> PlanChange:
    """Return the step that gives a machine, or all of its managed group, another type."""
    if is_managed(facts, machine):
        return _by_maker(facts, machine, target)
    return resize_itself(facts, machine, target)


def resize_itself(facts: Facts, machine: Instance, target: Target) -> PlanChange:
    """Return the step that gives a machine another type which nothing else made."""
    if target.is_tier1 is not (machine.bandwidth_tier is BandwidthTier.TIER_1):
        return by_image.with_tier1(machine, is_on=target.is_tier1, machine_type=target.machine_type)
    why = why_new_machine(machine, facts.shape(machine.machine_type), target)
    if why:
        return by_image.with_type(machine, target.machine_type, why)
    return in_place.change_type(machine, target.machine_type, target.cpu_platform)


def _by_maker(facts: Facts, machine: Instance, target: Target) -> PlanChange:
    group = facts.inventory.group_by_member.get(machine.ref.self_link)
    is_node = machine.label("goog-gke-node") is not None
    if group is not None and group.is_managed and not is_node:
        return groups.change_group(
            group, target.machine_type, is_tier1=target.is_tier1, before=machine.machine_type
        )
    how = replacement(machine, target.machine_type)
    tier1 = " with Tier_1" if target.is_tier1 else ""
    return PlanChange(
        subject=machine.name,
        fix=taken(
            Fix,
            how,
            text=f"{target.machine_type}{tier1} instead of {machine.machine_type} for"
            f" {machine.name}: {how.text[0].lower()}{how.text[1:]}",
            label=target.machine_type,
        ),
        terraform=(
            TerraformChange(
                resource="google_container_node_pool" if is_node else "google_compute_instance",
                name=machine.name,
                attribute="node_config.machine_type" if is_node else "machine_type",
                before=machine.machine_type,
                after=target.machine_type,
                replaces=True,
                note="Of what made this machine: make the new one beside the old one first.",
            ),
        ),
    )
