"""Changes of machines that stay: another type, another external address or none."""

from netplan_planner.model import Fix, Instance, Instruction, NetworkInterface
from netplan_planner.model.plans.changes import PlanChange, TerraformChange
from netplan_rules.wording import (
    back_to,
    delete_access_config,
    gcloud_instance,
    has_type,
    type_commands,
)

_TYPES = "https://cloud.google.com/compute/docs/instances/changing-machine-type-of-stopped-instance"
_TIERS = "https://cloud.google.com/network-tiers/docs/using-network-service-tiers"
_OTHER_ADDRESS = (
    "The address changes: DNS records, allow-lists of partners and firewalls have to follow, and"
    " open connections break."
)


def change_type(machine: Instance, machine_type: str, cpu_platform: str = "") -> PlanChange:
    """Return the step that gives a machine another type where it stands.

    For those that need no new machine (`machines.why_new_machine`), and that nothing else made.

    Args:
        machine: As it is today.
        machine_type: The new type.
        cpu_platform: The least CPU platform to ask for; empty: what it has.
    """
    stops = "" if machine.is_stopped else "Stops the machine for the change. "
    if machine.is_suspended:
        stops = "Resumes and stops the machine for the change, and leaves it stopped. "
    return PlanChange(
        subject=machine.name,
        fix=Fix(
            text=f"Change {machine.name} from {machine.machine_type} to {machine_type}",
            label=machine_type,
            commands=type_commands(machine, machine_type, cpu_platform),
            verify=has_type(machine, machine_type),
            undo=back_to(machine, machine_type, cpu_platform),
            documents=(_TYPES,),
            caution=f"{stops}Check first that the type suits the image's drivers; an ephemeral"
            " external address becomes another one.",
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

    def add(network_tier: str | None) -> str:
        flags = [f"--network-interface={nic.name}"]
        return gcloud_instance(
            "add-access-config",
            machine,
            *flags,
            *((f"--network-tier={network_tier}",) if network_tier else ()),
        )

    return PlanChange(
        subject=machine.name,
        fix=Fix(
            text=f"Give {machine.name} an external address of {tier} tier instead of"
            f" {nic.external_ipv4}",
            label=f"{tier} tier",
            commands=(delete_access_config(machine, nic), add(tier)),
            verify=Instruction(
                text="Clients reach it at the new address as fast as they need to.",
                commands=(
                    gcloud_instance(
                        "describe",
                        machine,
                        "--format=value(networkInterfaces[].accessConfigs[].natIP)",
                    ),
                ),
            ),
            undo=Instruction(
                text="Give it an address of the old tier; an ephemeral one will be another.",
                commands=(
                    gcloud_instance(
                        "delete-access-config", machine, f"--network-interface={nic.name}"
                    ),
                    add(nic.network_tier),
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
        note=f"Of {nic.name}: the block goes.",
    )


def _tier(machine: Instance, nic: NetworkInterface, tier: str) -> TerraformChange:
    return TerraformChange(
        resource="google_compute_instance",
        name=machine.name,
        attribute="network_interface.access_config.network_tier",
        before=nic.network_tier,
        after=tier,
        replaces=False,
        note=f"Of {nic.name}; an address that is stated has to be of that tier.",
    )
