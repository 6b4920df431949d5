"""The made project as Terraform's Google provider holds it: attributes, state, plan, state file.

The attributes are those of the provider's documentation; what the provider does not keep of a
resource is not in them.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Resource = dict[str, Any]

PROVIDER = "registry.terraform.io/hashicorp/google"
PROJECT = "one-project"


class Held(NamedTuple):
    """One resource of a configuration."""

    type: str
    name: str
    key: int | str | None
    module: str
    attributes: Resource

    @property
    def address(self) -> str:
        """As Terraform spells it."""
        key = "" if self.key is None else f"[{json.dumps(self.key)}]"
        head = f"{self.module}." if self.module else ""
        return f"{head}{self.type}.{self.name}{key}"


def held(resources: dict[str, list[Resource]]) -> list[Held]:
    """Every resource: machines in a module by `count`, subnetworks by `for_each`, others alone."""
    found: list[Held] = []
    place: tuple[str, int | str | None, str]
    for collection, convert in CONVERTERS.items():
        for number, item in enumerate(resources[collection]):
            if collection == "instances":
                place = ("machine", number, 'module.fleet["a.b"]')
            elif collection == "subnetworks":
                place = ("each", item["name"], "module.net")
            else:
                place = (item["name"].replace("-", "_"), None, "")
            for kind, attributes in convert(item):
                name, index, module = place
                found.append(Held(kind, name, index, module, attributes))
    return found


def _common(item: Resource) -> Resource:
    parts = item["selfLink"].partition("projects/")[2].split("/")
    scope = {"zones": "zone", "regions": "region"}.get(parts[1])
    return {
        "id": f"projects/{'/'.join(parts)}",
        "self_link": item["selfLink"],
        "name": item["name"],
        "project": parts[0],
        **({scope: parts[2]} if scope else {}),
    }


def _labelled(item: Resource) -> Resource:
    return {"labels": item.get("labels", {}), "effective_labels": item.get("labels", {})}


def _instance(item: Resource) -> Iterator[tuple[str, Resource]]:
    disks = item.get("disks", [])
    boot: Resource = next((disk for disk in disks if disk.get("boot")), {})
    scheduling = item.get("scheduling", {})
    performance = item.get("networkPerformanceConfig")
    yield (
        "google_compute_instance",
        {
            **_common(item),
            **_labelled(item),
            "instance_id": item["id"],
            "creation_timestamp": item["creationTimestamp"],
            "machine_type": item["machineType"].rpartition("/")[2],
            "current_status": item["status"],
            "desired_status": None,
            "cpu_platform": item["cpuPlatform"],
            "min_cpu_platform": item.get("minCpuPlatform", ""),
            "can_ip_forward": item["canIpForward"],
            "tags": sorted(item["tags"].get("items", [])),
            "metadata": {
                entry["key"]: entry["value"] for entry in item["metadata"].get("items", [])
            },
            "boot_disk": [
                {
                    "auto_delete": True,
                    "guest_os_features": [f["type"] for f in boot.get("guestOsFeatures", [])],
                    "source": boot.get("source", ""),
                }
            ],
            "scratch_disk": [
                {"interface": "NVME", "size": 375} for d in disks if d["type"] == "SCRATCH"
            ],
            "scheduling": [
                {
                    "preemptible": scheduling.get("preemptible", False),
                    "provisioning_model": scheduling.get("provisioningModel", ""),
                    "node_affinities": [],
                }
            ],
            "guest_accelerator": [
                {"type": one["acceleratorType"], "count": one["acceleratorCount"]}
                for one in item.get("guestAccelerators", [])
            ],
            "resource_policies": item.get("resourcePolicies", []),
            "reservation_affinity": [],
            "advanced_machine_features": [],
            "network_performance_config": [
                {"total_egress_bandwidth_tier": performance["totalEgressBandwidthTier"]}
            ]
            if performance
            else [],
            "network_interface": [_nic(nic) for nic in item["networkInterfaces"]],
        },
    )


def _nic(nic: Resource) -> Resource:
    return {
        "name": nic["name"],
        "network": nic["network"],
        "subnetwork": nic["subnetwork"],
        "subnetwork_project": PROJECT,
        "network_ip": nic.get("networkIP", ""),
        "nic_type": nic.get("nicType", ""),
        "queue_count": nic.get("queueCount", 0),
        "stack_type": nic["stackType"],
        "ipv6_address": nic.get("ipv6Address", ""),
        "alias_ip_range": [
            {"ip_cidr_range": one["ipCidrRange"], "subnetwork_range_name": ""}
            for one in nic.get("aliasIpRanges", [])
        ],
        "access_config": [
            {
                "nat_ip": one.get("natIP", ""),
                "network_tier": one.get("networkTier", ""),
                "public_ptr_domain_name": "",
            }
            for one in nic.get("accessConfigs", [])
        ],
        "ipv6_access_config": [
            {
                "name": one["name"],
                "external_ipv6": one["externalIpv6"],
                "external_ipv6_prefix_length": str(one["externalIpv6PrefixLength"]),
                "network_tier": one["networkTier"],
            }
            for one in nic.get("ipv6AccessConfigs", [])
        ],
    }


def _network(item: Resource) -> Iterator[tuple[str, Resource]]:
    yield (
        "google_compute_network",
        {
            **_common(item),
            "mtu": item.get("mtu", 0),
            "routing_mode": item["routingConfig"]["routingMode"],
            "auto_create_subnetworks": item["autoCreateSubnetworks"],
        },
    )
    for peering in item.get("peerings", []):
        yield (
            "google_compute_network_peering",
            {
                "id": f"{item['name']}/{peering['name']}",
                "name": peering["name"],
                "network": item["selfLink"],
                "peer_network": peering["network"],
                "state": peering["state"],
            },
        )


def _subnetwork(item: Resource) -> Iterator[tuple[str, Resource]]:
    log = item.get("logConfig")
    yield (
        "google_compute_subnetwork",
        {
            **_common(item),
            "network": item["network"],
            "ip_cidr_range": item["ipCidrRange"],
            "secondary_ip_range": [
                {"range_name": one["rangeName"], "ip_cidr_range": one["ipCidrRange"]}
                for one in item.get("secondaryIpRanges", [])
            ],
            "external_ipv6_prefix": item.get("externalIpv6Prefix", ""),
            "internal_ipv6_prefix": item.get("internalIpv6Prefix", ""),
            "purpose": item.get("purpose"),
            "private_ip_google_access": item.get("privateIpGoogleAccess"),
            "stack_type": item.get("stackType"),
            "log_config": [
                {
                    "aggregation_interval": log["aggregationInterval"],
                    "flow_sampling": log["flowSampling"],
                    "metadata": log["metadata"],
                    "filter_expr": log["filterExpr"],
                }
            ]
            if log
            else [],
        },
    )


def _address(item: Resource) -> Iterator[tuple[str, Resource]]:
    is_global = "/global/" in item["selfLink"]
    yield (
        "google_compute_global_address" if is_global else "google_compute_address",
        {
            **_common(item),
            **_labelled(item),
            "address": item["address"],
            "address_type": item["addressType"],
            "creation_timestamp": item["creationTimestamp"],
            "network": item.get("network", ""),
            "network_tier": item.get("networkTier", ""),
            "prefix_length": item.get("prefixLength", 0),
            "purpose": item.get("purpose", ""),
            "users": item.get("users", []),
        },
    )


def _forwarding_rule(item: Resource) -> Iterator[tuple[str, Resource]]:
    is_global = "/global/" in item["selfLink"]
    yield (
        f"google_compute_{'global_' if is_global else ''}forwarding_rule",
        {
            **_common(item),
            **_labelled(item),
            "ip_address": item["IPAddress"],
            "load_balancing_scheme": item.get("loadBalancingScheme", ""),
            "network": item.get("network", ""),
            "subnetwork": item.get("subnetwork", ""),
            "target": item.get("target", ""),
            "backend_service": item.get("backendService", ""),
            "network_tier": item.get("networkTier", ""),
            "port_range": item.get("portRange", ""),
            "ports": item.get("ports", []),
            "all_ports": item.get("allPorts", False),
        },
    )


def _router(item: Resource) -> Iterator[tuple[str, Resource]]:
    yield "google_compute_router", {**_common(item), "network": item["network"]}
    common = {"project": PROJECT, "region": item["region"].rpartition("/")[2]}
    for nat in item.get("nats", []):
        yield (
            "google_compute_router_nat",
            {
                **common,
                "name": nat["name"],
                "router": item["name"],
                "nat_ip_allocate_option": nat["natIpAllocateOption"],
                "nat_ips": nat.get("natIps", []),
                "source_subnetwork_ip_ranges_to_nat": nat["sourceSubnetworkIpRangesToNat"],
                "subnetwork": [
                    {"name": one["name"], "source_ip_ranges_to_nat": one["sourceIpRangesToNat"]}
                    for one in nat.get("subnetworks", [])
                ],
            },
        )


def _route(item: Resource) -> Iterator[tuple[str, Resource]]:
    yield (
        "google_compute_route",
        {
            **_common(item),
            "network": item["network"],
            "dest_range": item["destRange"],
            "priority": item["priority"],
            "tags": item.get("tags", []),
            "next_hop_gateway": item.get("nextHopGateway", ""),
            "next_hop_instance": item.get("nextHopInstance", ""),
            "next_hop_ip": "",
            "next_hop_vpn_tunnel": item.get("nextHopVpnTunnel", ""),
            "next_hop_peering": item.get("nextHopPeering", ""),
            "next_hop_network": item.get("nextHopNetwork", ""),
        },
    )


def _vpn_tunnel(item: Resource) -> Iterator[tuple[str, Resource]]:
    yield (
        "google_compute_vpn_tunnel",
        {
            **_common(item),
            "peer_ip": item["peerIp"],
            "peer_external_gateway": item.get("peerExternalGateway", ""),
            "target_vpn_gateway": item.get("targetVpnGateway", ""),
            "vpn_gateway": item.get("vpnGateway", ""),
            "router": item.get("router", ""),
            "detailed_status": item.get("detailedStatus", ""),
        },
    )


def _attachment(item: Resource) -> Iterator[tuple[str, Resource]]:
    yield (
        "google_compute_interconnect_attachment",
        {
            **_common(item),
            "type": item["type"],
            "bandwidth": item["bandwidth"],
            "admin_enabled": item["adminEnabled"],
            "router": item["router"],
            "mtu": str(item["mtu"]),
            "state": item["state"],
        },
    )


def _instance_group(item: Resource) -> Iterator[tuple[str, Resource]]:
    """A managed group is none: the provider knows it as its manager's `instance_group`."""
    if item["name"] == "handmade":
        yield (
            "google_compute_instance_group",
            {**_common(item), "size": item["size"], "instances": []},
        )


def _manager(item: Resource) -> Iterator[tuple[str, Resource]]:
    is_regional = "/regions/" in item["selfLink"]
    policy = item.get("distributionPolicy", {})
    yield (
        f"google_compute_{'region_' if is_regional else ''}instance_group_manager",
        {
            **_common(item),
            "base_instance_name": item["baseInstanceName"],
            "target_size": item["targetSize"],
            "instance_group": item["instanceGroup"],
            "distribution_policy_zones": [
                one["zone"].rpartition("/")[2] for one in policy.get("zones", [])
            ],
            "version": [
                {"instance_template": one["instanceTemplate"], "name": "", "target_size": []}
                for one in item["versions"]
            ],
        },
    )


def _commitment(item: Resource) -> Iterator[tuple[str, Resource]]:
    yield (
        "google_compute_region_commitment",
        {
            **_common(item),
            "plan": item["plan"],
            "category": item["category"],
            "type": item.get("type", ""),
            "status": item["status"],
            "resources": [
                {"type": one["type"], "amount": one["amount"], "accelerator_type": ""}
                for one in item.get("resources", [])
            ],
            "end_timestamp": item["endTimestamp"],
            "auto_renew": item.get("autoRenew"),
        },
    )


def _node_group(item: Resource) -> Iterator[tuple[str, Resource]]:
    policy = item["autoscalingPolicy"]
    yield (
        "google_compute_node_group",
        {
            **_common(item),
            "node_template": item["nodeTemplate"],
            "size": item["size"],
            "initial_size": None,
            "maintenance_policy": item["maintenancePolicy"],
            "autoscaling_policy": [
                {
                    "mode": policy["mode"],
                    "min_nodes": policy["minNodes"],
                    "max_nodes": policy["maxNodes"],
                }
            ],
        },
    )


def _node_template(item: Resource) -> Iterator[tuple[str, Resource]]:
    yield (
        "google_compute_node_template",
        {
            **_common(item),
            "node_type": item["nodeType"],
            "cpu_overcommit_type": item["cpuOvercommitType"],
            "accelerators": [],
            "disks": [
                {"disk_type": one["diskType"], "disk_size_gb": one["diskSizeGb"]}
                for one in item["disks"]
            ],
        },
    )


CONVERTERS: dict[str, Callable[[Resource], Iterator[tuple[str, Resource]]]] = {
    "networks": _network,
    "subnetworks": _subnetwork,
    "instances": _instance,
    "addresses": _address,
    "forwardingRules": _forwarding_rule,
    "routers": _router,
    "routes": _route,
    "vpnTunnels": _vpn_tunnel,
    "interconnectAttachments": _attachment,
    "instanceGroups": _instance_group,
    "instanceGroupManagers": _manager,
    "commitments": _commitment,
    "nodeGroups": _node_group,
    "nodeTemplates": _node_template,
}


def state(resources: list[Held]) -> Resource:
    """What `terraform show -json` says of a state."""
    modules: dict[str, list[Resource]] = {}
    for one in resources:
        modules.setdefault(one.module, []).append(_head(one) | {"values": one.attributes})
    root: Resource = {"resources": modules.pop("")}
    root["child_modules"] = [
        {"address": address, "resources": items} for address, items in modules.items()
    ]
    return {
        "format_version": "1.0",
        "terraform_version": "1.11.4",
        "values": {"root_module": root},
    }


def _head(one: Held) -> Resource:
    return {
        "address": one.address,
        "mode": "managed",
        "type": one.type,
        "name": one.name,
        **({} if one.key is None else {"index": one.key}),
        "provider_name": PROVIDER,
    }


def plan(resources: list[Held]) -> Resource:
    """A plan that changes nothing of what is there."""
    changes = [
        _head(one)
        | ({"module_address": one.module} if one.module else {})
        | {
            "change": {
                "actions": ["no-op"],
                "before": one.attributes,
                "after": one.attributes,
                "after_unknown": {},
            }
        }
        for one in resources
    ]
    return {
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "planned_values": state(resources)["values"],
        "resource_changes": changes,
        "configuration": {"provider_config": {"google": {"name": "google", "full_name": PROVIDER}}},
    }


def state_file(resources: list[Held]) -> Resource:
    """What `terraform.tfstate` holds."""
    grouped: dict[tuple[str, str, str], list[Resource]] = {}
    for one in resources:
        key = {} if one.key is None else {"index_key": one.key}
        instance = {"schema_version": 1, **key, "attributes": one.attributes}
        grouped.setdefault((one.module, one.type, one.name), []).append(instance)
    return {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 7,
        "lineage": "5b1c4a1e-0000-4000-8000-000000000000",
        "outputs": {},
        "resources": [
            {
                **({"module": module} if module else {}),
                "mode": "managed",
                "type": kind,
                "name": name,
                "provider": f'provider["{PROVIDER}"]',
                "instances": instances,
            }
            for (module, kind, name), instances in grouped.items()
        ],
    }
