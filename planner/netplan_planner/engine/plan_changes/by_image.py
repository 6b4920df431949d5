"""Changes that take a new machine: another zone, Tier_1, or a type that cannot be taken in place.

The documented way (docs.cloud.google.com/compute/docs/instances/moving-instance-across-zones): an
image of the stopped machine, another machine from it, the old one kept until the new one serves.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from netplan_planner.model import BandwidthTier, Fix, Instance, Instruction, Zone, region_of
from netplan_planner.model.base import last_part
from netplan_planner.model.changes import PlanChange, TerraformChange
from netplan_rules.wording import gcloud_instance, gcloud_of

MOVING = "https://cloud.google.com/compute/docs/instances/moving-instance-across-zones"
MACHINE_IMAGES = "https://cloud.google.com/compute/docs/machine-images/create-machine-images"
TIER_1 = "https://cloud.google.com/compute/docs/networking/configure-vm-with-high-bandwidth-configuration"
_LONGEST_NAME = 63
"""Of a resource of Compute Engine (RFC 1035)."""
_TOLD_APART = 6
"""Hexadecimal digits that stand for the end of a name that is too long."""
_OF_TIER_1 = "total-egress-bandwidth-tier"
_STOPPED = (
    "The machine is stopped meanwhile, and the new one gets other addresses: internal ones too, as"
    " the old machine keeps its own. Point its clients, health checks and back ends at the new"
    " ones. Local SSDs are not carried over."
)


class _New(NamedTuple):
    """What the new machine has that the old one has not."""

    zone: Zone
    suffix: str
    """Of the image, and of the machine where the old one has the name."""
    what: str
    flags: tuple[str, ...]
    terraform: tuple[TerraformChange, ...]
    documents: tuple[str, ...]
    caution: str
    is_renamed: bool = False
    """Whether its own name is not to be had where it goes."""


def move_to_zone(machine: Instance, zone: Zone, *, is_taken: bool = False) -> PlanChange:
    """Return the step that moves a machine to another zone, under its name where it is free there.

    Args:
        machine: As it is today.
        zone: Where it goes.
        is_taken: Whether another machine of its project has the name there.
    """
    cautions = []
    if region_of(zone) != machine.region:
        cautions.append(
            f"Subnetworks are of a region: give the new machine one of {region_of(zone)} with"
            " --network-interface=subnet=NAME."
        )
    if is_taken:
        cautions.append(f"Another machine in {zone} has its name, so that it gets a new one.")
    return _by_image(
        machine,
        _New(
            zone=zone,
            suffix=f"from-{machine.zone}",
            what=f"Move {machine.name} from {machine.zone} to {zone}",
            flags=(),
            terraform=(_terraform(machine, "zone", machine.zone, zone),),
            documents=(MOVING, MACHINE_IMAGES),
            caution=" ".join(cautions),
            is_renamed=is_taken,
        ),
        label=f"move to {zone}",
    )


def with_tier1(machine: Instance, *, is_on: bool, machine_type: str | None = None) -> PlanChange:
    """Return the step that makes a machine again with Tier_1, or without.

    Args:
        machine: As it is today.
        is_on: Whether the new one has Tier_1, which is set when a machine is made.
        machine_type: Of the new one; None: the same.
    """
    name = "network_performance_config.total_egress_bandwidth_tier"
    before = BandwidthTier.TIER_1 if machine.bandwidth_tier is BandwidthTier.TIER_1 else None
    after = BandwidthTier.TIER_1 if is_on else BandwidthTier.DEFAULT
    flags = [f"--network-performance-configs={_OF_TIER_1}={after.value}"]
    changes = [_terraform(machine, name, before.value if before else None, after.value)]
    caution = ""
    if is_on:
        caution = "Tier_1 needs the driver of gVNIC in the image. Its fee has no commitment."
        kinds = {nic.nic_type for nic in machine.interfaces}
        if kinds != {"GVNIC"}:
            flags += _with_gvnic(machine)
            changes.append(_terraform(machine, "network_interface.nic_type", None, "GVNIC"))
    if machine_type is not None and machine_type != machine.machine_type:
        flags.append(f"--machine-type={machine_type}")
        changes.append(_terraform(machine, "machine_type", machine.machine_type, machine_type))
    how = "with" if is_on else "without"
    of_type = f" as {machine_type}" if machine_type else ""
    return _by_image(
        machine,
        _New(
            zone=machine.zone,
            suffix="tier1" if is_on else "no-tier1",
            what=f"Make {machine.name} again{of_type} {how} Tier_1",
            flags=tuple(flags),
            terraform=tuple(changes),
            documents=(TIER_1, MACHINE_IMAGES),
            caution=caution,
        ),
        label=f"{how} Tier_1",
    )


def with_type(machine: Instance, machine_type: str, why: str) -> PlanChange:
    """Return the step that makes a machine again as another type.

    Args:
        machine: As it is today.
        machine_type: Of the new one.
        why: Why its type cannot be changed in place.
    """
    return _by_image(
        machine,
        _New(
            zone=machine.zone,
            suffix=machine_type.partition("-")[0],
            what=f"Make {machine.name} again as {machine_type}",
            flags=(f"--machine-type={machine_type}",),
            terraform=(_terraform(machine, "machine_type", machine.machine_type, machine_type),),
            documents=(MACHINE_IMAGES,),
            caution=why,
        ),
        label=machine_type,
    )


def _by_image(machine: Instance, new: _New, label: str) -> PlanChange:
    """Return the step; the machine keeps its name where the old one is in another zone."""
    image = _name(machine.name, new.suffix)
    keeps_name = new.zone != machine.zone and not new.is_renamed
    name = _argument(machine.name) if keeps_name else image
    other = gcloud_of("instances", machine.project, f"--zone={new.zone}")
    of_image = gcloud_of("machine-images", machine.project)
    fix = Fix(
        text=f"{new.what}, by a machine image",
        label=label,
        commands=(
            gcloud_instance("stop", machine),
            of_image(
                *("create", image),
                f"--source-instance={machine.name}",
                f"--source-instance-zone={machine.zone}",
            ),
            other("create", name, f"--source-machine-image={image}", *new.flags),
        ),
        verify=Instruction(
            text=f"{name} runs in {new.zone}, its clients reach it, and it serves.",
            commands=(
                other("describe", name, "--format=value(status,networkInterfaces[].networkIP)"),
            ),
        ),
        clean_up=Instruction(
            text="Only then: the old machine with its disks, and the image, which cost as long as"
            " they exist.",
            commands=(
                gcloud_instance("delete", machine),
                of_image("delete", image),
            ),
        ),
        undo=Instruction(
            text="As long as the old machine is there: the new one away, the old one on. What the"
            " new one has written since is lost with it.",
            commands=(other("delete", name), gcloud_instance("start", machine)),
        ),
        documents=new.documents,
        caution=" ".join(filter(None, (_STOPPED, new.caution))),
    )
    return PlanChange(subject=machine.name, fix=fix, terraform=new.terraform)


def _with_gvnic(machine: Instance) -> Sequence[str]:
    """Return the flags of interfaces as they are, as gVNIC; a flag states an interface whole."""
    if not machine.interfaces:
        return ("--network-interface=nic-type=GVNIC",)
    return [
        ",".join(
            (
                f"--network-interface=network={last_part(nic.network)}",
                *((f"subnet={last_part(nic.subnetwork)}",) if nic.subnetwork else ()),
                *(() if nic.external_ipv4 or nic.access_config_name else ("no-address",)),
                "nic-type=GVNIC",
            )
        )
        for nic in machine.interfaces
    ]


def _name(name: str, suffix: str) -> str:
    """Return a name with a suffix, cut to what a name may have, and then still of one machine.

    >>> _name("db-1", "tier1"), len(_name("d" * 63, "tier1")), len(_name("d" * 59, "tier1"))
    ('db-1-tier1', 63, 63)
    >>> _name("d" * 62 + "1", "tier1") == _name("d" * 62 + "2", "tier1")
    False
    """
    name = name.lstrip("-")
    if len(name) + 1 + len(suffix) > _LONGEST_NAME:
        # What is cut off is what tells machines of one long name apart.
        suffix = f"{sha256(name.encode()).hexdigest()[:_TOLD_APART]}-{suffix}"
    return f"{name[: _LONGEST_NAME - len(suffix) - 1].rstrip('-')}-{suffix}"


def _argument(name: str) -> str:
    """Return a name that no flag is taken for; real ones begin with a letter."""
    return name.lstrip("-")


def _terraform(
    machine: Instance, attribute: str, before: str | None, after: str
) -> TerraformChange:
    return TerraformChange(
        resource="google_compute_instance",
        name=machine.name,
        attribute=attribute,
        before=before,
        after=after,
        replaces=True,
        note="Terraform destroys the machine with its boot disk: make the image first, and create"
        " from it (google_compute_instance_from_machine_image).",
    )
