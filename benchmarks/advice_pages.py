"""Writes a made project as an audit reads it: pages of the Compute API."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from advice_prices import series_of
from advice_state import PREMIUM, PROJECT, Gateway, Machine, Project

API = "https://www.googleapis.com/compute/v1"
BASE = f"{API}/projects/{PROJECT}"
HUBS = f"https://networkconnectivity.googleapis.com/v1/projects/{PROJECT}/locations/global/hubs"
COMMITMENT_TYPES = {"n2": "GENERAL_PURPOSE_N2", "e2": "GENERAL_PURPOSE_E2"}
DISK = {"type": "PERSISTENT", "boot": True, "index": 0, "deviceName": "boot"}

Item = dict[str, Any]


def pages(project: Project) -> Mapping[str, Item]:
    """Return the inventory by file name."""
    return {
        "instances": _page("instances", "instance", _instances(project)),
        "addresses": _page("addresses", "address", _addresses(project)),
        "subnetworks": _page("subnetworks", "subnetwork", _subnetworks(project)),
        "routers": _page("routers", "router", map(_router, project.gateways.values())),
        "forwardingRules": _page("forwardingRules", "forwardingRule", _fronts(project)),
        "commitments": _page("commitments", "commitment", _commitments(project)),
        "networks": {"kind": "compute#networkList", "items": list(_networks(project))},
        "routes": {"kind": "compute#routeList", "items": list(_routes(project))},
        "instanceGroupManagers": _page(
            "instanceGroupManagers", "instanceGroupManager", _managers(project)
        ),
    }


def _page(collection: str, kind: str, items: Iterator[Item]) -> Item:
    """Return items by their zone or region, which each names, as an aggregated list has them."""
    by_place: dict[str, Item] = defaultdict(lambda: {collection: []})
    for number, item in enumerate(items):
        scope = "zone" if "zone" in item else "region"
        place = item[scope]
        made = {
            "kind": f"compute#{kind}",
            "id": str(7_000_000_000_000_000_000 + number),
            "creationTimestamp": "2026-01-09T08:00:00.000-08:00",
            "selfLink": f"{BASE}/{scope}s/{place}/{collection}/{item['name']}",
            **item,
            scope: f"{BASE}/{scope}s/{place}",
        }
        by_place[f"{scope}s/{place}"][collection].append(made)
    return {"kind": f"compute#{kind}AggregatedList", "items": by_place}


def subnet_of(network: str, region: str) -> str:
    """Return the name of a network's subnetwork in a region."""
    return f"{network}-{region}"


def _network_link(name: str) -> str:
    return f"{BASE}/global/networks/{name}"


def _status(one: Machine) -> str:
    if one.is_running:
        return "RUNNING"
    return "SUSPENDED" if one.is_suspended else "TERMINATED"


def _scope(place: str) -> str:
    """Return a zone or region as links have it."""
    return f"{'zones' if place.count('-') == 2 else 'regions'}/{place}"


def _instance(one: Machine, group: str) -> Item:
    subnet = subnet_of(one.network, one.region)
    nic: Item = {
        "name": "nic0",
        "network": _network_link(one.network),
        "subnetwork": f"{BASE}/regions/{one.region}/subnetworks/{subnet}",
        "networkIP": one.internal_ip,
        "stackType": "IPV4_ONLY",
        "nicType": "GVNIC",
    }
    if one.external_ip:
        access = {"type": "ONE_TO_ONE_NAT", "name": "External NAT", "networkTier": one.tier}
        nic["accessConfigs"] = [{**access, "natIP": one.external_ip}]
    made: Item = {
        "name": one.name,
        "zone": one.zone,
        "machineType": f"{BASE}/zones/{one.zone}/machineTypes/{one.machine_type}",
        "status": _status(one),
        "lastStartTimestamp": one.restarted,
        "labels": dict(one.labels),
        "networkInterfaces": [nic],
        "disks": [
            DISK,
            *({"type": "SCRATCH", "interface": "NVME"} for _ in range(one.local_ssds)),
        ],
        "scheduling": {"provisioningModel": "SPOT" if one.is_spot else "STANDARD"},
    }
    if series_of(one.machine_type) == "n1" and one.is_running:
        made["cpuPlatform"] = "Intel Skylake"
    if one.is_tier1:
        made["networkPerformanceConfig"] = {"totalEgressBandwidthTier": "TIER_1"}
    if one.reservation:
        made["reservationAffinity"] = {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": "compute.googleapis.com/reservation-name",
            "values": [one.reservation],
        }
    if group:
        manager = f"projects/123456789/{_scope(group)}/instanceGroupManagers/{one.group}"
        made["metadata"] = {"items": [{"key": "created-by", "value": manager}]}
    return made


def _instances(project: Project) -> Iterator[Item]:
    for one in project.machines.values():
        yield _instance(one, project.groups.get(one.group, ""))


def _addresses(project: Project) -> Iterator[Item]:
    for one in project.addresses.values():
        holder = project.holder_of(one)
        made: Item = {
            "name": one.name,
            "region": one.region,
            "address": one.ip,
            "addressType": "EXTERNAL",
            "networkTier": PREMIUM,
            "status": "IN_USE" if holder and one.says_in_use else "RESERVED",
        }
        if holder and one.says_in_use:
            made["users"] = [_user(project, holder)]
        yield made


def _user(project: Project, holder: str) -> str:
    machine = project.machines.get(holder)
    if machine is not None:
        return f"{API}/{machine.link}"
    kind = "forwardingRules" if holder in project.fronts else "routers"
    place = (project.fronts.get(holder) or project.gateways[holder]).region
    return f"{BASE}/regions/{place}/{kind}/{holder}"


def _subnetworks(project: Project) -> Iterator[Item]:
    for network in project.networks.values():
        for region, cidr in network.ranges.items():
            yield {
                "name": subnet_of(network.name, region),
                "region": region,
                "network": _network_link(network.name),
                "ipCidrRange": cidr,
                "privateIpGoogleAccess": region in network.google_access,
                "logConfig": {
                    "enable": True,
                    "aggregationInterval": f"INTERVAL_{project.minutes}_MIN",
                    "flowSampling": 1.0,
                    "metadata": "INCLUDE_ALL_METADATA",
                },
            }


def _router(one: Gateway) -> Item:
    nat: Item = {
        "name": one.name,
        "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
        "natIpAllocateOption": "AUTO_ONLY" if one.is_auto else "MANUAL_ONLY",
        "natIps": [f"{BASE}/regions/{one.region}/addresses/{name}" for name in one.addresses],
    }
    return {
        "name": one.name,
        "region": one.region,
        "network": _network_link(one.network),
        "nats": [nat],
    }


def _fronts(project: Project) -> Iterator[Item]:
    for one in project.fronts.values():
        yield {
            "name": one.name,
            "region": one.region,
            "IPAddress": one.ip,
            "IPProtocol": "TCP",
            "loadBalancingScheme": "EXTERNAL",
            "networkTier": PREMIUM,
            "portRange": "443-443",
            "target": f"{BASE}/regions/{one.region}/targetPools/{one.name}",
        }


def _commitments(project: Project) -> Iterator[Item]:
    for one in project.commitments:
        yield {
            "name": one.name,
            "region": one.region,
            "plan": "TWELVE_MONTH",
            "category": "MACHINE",
            "type": COMMITMENT_TYPES[one.series],
            "status": "ACTIVE",
            "startTimestamp": "2026-03-01T00:00:00.000-08:00",
            "endTimestamp": "2027-03-01T00:00:00.000-08:00",
            "resources": [
                {"type": "VCPU", "amount": str(one.vcpus)},
                {"type": "MEMORY", "amount": str(one.memory_gib * 1024)},
            ],
        }


def _networks(project: Project) -> Iterator[Item]:
    for number, one in enumerate(project.networks.values()):
        yield {
            "kind": "compute#network",
            "id": str(4_000_000_000_000_000_000 + number),
            "name": one.name,
            "selfLink": _network_link(one.name),
            "mtu": 1460,
            "autoCreateSubnetworks": False,
            "peerings": [
                {"name": f"to-{peer}", "network": _network_link(peer), "state": "ACTIVE"}
                for peer in sorted(one.peers)
            ],
        }


def _routes(project: Project) -> Iterator[Item]:
    """Yield the routes to the internet, of subnetworks, and to other spokes over a hub."""
    for one in project.networks.values():
        gateway = f"{BASE}/global/gateways/default-internet-gateway"
        yield _route(one.name, "0.0.0.0/0", {"nextHopGateway": gateway}, priority=1000)
        for cidr in one.ranges.values():
            yield _route(one.name, cidr, {"nextHopNetwork": _network_link(one.name)})
        for other in project.networks.values():
            hub = project.hub_of(one.name, other.name)
            for cidr in other.ranges.values() if hub else ():
                yield _route(one.name, cidr, {"nextHopHub": f"{HUBS}/{hub}"})


def _route(network: str, cidr: str, hop: Item, priority: int = 0) -> Item:
    name = f"route-{network}-{cidr.replace('.', '-').replace('/', '-')}"
    return {
        "kind": "compute#route",
        "name": name,
        "selfLink": f"{BASE}/global/routes/{name}",
        "network": _network_link(network),
        "destRange": cidr,
        "priority": priority,
        **hop,
    }


def _managers(project: Project) -> Iterator[Item]:
    for name, place in project.groups.items():
        kind = _scope(place).partition("/")[0]
        size = sum(machine.group == name for machine in project.machines.values())
        yield {
            "name": name,
            kind.removesuffix("s"): place,
            "baseInstanceName": name.removesuffix("-group"),
            "instanceTemplate": f"{BASE}/global/instanceTemplates/{name}-template",
            "instanceGroup": f"{BASE}/{_scope(place)}/instanceGroups/{name}",
            "targetSize": size,
        }
