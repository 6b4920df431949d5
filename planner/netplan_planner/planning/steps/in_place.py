"""Changes of machines that stay: another type, another external address or none."""

from netplan_planner.model import Address, Fix, Instance, Instruction, NetworkInterface
from netplan_planner.model.plans.changes import PlanChange, TerraformChange
from netplan_rules.shared.removal import RESERVED, removal_commands
from netplan_rules.steps import back_to, has_type
from netplan_rules.wording import delete_access_config, gcloud_instance, gcloud_ssh, type_commands

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


def take_off_address(
    machine: Instance, nic: NetworkInterface, reserved: Address | None
) -> PlanChange:
    """Return the step that takes the external IPv4 address off an interface.

    Args:
        machine: Which nothing else made.
        nic: The interface with the address.
        reserved: The reservation of the address; None: it is ephemeral.
    """
    back = (
        Instruction(text="There is no way back to a released address.")
        if reserved is not None
        else Instruction(
            text="Give it an external address again; an ephemeral one will be another.",
            commands=(
                gcloud_instance("add-access-config", machine, f"--network-interface={nic.name}"),
            ),
        )
    )
    kept = f" {RESERVED}" if reserved is not None else ""
    return PlanChange(
        subject=machine.name,
        fix=Fix(
            text=f"Take {nic.external_ipv4} off {machine.name}, once nothing uses it any more",
            label="no external address",
            commands=removal_commands(machine, nic, reserved),
            verify=Instruction(
                text="The machine still reaches what it needs, and you reach it.",
                commands=(gcloud_ssh(machine),),
            ),
            undo=back,
            caution=f"What it sends to the internet then needs Cloud NAT.{kept}",
        ),
        terraform=(_address(machine, nic, nic.external_ipv4, None),),
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
