"""Changes that take a new machine: another zone, Tier_1, another interface, some types.

The documented way (docs.cloud.google.com/compute/docs/instances/moving-instance-across-zones): an
image of the stopped machine, another machine from it, the old one kept until the new one serves.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.model.plans.plan_answer import PlanChange, TerraformChange
from netplan_rules.wording import gcloud_instance, gcloud_of, stop_commands

MOVING = "https://cloud.google.com/compute/docs/instances/moving-instance-across-zones"
MACHINE_IMAGES = "https://cloud.google.com/compute/docs/machine-images/create-machine-images"
GVNIC = "https://cloud.google.com/compute/docs/networking/using-gvnic"
SPOT = "https://cloud.google.com/compute/docs/instances/create-use-spot"
TIER_1 = "https://cloud.google.com/compute/docs/networking/configure-vm-with-high-bandwidth-configuration"
_LONGEST_NAME = 63
"""Of a resource of Compute Engine (RFC 1035)."""
_TOLD_APART = 6
"""Hexadecimal digits that stand for the end of a name that is too long."""
NEEDS_DRIVER = "The image needs the gVNIC driver, and its disk the guest OS feature GVNIC."
_NIC_WORDS = {"GVNIC": "gVNIC", "VIRTIO_NET": "VirtIO"}
_OF_TIER_1 = "total-egress-bandwidth-tier"
_STOPPED = (
    "The VM is stopped meanwhile. The new VM gets other addresses, including internal ones,"
    " because the old VM keeps its own. Point its clients, health checks and backends at the new"
    " ones. Local SSDs are not copied."
)


class _New(NamedTuple):
    """What the new machine has that the old one has not."""

    zone: model.Zone
    suffix: str
    """Of the image, and of the machine where the old one has the name."""
    what: str
    flags: tuple[str, ...]
    terraform: tuple[TerraformChange, ...]
    documents: tuple[str, ...]
    caution: str
    is_renamed: bool = False
    """Whether its own name is not to be had where it goes."""


def move_to_zone(
    machine: model.Instance,
    zone: model.Zone,
    interfaces: Sequence[model.NetworkInterface] = (),
    *,
    is_taken: bool = False,
) -> PlanChange:
    """Return the step that moves a machine to another zone, under its name where it is free there.

    Args:
        machine: As it is today.
        zone: Where it is to stand.
        interfaces: In another region: with the subnetworks there; empty: not known.
        is_taken: Whether another machine of its project has the name there.
    """
    is_far = model.region_of(zone) != machine.region
    there = replace(machine, interfaces=tuple(interfaces))
    flags = tuple(_interfaces(there)) if is_far and interfaces else ()
    cautions = []
    if is_far and not interfaces:
        cautions.append(
            f"Subnetworks are regional: give the new VM one of {model.region_of(zone)} with"
            " --network-interface=subnet=NAME."
        )
    if is_taken:
        cautions.append(f"Another VM in {zone} has its name, so it gets a new one.")
    return _by_image(
        machine,
        _New(
            zone=zone,
            suffix=f"from-{machine.zone}",
            what=f"Move {machine.name} from {machine.zone} to {zone}",
            flags=flags,
            terraform=(_terraform(machine, "zone", machine.zone, zone),),
            documents=(MOVING, MACHINE_IMAGES),
            caution=" ".join(cautions),
            is_renamed=is_taken,
        ),
        label=f"move to {zone}",
    )


def with_tier1(
    machine: model.Instance,
    *,
    is_on: bool,
    machine_type: str | None = None,
    nic_type: str | None = None,
) -> PlanChange:
    """Return the step that makes a machine again with Tier_1, or without.

    Args:
        machine: As it is today.
        is_on: Whether the new one has Tier_1, which is set when a machine is made.
        machine_type: Of the new one; None: the same.
        nic_type: Of its interfaces, `GVNIC` or `VIRTIO_NET`; None: what they are, or what Tier_1
            needs.
    """
    name = "network_performance_config.total_egress_bandwidth_tier"
    before = (
        model.BandwidthTier.TIER_1 if machine.bandwidth_tier is model.BandwidthTier.TIER_1 else None
    )
    after = model.BandwidthTier.TIER_1 if is_on else model.BandwidthTier.DEFAULT
    flags = [f"--network-performance-configs={_OF_TIER_1}={after.value}"]
    changes = [_terraform(machine, name, before.value if before else None, after.value)]
    caution = ""
    if is_on:
        caution = "Tier_1 needs the gVNIC driver in the image. Its fee has no commitment."
        kinds = {nic.nic_type for nic in machine.interfaces}
        nic_type = "GVNIC" if kinds != {"GVNIC"} else None
    if nic_type is not None:
        flags += _interfaces(machine, nic_type)
        changes.append(_nic_change(machine, nic_type))
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
            what=f"Recreate {machine.name}{of_type} {how} Tier_1",
            flags=tuple(flags),
            terraform=tuple(changes),
            documents=(TIER_1, MACHINE_IMAGES),
            caution=caution,
        ),
        label=f"{how} Tier_1",
    )


def with_type(
    machine: model.Instance, machine_type: str, why: str, nic_type: str | None = None
) -> PlanChange:
    """Return the step that makes a machine again as another type.

    Args:
        machine: As it is today.
        machine_type: Of the new one.
        why: Why its type cannot be changed in place.
        nic_type: Of its interfaces, `GVNIC` or `VIRTIO_NET`; None: what they are.
    """
    of_nics = [nic_type] if nic_type is not None else []
    return _by_image(
        machine,
        _New(
            zone=machine.zone,
            suffix=machine_type.partition("-")[0],
            what=f"Recreate {machine.name} as {machine_type}",
            flags=(
                f"--machine-type={machine_type}",
                *(flag for kind in of_nics for flag in _interfaces(machine, kind)),
            ),
            terraform=(
                _terraform(machine, "machine_type", machine.machine_type, machine_type),
                *(_nic_change(machine, kind) for kind in of_nics),
            ),
            documents=(MACHINE_IMAGES,),
            caution=why,
        ),
        label=machine_type,
    )


def as_spot(machine: model.Instance) -> PlanChange:
    """Return the step that makes a machine again as a Spot machine, which stops when taken back.

    Args:
        machine: As it is today.
    """
    made = {"provisioning_model": "SPOT", "instance_termination_action": "STOP"}
    return _by_image(
        machine,
        _New(
            zone=machine.zone,
            suffix="spot",
            what=f"Recreate {machine.name} as a Spot VM",
            flags=tuple(f"--{key.replace('_', '-')}={value}" for key, value in made.items()),
            terraform=tuple(
                _terraform(machine, f"scheduling.{key}", None, value) for key, value in made.items()
            ),
            documents=(SPOT, MACHINE_IMAGES),
            caution="",
        ),
        label="Spot",
    )


def with_interfaces(machine: model.Instance, nic_type: str) -> PlanChange:
    """Return the step that makes a machine again with interfaces of another type.

    Args:
        machine: As it is today.
        nic_type: `GVNIC` or `VIRTIO_NET`.
    """
    word = _NIC_WORDS[nic_type]
    return _by_image(
        machine,
        _New(
            zone=machine.zone,
            suffix=word.lower(),
            what=f"Recreate {machine.name} with interfaces of type {word}",
            flags=tuple(_interfaces(machine, nic_type)),
            terraform=(_nic_change(machine, nic_type),),
            documents=(GVNIC, MACHINE_IMAGES),
            caution=" ".join(_on_interfaces(machine, nic_type)),
        ),
        label=word,
    )


def _by_image(machine: model.Instance, new: _New, label: str) -> PlanChange:
    """Return the step; the machine keeps its name where the old one is in another zone."""
    image = _name(machine.name, new.suffix)
    keeps_name = new.zone != machine.zone and not new.is_renamed
    name = _plain(machine.name) if keeps_name else image
    other = gcloud_of("instances", machine.project, f"--zone={new.zone}")
    of_image = gcloud_of("machine-images", machine.project)
    fix = model.Fix(
        text=f"{new.what}, from a machine image",
        label=label,
        commands=(
            *stop_commands(machine),
            of_image(
                *("create", image),
                f"--source-instance={machine.name}",
                f"--source-instance-zone={machine.zone}",
            ),
            other("create", name, f"--source-machine-image={image}", *new.flags),
        ),
        verify=model.Instruction(
            text=f"{name} runs in {new.zone}, its clients reach it, and it serves.",
            commands=(
                other("describe", name, "--format=value(status,networkInterfaces[].networkIP)"),
            ),
        ),
        clean_up=model.Instruction(
            text="Only then: the old VM with its disks, and the image, which cost as long as they"
            " exist.",
            commands=(
                gcloud_instance("delete", machine),
                of_image("delete", image),
            ),
        ),
        undo=model.Instruction(
            text="While the old VM exists: delete the new one, start the old one. What the new one"
            " has written since is lost.",
            commands=(other("delete", name), gcloud_instance("start", machine)),
        ),
        documents=new.documents,
        caution=model.spaced(_STOPPED, new.caution),
    )
    return PlanChange(subject=machine.name, fix=fix, terraform=new.terraform)


def _interfaces(machine: model.Instance, nic_type: str | None = None) -> Sequence[str]:
    """Return the flags of interfaces as they are, of a type; a flag states an interface whole."""
    if not machine.interfaces:
        return (f"--network-interface=nic-type={nic_type}",) if nic_type else ()
    return [
        ",".join(
            (
                f"--network-interface=network={_named(machine, nic.network)}",
                *((f"subnet={_named(machine, nic.subnetwork)}",) if nic.subnetwork else ()),
                *_address(nic),
                *(f"nic-type={kind}" for kind in [nic_type or nic.nic_type] if kind),
            )
        )
        for nic in machine.interfaces
    ]


def _named(machine: model.Instance, link: model.SelfLink) -> str:
    """Return what gcloud is told of a network: its name, or its path in another project."""
    is_own = link.startswith(f"projects/{machine.project}/") or not link.startswith("projects/")
    return model.last_part(link) if is_own else link


def _address(nic: model.NetworkInterface) -> Iterator[str]:
    """Yield what a flag says of an external address; unless it does, the project sets the tier."""
    if not nic.may_be_external:
        yield "no-address"
    elif nic.network_tier:
        yield f"network-tier={nic.network_tier}"


def _on_interfaces(machine: model.Instance, nic_type: str) -> Iterator[str]:
    if nic_type == "GVNIC":
        yield NEEDS_DRIVER
    if any(nic.nic_type is None for nic in machine.interfaces):
        yield "The input does not state its current type: check first, it may be the same."


def _nic_change(machine: model.Instance, nic_type: str) -> TerraformChange:
    kinds = {nic.nic_type for nic in machine.interfaces}
    before = kinds.pop() if len(kinds) == 1 else None
    return _terraform(machine, "network_interface.nic_type", before, nic_type)


def _name(name: str, suffix: str) -> str:
    """Return a name with a suffix, cut to what a name may have, and then still of one machine.

    >>> _name("db-1", "tier1"), len(_name("d" * 63, "tier1")), len(_name("d" * 59, "tier1"))
    ('db-1-tier1', 63, 63)
    >>> _name("d" * 62 + "1", "tier1") == _name("d" * 62 + "2", "tier1")
    False
    """
    name = _plain(name)
    if len(name) + 1 + len(suffix) > _LONGEST_NAME:
        # What is cut off is what tells machines of one long name apart.
        suffix = f"{sha256(name.encode()).hexdigest()[:_TOLD_APART]}-{suffix}"
    return f"{name[: _LONGEST_NAME - len(suffix) - 1].rstrip('-')}-{suffix}"


def _plain(name: str) -> str:
    """Return a name that no command takes for a flag; no real machine has another."""
    return name.lstrip("-") or "vm"


def _terraform(
    machine: model.Instance, attribute: str, before: str | None, after: str
) -> TerraformChange:
    return TerraformChange(
        resource="google_compute_instance",
        name=machine.name,
        attribute=attribute,
        before=before,
        after=after,
        replaces=True,
        note="Terraform destroys the VM with its boot disk: create the image first, and create the"
        " VM from it (google_compute_instance_from_machine_image).",
    )
