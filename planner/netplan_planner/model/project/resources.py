"""The resources of a project: machines, networks, addresses and gateways, as read.

A field that the input did not state is `None`; a default is filled in only where Google documents
one (a network without `mtu` has 1460).
"""

from datetime import datetime
from enum import StrEnum

from netplan_planner.model.base import (
    ProjectId,
    Region,
    Resource,
    ResourceRef,
    SelfLink,
    Value,
    Zone,
    region_of,
)
from netplan_planner.model.project.networks import STOCK, SetUp

# What the name of a machine type says, and what a type has


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


# The resources of a project: machines, networks, addresses and gateways, as read


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
    has_preserved_ssd: bool = False
    """It does not run, and the data of its Local SSDs is kept for it, which is charged."""
    gpu_count: int = 0
    """GPUs attached to it; those that its type brings are in the shape of the type."""
    gpu_type: str | None = None
    """Of the attached GPUs, such as `nvidia-tesla-t4`; None: none, or of several types."""
    reservation: str | None = None
    """The specific reservation that it uses, by name; None: it is not bound to one."""
    created_by: SelfLink | None = None
    """The instance group manager that made it, where metadata says so."""
    template: SelfLink | None = None
    """The instance template that it was made from, where metadata says so."""
    resource_policies: tuple[SelfLink, ...] = ()
    can_ip_forward: bool = False
    is_sole_tenant: bool = False
    """It asks for nodes of its own, whose node type decides which machine types fit."""
    node_groups: tuple[str, ...] | None = ()
    """The groups of sole-tenant nodes that it asks for; None: it says only which ones it avoids."""
    has_known_nodes: bool = False
    """A group of sole-tenant nodes was read that it may stand on: that is paid, and not it."""
    has_nested_virtualization: bool = False
    tags: tuple[str, ...] = ()
    unknown_parts: tuple[Part, ...] = ()
    """What is known after a plan is applied only, sorted; its fields say that there is none."""
    is_access_unknown: bool = False
    """An interface that could not be read has external IPv4 addresses, or may have some."""
    set_up: SetUp = STOCK  # As declared: no API tells it.

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
    def is_suspended(self) -> bool:
        """Whether it pays for its memory alone, beside its disks and reserved addresses."""
        return self.status in {"SUSPENDED", "SUSPENDING"}

    @property
    def is_off(self) -> bool:
        """Whether it is stopped or suspended: it has no vCPUs and sends nothing."""
        return self.is_stopped or self.is_suspended

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
    source_image: SelfLink | None = None
    """The image that it was made from."""


class ResourcePolicy(Resource, frozen=True, kw_only=True):
    """A policy that machines or disks follow; only placement ties a machine to its series."""

    is_placement: bool
    is_compact: bool = False
    """A placement policy with `collocation`: the machines stand close together."""


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


class InstanceGroup(Resource, frozen=True, kw_only=True):
    """An instance group or its manager; `is_regional` groups spread over zones on purpose."""

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
    is_stateful: bool = False
    """It keeps disks or addresses of each of its machines, by a policy or for one of them."""


class NodeTemplate(Resource, frozen=True, kw_only=True):
    """What the sole-tenant nodes of groups are made from."""

    region: Region
    node_type: str | None = None
    """Such as `n1-node-96-624`; None: it asks for sizes, and Google picks the type."""
    has_overcommit: bool = False
    """Its nodes may hold more vCPUs than they have, which has a premium of its own."""
    others: tuple[str, ...] = ()
    """What else its nodes have: `ACCELERATOR`, `LOCAL_SSD`."""


class NodeGroup(Resource, frozen=True, kw_only=True):
    """A group of sole-tenant nodes, which are paid for whatever runs on them."""

    zone: Zone
    template: SelfLink | None = None
    size: int | None = None
    """How many nodes there are; None: not stated."""
    is_autoscaled: bool = False


class Commitment(Resource, frozen=True, kw_only=True):
    """A committed-use discount that has been bought."""

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
