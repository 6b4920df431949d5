"""The fields of the Kubernetes Engine API that netplan reads, as they stand in its JSON."""

import msgspec

from netplan_planner.readers.wire import LARGEST_COUNT, Count, Wire, WirePerformance


class WireSwitch(Wire):
    """Any message whose `enabled` alone is read."""

    enabled: bool | None = None


class WireClusterNetwork(Wire):
    """`NetworkConfig` of a cluster."""

    network: str | None = None
    subnetwork: str | None = None
    datapath_provider: str | None = None
    enable_intra_node_visibility: bool | None = None
    enable_multi_networking: bool | None = None
    in_transit_encryption_config: str | None = None


class WireIpAllocation(Wire):
    """`IPAllocationPolicy`."""

    use_ip_aliases: bool | None = None
    cluster_ipv4_cidr_block: str | None = None
    services_ipv4_cidr_block: str | None = None
    stack_type: str | None = None


class WireAddons(Wire):
    """`AddonsConfig`."""

    dns_cache_config: WireSwitch | None = None


class WireCluster(Wire):
    """`Cluster`."""

    name: str | None = None
    self_link: str | None = None
    locations: list[str] | None = None
    network: str | None = None
    subnetwork: str | None = None
    status: str | None = None
    current_master_version: str | None = None
    current_node_count: Count | None = None
    autopilot: WireSwitch | None = None
    cluster_ipv4_cidr: str | None = None
    services_ipv4_cidr: str | None = None
    network_config: WireClusterNetwork | None = None
    ip_allocation_policy: WireIpAllocation | None = None
    addons_config: WireAddons | None = None
    network_policy: WireSwitch | None = None


class WireNodeConfig(Wire):
    """`NodeConfig`; its metadata is not read."""

    machine_type: str | None = None
    image_type: str | None = None
    spot: bool | None = None
    preemptible: bool | None = None
    gvnic: WireSwitch | None = None
    fast_socket: WireSwitch | None = None
    labels: dict[str, str] | None = None


class WireAutoscaling(Wire):
    """`NodePoolAutoscaling`."""

    enabled: bool | None = None
    min_node_count: Count | None = None
    max_node_count: Count | None = None
    total_min_node_count: Count | None = None
    total_max_node_count: Count | None = None


class WireConstraint(Wire):
    """`MaxPodsConstraint`."""

    max_pods_text: str | int | None = msgspec.field(name="maxPodsPerNode", default=None)

    @property
    def max_pods_per_node(self) -> int | None:
        """The number, None where it is none."""
        text = str(self.max_pods_text)
        number = int(text) if text.isdecimal() and len(text) < 16 else None
        return number if number is not None and number <= LARGEST_COUNT else None


class WirePlacement(Wire):
    """`PlacementPolicy`."""

    type: str | None = None


class WireAdditionalNetwork(Wire):
    """`AdditionalNodeNetworkConfig`."""

    network: str | None = None


class WirePoolNetwork(Wire):
    """`NodeNetworkConfig`."""

    pod_ipv4_cidr_block: str | None = None
    network_performance_config: WirePerformance | None = None
    additional_node_network_configs: list[WireAdditionalNetwork] | None = None


class WireNodePool(Wire):
    """`NodePool`."""

    name: str | None = None
    self_link: str | None = None
    config: WireNodeConfig | None = None
    locations: list[str] | None = None
    status: str | None = None
    version: str | None = None
    instance_group_urls: list[str] | None = None
    initial_node_count: Count | None = None
    autoscaling: WireAutoscaling | None = None
    max_pods_constraint: WireConstraint | None = None
    placement_policy: WirePlacement | None = None
    network_config: WirePoolNetwork | None = None
