"""What a project owns: machines, networks, addresses and gateways, as read, from any source.

A field that the input did not state is `None`; a default is filled in only where Google documents
one (a network without `mtu` has 1460). What could not be read is in `Inventory.unread`.
"""

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from ipaddress import ip_network

from netplan_planner.model.base import (
    ProjectId,
    Region,
    ResourceRef,
    SelfLink,
    Value,
    Zone,
    region_of,
)

DEFAULT_MTU_BYTES = 1460
"""MTU of a VPC network that states none (cloud.google.com/vpc/docs/mtu, read 2026-04-02)."""


class BandwidthTier(StrEnum):
    """`networkPerformanceConfig.totalEgressBandwidthTier`; absent means `DEFAULT`."""

    DEFAULT = "DEFAULT"
    TIER_1 = "TIER_1"


class NetworkInterface(Value, frozen=True, kw_only=True, gc=False):
    """One NIC; `external_ipv4` is None when it has no external address now."""

    name: str
    network: SelfLink
    subnetwork: SelfLink | None = None
    internal_ipv4: str | None = None
    alias_ranges: tuple[str, ...] = ()
    external_ipv4: str | None = None
    access_config_name: str | None = None
    """Set also when the access config exists but holds no address (a stopped VM)."""
    network_tier: str | None = None
    nic_type: str | None = None
    """`GVNIC`, `VIRTIO_NET`, …; None when not stated, which is usual."""
    queue_count: int | None = None
    stack_type: str | None = None
    internal_ipv6: str | None = None
    external_ipv6: str | None = None
    external_ipv6_prefix_length: int | None = None


class Instance(Value, frozen=True, kw_only=True, gc=False):
    """One VM. `machine_type` is the bare name, `custom-4-8192` and `n2-custom-8-16384` included."""

    ref: ResourceRef
    project: ProjectId
    zone: Zone
    name: str
    machine_type: str
    status: str
    """As the API spells it; unknown values are kept."""
    interfaces: tuple[NetworkInterface, ...] = ()
    instance_id: str | None = None
    cpu_platform: str | None = None
    """None when the API says "Unknown CPU Platform" (a stopped VM) or nothing."""
    min_cpu_platform: str | None = None
    is_spot: bool = False
    bandwidth_tier: BandwidthTier = BandwidthTier.DEFAULT
    labels: tuple[tuple[str, str], ...] = ()
    """Sorted by key."""
    created: datetime | None = None
    last_started: datetime | None = None
    guest_os_features: frozenset[str] = frozenset()
    """Of all its disks' images, such as `GVNIC` and `WINDOWS`."""
    licenses: tuple[str, ...] = ()
    local_ssd_count: int = 0
    gpu_count: int = 0
    """GPUs attached to it; those that its type brings are in the shape of the type."""
    gpu_type: str | None = None
    """Of the attached GPUs, such as `nvidia-tesla-t4`; None: none, or of several types."""
    reservation: str | None = None
    """The specific reservation that it uses, by name; None: it is not bound to one."""
    created_by: SelfLink | None = None
    """The instance group manager that made it, where metadata says so."""
    resource_policies: tuple[SelfLink, ...] = ()
    can_ip_forward: bool = False
    is_sole_tenant: bool = False
    """It asks for nodes of its own, whose node type decides which machine types fit."""
    has_nested_virtualization: bool = False
    tags: tuple[str, ...] = ()

    @property
    def region(self) -> Region:
        """The region of its zone."""
        return region_of(self.zone)

    @property
    def series(self) -> str:
        """The machine series, `n1` for the unprefixed custom and shared-core types."""
        return series_of(self.machine_type)

    @property
    def is_running(self) -> bool:
        """Whether it can send traffic now."""
        return self.status == "RUNNING"

    @property
    def is_stopped(self) -> bool:
        """Whether it costs nothing now but its disks and reserved addresses.

        A suspended machine is not: it pays for its memory
        (cloud.google.com/compute/docs/instances/instance-lifecycle).
        """
        return self.status in {"TERMINATED", "STOPPED", "STOPPING"}

    @property
    def primary_network(self) -> SelfLink | None:
        """The network of nic0."""
        return self.interfaces[0].network if self.interfaces else None

    def label(self, key: str) -> str | None:
        """Return the value of a label, or None."""
        return next((value for name, value in self.labels if name == key), None)


class Disk(Value, frozen=True, kw_only=True, gc=False):
    """One Persistent Disk or Hyperdisk volume, as far as a machine type has to take it."""

    ref: ResourceRef
    project: ProjectId
    name: str
    disk_type: str
    """The bare name: `pd-ssd`, `hyperdisk-balanced`, …"""
    users: tuple[SelfLink, ...] = ()
    """The machines that it is attached to."""


class ResourcePolicy(Value, frozen=True, kw_only=True):
    """A policy that machines or disks follow; only placement ties a machine to its series."""

    ref: ResourceRef
    project: ProjectId
    name: str
    is_placement: bool
    is_compact: bool = False
    """A placement policy with `collocation`: the machines stand close together."""


class FlowLogConfig(Value, frozen=True, kw_only=True):
    """`logConfig` of a subnetwork; a ratio is 0 to 1, None when not stated."""

    enabled: bool
    sampling_ratio: float | None = None
    aggregation_interval: str | None = None
    metadata: str | None = None
    filter_expr: str | None = None


class Subnetwork(Value, frozen=True, kw_only=True):
    """One subnetwork and its ranges."""

    ref: ResourceRef
    project: ProjectId
    region: Region
    name: str
    network: SelfLink
    ipv4_range: str | None = None
    secondary_ranges: tuple[str, ...] = ()
    ipv6_range: str | None = None
    purpose: str | None = None
    private_google_access: bool | None = None
    stack_type: str | None = None
    flow_logs: FlowLogConfig | None = None
    """None when the input says nothing of flow logs, which is not the same as off."""


class FlowLogsConfiguration(Value, frozen=True, kw_only=True):
    """A configuration of flow logs of the Network Management API, apart from subnetworks' own.

    Each one that covers a flow writes records of its own. Where none of the targets is set it
    covers an organisation.
    """

    ref: ResourceRef
    project: ProjectId
    """Empty for one of an organisation."""
    name: str
    logs: FlowLogConfig
    network: SelfLink | None = None
    subnetwork: SelfLink | None = None
    gateway: SelfLink | None = None
    """A VPN tunnel or VLAN attachment."""

    def covers(self, subnetwork: Subnetwork) -> bool:
        """Return whether machines of a subnetwork are logged by it while it is enabled."""
        if self.gateway is not None:
            return False
        if self.subnetwork is not None:
            return self.subnetwork == subnetwork.ref.self_link
        return self.network is None or self.network == subnetwork.network


class Peering(Value, frozen=True, kw_only=True):
    """One side of a VPC peering."""

    name: str
    network: SelfLink
    is_active: bool


class Network(Value, frozen=True, kw_only=True):
    """One VPC network."""

    ref: ResourceRef
    project: ProjectId
    name: str
    mtu_bytes: int = DEFAULT_MTU_BYTES
    peerings: tuple[Peering, ...] = ()
    routing_mode: str | None = None
    is_auto_mode: bool | None = None
    """Whether Google makes its subnetworks, all within 10.128.0.0/9; None: not stated."""
    legacy_ipv4_range: str | None = None
    """Of a legacy network, which has no subnetworks and cannot be peered; None: a VPC network."""


class Address(Value, frozen=True, kw_only=True):
    """A reserved (static) address or range."""

    ref: ResourceRef
    project: ProjectId
    name: str
    address: str
    is_external: bool
    region: Region | None = None
    """None for a global address."""
    status: str | None = None
    """`IN_USE`, `RESERVED`, `RESERVING`, or None."""
    users: tuple[SelfLink, ...] = ()
    network_tier: str | None = None
    purpose: str | None = None
    prefix_length: int | None = None
    network: SelfLink | None = None
    """Of an internal range that is reserved in one network."""
    created: datetime | None = None
    labels: tuple[tuple[str, str], ...] = ()


class ForwardingRule(Value, frozen=True, kw_only=True):
    """A load balancer's front: an address and where it leads."""

    ref: ResourceRef
    project: ProjectId
    name: str
    ip_address: str | None
    scheme: str | None
    """`EXTERNAL`, `EXTERNAL_MANAGED`, `INTERNAL`, …; None for Private Service Connect."""
    region: Region | None = None
    network: SelfLink | None = None
    subnetwork: SelfLink | None = None
    target: SelfLink | None = None
    backend_service: SelfLink | None = None
    network_tier: str | None = None
    port_range: str | None = None
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def is_external(self) -> bool:
        """Whether its address is reachable from the internet."""
        return self.scheme is not None and self.scheme.startswith("EXTERNAL")

    @property
    def is_external_passthrough(self) -> bool:
        """Whether packets from outside reach its back ends as they are, and are answered directly.

        Proxies of the scheme `EXTERNAL` have a target that names a proxy; behind a passthrough
        load balancer stand a backend service, a target pool or (protocol forwarding) an instance
        (docs.cloud.google.com/load-balancing/docs/forwarding-rule-concepts).
        """
        if self.scheme != "EXTERNAL":
            return False
        target = self.target or ""
        return not target if self.backend_service else any(p in target for p in _PASSTHROUGH)


_PASSTHROUGH = ("/targetPools/", "/targetInstances/")


class NatGateway(Value, frozen=True, kw_only=True):
    """One NAT configuration of a router; `addresses` are links or literal addresses."""

    name: str
    router: SelfLink
    network: SelfLink
    region: Region
    is_auto_allocated: bool | None = None
    addresses: tuple[str, ...] = ()
    source_ranges: str | None = None
    subnetworks: tuple[SelfLink, ...] = ()


class Router(Value, frozen=True, kw_only=True):
    """One Cloud Router."""

    ref: ResourceRef
    project: ProjectId
    name: str
    region: Region
    network: SelfLink
    nats: tuple[NatGateway, ...] = ()


class Route(Value, frozen=True, kw_only=True):
    """One route.

    `next_hop` is `gateway`, `instance`, `ip`, `vpn`, `ilb`, `peering`, `network`, `hub`,
    `interconnect` or `unknown`.
    """

    ref: ResourceRef
    project: ProjectId
    name: str
    network: SelfLink
    dest_range: str
    next_hop: str
    next_hop_target: str | None = None
    priority: int | None = None
    tags: tuple[str, ...] = ()


class VpnTunnel(Value, frozen=True, kw_only=True):
    """One Cloud VPN tunnel."""

    ref: ResourceRef
    project: ProjectId
    name: str
    region: Region | None
    peer_ip: str | None = None
    peer_gateway: SelfLink | None = None
    vpn_gateway: SelfLink | None = None
    router: SelfLink | None = None
    status: str | None = None


class InstanceGroup(Value, frozen=True, kw_only=True):
    """An instance group or its manager; `is_regional` groups spread over zones on purpose."""

    ref: ResourceRef
    project: ProjectId
    name: str
    is_managed: bool
    is_regional: bool
    location: str
    size: int | None = None
    members: tuple[SelfLink, ...] = ()
    template: SelfLink | None = None
    instance_group: SelfLink | None = None
    base_instance_name: str | None = None


class Commitment(Value, frozen=True, kw_only=True):
    """A committed-use discount that has been bought."""

    ref: ResourceRef
    project: ProjectId
    name: str
    region: Region
    plan: str | None = None
    """`TWELVE_MONTH` or `THIRTY_SIX_MONTH`."""
    category: str | None = None
    commitment_type: str | None = None
    status: str | None = None
    vcpu_count: int | None = None
    memory_mib: int | None = None
    ends: datetime | None = None
    others: tuple[str, ...] = ()
    """What else it commits to, sorted: `ACCELERATOR`, `LOCAL_SSD`."""
    is_renewed: bool | None = None
    """Whether it renews itself at its end; None when not stated."""


class MachineShape(Value, frozen=True, kw_only=True):
    """What a machine type has; `memory_gib` is exact in 1/1024 steps."""

    machine_type: str
    vcpus: int
    memory_gib: float
    is_shared_core: bool = False
    architecture: str | None = None
    gpu_count: int = 0
    bundled_local_ssd_gib: int = 0
    is_bare_metal: bool = False
    deprecation: str | None = None


class Unread(Value, frozen=True, kw_only=True):
    """Something in the input that was not understood, and why."""

    source: str
    reason: str
    resource: str | None = None
    field: str | None = None
    is_needless: bool = False
    """Nothing is missing without it: another kind of file or resource than the audit needs."""


class ProjectCoverage(Value, frozen=True, kw_only=True):
    """What was read of one project; an error stands beside what was read all the same."""

    project: ProjectId
    counts: tuple[tuple[str, int], ...] = ()
    """Resource kind and how many, sorted by kind."""
    errors: tuple[str, ...] = ()


class Inventory(Value, frozen=True, kw_only=True, dict=True):
    """All resources that were read, each tuple sorted by self link, and what was not read.

    The indexes are computed once, on first use, and hold no more than the tuples do.
    """

    instances: tuple[Instance, ...] = ()
    subnetworks: tuple[Subnetwork, ...] = ()
    networks: tuple[Network, ...] = ()
    addresses: tuple[Address, ...] = ()
    forwarding_rules: tuple[ForwardingRule, ...] = ()
    routers: tuple[Router, ...] = ()
    routes: tuple[Route, ...] = ()
    vpn_tunnels: tuple[VpnTunnel, ...] = ()
    instance_groups: tuple[InstanceGroup, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    disks: tuple[Disk, ...] = ()
    resource_policies: tuple[ResourcePolicy, ...] = ()
    flow_log_configurations: tuple[FlowLogsConfiguration, ...] = ()
    machine_shapes: tuple[MachineShape, ...] = ()
    unread: tuple[Unread, ...] = ()
    projects: tuple[ProjectCoverage, ...] = ()

    @cached_property
    def instance_by_link(self) -> dict[SelfLink, Instance]:
        """Every instance by its self link."""
        return {instance.ref.self_link: instance for instance in self.instances}

    @cached_property
    def subnetwork_by_link(self) -> dict[SelfLink, Subnetwork]:
        """Every subnetwork by its self link."""
        return {subnetwork.ref.self_link: subnetwork for subnetwork in self.subnetworks}

    @cached_property
    def network_by_link(self) -> dict[SelfLink, Network]:
        """Every network by its self link."""
        return {network.ref.self_link: network for network in self.networks}

    @cached_property
    def address_by_ip(self) -> dict[str, Address]:
        """Every reserved external address by its literal; the first by self link wins."""
        return {a.address: a for a in reversed(self.addresses) if a.is_external and a.address}

    @cached_property
    def forwarding_rule_by_link(self) -> dict[SelfLink, ForwardingRule]:
        """Every forwarding rule by its self link."""
        return {rule.ref.self_link: rule for rule in self.forwarding_rules}

    @cached_property
    def forwarding_rules_by_ip(self) -> dict[str, tuple[ForwardingRule, ...]]:
        """The forwarding rules of each address literal; networks may have the same internal one."""
        found: dict[str, list[ForwardingRule]] = {}
        for rule in self.forwarding_rules:
            if rule.ip_address:
                found.setdefault(rule.ip_address, []).append(rule)
        return {address: tuple(rules) for address, rules in found.items()}

    @cached_property
    def front_by_ip(self) -> dict[str, ForwardingRule]:
        """Every external front by its address; the first by self link wins."""
        return {r.ip_address: r for r in reversed(self.forwarding_rules) if _is_front(r)}  # type: ignore[misc]

    @cached_property
    def shape_by_type(self) -> dict[str, MachineShape]:
        """Every machine shape that the input itself stated."""
        return {shape.machine_type: shape for shape in self.machine_shapes}

    @cached_property
    def group_by_member(self) -> dict[SelfLink, InstanceGroup]:
        """The group of an instance: by listed membership, else by the manager in its metadata."""
        found: dict[SelfLink, InstanceGroup] = {}
        by_manager = {g.ref.self_link: g for g in self.instance_groups if g.is_managed}
        for instance in self.instances:
            if instance.created_by and instance.created_by in by_manager:
                found[instance.ref.self_link] = by_manager[instance.created_by]
        for group in self.instance_groups:
            for member in group.members:
                found.setdefault(member, group)
        return found

    @cached_property
    def disk_types_by_user(self) -> dict[SelfLink, frozenset[str]]:
        """The types of the disks that were read for a machine; a machine without is not there."""
        found: dict[SelfLink, set[str]] = {}
        for disk in self.disks:
            for user in disk.users:
                found.setdefault(user, set()).add(disk.disk_type)
        return {user: frozenset(types) for user, types in found.items()}

    @cached_property
    def policy_by_link(self) -> dict[SelfLink, ResourcePolicy]:
        """Every resource policy by its self link."""
        return {policy.ref.self_link: policy for policy in self.resource_policies}

    def logging_of(self, subnetwork: Subnetwork) -> tuple[FlowLogConfig, ...]:
        """Return every setting and configuration that logs a subnetwork's machines now."""
        own = subnetwork.flow_logs
        return (
            *((own,) if own is not None and own.enabled else ()),
            *(
                c.logs
                for c in self.flow_log_configurations
                if c.logs.enabled and c.covers(subnetwork)
            ),
        )

    def peered_networks(self) -> Iterator[tuple[Network, Network]]:
        """Yield each actively peered pair once, ordered by link; peers not read are left out."""
        for network in self.networks:
            for peering in network.peerings:
                peer = self.network_by_link.get(peering.network)
                if (
                    peering.is_active
                    and peer is not None
                    and network.ref.self_link < peer.ref.self_link
                ):
                    yield network, peer

    @cached_property
    def _ranges_by_network(self) -> dict[SelfLink, list[tuple[int, int, str]]]:
        """IPv4 ranges of each network's subnetworks: first and last address, and the text."""
        found: dict[SelfLink, list[tuple[int, int, str]]] = {}
        for subnetwork in self.subnetworks:
            for text in (subnetwork.ipv4_range, *subnetwork.secondary_ranges):
                if text:
                    whole = ip_network(text, strict=False)
                    bounds = int(whole.network_address), int(whole.broadcast_address), text
                    found.setdefault(subnetwork.network, []).append(bounds)
        return {network: sorted(ranges) for network, ranges in found.items()}

    @cached_property
    def _overlaps(self) -> dict[tuple[SelfLink, SelfLink], str]:
        return {}

    def overlapping_ranges(self, one: SelfLink, other: SelfLink) -> str:
        """Return the first IPv4 ranges of two networks that overlap, in words, or nothing.

        Asked for each pair of machines, so a pair of networks is compared once, in one sweep.
        """
        key = min(one, other), max(one, other)
        if key not in self._overlaps:
            self._overlaps[key] = self._first_overlap(*key)
        return self._overlaps[key]

    def range_within(self, network: SelfLink, block: str) -> str:
        """Return the first IPv4 range of a network that overlaps a block, or nothing."""
        whole = ip_network(block)
        first, last = int(whole.network_address), int(whole.broadcast_address)
        key = network, SelfLink(block)
        if key not in self._overlaps:
            found = (
                text
                for low, high, text in self._ranges_by_network.get(network, ())
                if low <= last and first <= high
            )
            self._overlaps[key] = next(found, "")
        return self._overlaps[key]

    def _first_overlap(self, one: SelfLink, other: SelfLink) -> str:
        left = iter(self._ranges_by_network.get(one, ()))
        right = iter(self._ranges_by_network.get(other, ()))
        a, b = next(left, None), next(right, None)
        while a is not None and b is not None:
            # Whatever ends before the other begins cannot reach what comes behind that either.
            if a[1] < b[0]:
                a = next(left, None)
            elif b[1] < a[0]:
                b = next(right, None)
            else:
                return f"{a[2]} and {b[2]}"
        return ""

    @cached_property
    def _peer_pairs(self) -> frozenset[frozenset[SelfLink]]:
        return frozenset(
            frozenset((network.ref.self_link, peering.network))
            for network in self.networks
            for peering in network.peerings
            if peering.is_active
        )

    def are_connected(self, one: SelfLink, other: SelfLink) -> bool:
        """Return whether two networks route to each other: the same one, or actively peered."""
        return one == other or frozenset((one, other)) in self._peer_pairs

    def reachable_interface(self, src: Instance, dst: Instance) -> NetworkInterface | None:
        """Return the NIC of `dst` that `src` reaches by an internal address, or None.

        Same network first, then peered ones; a NIC without an internal address does not count.
        """
        sending = [nic.network for nic in src.interfaces]
        inside = [nic for nic in dst.interfaces if nic.internal_ipv4 or nic.internal_ipv6]
        for nic in inside:
            if nic.network in sending:
                return nic
        for nic in inside:
            if any(self.are_connected(network, nic.network) for network in sending):
                return nic
        return None

    def is_static(self, external_ipv4: str) -> bool:
        """Return whether an external address is reserved, so that it outlives a VM's restart."""
        return external_ipv4 in self.address_by_ip


def _is_front(rule: ForwardingRule) -> bool:
    return rule.is_external and bool(rule.ip_address)


def series_of(machine_type: str) -> str:
    """Return the machine series of a type name.

    >>> series_of("n2d-standard-8"), series_of("custom-4-8192"), series_of("f1-micro")
    ('n2d', 'n1', 'n1')
    """
    head = machine_type.partition("-")[0]
    return "n1" if head in {"custom", "f1", "g1"} else head


def why_no_shape(machine_type: str) -> str:
    """Return what to know of the name of a custom type that does not exist, with a space before.

    >>> why_no_shape("n2-custom-3-8192")
    ' (custom types have 1 vCPU or an even number of them)'
    >>> why_no_shape("n2-standard-3"), why_no_shape("n2-custom-4-8192")
    ('', '')
    """
    if "custom" not in machine_type.split("-") or shape_of_custom(machine_type) is not None:
        return ""
    return " (custom types have 1 vCPU or an even number of them)"


def shape_of_custom(machine_type: str) -> MachineShape | None:
    """Return the shape that a custom type's name spells out, or None for any other name.

    A custom type has 1 vCPU or an even number of them; others do not exist.
    Source: docs.cloud.google.com/compute/docs/instances/creating-instance-with-custom-machine-type.
    Shared-core E2 custom types (`e2-custom-micro-2048`) bill a fraction of 2 vCPUs; their name
    gives no count, so they answer with the guest's 2.

    >>> shape_of_custom("n2-custom-8-16384").memory_gib
    16.0
    >>> shape_of_custom("custom-1-1024").vcpus
    1
    >>> shape_of_custom("n2-standard-8") is None
    True
    """
    parts = machine_type.removesuffix("-ext").split("-")
    if "custom" not in parts:
        return None
    size = parts[parts.index("custom") + 1 :]
    if len(size) != 2 or not size[1].isdigit():
        return None
    shared = size[0] in {"micro", "small", "medium"}
    if not shared and not size[0].isdigit():
        return None
    vcpus, memory_mib = 2 if shared else int(size[0]), int(size[1])
    if vcpus % 2 and vcpus != 1:
        return None
    return MachineShape(
        machine_type=machine_type,
        vcpus=vcpus,
        memory_gib=memory_mib / 1024,
        is_shared_core=shared,
    )
