"""Terraform's machines and templates as the Compute API spells machines."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from netplan_planner.model import UNKNOWN_STATUS, Instance, Part, canonical_link
from netplan_planner.readers.terraform.attributes import Attributes, Unknowns

ACCESS_CONFIG = "External NAT"
"""The name that the API gives an access config for which none is asked, as Terraform does
(cloud.google.com/compute/docs/reference/rest/v1/instances, accessConfigs[].name)."""

JsonObject = dict[str, Any]


def machine(a: Attributes) -> JsonObject:
    """Return a machine; what is not known of it is left out.

    A block that nobody asked for (`scheduling`, `guest_accelerator`, …) is not there, even if
    Terraform says that it is known after apply: it then says so of all that Google answers.
    """
    return stated(
        {
            **_hardware(a, _disks(a)),
            "id": a.get("instance_id"),
            **a.named("creation_timestamp", "name", "zone"),
            "status": a.get("current_status") or a.get("desired_status") or UNKNOWN_STATUS,
            "cpuPlatform": a.get("cpu_platform"),
        }
    )


def template_machine(a: Attributes) -> JsonObject:
    """Return what a machine that is made from a template has."""
    return stated({**_hardware(a, _template_disks(a)), "status": UNKNOWN_STATUS})


def _hardware(a: Attributes, disks: list[JsonObject]) -> JsonObject:
    """Return what machines and templates spell alike."""
    performance, features = (
        a.block("network_performance_config"),
        a.block("advanced_machine_features"),
    )
    scheduling, affinity = a.block("scheduling"), a.block("reservation_affinity")
    tags = a.texts("tags")
    labels = a.get("effective_labels") or a.get("labels")
    return {
        **a.named("machine_type", "can_ip_forward"),
        "networkInterfaces": [_nic(nic) for nic in a.blocks("network_interface")],
        "disks": disks,
        "tags": {"items": tags} if tags else None,
        "labels": labels,
        # Of which no more than its maker is read, that no configuration states.
        "metadata": None if a.is_withheld("metadata") else _metadata(a.get("metadata")),
        "minCpuPlatform": a.get("min_cpu_platform"),
        "scheduling": None if scheduling is None else _scheduling(scheduling),
        "guestAccelerators": [
            stated({"acceleratorType": one.get("type"), "acceleratorCount": one.get("count")})
            for one in a.blocks("guest_accelerator")
        ],
        "reservationAffinity": None if affinity is None else _affinity(affinity),
        "resourcePolicies": a.texts("resource_policies"),
        "networkPerformanceConfig": None
        if performance is None
        else stated({"totalEgressBandwidthTier": performance.get("total_egress_bandwidth_tier")}),
        "advancedMachineFeatures": None
        if features is None
        else stated({"enableNestedVirtualization": features.get("enable_nested_virtualization")}),
    }


def _scheduling(block: Attributes) -> JsonObject:
    return stated(
        {
            **block.named("preemptible", "provisioning_model"),
            "nodeAffinities": [
                {**one.named("key", "operator"), "values": one.texts("values") or []}
                for one in block.blocks("node_affinities")
            ],
        }
    )


def _affinity(block: Attributes) -> JsonObject:
    specific = block.block("specific_reservation")
    return stated(
        {
            "consumeReservationType": block.get("type"),
            "values": specific.get("values") if specific is not None else None,
        }
    )


def _metadata(given: object) -> JsonObject | None:
    """Return only what made the machine: nothing else of its metadata is read."""
    entries = given if isinstance(given, dict) else {}
    found = [
        {"key": key, "value": value}
        for key in ("created-by", "instance-template")
        if (value := entries.get(key))
    ]
    return {"items": found} if found else None


def _disks(a: Attributes) -> list[JsonObject]:
    """Return a machine's disks; of each sort that it does not state, those of its template."""
    template = _template_disks(a) if a.has_template else []
    scratch = [_disk("SCRATCH", None, None) for _ in a.blocks("scratch_disk")]
    boot = [
        {**_disk("PERSISTENT", block, block.block("initialize_params"), *_MADE), "boot": True}
        for block in a.blocks("boot_disk")
    ]
    attached = [_disk("PERSISTENT", block, None) for block in a.blocks("attached_disk")]
    if not a.has_template and a.is_unknown("attached_disk"):
        # Of unknown number and types: the others' types would pass for all.
        attached.append(_disk("PERSISTENT", None, None))
    return [
        *(scratch or [one for one in template if one["type"] == "SCRATCH"]),
        *(boot or [one for one in template if one.get("boot")]),
        *(
            attached
            or [one for one in template if one["type"] != "SCRATCH" and not one.get("boot")]
        ),
    ]


def _template_disks(a: Attributes) -> list[JsonObject]:
    """Return the disks of a template; the first one is that from which machines start."""
    found = []
    for index, block in enumerate(a.blocks("disk")):
        if block.get("type") == "SCRATCH":
            found.append(_disk("SCRATCH", None, None))
            continue
        made = _disk("PERSISTENT", block, block, *_MADE_BY_TEMPLATE)
        found.append({**made, "boot": index == 0 or block.get("boot") is True})
    return found


_MADE, _MADE_BY_TEMPLATE = ("type", "image"), ("disk_type", "source_image")
"""What a new disk's type and image are called."""


def _disk(
    kind: str,
    block: Attributes | None,
    made: Attributes | None,
    type_name: str = "",
    image_name: str = "",
) -> JsonObject:
    """Return an attached disk.

    Args:
        kind: `PERSISTENT` or `SCRATCH`.
        block: What attaches it.
        made: What it is made by, where it is made with the machine.
        type_name: Of the type, in that.
        image_name: Of the image, in that.
    """
    source = None
    if block is not None and (block.is_asked("source") or not block.is_unknown("source")):
        source = block.link("source")
    is_new = made is not None and source is None
    kind_of_disk = made.get(type_name) if made is not None and is_new else None
    return stated(
        {
            "type": kind,
            "source": source,
            "initializeParams": {"diskType": kind_of_disk} if kind_of_disk else None,
            "licenses": _licenses(made.text(image_name)) if made is not None else None,
            "guestOsFeatures": _features(block) if block is not None else None,
        }
    )


def _licenses(image: str | None) -> list[str] | None:
    """Return what stands for the licences of an image, which the provider does not keep.

    A name in parentheses, which no licence has, with the image's: whose it is tells what is billed.

    >>> _licenses("rhel-cloud/rhel-9")
    ['projects/rhel-cloud/global/licenses/(of rhel-9)']
    """
    if not image:
        return None
    parts = canonical_link(image).removeprefix("projects/").split("/")
    project = parts[0] if len(parts) > 1 and parts[0] not in {"global", "family"} else "(unknown)"
    return [f"projects/{project}/global/licenses/(of {parts[-1]})"]


def _features(block: Attributes) -> list[JsonObject]:
    return [{"type": text} for text in block.texts("guest_os_features") or []]


def _nic(block: Attributes) -> JsonObject:
    subnetwork, project = block.link("subnetwork"), block.text("subnetwork_project")
    return stated(
        {
            "name": block.get("name"),
            "network": block.link("network"),
            "subnetwork": subnetwork,
            "subnetworkProject": project,
            "networkIP": block.get("network_ip"),
            "nicType": block.get("nic_type"),
            "queueCount": block.get("queue_count") or None,
            **block.named("stack_type", "ipv6_address"),
            "aliasIpRanges": [
                stated({"ipCidrRange": one.get("ip_cidr_range")})
                for one in block.blocks("alias_ip_range")
            ],
            "accessConfigs": [
                stated(
                    {
                        "name": ACCESS_CONFIG,
                        "natIP": one.get("nat_ip"),
                        "networkTier": one.get("network_tier"),
                    }
                )
                for one in block.blocks("access_config")
            ],
            "ipv6AccessConfigs": [
                stated(
                    {
                        **one.named("name", "network_tier", "external_ipv6"),
                        "externalIpv6PrefixLength": number(one.get("external_ipv6_prefix_length")),
                    }
                )
                for one in block.blocks("ipv6_access_config")
            ],
        }
    )


_PARTS = {
    "advanced_machine_features": Part.CPU_FEATURES,
    "disk": Part.LOCAL_SSDS,
    "guest_accelerator": Part.GPUS,
    "network_performance_config": Part.TIER,
    "reservation_affinity": Part.RESERVATION,
    "scheduling": Part.SCHEDULING,
    "scratch_disk": Part.LOCAL_SSDS,
}
"""Which part of a machine a block decides; of a template's `disk` its `type` does."""


def with_unknown(raw: JsonObject, notes: Unknowns) -> Callable[[Instance], Instance]:
    """Return what tells a machine which parts of it and of its interfaces are not known.

    Args:
        raw: The machine in the API's words.
        notes: What of it is known after apply.
    """
    nics = raw["networkInterfaces"]

    def finish(machine: Instance) -> Instance:
        fields = {field for field, _ in notes.asked}
        parts = {_part_of(field) for field in fields} - {None}
        opened = {
            nic.get("name") or f"nic{index}"
            for index, nic in enumerate(nics)
            if f"network_interface[{index}].access_config" in fields
        }
        read = {nic.name for nic in machine.interfaces}
        lost = {nic.get("name") or f"nic{i}" for i, nic in enumerate(nics) if nic["accessConfigs"]}
        is_lost = "network_interface" in fields or not (opened | lost) <= read
        if not (parts or opened or is_lost):
            return machine
        return replace(
            machine,
            unknown_parts=tuple(sorted(part for part in parts if part is not None)),
            is_access_unknown=is_lost,
            interfaces=tuple(
                replace(nic, is_access_unknown=nic.name in opened) for nic in machine.interfaces
            ),
        )

    return finish


def _part_of(field: str) -> Part | None:
    block, _, below = field.partition("[")
    is_other = block == "disk" and below and not below.endswith("].type")
    return None if is_other else _PARTS.get(block)


def number(value: object) -> object:
    """Return a text of digits as the number that it is; the provider has both."""
    is_digits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16
    return int(str(value)) if is_digits else value


def stated(fields: JsonObject) -> JsonObject:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}
