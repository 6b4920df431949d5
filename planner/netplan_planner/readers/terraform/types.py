"""The types of Terraform's Google providers whose resources have links, and where they stand."""

from typing import NamedTuple

from netplan_planner.readers.compute import kinds
from netplan_planner.readers.kubernetes import gke

GOOGLE = "google_"

_ZONES, _REGIONS, _GLOBAL, _LOCATIONS = "zones", "regions", "global", "locations"
_WORLD = "locations/global"
OF_PROJECT = ""
"""What the project itself holds: its link is `projects/ID`."""


class Type(NamedTuple):
    """A type of resource: the collection of its link, the scope, and the kind if it is read."""

    collection: str
    scope: str
    kind: kinds.Kind | None


def _types() -> dict[str, Type]:
    read = {
        "google_compute_instance": ("instances", _ZONES),
        "google_compute_instance_from_template": ("instances", _ZONES),
        "google_compute_instance_from_machine_image": ("instances", _ZONES),
        "google_compute_instance_group": ("instanceGroups", _ZONES),
        "google_compute_instance_group_manager": ("instanceGroupManagers", _ZONES),
        "google_compute_region_instance_group_manager": ("instanceGroupManagers", _REGIONS),
        "google_compute_network": ("networks", _GLOBAL),
        "google_compute_subnetwork": ("subnetworks", _REGIONS),
        "google_compute_address": ("addresses", _REGIONS),
        "google_compute_global_address": ("addresses", _GLOBAL),
        "google_compute_forwarding_rule": ("forwardingRules", _REGIONS),
        "google_compute_global_forwarding_rule": ("forwardingRules", _GLOBAL),
        "google_compute_router": ("routers", _REGIONS),
        "google_compute_route": ("routes", _GLOBAL),
        "google_compute_vpn_tunnel": ("vpnTunnels", _REGIONS),
        "google_compute_interconnect_attachment": ("interconnectAttachments", _REGIONS),
        "google_compute_disk": ("disks", _ZONES),
        "google_compute_region_disk": ("disks", _REGIONS),
        "google_compute_resource_policy": ("resourcePolicies", _REGIONS),
        "google_compute_node_group": ("nodeGroups", _ZONES),
        "google_compute_node_template": ("nodeTemplates", _REGIONS),
        "google_compute_region_commitment": ("commitments", _REGIONS),
        "google_compute_project_default_network_tier": ("projects", OF_PROJECT),
    }
    linked = {
        "google_compute_instance_template": ("instanceTemplates", _GLOBAL),
        "google_compute_region_instance_template": ("instanceTemplates", _REGIONS),
        "google_compute_backend_service": ("backendServices", _GLOBAL),
        "google_compute_region_backend_service": ("backendServices", _REGIONS),
        "google_compute_target_http_proxy": ("targetHttpProxies", _GLOBAL),
        "google_compute_target_https_proxy": ("targetHttpsProxies", _GLOBAL),
        "google_compute_target_ssl_proxy": ("targetSslProxies", _GLOBAL),
        "google_compute_target_tcp_proxy": ("targetTcpProxies", _GLOBAL),
        "google_compute_target_grpc_proxy": ("targetGrpcProxies", _GLOBAL),
        "google_compute_region_target_http_proxy": ("targetHttpProxies", _REGIONS),
        "google_compute_region_target_https_proxy": ("targetHttpsProxies", _REGIONS),
        "google_compute_region_target_tcp_proxy": ("targetTcpProxies", _REGIONS),
        "google_compute_target_pool": ("targetPools", _REGIONS),
        "google_compute_target_instance": ("targetInstances", _ZONES),
        "google_compute_service_attachment": ("serviceAttachments", _REGIONS),
        "google_compute_vpn_gateway": ("targetVpnGateways", _REGIONS),
        "google_compute_ha_vpn_gateway": ("vpnGateways", _REGIONS),
        "google_compute_external_vpn_gateway": ("externalVpnGateways", _GLOBAL),
    }
    found = {name: Type(c, scope, kinds.BY_COLLECTION[c]) for name, (c, scope) in read.items()}
    found |= {name: Type(c, scope, None) for name, (c, scope) in linked.items()}
    configuration = kinds.FLOW_LOGS_CONFIGURATION
    found["google_network_management_vpc_flow_logs_config"] = Type(
        configuration.collection, _LOCATIONS, configuration
    )
    found["google_network_connectivity_hub"] = Type(kinds.HUB.collection, _WORLD, kinds.HUB)
    found["google_network_connectivity_group"] = Type("groups", _WORLD, None)
    found["google_network_connectivity_spoke"] = Type(
        kinds.SPOKE.collection, _LOCATIONS, kinds.SPOKE
    )
    found["google_container_cluster"] = Type(gke.CLUSTERS, _LOCATIONS, gke.KINDS[gke.CLUSTERS])
    return found


TYPES = _types()
"""By Terraform's name; google and google-beta have the same ones."""

TEMPLATES = frozenset(
    {"google_compute_instance_template", "google_compute_region_instance_template"}
)
ROUTER_NAT = "google_compute_router_nat"
PEERING = "google_compute_network_peering"
JOINED = frozenset({ROUTER_NAT, PEERING})
"""They become part of their router or network."""
ATTACHED_DISK = "google_compute_attached_disk"
AUTOSCALERS = frozenset({"google_compute_autoscaler", "google_compute_region_autoscaler"})
MEMBERSHIP = "google_compute_instance_group_membership"
NODE_POOL = "google_container_node_pool"
LATER = frozenset({ATTACHED_DISK, MEMBERSHIP, NODE_POOL, *AUTOSCALERS})
"""Their links follow from those of other resources, so they are taken when these are known."""

_MACHINES, _PEERING = "it creates VMs in the project", "it creates a peering of the network"
NOT_READ_YET = {
    "google_app_engine_flexible_app_version": _MACHINES,
    "google_composer_environment": _MACHINES,
    "google_compute_per_instance_config": _MACHINES,
    "google_compute_region_per_instance_config": _MACHINES,
    "google_compute_region_resize_request": _MACHINES,
    "google_compute_resize_request": _MACHINES,
    "google_dataflow_flex_template_job": _MACHINES,
    "google_dataflow_job": _MACHINES,
    "google_dataproc_cluster": _MACHINES,
    "google_notebooks_instance": _MACHINES,
    "google_notebooks_runtime": _MACHINES,
    "google_service_networking_connection": _PEERING,
    "google_workbench_instance": _MACHINES,
}
"""Types of which the audit would need what they make, and why. What no rule looks at, such as
firewalls, is not needed."""
