"""Changes of managed instance groups: a new template, and machines replaced a few at a time."""

from netplan_planner.model import Fix, InstanceGroup, Instruction
from netplan_planner.model.base import last_part
from netplan_planner.model.plans.changes import PlanChange, TerraformChange
from netplan_rules.wording import gcloud_of

_ROLLING = "https://cloud.google.com/compute/docs/instance-groups/rolling-out-updates-to-managed-instance-groups"
_LONGEST_NAME = 63


def change_group(
    group: InstanceGroup, machine_type: str, *, is_tier1: bool = False, before: str | None = None
) -> PlanChange:
    """Return the step that gives all machines of a managed group another type.

    gcloud copies no template with another type: that template is to be made first.

    Args:
        group: Managed.
        machine_type: Of its machines from then on.
        is_tier1: Whether they have Tier_1, which needs gVNIC in the template.
        before: Their type today, where they have one.
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
    like = f"like {old}" if old else "like the one in use"
    return PlanChange(
        subject=group.name,
        fix=Fix(
            text=f"Give the group {group.name} {machine_type}{tier1}: first make the template"
            f" {new}, {like} but for that",
            label=machine_type,
            commands=roll_to(new),
            verify=Instruction(
                text=f"Its machines run as {machine_type} and pass their health check under load.",
                commands=(managed("list-instances", group.name),),
            ),
            undo=Instruction(
                text="Roll back to the old template; it replaces the machines once more.",
                commands=roll_to(old) if old else (),
            ),
            documents=(_ROLLING,),
            caution="Every machine of the group is replaced: what they hold on their own disks goes"
            " with them. More machines run meanwhile, within the quota. An autoscaler by CPU acts"
            " on another number of vCPUs.",
        ),
        terraform=(
            TerraformChange(
                resource="google_compute_instance_template",
                name=old or group.name,
                attribute="machine_type",
                before=before,
                after=machine_type,
                replaces=True,
                note="Needs lifecycle { create_before_destroy = true } and name_prefix; the group's"
                " update_policy decides how its machines are replaced.",
            ),
            *((_tier1(old or group.name),) if is_tier1 else ()),
        ),
    )


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
