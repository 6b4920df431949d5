"""Writes a made project as an audit reads it: pages of the Compute API, and flow logs by the line.

Reports are the sender's, and the receiver's where the sender is on the internet: each flow once.
The bytes of all records of a flow together are what `Flow` says, to the packet.
"""

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from advice_prices import series_of
from advice_state import (
    INTERNET,
    PAYLOAD_BYTES_PER_PACKET,
    PREMIUM,
    PROJECT,
    Flow,
    Gateway,
    Machine,
    Project,
    cuts,
)

API = "https://www.googleapis.com/compute/v1"
BASE = f"{API}/projects/{PROJECT}"
START = datetime(2026, 5, 4)
SLOT_MINUTES = 15
SLOTS_PER_DAY = 24 * 60 // SLOT_MINUTES
WEEKLY_DAY = 5
MOST_BYTES = 150 * 2**30
"""Of a record: 1.4 Gbit/s, which every path carries."""
COMMITMENT_TYPES = {"n2": "GENERAL_PURPOSE_N2", "e2": "GENERAL_PURPOSE_E2"}
DISK = {"type": "PERSISTENT", "boot": True, "index": 0, "deviceName": "boot"}

Item = dict[str, Any]


def write(project: Project, folder: Path, seed: int) -> None:
    """Write `inventory/*.json` and `flows/*.json.gz` into a folder without either."""
    (folder / "inventory").mkdir(parents=True)
    (folder / "flows").mkdir()
    for name, page in pages(project).items():
        (folder / "inventory" / f"{name}.json").write_text(json.dumps(page), encoding="utf-8")
    with gzip.GzipFile(folder / "flows" / "flows.json.gz", "wb", compresslevel=1, mtime=0) as out:
        for line in _lines(project, random.Random(f"log {seed}")):
            out.write(line.encode())


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


def _subnet(network: str, region: str) -> str:
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
    nic: Item = {
        "name": "nic0",
        "network": _network_link(one.network),
        "subnetwork": f"{BASE}/regions/{one.region}/subnetworks/{_subnet(one.network, one.region)}",
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
                "name": _subnet(network.name, region),
                "region": region,
                "network": _network_link(network.name),
                "ipCidrRange": cidr,
                "privateIpGoogleAccess": region in network.google_access,
                "logConfig": {
                    "enable": True,
                    "aggregationInterval": "INTERVAL_15_MIN",
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


def _lines(project: Project, dice: random.Random) -> Iterator[str]:
    for number, flow in enumerate(_streams(project)):
        head = _head(project, flow)
        for part, (slot, packets) in enumerate(_records(project.days, flow, dice)):
            start = START + timedelta(minutes=SLOT_MINUTES * slot)
            end = start + timedelta(minutes=SLOT_MINUTES, milliseconds=-100)
            record = {
                **head,
                "bytes_sent": str(packets * PAYLOAD_BYTES_PER_PACKET),
                "packets_sent": str(packets),
                "start_time": f"{start.isoformat(timespec='milliseconds')}Z",
                "end_time": f"{end.isoformat(timespec='milliseconds')}Z",
            }
            entry = {
                "insertId": f"{number:06x}-{part:x}",
                "jsonPayload": record,
                "logName": f"projects/{PROJECT}/logs/compute.googleapis.com%2Fvpc_flows",
                "resource": {"type": "gce_subnetwork", "labels": {"project_id": PROJECT}},
                "timestamp": record["end_time"],
            }
            yield json.dumps(entry, separators=(",", ":")) + "\n"


def _streams(project: Project) -> Iterator[Flow]:
    """Yield each connection that the logs see; what is cut has no records."""
    gone = {cut.flow for cut in cuts(project)}
    for flow in project.flows:
        is_missed = flow.is_weekly and project.days <= WEEKLY_DAY
        for at in range(0 if is_missed or flow in gone else flow.streams):
            each = flow.packets_per_day / flow.streams
            yield flow if flow.streams == 1 else replace(flow, packets_per_day=each, stream=at)


def _records(days: int, flow: Flow, dice: random.Random) -> Iterator[tuple[int, int]]:
    """Yield the slot and the packets of each record; together they are the flow's."""
    busy = _busy_slots(days, flow, dice)
    times = len(range(WEEKLY_DAY, days, 7)) if flow.is_weekly else days
    left = round(flow.packets_per_day * times)
    weights = [dice.uniform(0.5, 1.5) for _ in busy]
    rest = sum(weights)
    for slot, weight in zip(busy, weights, strict=True):
        packets = round(left * weight / rest) if rest > weight else left
        left, rest = left - packets, rest - weight
        if packets > 0:
            yield slot, packets


def _busy_slots(days: int, flow: Flow, dice: random.Random) -> list[int]:
    if flow.is_weekly:
        return [day * SLOTS_PER_DAY + 8 for day in range(WEEKLY_DAY, days, 7)]
    if not flow.records:
        return list(range(days * SLOTS_PER_DAY))
    if flow.burst_minutes:
        first = dice.randrange(SLOTS_PER_DAY - 4)
        each = range(first, first + flow.burst_minutes // SLOT_MINUTES)
        return [day * SLOTS_PER_DAY + slot for day in range(days) for slot in each]
    least = round(flow.packets_per_day * PAYLOAD_BYTES_PER_PACKET / MOST_BYTES)
    a_day = min(SLOTS_PER_DAY, max(1, flow.records // days, least))
    return sorted(
        day * SLOTS_PER_DAY + slot
        for day in range(days)
        for slot in dice.sample(range(SLOTS_PER_DAY), a_day)
    )


def _head(project: Project, flow: Flow) -> Item:
    src, dst = project.machines.get(flow.src), project.machines.get(flow.dst)
    client_port, server_port = 40_000 + len(flow.src + flow.dst) + 100 * flow.stream, flow.port
    ports = (client_port, server_port) if flow.is_opened_by_src else (server_port, client_port)
    made: Item = {
        "reporter": "SRC" if src is not None else "DEST",
        "connection": {
            "src_ip": src.internal_ip if src is not None else flow.peer_ip,
            "src_port": ports[0],
            "dest_ip": _dest_ip(flow, dst),
            "dest_port": ports[1],
            "protocol": 6,
        },
        "round_trip_time": {"median_msec": _rtt_ms(src, dst)},
    }
    for end, machine in (("src", src), ("dest", dst)):
        if machine is not None:
            made |= _end(end, machine)
    if flow.service:
        made["dest_google_service"] = {"type": "GOOGLE_API", "service_name": flow.service}
    elif INTERNET in (flow.src, flow.dst):
        end = "dest" if src is not None else "src"
        continent, country = flow.place
        made[f"{end}_location"] = {"continent": continent, "country": country}
    return made


def _dest_ip(flow: Flow, dst: Machine | None) -> str:
    if dst is None:
        return flow.peer_ip
    return dst.external_ip if flow.over_external else dst.internal_ip


def _rtt_ms(src: Machine | None, dst: Machine | None) -> float:
    if src is None or dst is None:
        return 25.0
    if src.region != dst.region:
        return 20.0 if src.region[:2] == dst.region[:2] else 120.0
    return 0.2 if src.zone == dst.zone else 0.6


def _end(end: str, one: Machine) -> Item:
    return {
        f"{end}_instance": {
            "project_id": PROJECT,
            "region": one.region,
            "vm_name": one.name,
            "zone": one.zone,
        },
        f"{end}_vpc": {
            "project_id": PROJECT,
            "subnetwork_name": _subnet(one.network, one.region),
            "subnetwork_region": one.region,
            "vpc_name": one.network,
        },
    }
