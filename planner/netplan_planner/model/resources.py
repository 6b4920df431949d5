"""The resources of a project: machines, networks, addresses and gateways, as read.

A field that the input did not state is `None`; a default is filled in only where Google documents
one (a network without `mtu` has 1460).
"""

from datetime import datetime
from enum import StrEnum

from netplan_planner.model.base import (
    ProjectId,
    Region,
    ResourceRef,
    SelfLink,
    Value,
    Zone,
    region_of,
)
from netplan_planner.model.machine_types import series_of

DEFAULT_MTU_BYTES = 1460
"""MTU of a VPC network that states none (cloud.google.com/vpc/docs/mtu, read 2026-04-02)."""


UNKNOWN_PROJECT = "(unknown)"
"""For a project that is known after apply; no project can have such a name."""
UNKNOWN_STATUS = "UNKNOWN"
"""For a machine whose input states no status (a planned one); the API has no such value."""


class BandwidthTier(StrEnum):
    """`networkPerformanceConfig.totalEgressBandwidthTier`; absent means `DEFAULT`."""

    DEFAULT = "DEFAULT"
    TIER_1 = "TIER_1"


class Part(StrEnum):
    """A part of a machine that a plan may leave open until it is applied."""

    CPU_FEATURES = "nested virtualization"
    GPUS = "GPUs"
    LOCAL_SSDS = "Local SSDs"
    RESERVATION = "reservation"
    SCHEDULING = "Spot and sole tenancy"
    TIER = "network bandwidth tier"


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
    is_access_unknown: bool = False
    """Whether it gets external IPv4 addresses is known after a plan is applied only."""

    @property
    def may_be_external(self) -> bool:
        """Whether it has an external IPv4 address, gets one while its machine runs, or may."""
        return (
            self.external_ipv4 is not None
            or self.access_config_name is not None
            or self.is_access_unknown
        )


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
    unknown_parts: tuple[Part, ...] = ()
    """What is known after a plan is applied only, sorted; its fields say that there is none."""
    is_access_unknown: bool = False
    """An interface that could not be read has external IPv4 addresses, or may have some."""

    @property
    def has_unknown_access(self) -> bool:
        """Whether it may have more external IPv4 addresses than its interfaces say."""
        return self.is_access_unknown or any(nic.is_access_unknown for nic in self.interfaces)

    @property
    def why_unknown(self) -> str:
        """Which of its parts are not known, in words; empty where all are."""
        return f"known after apply: {', '.join(self.unknown_parts)}" if self.unknown_parts else ""

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
    def is_to_run(self) -> bool:
        """Whether it runs, or will once it is made, so that its hours are paid for.

        A machine of a plan has no status yet; Google starts it when it is made
        (docs.cloud.google.com/compute/docs/instances/instance-lifecycle).
        """
        return self.is_running or self.status == UNKNOWN_STATUS

    @property
    def awaited_address_count(self) -> int:
        """How many external IPv4 addresses it gets that are not known yet: of a planned machine.

        An interface with an access config has an address while its machine runs
        (docs.cloud.google.com/compute/docs/ip-addresses, read 2026-11-23).
        """
        if self.status != UNKNOWN_STATUS:
            return 0
        return sum(
            nic.access_config_name is not None and nic.external_ipv4 is None
            for nic in self.interfaces
        )

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
    disk_type: str | None
    """The bare name: `pd-ssd`, `hyperdisk-balanced`, …; None: known after a plan is applied."""
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
    mtu_bytes: int | None = DEFAULT_MTU_BYTES
    """None: it is not made yet, and Google says when it makes it."""
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
    """All that it holds and that are paid: of its pool, of its rules, and those it drains."""
    outside_pool: tuple[str, ...] = ()
    """Those of them that are of its rules, or drained."""
    source_ranges: str | None = None
    subnetworks: tuple[SelfLink, ...] = ()
    min_ports_per_vm: int | None = None
    """None: not stated, so the default of its way of allocation holds."""
    max_ports_per_vm: int | None = None
    """Of dynamic allocation alone."""
    is_dynamic: bool | None = None
    """Whether machines get more ports as they need them; None: not stated."""
    is_endpoint_independent: bool | None = None
    """Whether a machine's address and port keep theirs to every destination; None: not stated."""
    is_private: bool = False
    """Private NAT, between networks: nothing reaches the internet through it."""


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


class VlanAttachment(Value, frozen=True, kw_only=True):
    """One VLAN attachment of Cloud Interconnect."""

    ref: ResourceRef
    project: ProjectId
    name: str
    region: Region | None
    kind: str | None = None
    """`DEDICATED`, `PARTNER`, `PARTNER_PROVIDER`, …: who sets its capacity."""
    bandwidth: str | None = None
    """Its capacity as the API spells it: `BPS_10G`; None where the input states none."""
    router: SelfLink | None = None
    is_enabled: bool | None = None
    """False: it carries no packets; None: not stated."""
    mtu_bytes: int | None = None


class TypeRecommendation(Value, frozen=True, kw_only=True):
    """What Google's Recommender advises for a machine by its CPU and memory use."""

    ref: ResourceRef
    project: ProjectId
    instance: SelfLink
    machine_type: str
    """The advised one."""
    etag: str | None = None
    """Of the recommendation as it was read."""
    state: str | None = None
    """`ACTIVE`, `CLAIMED`, `SUCCEEDED`, `FAILED` or `DISMISSED`."""


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
    is_autoscaled: bool = False
    min_size: int | None = None
    """How many machines its autoscaler keeps at least; None: not stated."""
    max_size: int | None = None


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
