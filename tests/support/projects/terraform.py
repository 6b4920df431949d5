"""The made project as Terraform's Google provider holds it: attributes, state, plan, state file.

The attributes are those of the provider's documentation; what the provider does not keep of a
resource is not in them.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

Resource = dict[str, Any]
Made = Iterator[tuple[str, Resource]]
"""Types of the provider, each with its attributes."""

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


HAS: Any = object()
"""In place of a default: the resource has it."""


def _taken(item: Resource, **attributes: Any) -> Resource:
    """Attributes that the provider takes over, by its name for them; a default where they lack."""
    found: Resource = {}
    for name, default in attributes.items():
        first, *rest = name.split("_")
        key = first + "".join(word.capitalize() for word in rest)
        found[name] = item[key] if default is HAS else item.get(key, default)
    return found


def _blocks(items: Iterable[Resource], **attributes: Any) -> list[Resource]:
    return [_taken(one, **attributes) for one in items]


def _common(item: Resource) -> Resource:
    parts = item["selfLink"].partition("projects/")[2].split("/")
    scope = {"zones": "zone", "regions": "region"}.get(parts[1])
    return {
        "id": f"projects/{'/'.join(parts)}",
        **_taken(item, self_link=HAS, name=HAS),
        "project": parts[0],
        **({scope: parts[2]} if scope else {}),
    }


def _labelled(item: Resource) -> Resource:
    return {"labels": item.get("labels", {}), "effective_labels": item.get("labels", {})}


def _instance(item: Resource) -> Made:
    disks = item.get("disks", [])
    boot: Resource = next((disk for disk in disks if disk.get("boot")), {})
    features = [one["type"] for one in boot.get("guestOsFeatures", [])]
    scheduling = _taken(item.get("scheduling", {}), preemptible=False, provisioning_model="")
    performance = [one] if (one := item.get("networkPerformanceConfig")) else []
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
            **_taken(item, cpu_platform=HAS, min_cpu_platform="", can_ip_forward=HAS),
            "tags": sorted(item["tags"].get("items", [])),
            "metadata": {one["key"]: one["value"] for one in item["metadata"].get("items", [])},
            "boot_disk": [
                {
                    "auto_delete": True,
                    "guest_os_features": features,
                    "source": boot.get("source", ""),
                }
            ],
            "scratch_disk": [
                {"interface": "NVME", "size": 375} for one in disks if one["type"] == "SCRATCH"
            ],
            "scheduling": [{**scheduling, "node_affinities": []}],
            "guest_accelerator": [
                {"type": one["acceleratorType"], "count": one["acceleratorCount"]}
                for one in item.get("guestAccelerators", [])
            ],
            **_taken(item, resource_policies=[]),
            "reservation_affinity": [],
            "advanced_machine_features": [],
            "network_performance_config": _blocks(performance, total_egress_bandwidth_tier=HAS),
            "network_interface": [_nic(nic) for nic in item["networkInterfaces"]],
        },
    )


def _nic(nic: Resource) -> Resource:
    return {
        **_taken(nic, name=HAS, network=HAS, subnetwork=HAS),
        "subnetwork_project": PROJECT,
        "network_ip": nic.get("networkIP", ""),
        **_taken(nic, nic_type="", queue_count=0, stack_type=HAS, ipv6_address=""),
        "alias_ip_range": [
            {**_taken(one, ip_cidr_range=HAS), "subnetwork_range_name": ""}
            for one in nic.get("aliasIpRanges", [])
        ],
        "access_config": [
            {
                "nat_ip": one.get("natIP", ""),
                **_taken(one, network_tier="", public_ptr_domain_name=""),
            }
            for one in nic.get("accessConfigs", [])
        ],
        "ipv6_access_config": [
            {
                **_taken(one, name=HAS, external_ipv6=HAS),
                "external_ipv6_prefix_length": str(one["externalIpv6PrefixLength"]),
                "network_tier": one["networkTier"],
            }
            for one in nic.get("ipv6AccessConfigs", [])
        ],
    }


def _network(item: Resource) -> Made:
    mode = _taken(item["routingConfig"], routing_mode=HAS)
    own = {**_taken(item, mtu=0), **mode, **_taken(item, auto_create_subnetworks=HAS)}
    yield "google_compute_network", {**_common(item), **own}
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


def _subnetwork(item: Resource) -> Made:
    logs = [one] if (one := item.get("logConfig")) else []
    kept: Resource = {"aggregation_interval": HAS, "flow_sampling": HAS, "metadata": HAS}
    ranges = item.get("secondaryIpRanges", [])
    yield (
        "google_compute_subnetwork",
        {
            **_common(item),
            **_taken(item, network=HAS, ip_cidr_range=HAS),
            "secondary_ip_range": _blocks(ranges, range_name=HAS, ip_cidr_range=HAS),
            **_taken(item, external_ipv6_prefix="", internal_ipv6_prefix="", purpose=None),
            **_taken(item, private_ip_google_access=None, stack_type=None),
            "log_config": _blocks(logs, **kept, filter_expr=HAS),
        },
    )


def _address(item: Resource) -> Made:
    own = _taken(item, address=HAS, address_type=HAS, creation_timestamp=HAS, network="")
    own |= _taken(item, network_tier="", prefix_length=0, purpose="", users=[])
    kind = f"google_compute_{_global(item)}address"
    yield kind, {**_common(item), **_labelled(item), **own}


def _global(item: Resource) -> str:
    return "global_" if "/global/" in item["selfLink"] else ""


def _forwarding_rule(item: Resource) -> Made:
    own = _taken(item, load_balancing_scheme="", network="", subnetwork="", target="")
    own |= _taken(item, backend_service="", network_tier="", port_range="", ports=[])
    own |= _taken(item, all_ports=False)
    address = {"ip_address": item["IPAddress"]}
    kind = f"google_compute_{_global(item)}forwarding_rule"
    yield kind, {**_common(item), **_labelled(item), **address, **own}


def _router(item: Resource) -> Made:
    yield "google_compute_router", {**_common(item), "network": item["network"]}
    region = item["region"].rpartition("/")[2]
    for nat in item.get("nats", []):
        own = _taken(nat, nat_ip_allocate_option=HAS, nat_ips=[])
        own |= _taken(nat, source_subnetwork_ip_ranges_to_nat=HAS)
        subnetworks = _blocks(nat.get("subnetworks", []), name=HAS, source_ip_ranges_to_nat=HAS)
        head = {"project": PROJECT, "region": region, "name": nat["name"], "router": item["name"]}
        yield "google_compute_router_nat", {**head, **own, "subnetwork": subnetworks}


def _route(item: Resource) -> Made:
    own = _taken(item, network=HAS, dest_range=HAS, priority=HAS, tags=[], next_hop_gateway="")
    own |= _taken(item, next_hop_instance="", next_hop_ip="", next_hop_vpn_tunnel="")
    own |= _taken(item, next_hop_peering="", next_hop_network="")
    yield "google_compute_route", {**_common(item), **own}


def _vpn_tunnel(item: Resource) -> Made:
    own = _taken(item, peer_ip=HAS, peer_external_gateway="", target_vpn_gateway="")
    own |= _taken(item, vpn_gateway="", router="", detailed_status="")
    yield "google_compute_vpn_tunnel", {**_common(item), **own}


def _attachment(item: Resource) -> Made:
    own = _taken(item, type=HAS, bandwidth=HAS, admin_enabled=HAS, router=HAS)
    mtu = {"mtu": str(item["mtu"]), "state": item["state"]}
    yield "google_compute_interconnect_attachment", {**_common(item), **own, **mtu}


def _instance_group(item: Resource) -> Made:
    """A managed group is none: the provider knows it as its manager's `instance_group`."""
    if item["name"] == "handmade":
        own = {"size": item["size"], "instances": []}
        yield "google_compute_instance_group", {**_common(item), **own}


def _manager(item: Resource) -> Made:
    is_regional = "/regions/" in item["selfLink"]
    zones = item.get("distributionPolicy", {}).get("zones", [])
    own = _taken(item, base_instance_name=HAS, target_size=HAS, instance_group=HAS)
    own["distribution_policy_zones"] = [one["zone"].rpartition("/")[2] for one in zones]
    own["version"] = [
        {"instance_template": one["instanceTemplate"], "name": "", "target_size": []}
        for one in item["versions"]
    ]
    kind = f"google_compute_{'region_' if is_regional else ''}instance_group_manager"
    yield kind, {**_common(item), **own}


def _commitment(item: Resource) -> Made:
    own = _taken(item, plan=HAS, category=HAS, type="", status=HAS)
    own["resources"] = _blocks(item.get("resources", []), type=HAS, amount=HAS, accelerator_type="")
    own |= _taken(item, end_timestamp=HAS, auto_renew=None)
    yield "google_compute_region_commitment", {**_common(item), **own}


def _node_group(item: Resource) -> Made:
    own = _taken(item, node_template=HAS, size=HAS, initial_size=None, maintenance_policy=HAS)
    policy = _blocks([item["autoscalingPolicy"]], mode=HAS, min_nodes=HAS, max_nodes=HAS)
    yield "google_compute_node_group", {**_common(item), **own, "autoscaling_policy": policy}


def _node_template(item: Resource) -> Made:
    own = _taken(item, node_type=HAS, cpu_overcommit_type=HAS, accelerators=[])
    disks = _blocks(item["disks"], disk_type=HAS, disk_size_gb=HAS)
    yield "google_compute_node_template", {**_common(item), **own, "disks": disks}


CONVERTERS: dict[str, Callable[[Resource], Made]] = {
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
    return {"format_version": "1.0", "terraform_version": "1.11.4", "values": {"root_module": root}}


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
