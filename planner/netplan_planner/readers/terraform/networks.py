"""Terraform's networks, gateways, groups and disks as the Compute API spells them."""

from collections.abc import Callable
from typing import Any

from netplan_planner.readers.terraform.attributes import Attributes
from netplan_planner.readers.terraform.machines import JsonObject, machine, number, stated


def network(a: Attributes) -> JsonObject:
    """Return a network; its peerings are resources of their own."""
    mode = a.get("routing_mode")
    return {
        "mtu": a.get("mtu") or None,
        "routingConfig": {"routingMode": mode} if mode else None,
        "autoCreateSubnetworks": a.get("auto_create_subnetworks"),
        "IPv4Range": a.get("ipv4_range"),
    }


def peering(a: Attributes) -> JsonObject:
    """Return one side of a peering."""
    return {"name": a.get("name"), "network": a.link("peer_network"), "state": a.get("state")}


def subnetwork(a: Attributes) -> JsonObject:
    """Return a subnetwork. No `log_config` is how the provider spells that flow logs are off."""
    log = a.block("log_config")
    return {
        "region": a.get("region"),
        "network": a.link("network"),
        "ipCidrRange": a.get("ip_cidr_range"),
        "secondaryIpRanges": [
            {"ipCidrRange": one.get("ip_cidr_range")} for one in a.blocks("secondary_ip_range")
        ],
        **a.named("external_ipv6_prefix", "internal_ipv6_prefix", "purpose"),
        **a.named("private_ip_google_access", "stack_type"),
        "enableFlowLogs": None if a.is_unknown("log_config") else log is not None,
        "logConfig": None
        if log is None
        else {
            **log.named("aggregation_interval", "flow_sampling", "metadata", "filter_expr"),
        },
    }


def address(a: Attributes) -> JsonObject:
    """Return a reserved address; what uses it says whether it is in use."""
    users = a.texts("users")
    return {
        **a.named("address", "address_type", "region"),
        "status": None if users is None else "IN_USE" if users else "RESERVED",
        "users": users,
        **a.named("network_tier", "purpose"),
        "prefixLength": a.get("prefix_length") or None,
        "network": a.link("network"),
        "creationTimestamp": a.get("creation_timestamp"),
        "labels": a.get("effective_labels") or a.get("labels"),
    }


def forwarding_rule(a: Attributes) -> JsonObject:
    """Return a load balancer's front."""
    return {
        "IPAddress": a.get("ip_address"),
        **a.named("load_balancing_scheme", "region"),
        **a.linked("network", "subnetwork", "target", "backend_service"),
        **a.named("network_tier", "port_range"),
        "ports": a.texts("ports"),
        "allPorts": a.get("all_ports"),
        "labels": a.get("effective_labels") or a.get("labels"),
    }


def project_settings(a: Attributes) -> JsonObject:
    """Return what a project sets for all that it has."""
    return {"defaultNetworkTier": a.get("network_tier")}


def router(a: Attributes) -> JsonObject:
    """Return a router; its gateways are resources of their own."""
    return {"region": a.get("region"), "network": a.link("network")}


def nat(a: Attributes) -> JsonObject:
    """Return a Cloud NAT gateway."""
    return {
        **a.named("name", "nat_ip_allocate_option", "type"),
        "natIps": a.texts("nat_ips"),
        "drainNatIps": a.texts("drain_nat_ips") if _is_drained(a) else None,
        "rules": [
            {
                "action": stated(
                    {
                        "sourceNatActiveIps": action.texts("source_nat_active_ips"),
                        "sourceNatDrainIps": action.texts("source_nat_drain_ips"),
                    }
                )
            }
            for rule in a.blocks("rules")
            for action in rule.blocks("action")
        ],
        "sourceSubnetworkIpRangesToNat": a.get("source_subnetwork_ip_ranges_to_nat"),
        "subnetworks": [{"name": one.link("name")} for one in a.blocks("subnetwork")],
        **a.named("min_ports_per_vm", "max_ports_per_vm", "enable_dynamic_port_allocation"),
        **a.named("enable_endpoint_independent_mapping"),
    }


def _is_drained(a: Attributes) -> bool:
    """Return whether a gateway may drain addresses; a new one drains none that it is not told."""
    return a.is_asked("drain_nat_ips") or not a.is_unknown("drain_nat_ips")


_GATEWAY = "global/gateways/"


def route(a: Attributes) -> JsonObject:
    """Return a route."""
    gateway, hop = a.get("next_hop_gateway"), a.link("next_hop_instance")
    zone = a.get("next_hop_instance_zone")
    if isinstance(gateway, str) and "/" not in gateway:
        gateway = _GATEWAY + gateway
    if hop and "/" not in hop and isinstance(zone, str):
        hop = f"zones/{zone.rpartition('/')[2]}/instances/{hop}"
    return {
        "network": a.link("network"),
        **a.named("dest_range", "priority"),
        "tags": a.texts("tags"),
        "nextHopGateway": gateway,
        "nextHopInstance": hop,
        "nextHopIp": a.get("next_hop_ip"),
        **a.linked("next_hop_vpn_tunnel", "next_hop_ilb"),
        "nextHopPeering": a.get("next_hop_peering"),
        # The provider gives the network of a next hop of every kind.
        "nextHopNetwork": None if hop else a.get("next_hop_network"),
        "nextHopHub": a.get("next_hop_hub"),
    }


def vpn_tunnel(a: Attributes) -> JsonObject:
    """Return a VPN tunnel."""
    return {
        **a.named("region", "peer_ip"),
        **a.linked("peer_external_gateway", "peer_gcp_gateway", "vpn_gateway"),
        **a.linked("target_vpn_gateway", "router"),
    }


def attachment(a: Attributes) -> JsonObject:
    """Return a VLAN attachment; the provider writes its MTU as a text."""
    mtu = a.get("mtu")
    return {
        **a.named("region", "type", "bandwidth", "state"),
        "router": a.link("router"),
        "adminEnabled": a.get("admin_enabled"),
        "mtu": int(mtu) if isinstance(mtu, str) and mtu.isdecimal() else mtu,
    }


def group(a: Attributes) -> JsonObject:
    """Return an unmanaged instance group, less its members."""
    return {"zone": a.get("zone"), "size": a.get("size")}


def manager(a: Attributes) -> JsonObject:
    """Return an instance group manager."""
    versions = [one.link("instance_template") for one in a.blocks("version")]
    return {
        **a.named("zone", "region", "target_size"),
        "versions": [{"instanceTemplate": bare_template(link)} for link in versions if link],
        **a.named("instance_group", "base_instance_name"),
        "status": {"stateful": {"hasStatefulConfig": any(tuple(a.blocks(b)) for b in _STATEFUL)}},
    }


_STATEFUL = ("stateful_disk", "stateful_external_ip", "stateful_internal_ip")


def bare_template(link: str) -> str:
    """Return the link of a template without the number that makes it unique."""
    return link.partition("?")[0]


def disk(a: Attributes) -> JsonObject:
    """Return a disk."""
    return {"type": a.get("type"), "users": a.texts("users")}


def resource_policy(a: Attributes) -> JsonObject:
    """Return a resource policy."""
    placement = a.block("group_placement_policy")
    return {
        "region": a.get("region"),
        "groupPlacementPolicy": None
        if placement is None
        else {"collocation": placement.get("collocation")},
    }


def node_group(a: Attributes) -> JsonObject:
    """Return a group of sole-tenant nodes; a planned one begins with `initial_size` of them."""
    policy = a.block("autoscaling_policy")
    size = None if a.is_unknown("size") else a.get("size")
    return {
        **a.named("zone"),
        "nodeTemplate": a.link("node_template"),
        "size": a.get("initial_size") if size is None else size,
        "autoscalingPolicy": None if policy is None else {"mode": policy.get("mode")},
    }


def node_template(a: Attributes) -> JsonObject:
    """Return a template of sole-tenant nodes."""
    return {
        **a.named("region", "node_type", "cpu_overcommit_type"),
        "accelerators": [{} for _ in a.blocks("accelerators")],
        "disks": [{} for _ in a.blocks("disks")],
    }


def commitment(a: Attributes) -> JsonObject:
    """Return a commitment."""
    return {
        **a.named("region", "plan", "category", "type", "status"),
        "resources": [
            {"type": one.get("type"), "amount": one.get("amount")} for one in a.blocks("resources")
        ],
        **a.named("end_timestamp", "auto_renew"),
    }


def flow_logs_configuration(a: Attributes) -> JsonObject:
    """Return a configuration of flow logs of the Network Management API."""
    return {
        **a.named("state", "aggregation_interval", "flow_sampling", "metadata", "filter_expr"),
        **a.linked("network", "subnet", "interconnect_attachment", "vpn_tunnel"),
    }


def hub(a: Attributes) -> JsonObject:
    """Return a hub of Network Connectivity Center; one that names no topology is a mesh."""
    if a.is_unknown("preset_topology"):
        return {"presetTopology": "unknown" if a.is_asked("preset_topology") else None}
    return {"presetTopology": a.get("preset_topology")}


def spoke(a: Attributes) -> JsonObject:
    """Return a spoke of a hub; the state of a planned one is its reader's to say."""
    return {
        "hub": a.link("hub"),
        "group": a.link("group"),
        "state": None if a.is_unknown("state") else a.get("state"),
        "linkedVpcNetwork": _linked_network(a, "linked_vpc_network"),
        "linkedProducerVpcNetwork": _linked_network(a, "linked_producer_vpc_network"),
        "linkedVpnTunnels": _linked(a, "linked_vpn_tunnels"),
        "linkedInterconnectAttachments": _linked(a, "linked_interconnect_attachments"),
        "linkedRouterApplianceInstances": _linked(a, "linked_router_appliance_instances"),
    }


def _linked_network(a: Attributes, name: str) -> JsonObject | None:
    block = a.block(name)
    if block is None:
        return None
    return {
        "uri": block.link("uri"),
        "includeExportRanges": block.texts("include_export_ranges"),
        "excludeExportRanges": block.texts("exclude_export_ranges"),
    }


def _linked(a: Attributes, name: str) -> JsonObject | None:
    block = a.block(name)
    if block is None:
        return None
    machines = [
        {"virtualMachine": one.link("virtual_machine"), "ipAddress": one.get("ip_address")}
        for one in block.blocks("instances")
    ]
    return {"uris": [] if machines else block.texts("uris") or [], "instances": machines}


SPELLED: dict[str, Callable[[Attributes], dict[str, Any]]] = {
    "instances": machine,
    "instanceGroups": group,
    "instanceGroupManagers": manager,
    "networks": network,
    "subnetworks": subnetwork,
    "addresses": address,
    "forwardingRules": forwarding_rule,
    "projects": project_settings,
    "routers": router,
    "routes": route,
    "vpnTunnels": vpn_tunnel,
    "interconnectAttachments": attachment,
    "disks": disk,
    "resourcePolicies": resource_policy,
    "nodeGroups": node_group,
    "nodeTemplates": node_template,
    "commitments": commitment,
    "vpcFlowLogsConfigs": flow_logs_configuration,
    "hubs": hub,
    "spokes": spoke,
}
"""By collection: its resources in the API's words, less name and link."""

__all__ = ["SPELLED", "bare_template", "nat", "number", "peering"]
