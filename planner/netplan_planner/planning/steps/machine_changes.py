"""Another type or address for a machine, by the way it can: in place, made again, by its group."""

from typing import NamedTuple

from netplan_planner.machines import why_new_machine
from netplan_planner.machines.groups import is_managed
from netplan_planner.model import (
    BandwidthTier,
    Facts,
    Fix,
    Instance,
    InstanceGroup,
    Instruction,
    NetworkInterface,
    spaced,
    taken,
)
from netplan_planner.model.base import last_part
from netplan_planner.model.plans.plan_answer import PlanChange, TerraformChange
from netplan_planner.planning.steps import by_image
from netplan_rules.shared.managed import replacement
from netplan_rules.wording import (
    NAT_IPS,
    add_access_config,
    back_to,
    delete_access_config,
    gcloud_instance,
    gcloud_of,
    has_type,
    type_commands,
)

_TYPES = "https://cloud.google.com/compute/docs/instances/changing-machine-type-of-stopped-instance"
_TIERS = "https://cloud.google.com/network-tiers/docs/using-network-service-tiers"
_OTHER_ADDRESS = (
    "The address changes: update DNS records, partner allow-lists and firewalls. Open connections"
    " break."
)


def change_type(machine: Instance, machine_type: str, cpu_platform: str = "") -> PlanChange:
    """Return the step that gives a machine another type where it stands.

    For those that need no new machine (`machines.why_new_machine`), and that nothing else made.

    Args:
        machine: As it is today.
        machine_type: The new type.
        cpu_platform: The least CPU platform to ask for; empty: what it has.
    """
    stops = "" if machine.is_stopped else "Stops the VM for the change. "
    if machine.is_suspended:
        stops = (
            "Resumes and stops the VM for the change. It stays stopped, not suspended: its memory"
            " is lost and no longer billed. "
        )
    return PlanChange(
        subject=machine.name,
        fix=Fix(
            text=f"Change {machine.name} from {machine.machine_type} to {machine_type}",
            label=machine_type,
            commands=type_commands(machine, machine_type, cpu_platform),
            verify=has_type(machine, machine_type),
            undo=back_to(machine, machine_type, cpu_platform),
            documents=(_TYPES,),
            caution=f"{stops}Check first that the image has the type's drivers. An ephemeral"
            " external address changes.",
        ),
        terraform=(
            TerraformChange(
                resource="google_compute_instance",
                name=machine.name,
                attribute="machine_type",
                before=machine.machine_type,
                after=machine_type,
                replaces=False,
                note="Needs allow_stopping_for_update = true.",
            ),
        ),
    )


def change_tier(machine: Instance, nic: NetworkInterface, tier: str) -> PlanChange:
    """Return the step that gives an interface an external address of another network tier.

    Args:
        machine: Which nothing else made.
        nic: The interface with the address.
        tier: `STANDARD` or `PREMIUM`.
    """
    return PlanChange(
        subject=machine.name,
        fix=Fix(
            text=f"Give {machine.name} a {tier} tier external address instead of"
            f" {nic.external_ipv4}",
            label=f"{tier} tier",
            commands=(
                delete_access_config(machine, nic),
                add_access_config(machine, nic, tier),
            ),
            verify=Instruction(
                text="Clients reach it at the new address with fast enough transfers.",
                commands=(gcloud_instance("describe", machine, NAT_IPS),),
            ),
            undo=Instruction(
                text="Give it an address of the old tier. An ephemeral one will be different.",
                commands=(
                    gcloud_instance(
                        "delete-access-config", machine, f"--network-interface={nic.name}"
                    ),
                    add_access_config(machine, nic, nic.network_tier),
                ),
            ),
            documents=(_TIERS,),
            caution=_OTHER_ADDRESS,
        ),
        terraform=(_tier(machine, nic, tier),),
    )


def _address(
    machine: Instance, nic: NetworkInterface, before: str | None, after: str | None
) -> TerraformChange:
    return TerraformChange(
        resource="google_compute_instance",
        name=machine.name,
        attribute="network_interface.access_config",
        before=before,
        after=after,
        replaces=False,
        note=f"In {nic.name}: remove the block.",
    )


def _tier(machine: Instance, nic: NetworkInterface, tier: str) -> TerraformChange:
    return TerraformChange(
        resource="google_compute_instance",
        name=machine.name,
        attribute="network_interface.access_config.network_tier",
        before=nic.network_tier,
        after=tier,
        replaces=False,
        note=f"In {nic.name}. An address that is set must be of that tier.",
    )


# Changes of managed instance groups: a new template, and machines replaced a few at a time


_ROLLING = "https://cloud.google.com/compute/docs/instance-groups/rolling-out-updates-to-managed-instance-groups"
_LONGEST_NAME = 63


def change_group(
    group: InstanceGroup,
    machine_type: str,
    *,
    is_tier1: bool = False,
    before: str | None = None,
    source: Instance | None = None,
) -> PlanChange:
    """Return the step that gives all machines of a managed group another type.

    gcloud makes a template of a machine, and of all that the machine has it changes the type alone
    (`gcloud compute instance-templates create --help`): one with Tier_1 is made by hand.

    Args:
        group: Managed. Of one that keeps state no commands are written: how its machines are made
            again is for whoever knows what they hold.
        machine_type: Of its machines from then on.
        is_tier1: Whether they have Tier_1, which needs gVNIC in the template.
        before: Their type today, where they have one.
        source: One of its machines, of which the template is made; None: none is known.
    """
    where = f"--{'region' if group.is_regional else 'zone'}={group.location}"
    old = last_part(group.template) if group.template else None
    new = f"{group.name[: _LONGEST_NAME - len(machine_type) - 1]}-{machine_type}"
    managed = gcloud_of("instance-groups managed", group.project, where)

    def roll_to(template: str) -> tuple[str, ...]:
        return (
            managed(
                *("rolling-action", "start-update", group.name),
                *(f"--version=template={template}", "--max-unavailable=0"),
            ),
            managed("wait-until", group.name, "--version-target-reached"),
        )

    tier1 = " with Tier_1 and interfaces of type GVNIC" if is_tier1 else ""
    made = () if group.is_stateful else _template_of(source, new, machine_type, is_tier1=is_tier1)
    how = f"create the template {new} from its VM {source.name}" if made and source else ""
    like = f"like {old}" if old else "like the current one"
    return PlanChange(
        subject=group.name,
        fix=Fix(
            text=f"Change the group {group.name} to {machine_type}{tier1}: first"
            f" {how or f'create the template {new}, {like} except for that'}",
            label=machine_type,
            commands=() if group.is_stateful else (*made, *roll_to(new)),
            verify=Instruction(
                text=f"Its VMs run as {machine_type} and pass their health check under load.",
                commands=(managed("list-instances", group.name),),
            ),
            undo=Instruction(
                text="Roll back to the old template. It replaces the VMs once more.",
                commands=roll_to(old) if old and not group.is_stateful else (),
            ),
            documents=(_ROLLING,),
            caution=spaced(
                _KEEPS_STATE if group.is_stateful else "",
                "Every VM of the group is replaced, and data on its disks is lost. More VMs run"
                " meanwhile, within the quota. A CPU autoscaler reacts to the new number of vCPUs.",
                _LOOK_AT_TEMPLATE if made else "",
            ),
        ),
        terraform=(
            TerraformChange(
                resource="google_compute_instance_template",
                name=old or group.name,
                attribute="machine_type",
                before=before,
                after=machine_type,
                replaces=True,
                note="Needs lifecycle { create_before_destroy = true } and name_prefix. The"
                " group's update_policy decides how its VMs are replaced.",
            ),
            *((_tier1(old or group.name),) if is_tier1 else ()),
        ),
    )


_LOOK_AT_TEMPLATE = (
    "Compare the new template with the current one before the rollout: it has the settings of"
    " this VM."
)
_KEEPS_STATE = (
    "The group is stateful, so there are no commands: only what its stateful policy names"
    " survives a new template."
)


def _template_of(
    source: Instance | None, name: str, machine_type: str, *, is_tier1: bool
) -> tuple[str, ...]:
    """Return the command that makes a template of a machine; none where it cannot be so."""
    if source is None or "(" in source.name:
        return ()
    if is_tier1 is not (source.bandwidth_tier is BandwidthTier.TIER_1):
        return ()
    make = gcloud_of("instance-templates", source.project)
    flags = (f"--source-instance={source.name}", f"--source-instance-zone={source.zone}")
    return (make("create", name, *flags, f"--machine-type={machine_type}"),)


def _tier1(name: str) -> TerraformChange:
    return TerraformChange(
        resource="google_compute_instance_template",
        name=name,
        attribute="network_performance_config.total_egress_bandwidth_tier",
        before=None,
        after="TIER_1",
        replaces=True,
        note='Needs nic_type = "GVNIC" in network_interface.',
    )


# Another type for a machine, by the way that it can have it: in place, made again, by a group


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
    return change_type(machine, target.machine_type, target.cpu_platform)


def _by_maker(facts: Facts, machine: Instance, target: Target) -> PlanChange:
    group = facts.inventory.group_by_member.get(machine.ref.self_link)
    is_node = machine.label("goog-gke-node") is not None
    if group is not None and group.is_managed and not is_node:
        return change_group(
            group,
            target.machine_type,
            is_tier1=target.is_tier1,
            before=machine.machine_type,
            source=None if target.cpu_platform else machine,
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
                note="In the source of this VM: create the new one next to the old one first.",
            ),
        ),
    )
