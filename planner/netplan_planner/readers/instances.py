"""Instances and machine types of the Compute API as values of the model.

`instance` runs a hundred thousand times in a large project and is written for that: one pass, no
helper objects, shared strings.
"""

from functools import lru_cache

from netplan_planner.model import (
    BandwidthTier,
    Instance,
    MachineShape,
    NetworkInterface,
    ProjectId,
    ResourceRef,
    SelfLink,
    Zone,
    region_of,
    series_of,
)
from netplan_planner.readers.links import (
    CACHED_LINKS,
    Problems,
    Unusable,
    bare_name,
    needed,
    network_link,
    place_of,
    resolve,
    subnetwork_link,
)
from netplan_planner.readers.wire import (
    WireAccessConfig,
    WireDisk,
    WireInstance,
    WireMachineType,
    WireMetadata,
    WireNic,
)

UNKNOWN_CPU = "Unknown CPU Platform"
"""What the API says of a machine that does not run."""
UNKNOWN_STATUS = "UNKNOWN"
"""For a machine whose input states no status (a planned one); the API has no such value."""
LOCAL_SSD_GIB = 375
"""Size of a bundled Local SSD (cloud.google.com/compute/docs/disks/local-ssd, read 2026-04-02)."""
LOCAL_SSD_GIB_BY_SERIES = {"z3": 3000}
"""Titanium SSDs of other sizes (same page; 36,000 GiB are 12 disks of z3-highmem-88-highlssd)."""
MIB_PER_GIB = 1024


def instance(wire: WireInstance, ref: ResourceRef, problems: Problems) -> Instance:
    """Return one machine.

    Raises:
        Unusable: If it has no zone or machine type.
    """
    project, scope, zone, name = place_of(ref.self_link)
    if scope != "zones":
        zone = bare_name(needed(wire.zone, "zone"))
    scheduling, disks, metadata = wire.scheduling, wire.disks, wire.metadata
    accelerators, cpu = wire.guest_accelerators, wire.cpu_platform
    return Instance(
        ref=ref,
        project=project,
        zone=Zone(zone),
        name=wire.name or name,
        machine_type=bare_name(wire.machine_type or needed(None, "machineType")),
        status=_status(wire.status) if wire.status else _no_status(problems),
        interfaces=_interfaces(wire.network_interfaces, project, zone, problems),
        instance_id=None if wire.id is None else str(wire.id),
        cpu_platform=None if cpu is None or cpu == UNKNOWN_CPU else _same(cpu),
        min_cpu_platform=None if wire.min_cpu_platform == "" else wire.min_cpu_platform,
        is_spot=scheduling is not None
        and (scheduling.preemptible is True or scheduling.provisioning_model == "SPOT"),
        bandwidth_tier=_tier(wire, problems)
        if wire.network_performance_config is not None
        else BandwidthTier.DEFAULT,
        labels=tuple(sorted(wire.labels.items())) if wire.labels else (),
        created=wire.creation_timestamp,
        last_started=wire.last_start_timestamp,
        guest_os_features=_features(
            tuple([f.type for disk in disks for f in disk.guest_os_features])
        ),
        licenses=_licenses(tuple([text for disk in disks for text in disk.licenses])),
        local_ssd_count=_scratch_count(disks),
        gpu_count=sum([a.accelerator_count or 0 for a in accelerators]) if accelerators else 0,
        created_by=None if metadata is None else _creator(metadata, project),
        resource_policies=tuple([resolve(text, project) for text in wire.resource_policies])
        if wire.resource_policies
        else (),
        can_ip_forward=wire.can_ip_forward,
        tags=() if wire.tags is None else tuple(wire.tags.items),
    )


@lru_cache(CACHED_LINKS)
def _same(text: str) -> str:
    """Return the first string with this content: a few values fill a whole inventory."""
    return text


_status = _same


def _no_status(problems: Problems) -> str:
    problems.append(("status", "not stated"))
    return UNKNOWN_STATUS


@lru_cache(CACHED_LINKS)
def _features(names: tuple[str | None, ...]) -> frozenset[str]:
    return frozenset(name for name in names if name)


@lru_cache(CACHED_LINKS)
def _licenses(links: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(resolve(link, "") for link in links))


def _scratch_count(disks: list[WireDisk]) -> int:
    count = 0
    for disk in disks:
        if disk.type == "SCRATCH":
            count += 1
    return count


def _tier(wire: WireInstance, problems: Problems) -> BandwidthTier:
    assert wire.network_performance_config is not None
    tier = wire.network_performance_config.total_egress_bandwidth_tier
    if tier is None or tier == "DEFAULT":
        return BandwidthTier.DEFAULT
    if tier != "TIER_1":
        field = "networkPerformanceConfig.totalEgressBandwidthTier"
        problems.append((field, f"unknown value {tier[:40]!r}, taken as DEFAULT"))
        return BandwidthTier.DEFAULT
    return BandwidthTier.TIER_1


def _creator(metadata: WireMetadata, project: ProjectId) -> SelfLink | None:
    """Return the instance group manager in metadata.

    The value names the project by number, every other link by id. A manager makes machines in its
    own project only, so the machine's project is the right one.
    """
    for item in metadata.items:
        if item.key == "created-by" and item.value and "/instanceGroupManagers/" in item.value:
            return _manager_link(item.value, project)
    return None


@lru_cache(CACHED_LINKS)
def _manager_link(value: str, project: ProjectId) -> SelfLink:
    parts = resolve(value, project).split("/", 2)
    return SelfLink(f"projects/{project}/{parts[2]}" if len(parts) > 2 else value)


def _interfaces(
    nics: list[WireNic], project: ProjectId, zone: str, problems: Problems
) -> tuple[NetworkInterface, ...]:
    if len(nics) == 1 and nics[0].network:
        return (_interface(nics[0], 0, nics[0].network, project, zone),)
    found = []
    for index, nic in enumerate(nics):
        if nic.network:
            found.append(_interface(nic, index, nic.network, project, zone))
        else:
            problems.append((f"networkInterfaces[{index}]", "no network"))
    return tuple(found)


def _interface(
    nic: WireNic, index: int, network: str, project: ProjectId, zone: str
) -> NetworkInterface:
    access = _first_with_address(nic.access_configs) if nic.access_configs else None
    ipv6 = nic.ipv6_access_configs[0] if nic.ipv6_access_configs else None
    return NetworkInterface(
        name=_same(nic.name) if nic.name else f"nic{index}",
        network=network_link(network, project),
        subnetwork=subnetwork_link(nic.subnetwork, project, region_of(zone))
        if nic.subnetwork
        else None,
        internal_ipv4=nic.network_ip or None,
        alias_ranges=tuple([a.ip_cidr_range for a in nic.alias_ip_ranges if a.ip_cidr_range])
        if nic.alias_ip_ranges
        else (),
        external_ipv4=None if access is None else access.nat_ip or None,
        access_config_name=None if access is None else access.name,
        network_tier=None
        if access is None or access.network_tier is None
        else _same(access.network_tier),
        nic_type=None if nic.nic_type is None else _same(nic.nic_type),
        queue_count=nic.queue_count,
        stack_type=None if nic.stack_type is None else _same(nic.stack_type),
        internal_ipv6=nic.ipv6_address or None,
        external_ipv6=None if ipv6 is None else ipv6.external_ipv6 or None,
        external_ipv6_prefix_length=None if ipv6 is None else ipv6.external_ipv6_prefix_length,
    )


def _first_with_address(configs: list[WireAccessConfig]) -> WireAccessConfig:
    """Return the config that counts: the API allows one, and of several one with an address."""
    return next((config for config in configs if config.nat_ip), configs[0])


def machine_shape(wire: WireMachineType, name: str, problems: Problems) -> MachineShape:
    """Return what a machine type has.

    Raises:
        Unusable: If it states no vCPUs or memory.
    """
    if not wire.guest_cpus or not wire.memory_mb:
        raise Unusable("no guestCpus or no memoryMb")
    partitions = wire.bundled_local_ssds.partition_count if wire.bundled_local_ssds else None
    ssd_gib = LOCAL_SSD_GIB_BY_SERIES.get(series_of(name), LOCAL_SSD_GIB)
    return MachineShape(
        machine_type=name,
        vcpus=wire.guest_cpus,
        memory_gib=wire.memory_mb / MIB_PER_GIB,
        is_shared_core=wire.is_shared_cpu,
        architecture=wire.architecture,
        gpu_count=sum(a.guest_accelerator_count or 0 for a in wire.accelerators),
        bundled_local_ssd_gib=(partitions or 0) * ssd_gib,
        is_bare_metal=name.endswith("-metal"),
        deprecation=wire.deprecated.state if wire.deprecated else None,
    )
