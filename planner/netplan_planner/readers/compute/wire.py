"""The fields of the Compute API that netplan reads, as they stand in its JSON.

Unknown fields are skipped, so a newer API does no harm. Every field is optional here: what a
resource cannot do without is decided where it becomes a value of the model. Counts are bounded: an
absurd one is a field that could not be read. Field names are Google's; this package alone has them.
`network_wire` has those of networks.
"""

from datetime import datetime
from typing import Annotated, Any, TypeAlias

import msgspec

LARGEST_COUNT = 2**53
"""No count of the API comes near; a greater number is a damaged input (2^53 is exact in JSON)."""

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_COUNT)]
Ratio: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
LongNumber: TypeAlias = str | int
"""int64 is a string in the API's JSON; old recordings hold numbers."""


class Wire(msgspec.Struct, rename="camel", gc=False):
    """A part of an API answer. Not tracked by the garbage collector: JSON has no cycles."""


class WireResource(Wire):
    """What every resource states."""

    name: str | None = None
    self_link: str | None = None


class WireAccessConfig(Wire):
    """`AccessConfig`: an external address of a NIC."""

    name: str | None = None
    nat_ip: str | None = msgspec.field(name="natIP", default=None)
    network_tier: str | None = None
    external_ipv6: str | None = None
    external_ipv6_prefix_length: Count | None = None


class WireAliasRange(Wire):
    """`AliasIpRange`."""

    ip_cidr_range: str | None = None


class WireNic(Wire):
    """`NetworkInterface`, in the API's order."""

    network: str | None = None
    subnetwork: str | None = None
    network_ip: str | None = msgspec.field(name="networkIP", default=None)
    name: str | None = None
    access_configs: list[WireAccessConfig] = []
    alias_ip_ranges: list[WireAliasRange] = []
    stack_type: str | None = None
    nic_type: str | None = None
    queue_count: Count | None = None
    ipv6_access_configs: list[WireAccessConfig] = []
    ipv6_address: str | None = None


class WireFeature(Wire):
    """`GuestOsFeature`."""

    type: str | None = None


NO_LIST = msgspec.Raw(b"[]")
NOTHING = msgspec.Raw(b"null")


class WireDisk(Wire):
    """`AttachedDisk`. Its lists are the same for thousands of disks: they are decoded once."""

    type: str | None = None
    licenses: msgspec.Raw = NO_LIST
    guest_os_features: msgspec.Raw = NO_LIST
    saved_state: str | None = None


class WireScheduling(Wire):
    """`Scheduling`."""

    preemptible: bool | None = None
    provisioning_model: str | None = None
    node_affinities: list[msgspec.Raw] = []
    """Of sole-tenant nodes."""


class WireReservationAffinity(Wire):
    """`ReservationAffinity`."""

    consume_reservation_type: str | None = None
    values: list[str] = []


class WireMachineFeatures(Wire):
    """`AdvancedMachineFeatures`."""

    enable_nested_virtualization: bool | None = None


class WirePerformance(Wire):
    """`NetworkPerformanceConfig`."""

    total_egress_bandwidth_tier: str | None = None


class WireAccelerator(Wire):
    """`AcceleratorConfig` of an instance, or of a machine type under its other name."""

    accelerator_type: str | None = None
    accelerator_count: Count | None = None
    guest_accelerator_count: Count | None = None


class WireMetadataItem(Wire):
    """One metadata entry."""

    key: str | None = None
    value: str | None = None


class WireMetadata(Wire):
    """`Metadata`."""

    items: list[WireMetadataItem] = []


class WireTags(Wire):
    """`Tags`."""

    items: list[str] = []


class WireInstance(Wire):
    """`Instance`. Labels and tags are the same for whole groups: they are decoded once.

    In the order in which the API writes them, which saves looking fields up.
    """

    id: LongNumber | None = None
    creation_timestamp: datetime | None = None
    name: str | None = None
    tags: msgspec.Raw = NOTHING
    machine_type: str | None = None
    status: str | None = None
    zone: str | None = None
    can_ip_forward: bool = False
    network_interfaces: list[WireNic] = []
    disks: list[WireDisk] = []
    metadata: msgspec.Raw = NOTHING
    """Searched for one entry: a GKE node's is ten times the rest of the machine."""
    self_link: str | None = None
    scheduling: WireScheduling | None = None
    cpu_platform: str | None = None
    min_cpu_platform: str | None = None
    labels: msgspec.Raw = NOTHING
    guest_accelerators: list[WireAccelerator] = []
    reservation_affinity: WireReservationAffinity | None = None
    resource_policies: list[str] = []
    last_start_timestamp: datetime | None = None
    network_performance_config: WirePerformance | None = None
    advanced_machine_features: WireMachineFeatures | None = None


class WireVolume(WireResource):
    """`Disk`."""

    zone: str | None = None
    region: str | None = None
    type: str | None = None
    users: list[str] = []
    source_image: str | None = None


class WireGroupPlacement(Wire):
    """`ResourcePolicyGroupPlacementPolicy`."""

    collocation: str | None = None


class WireResourcePolicy(WireResource):
    """`ResourcePolicy`."""

    region: str | None = None
    group_placement_policy: WireGroupPlacement | None = None


class WireLocalSsds(Wire):
    """`BundledLocalSsds`."""

    partition_count: Count | None = None


class WireDeprecation(Wire):
    """`DeprecationStatus`."""

    state: str | None = None


class WireMachineType(WireResource):
    """`MachineType`."""

    guest_cpus: Count | None = None
    memory_mb: Count | None = None
    is_shared_cpu: bool = False
    architecture: str | None = None
    accelerators: list[WireAccelerator] = []
    bundled_local_ssds: WireLocalSsds | None = None
    deprecated: WireDeprecation | None = None


class WireInstanceGroup(WireResource):
    """`InstanceGroup`, zonal or regional."""

    zone: str | None = None
    region: str | None = None
    size: Count | None = None


class WireVersion(Wire):
    """`InstanceGroupManagerVersion`."""

    instance_template: str | None = None


class WireStatefulPolicy(Wire):
    """`StatefulPolicy`; may be there and empty."""

    preserved_state: dict[str, Any] | None = None


class WireStateful(Wire):
    """`InstanceGroupManagerStatusStateful`."""

    has_stateful_config: bool | None = None


class WireManagerStatus(Wire):
    """`InstanceGroupManagerStatus`."""

    autoscaler: str | None = None
    stateful: WireStateful | None = None


class WireManager(WireResource):
    """`InstanceGroupManager`, zonal or regional."""

    zone: str | None = None
    region: str | None = None
    target_size: Count | None = None
    instance_template: str | None = None
    versions: list[WireVersion] = []
    instance_group: str | None = None
    base_instance_name: str | None = None
    stateful_policy: WireStatefulPolicy | None = None
    status: WireManagerStatus | None = None


class WireCommitted(Wire):
    """`ResourceCommitment`; memory in MB."""

    type: str | None = None
    amount: LongNumber | None = None


class WireCommitment(WireResource):
    """`Commitment`."""

    region: str | None = None
    plan: str | None = None
    category: str | None = None
    type: str | None = None
    status: str | None = None
    resources: list[WireCommitted] = []
    end_timestamp: datetime | None = None
    auto_renew: bool | None = None


class WireWarning(Wire):
    """A warning beside or instead of results."""

    code: str | None = None
    message: str | None = None


class WireRecommendationState(Wire):
    """`stateInfo` of a recommendation."""

    state: str | None = None


class WireRecommendation(Wire):
    """`Recommendation` of a machine type, with the machine and type that its operations name."""

    self_link: str | None = None
    instance: str | None = None
    machine_type: str | None = None
    etag: str | None = None
    state_info: WireRecommendationState | None = None
