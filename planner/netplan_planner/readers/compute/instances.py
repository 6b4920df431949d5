"""Instances and machine types of the Compute API as values of the model.

`instance` runs a hundred thousand times in a large project and is written for that: one pass, no
helper objects, shared strings.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import msgspec

from netplan_planner import model, units
from netplan_planner.input_files import decode_json
from netplan_planner.readers import links
from netplan_planner.readers.compute.groups import groups_asked_for
from netplan_planner.readers.compute.wire import (
    WireAccelerator,
    WireAccessConfig,
    WireDisk,
    WireFeature,
    WireInstance,
    WireMachineType,
    WireMetadata,
    WireNic,
    WirePerformance,
    WireReservationAffinity,
    WireTags,
)

T = TypeVar("T")

UNKNOWN_CPU = "Unknown CPU Platform"
"""What the API says of a machine that does not run."""
LOCAL_SSD_GIB = 375
"""Size of one Local SSD (cloud.google.com/compute/docs/disks/local-ssd, read 2026-11-21)."""
LOCAL_SSD_GIB_BY_SERIES = {"z3": 3000}
"""Z3's Titanium SSDs are bigger: its types hold 3,000 to 72,000 GiB in steps of one disk
(cloud.google.com/compute/docs/storage-optimized-machines, read 2026-11-21)."""


def instance(
    wire: WireInstance, ref: model.ResourceRef, problems: links.Problems
) -> model.Instance:
    """Return one machine.

    Raises:
        Unusable: If it has no zone or machine type.
    """
    head, _, name = ref.self_link.rpartition("/")
    project, zone, region = links.zone_of_head(head)
    if zone is None or region is None:
        zone = model.Zone(links.bare_name(links.needed(wire.zone, "zone")))
        region = model.region_of(zone)
    cpu, scheduling, disks = wire.cpu_platform, wire.scheduling, wire.disks
    metadata = bytes(wire.metadata)
    nics = wire.network_interfaces
    interfaces: tuple[model.NetworkInterface, ...]
    if len(nics) == 1 and nics[0].network:
        interfaces = (_interface(nics[0], 0, nics[0].network, project, region),)
    else:
        interfaces = _interfaces(nics, project, region, problems)
    features, licenses, local_ssds = _of_disks(disks, problems) if disks else _NO_DISKS
    labels, bad_labels = _labels(bytes(wire.labels))
    tags, bad_tags = _tags(bytes(wire.tags))
    if bad_labels or bad_tags:
        problems += [
            (field, why) for field, why in (("labels", bad_labels), ("tags", bad_tags)) if why
        ]
    made = model.Instance(
        ref=ref,
        project=project,
        zone=zone,
        name=wire.name or name,
        machine_type=links.bare_name(wire.machine_type or links.needed(None, "machineType")),
        status=_same(wire.status) if wire.status else _no_status(problems),
        interfaces=interfaces,
        instance_id=wire.id if wire.id is None else str(wire.id),
        cpu_platform=None if cpu is None or cpu == UNKNOWN_CPU else _same(cpu),
        is_spot=scheduling is not None
        and (scheduling.preemptible is True or scheduling.provisioning_model == "SPOT"),
        labels=labels,
        created=wire.creation_timestamp,
        last_started=wire.last_start_timestamp,
        guest_os_features=features,
        licenses=licenses,
        created_by=_creator(metadata, project),
        template=_template(metadata, project),
        tags=tags,
    )
    # Most machines have none of these, and each argument costs time, a default one too.
    rare = (
        wire.min_cpu_platform
        or wire.network_performance_config is not None
        or wire.guest_accelerators
        or wire.reservation_affinity is not None
        or wire.resource_policies
        or wire.can_ip_forward
        or wire.advanced_machine_features is not None
        or (scheduling is not None and scheduling.node_affinities)
        or local_ssds
    )
    return _with_rare(made, wire, local_ssds, problems) if rare else made


def _with_rare(
    made: model.Instance, wire: WireInstance, local_ssds: list[WireDisk], problems: links.Problems
) -> model.Instance:
    config, features = wire.network_performance_config, wire.advanced_machine_features
    affinities = wire.scheduling.node_affinities if wire.scheduling is not None else []
    return msgspec.structs.replace(
        made,
        min_cpu_platform=wire.min_cpu_platform or None,
        bandwidth_tier=model.BandwidthTier.DEFAULT if config is None else _tier(config, problems),
        local_ssd_count=len(local_ssds),
        has_preserved_ssd=any(disk.saved_state == "PRESERVED" for disk in local_ssds),
        gpu_count=sum(a.accelerator_count or 0 for a in wire.guest_accelerators),
        gpu_type=_gpu_type(wire.guest_accelerators),
        reservation=_reservation(wire.reservation_affinity),
        resource_policies=tuple(
            links.resolve(link, made.project) for link in wire.resource_policies
        ),
        can_ip_forward=wire.can_ip_forward,
        is_sole_tenant=bool(affinities),
        node_groups=groups_asked_for(affinities),
        has_nested_virtualization=features is not None
        and features.enable_nested_virtualization is True,
    )


def _gpu_type(accelerators: list[WireAccelerator]) -> str | None:
    """Return the one type of the attached GPUs; None where there is none, or more than one."""
    types = {links.bare_name(a.accelerator_type) for a in accelerators if a.accelerator_type}
    return types.pop() if len(types) == 1 else None


def _reservation(affinity: WireReservationAffinity | None) -> str | None:
    """Return the specific reservation that a machine is bound to, by its bare name.

    Machines that take any matching reservation, or none, may change their type freely.
    """
    if affinity is None or affinity.consume_reservation_type != "SPECIFIC_RESERVATION":
        return None
    return ", ".join(map(links.bare_name, affinity.values)) or "not named"


@lru_cache(links.CACHED_LINKS)
def _same(text: str) -> str:
    """Return the first string with this content: a few values fill a whole inventory."""
    return text


@lru_cache(links.CACHED_LINKS)
def _same_or_none(text: str | None) -> str | None:
    return text or None


def _no_status(problems: links.Problems) -> str:
    problems.append(("status", "not stated"))
    return model.UNKNOWN_STATUS


def _shared(decode: Callable[[bytes], T], nothing: T) -> Callable[[bytes], tuple[T, str]]:
    """Return a decoder of JSON parts that many resources share, and says what is wrong with one."""

    @lru_cache(links.CACHED_LINKS)
    def cached(raw: bytes) -> tuple[T, str]:
        try:
            return decode(raw), ""
        except msgspec.DecodeError as exc:
            return nothing, str(exc)

    return cached


def _feature_names(raw: bytes) -> frozenset[str]:
    return frozenset(
        feature.type for feature in decode_json(raw, list[WireFeature]) if feature.type
    )


def _license_links(raw: bytes) -> tuple[str, ...]:
    return tuple(dict.fromkeys(model.canonical_link(link) for link in decode_json(raw, list[str])))


def _label_pairs(raw: bytes) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((decode_json(raw, dict[str, str] | None) or {}).items()))


def _tag_names(raw: bytes) -> tuple[str, ...]:
    tags = decode_json(raw, WireTags | None)
    return tuple(tags.items) if tags else ()


Features = frozenset[str]
Texts = tuple[str, ...]
Labels = tuple[tuple[str, str], ...]

_features = _shared(_feature_names, Features())
_licenses = _shared(_license_links, Texts())
_labels = _shared(_label_pairs, Labels())
_tags = _shared(_tag_names, Texts())
_NO_DISKS: tuple[Features, Texts, list[WireDisk]] = (Features(), (), [])


def _of_disks(
    disks: list[WireDisk], problems: links.Problems
) -> tuple[Features, Texts, list[WireDisk]]:
    """Return the guest features and licences of all disks, and which are local SSDs."""
    features, licenses, _ = _NO_DISKS
    last = b"", b""
    for disk in disks:
        raw = bytes(disk.guest_os_features), bytes(disk.licenses)
        if raw == last:
            continue
        last = raw
        (here, bad_features), (stated, bad_licenses) = _features(raw[0]), _licenses(raw[1])
        features = features | here if features else here
        licenses = tuple(dict.fromkeys((*licenses, *stated))) if licenses else stated
        if bad_features or bad_licenses:
            why = bad_features or bad_licenses
            problems.append(("disks", f"guestOsFeatures or licenses: {why}"))
    return features, licenses, [disk for disk in disks if disk.type == "SCRATCH"]


def _tier(config: WirePerformance, problems: links.Problems) -> model.BandwidthTier:
    tier = config.total_egress_bandwidth_tier
    if tier is None or tier == "DEFAULT":
        return model.BandwidthTier.DEFAULT
    if tier != "TIER_1":
        field = "networkPerformanceConfig.totalEgressBandwidthTier"
        problems.append((field, f"unknown value {tier[:40]!r}, read as DEFAULT"))
        return model.BandwidthTier.DEFAULT
    return model.BandwidthTier.TIER_1


def _creator(metadata: bytes, project: model.ProjectId) -> model.SelfLink | None:
    """Return the instance group manager that made a machine."""
    return _named(_entry(metadata, "created-by"), project, "/instanceGroupManagers/")


def _template(metadata: bytes, project: model.ProjectId) -> model.SelfLink | None:
    """Return the instance template that a machine was made from."""
    return _named(_entry(metadata, "instance-template"), project, "/instanceTemplates/")


def _entry(metadata: bytes, key: str) -> str:
    """Return the value of a key of metadata, which is decoded only if spelled oddly, or nothing."""
    # As the API writes it. No text inside a value can look so: its quotes have backslashes.
    written = f'"key":"{key}","value":"'.encode()
    start = metadata.find(written)
    if start < 0:
        return _decoded(metadata, key) if key.encode() in metadata else ""
    start += len(written)
    value = metadata[start : metadata.index(b'"', start)]
    if b"\\" in value or not value.isascii():
        return _decoded(metadata, key)
    return value.decode()


def _decoded(metadata: bytes, key: str) -> str:
    try:
        found = decode_json(metadata, WireMetadata | None)
    except msgspec.DecodeError:
        return ""
    items = found.items if found else ()
    return next((item.value for item in items if item.key == key and item.value), "")


@lru_cache(links.CACHED_LINKS)
def _named(value: str, project: model.ProjectId, collection: str) -> model.SelfLink | None:
    """Return the link of the manager or template that metadata names; None: of neither.

    It names the project by number, every other link by id. A manager makes machines in its own
    project only, so the machine's project is the right one.
    """
    link = links.resolve(value, project) if value else ""
    parts = link.split("/", 2)
    if collection not in link or len(parts) < 3:
        return None
    return model.SelfLink(f"projects/{project}/{parts[2]}")


def _interfaces(
    nics: list[WireNic], project: model.ProjectId, region: model.Region, problems: links.Problems
) -> tuple[model.NetworkInterface, ...]:
    found = []
    for index, nic in enumerate(nics):
        if nic.network:
            found.append(_interface(nic, index, nic.network, project, region))
        else:
            problems.append((f"networkInterfaces[{index}]", "no network"))
    return tuple(found)


def _interface(
    nic: WireNic, index: int, network: str, project: model.ProjectId, region: model.Region
) -> model.NetworkInterface:
    subnetwork, aliases = nic.subnetwork, nic.alias_ip_ranges
    configs = nic.access_configs
    access = _NO_ACCESS if not configs else configs[0] if len(configs) == 1 else _best(configs)
    ipv6 = nic.ipv6_access_configs[0] if nic.ipv6_access_configs else _NO_ACCESS
    return model.NetworkInterface(
        name=_same(nic.name) if nic.name else f"nic{index}",
        network=links.network_link(network, project),
        subnetwork=links.subnetwork_link(subnetwork, project, region) if subnetwork else None,
        internal_ipv4=nic.network_ip or None,
        alias_ranges=tuple([a.ip_cidr_range for a in aliases if a.ip_cidr_range])
        if aliases
        else (),
        external_ipv4=access.nat_ip or None,
        access_config_name=access.name,
        network_tier=_same_or_none(access.network_tier),
        nic_type=_same_or_none(nic.nic_type),
        queue_count=nic.queue_count,
        stack_type=_same_or_none(nic.stack_type),
        internal_ipv6=nic.ipv6_address or None,
        external_ipv6=ipv6.external_ipv6 or None,
        external_ipv6_prefix_length=ipv6.external_ipv6_prefix_length,
    )


_NO_ACCESS = WireAccessConfig()


def _best(configs: list[WireAccessConfig]) -> WireAccessConfig:
    """Return the config that counts: the API allows one, and of several one with an address."""
    return next((config for config in configs if config.nat_ip), configs[0])


def machine_shape(wire: WireMachineType, name: str, problems: links.Problems) -> model.MachineShape:
    """Return what a machine type has.

    Raises:
        Unusable: If it states no vCPUs or memory.
    """
    if not wire.guest_cpus or not wire.memory_mb:
        raise links.Unusable("no guestCpus or no memoryMb")
    partitions = wire.bundled_local_ssds.partition_count if wire.bundled_local_ssds else None
    ssd_gib = LOCAL_SSD_GIB_BY_SERIES.get(model.series_of(name), LOCAL_SSD_GIB)
    return model.MachineShape(
        machine_type=name,
        vcpus=wire.guest_cpus,
        memory_gib=wire.memory_mb / units.MIB_PER_GIB,
        is_shared_core=wire.is_shared_cpu,
        architecture=wire.architecture,
        gpu_count=sum(a.guest_accelerator_count or 0 for a in wire.accelerators),
        bundled_local_ssd_gib=(partitions or 0) * ssd_gib,
        is_bare_metal=name.endswith("-metal"),
        deprecation=wire.deprecated.state if wire.deprecated else None,
    )
