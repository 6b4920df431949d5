"""The fields of networks in the Compute API's JSON, and in the Network Management API's.

As in `wire`: unknown fields are skipped, and every field is optional.
"""

from datetime import datetime
from typing import Annotated

import msgspec

from netplan_planner.readers.compute import wire


class WirePeering(wire.Wire):
    """`NetworkPeering`."""

    name: str | None = None
    network: str | None = None
    state: str | None = None


class WireRouting(wire.Wire):
    """`NetworkRoutingConfig`."""

    routing_mode: str | None = None


class WireNetwork(wire.WireResource):
    """`Network`."""

    mtu: Annotated[int, msgspec.Meta(ge=1, le=wire.LARGEST_COUNT)] | None = None
    peerings: list[WirePeering] = []
    routing_config: WireRouting | None = None
    auto_create_subnetworks: bool | None = None
    legacy_range: str | None = msgspec.field(default=None, name="IPv4Range")


class WireLogConfig(wire.Wire):
    """`SubnetworkLogConfig`."""

    enable: bool | None = None
    flow_sampling: wire.Ratio | None = None
    aggregation_interval: str | None = None
    metadata: str | None = None
    filter_expr: str | None = None


class WireSubnetwork(wire.WireResource):
    """`Subnetwork`."""

    region: str | None = None
    network: str | None = None
    ip_cidr_range: str | None = None
    secondary_ip_ranges: list[wire.WireAliasRange] = []
    external_ipv6_prefix: str | None = None
    internal_ipv6_prefix: str | None = None
    purpose: str | None = None
    private_ip_google_access: bool | None = None
    stack_type: str | None = None
    log_config: WireLogConfig | None = None
    enable_flow_logs: bool | None = None


class WireAddress(wire.WireResource):
    """`Address`, regional or global."""

    address: str | None = None
    address_type: str | None = None
    region: str | None = None
    status: str | None = None
    users: list[str] = []
    network_tier: str | None = None
    purpose: str | None = None
    prefix_length: wire.Count | None = None
    network: str | None = None
    creation_timestamp: datetime | None = None
    labels: dict[str, str] = {}


class WireForwardingRule(wire.WireResource):
    """`ForwardingRule`, regional or global."""

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


class WireNatSubnetwork(wire.Wire):
    """`RouterNatSubnetworkToNat`; its `name` is a link."""

    name: str | None = None


class WireNatAction(wire.Wire):
    """`RouterNatRuleAction`."""

    source_nat_active_ips: list[str] = []
    source_nat_drain_ips: list[str] = []


class WireNatRule(wire.Wire):
    """`RouterNatRule`."""

    action: WireNatAction | None = None


class WireNat(wire.Wire):
    """`RouterNat`."""

    name: str | None = None
    nat_ip_allocate_option: str | None = None
    nat_ips: list[str] = []
    drain_nat_ips: list[str] = []
    rules: list[WireNatRule] = []
    type: str | None = None
    source_subnetwork_ip_ranges_to_nat: str | None = None
    subnetworks: list[WireNatSubnetwork] = []
    min_ports_per_vm: wire.Count | None = None
    max_ports_per_vm: wire.Count | None = None
    enable_dynamic_port_allocation: bool | None = None
    enable_endpoint_independent_mapping: bool | None = None


class WireRouter(wire.WireResource):
    """`Router`."""

    region: str | None = None
    network: str | None = None
    nats: list[WireNat] = []


class WireRoute(wire.WireResource):
    """`Route`."""

    network: str | None = None
    dest_range: str | None = None
    priority: wire.Count | None = None
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


class WireVpnTunnel(wire.WireResource):
    """`VpnTunnel`, classic or HA."""

    region: str | None = None
    peer_ip: str | None = None
    peer_external_gateway: str | None = None
    peer_gcp_gateway: str | None = None
    vpn_gateway: str | None = None
    target_vpn_gateway: str | None = None
    router: str | None = None
    status: str | None = None


class WireAttachment(wire.WireResource):
    """`InterconnectAttachment`."""

    region: str | None = None
    type: str | None = None
    bandwidth: str | None = None
    router: str | None = None
    admin_enabled: bool | None = None
    mtu: wire.Count | None = None
    state: str | None = None


class WireFlowLogsConfiguration(wire.Wire):
    """`VpcFlowLogsConfig` of the Network Management API, whose name is its whole path."""

    self_link: str | None = None
    name: str | None = None
    state: str | None = None
    aggregation_interval: str | None = None
    flow_sampling: wire.Ratio | None = None
    metadata: str | None = None
    filter_expr: str | None = None
    network: str | None = None
    subnet: str | None = None
    interconnect_attachment: str | None = None
    vpn_tunnel: str | None = None
