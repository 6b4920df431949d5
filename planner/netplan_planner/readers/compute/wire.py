"""The fields of the Compute API that netplan reads, as they stand in its JSON.

Unknown fields are skipped, so a newer API does no harm. Every field is optional here: what a
resource cannot do without is decided where it becomes a value of the model. Counts are bounded: an
absurd one is a field that could not be read. Field names are Google's; this package alone has them.
"""

from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec

LARGEST_COUNT = 2**53
"""No count of the API comes near; a greater number is a damaged input (2^53 is exact in JSON)."""

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_COUNT)]
Ratio: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
LongNumber: TypeAlias = str | int
"""int64 is a string in the API's JSON; old recordings hold numbers."""


class Wire(msgspec.Struct, rename="camel", gc=False):
    """A part of an API answer. Not tracked by the garbage collector: JSON has no cycles."""


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


class WireVolume(Wire):
    """`Disk`."""

    name: str | None = None
    self_link: str | None = None
    zone: str | None = None
    region: str | None = None
    type: str | None = None
    users: list[str] = []


class WireGroupPlacement(Wire):
    """`ResourcePolicyGroupPlacementPolicy`."""

    collocation: str | None = None


class WireResourcePolicy(Wire):
    """`ResourcePolicy`."""

    name: str | None = None
    self_link: str | None = None
    region: str | None = None
    group_placement_policy: WireGroupPlacement | None = None


class WireLocalSsds(Wire):
    """`BundledLocalSsds`."""

    partition_count: Count | None = None


class WireDeprecation(Wire):
    """`DeprecationStatus`."""

    state: str | None = None


class WireMachineType(Wire):
    """`MachineType`."""

    name: str | None = None
    self_link: str | None = None
    guest_cpus: Count | None = None
    memory_mb: Count | None = None
    is_shared_cpu: bool = False
    architecture: str | None = None
    accelerators: list[WireAccelerator] = []
    bundled_local_ssds: WireLocalSsds | None = None
    deprecated: WireDeprecation | None = None


class WirePeering(Wire):
    """`NetworkPeering`."""

    name: str | None = None
    network: str | None = None
    state: str | None = None


class WireRouting(Wire):
    """`NetworkRoutingConfig`."""

    routing_mode: str | None = None


class WireNetwork(Wire):
    """`Network`."""

    name: str | None = None
    self_link: str | None = None
    mtu: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_COUNT)] | None = None
    peerings: list[WirePeering] = []
    routing_config: WireRouting | None = None
    auto_create_subnetworks: bool | None = None
    legacy_range: str | None = msgspec.field(default=None, name="IPv4Range")


class WireLogConfig(Wire):
    """`SubnetworkLogConfig`."""

    enable: bool | None = None
    flow_sampling: Ratio | None = None
    aggregation_interval: str | None = None
    metadata: str | None = None
    filter_expr: str | None = None


class WireSubnetwork(Wire):
    """`Subnetwork`."""

    name: str | None = None
    self_link: str | None = None
    region: str | None = None
    network: str | None = None
    ip_cidr_range: str | None = None
    secondary_ip_ranges: list[WireAliasRange] = []
    external_ipv6_prefix: str | None = None
    internal_ipv6_prefix: str | None = None
    purpose: str | None = None
    private_ip_google_access: bool | None = None
    stack_type: str | None = None
    log_config: WireLogConfig | None = None
    enable_flow_logs: bool | None = None


class WireAddress(Wire):
    """`Address`, regional or global."""

    name: str | None = None
    self_link: str | None = None
    address: str | None = None
    address_type: str | None = None
    region: str | None = None
    status: str | None = None
    users: list[str] = []
    network_tier: str | None = None
    purpose: str | None = None
    prefix_length: Count | None = None
    network: str | None = None
    creation_timestamp: datetime | None = None
    labels: dict[str, str] = {}


class WireForwardingRule(Wire):
    """`ForwardingRule`, regional or global."""

    name: str | None = None
    self_link: str | None = None
    ip_address: str | None = msgspec.field(name="IPAddress", default=None)
    load_balancing_scheme: str | None = None
    region: str | None = None
    network: str | None = None
    subnetwork: str | None = None
    target: str | None = None
    backend_service: str | None = None
    network_tier: str | None = None
    port_range: str | None = None
    ports: list[str] = []
    all_ports: bool | None = None
    labels: dict[str, str] = {}


class WireNatSubnetwork(Wire):
    """`RouterNatSubnetworkToNat`; its `name` is a link."""

    name: str | None = None


class WireNatAction(Wire):
    """`RouterNatRuleAction`."""

    source_nat_active_ips: list[str] = []
    source_nat_drain_ips: list[str] = []


class WireNatRule(Wire):
    """`RouterNatRule`."""

    action: WireNatAction | None = None


class WireNat(Wire):
    """`RouterNat`."""

    name: str | None = None
    nat_ip_allocate_option: str | None = None
    nat_ips: list[str] = []
    drain_nat_ips: list[str] = []
    rules: list[WireNatRule] = []
    type: str | None = None
    source_subnetwork_ip_ranges_to_nat: str | None = None
    subnetworks: list[WireNatSubnetwork] = []
    min_ports_per_vm: Count | None = None
    max_ports_per_vm: Count | None = None
    enable_dynamic_port_allocation: bool | None = None
    enable_endpoint_independent_mapping: bool | None = None


class WireRouter(Wire):
    """`Router`."""

    name: str | None = None
    self_link: str | None = None
    region: str | None = None
    network: str | None = None
    nats: list[WireNat] = []


class WireRoute(Wire):
    """`Route`."""

    name: str | None = None
    self_link: str | None = None
    network: str | None = None
    dest_range: str | None = None
    priority: Count | None = None
    tags: list[str] = []
    next_hop_gateway: str | None = None
    next_hop_instance: str | None = None
    next_hop_ip: str | None = None
    next_hop_vpn_tunnel: str | None = None
    next_hop_ilb: str | None = None
    next_hop_peering: str | None = None
    next_hop_network: str | None = None
    next_hop_hub: str | None = None
    next_hop_interconnect_attachment: str | None = None


class WireVpnTunnel(Wire):
    """`VpnTunnel`, classic or HA."""

    name: str | None = None
    self_link: str | None = None
    region: str | None = None
    peer_ip: str | None = None
    peer_external_gateway: str | None = None
    peer_gcp_gateway: str | None = None
    vpn_gateway: str | None = None
    target_vpn_gateway: str | None = None
    router: str | None = None
    status: str | None = None


class WireAttachment(Wire):
    """`InterconnectAttachment`."""

    name: str | None = None
    self_link: str | None = None
    region: str | None = None
    type: str | None = None
    bandwidth: str | None = None
    router: str | None = None
    admin_enabled: bool | None = None
    mtu: Count | None = None


class WireInstanceGroup(Wire):
    """`InstanceGroup`, zonal or regional."""

    name: str | None = None
    self_link: str | None = None
    zone: str | None = None
    region: str | None = None
    size: Count | None = None


class WireVersion(Wire):
    """`InstanceGroupManagerVersion`."""

    instance_template: str | None = None


class WireManagerStatus(Wire):
    """`InstanceGroupManagerStatus`."""

    autoscaler: str | None = None


class WireManager(Wire):
    """`InstanceGroupManager`, zonal or regional."""

    name: str | None = None
    self_link: str | None = None
    zone: str | None = None
    region: str | None = None
    target_size: Count | None = None
    instance_template: str | None = None
    versions: list[WireVersion] = []
    instance_group: str | None = None
    base_instance_name: str | None = None
    status: WireManagerStatus | None = None


class WireCommitted(Wire):
    """`ResourceCommitment`; memory in MB."""

    type: str | None = None
    amount: LongNumber | None = None


class WireCommitment(Wire):
    """`Commitment`."""

    name: str | None = None
    self_link: str | None = None
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


class WireFlowLogsConfiguration(Wire):
    """`VpcFlowLogsConfig` of the Network Management API, whose name is its whole path."""

    self_link: str | None = None
    name: str | None = None
    state: str | None = None
    aggregation_interval: str | None = None
    flow_sampling: Ratio | None = None
    metadata: str | None = None
    filter_expr: str | None = None
    network: str | None = None
    subnet: str | None = None
    interconnect_attachment: str | None = None
    vpn_tunnel: str | None = None
