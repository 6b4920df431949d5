"""Rule fixtures: a small project and its traffic in short form, read by the real readers.

`rules/fixtures/<rule>/bad*.json` and `good*.json` hold:

    about       what the case shows
    today       date from which ages count (default 2026-11-20)
    limits      date of the limits (default: today)
    machines    name, zone, type, internal, external, and other fields of `_instance`; `legacy`
                has no subnetwork, `interfaces` are more of them (network, internal, external)
    networks    name, mtu, peers, legacy (its range); `default` is there unless named
    subnetworks name, region, range, network, logs; made from the machines unless named
    addresses   name, address, region, status, created, users
    fronts      forwarding rules: name, address, scheme, region, backend (a service), tier, network
    routes      name, range, `priority`, `tags`, and the next hop: `instance` (zone/name), `ip`,
                `tunnel` (region/name), `hub` (of Network Connectivity Center) or `gateway` (true:
                the internet's); `network`
    nats        Cloud NAT gateways: name, region, and `addresses`, `subnetworks`, `type`,
                `ports` (fields of the Compute API on ports and mapping)
    tunnels     VPN tunnels: name, region, `gateway`, `network` (of its router; without one, it has
                none), and `peer` (a gateway, `region/name`)
    attachments VLAN attachments: name, region, and fields of the Compute API (`type`, `bandwidth`)
    advice      recommendations of machine types: name (of the machine), zone, type, state, subtype
    log_configurations  of flow logs: name, and fields of the Network Management API
    hubs        of Network Connectivity Center: name, `topology` (MESH)
    spokes      VPC spokes of the hub `main`: network, and fields of `hubs.vpc_spoke`
    groups      instance groups: name, zone or region, members
    commitments name, region, type, vcpus, memory_gib, ends, status
    kubernetes  objects of a cluster as `kubectl get --output=json` prints them
    clusters    of GKE, as its API states them; selfLink and location are made of `name`
    node_pools  the same, with `cluster`
    pod_traffic rows of a table: src and dst (`namespace/pod`), gbps, service
    links       what hosts can send, as in netplan.toml: {range: Gbit/s}
    traffic     minutes and flows, see `support.flows.entries`
    metrics     series of Cloud Monitoring, see `support.metrics.cases`; without `traffic` those of
                flows are the traffic
    bill        rows of a billing export: SKU, description, GiB, USD; of October 2026 (744 h)
    measurements  runs between machines, see `support.probes.stores`
    thresholds  {rule: {name: value}}
    expect      the hits of a bad case: subjects, and any field of the finding that matters
    gaps        how many resources could not be judged (default 0)

Everything expands to objects of the Compute API and to flow log entries, which the product's own
readers read: a fixture proves the rule on what really arrives.
"""

import csv
import json
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from netplan_planner.model import DeclaredLink, Facts
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.planning.reconciling import reconcile_facts
from netplan_planner.readers import read_inventory
from netplan_planner.throughput import CapsTable, load_caps
from netplan_planner.traffic import TrafficOptions, read_pod_traffic, read_traffic
from netplan_planner.world.reading import Measured, read_measurements
from netplan_pricing import SnapshotPriceBook, open_snapshot
from netplan_rules.registry import thresholds
from support.flows.entries import START, write_entries
from support.made_once import made_once
from support.metrics.cases import metrics_and_traffic
from support.prices.billing_export import usage, write_flat_csv
from support.probes.stores import write_store
from support.projects import hubs

FIXTURES = Path(__file__).resolve().parents[3] / "rules" / "fixtures"
PROJECT = "p"

Json = dict[str, Any]


@cache
def _prices() -> SnapshotPriceBook:
    return open_snapshot()


@cache
def _caps(as_of: date) -> CapsTable:
    return load_caps(as_of)


def facts_of(case: Json, folder: Path) -> Facts:
    """Return the facts of a fixture; its files are written into `folder`."""
    compute = folder / "compute.json"
    compute.write_text(json.dumps(list(_resources(case))), encoding="utf-8")
    others = (
        *_log_configurations(case, folder),
        *_hub_files(case, folder),
        *_cluster_files(case, folder),
        *_advice_file(case, folder),
    )
    inventory = read_inventory([compute, *others])
    traffic = None
    if "traffic" in case:
        flows = folder / "flows.json"
        write_entries(flows, inventory, case["traffic"])
        # A window that was asked for: its rates go on all month, as the cases say.
        until = START + timedelta(minutes=case["traffic"].get("minutes", 60))
        options = TrafficOptions(threads=1, since=START, until=until)
        # Read once a run: many tests look at one case, and nine tenths of its time is the reading.
        name = f"traffic-{sha256(json.dumps(case, sort_keys=True).encode()).hexdigest()}"
        traffic = made_once(name, lambda: read_traffic([flows], inventory, options))
    metrics = None
    if "metrics" in case:
        metrics, of_metrics = metrics_and_traffic(inventory, case["metrics"])
        traffic = traffic if traffic is not None else of_metrics
    pod_traffic = None
    if "pod_traffic" in case:
        pods = folder / "pods.csv"
        _write_pod_traffic(pods, case["pod_traffic"])
        pod_traffic = read_pod_traffic([pods], inventory, TrafficOptions(threads=1))
    measured: Measured | tuple[None, None] = None, None
    if "measurements" in case:
        store = folder / "measurements.jsonl"
        write_store(store, inventory, case["measurements"])
        measured = read_measurements([store])
    today = date.fromisoformat(case.get("today", "2026-11-20"))
    prices = _prices()
    caps = _caps(date.fromisoformat(case.get("limits", today.isoformat())))
    facts = Facts(
        inventory=inventory,
        traffic=traffic,
        pod_traffic=pod_traffic,
        prices=prices,
        caps=caps,
        machines=Chooser(prices, caps),
        today=today,
        thresholds=thresholds(_thresholds(case)),
        measurements=measured[0],
        measurement_coverage=measured[1],
        metrics=metrics,
        links=tuple(
            DeclaredLink(range=addresses, gbps=gbps, source="netplan.toml [links]")
            for addresses, gbps in case.get("links", {}).items()
        ),
    )
    return _with_bill(case, facts, folder)


def _with_bill(case: Json, facts: Facts, folder: Path) -> Facts:
    if "bill" not in case:
        return facts
    rows = [usage(*row, project=PROJECT) for row in case["bill"]]
    export = write_flat_csv(folder / "bill.csv", rows)
    return replace(facts, reconciliation=reconcile_facts(facts, [export]))


def _advice_file(case: Json, folder: Path) -> Iterator[Path]:
    if "advice" in case:
        path = folder / "advice.json"
        path.write_text(json.dumps(advice(case)), encoding="utf-8")
        yield path


def _log_configurations(case: Json, folder: Path) -> Iterator[Path]:
    place = f"projects/{PROJECT}/locations/global/vpcFlowLogsConfigs"
    found = case.get("log_configurations", ())
    if found:
        path = folder / "configurations.json"
        path.write_text(json.dumps([c | {"name": f"{place}/{c['name']}"} for c in found]))
        yield path


def _hub_files(case: Json, folder: Path) -> Iterator[Path]:
    made = {
        "hubs": [hubs.hub(h["name"], h.get("topology", "MESH")) for h in case.get("hubs", ())],
        "spokes": [hubs.vpc_spoke(**s) for s in case.get("spokes", ())],
    }
    for name, found in made.items():
        if found:
            path = folder / f"{name}.json"
            path.write_text(json.dumps(found), encoding="utf-8")
            yield path


def _cluster_files(case: Json, folder: Path) -> Iterator[Path]:
    """Write the objects of a cluster, and what GKE says of it, into a file each."""
    place = f"https://container.googleapis.com/v1/projects/{PROJECT}"
    clusters = [
        c | {"selfLink": f"{place}/locations/{c['location']}/clusters/{c['name']}"}
        for c in case.get("clusters", ())
    ]
    links = {c["name"]: c["selfLink"] for c in clusters}
    pools = [
        {key: value for key, value in p.items() if key != "cluster"}
        | {"selfLink": f"{links[p['cluster']]}/nodePools/{p['name']}"}
        for p in case.get("node_pools", ())
    ]
    objects = {"apiVersion": "v1", "kind": "List", "items": case.get("kubernetes", [])}
    for name, content in (("clusters", clusters), ("pools", pools)):
        if content:
            path = folder / f"{name}.json"
            path.write_text(json.dumps(content), encoding="utf-8")
            yield path
    if "kubernetes" in case:
        path = folder / "kubernetes.json"
        path.write_text(json.dumps(objects), encoding="utf-8")
        yield path


def _write_pod_traffic(path: Path, rows: list[Json]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ("src", "dst", "gbps", "service"))
        table.writeheader()
        table.writerows(rows)


def _thresholds(case: Json) -> dict[str, dict[str, float]]:
    """Return the thresholds of a case; an hour of it stands for a month without a doubt."""
    given: dict[str, dict[str, float]] = dict(case.get("thresholds", {}))
    return {
        **given,
        "flow-logs-thin": {"month_bounds_times": 24, **given.get("flow-logs-thin", {})},
    }


def _link(path: str, project: str = PROJECT) -> str:
    return f"https://www.googleapis.com/compute/v1/projects/{project}/{path}"


def _region(zone: str) -> str:
    return zone.rpartition("-")[0]


def _made(kind: str, place: str, name: str) -> Json:
    """Return what every object of the Compute API has."""
    link = _link(f"{place}/{name}")
    return {"kind": f"compute#{kind}", "name": name, "selfLink": link}


def _resources(case: Json) -> Iterator[Json]:
    yield from map(_network, case.get("networks", [{"name": "default"}]))
    yield from map(_subnetwork, _subnetworks(case))
    for name, make in (
        *(("machines", _instance), ("addresses", _address), ("fronts", _front)),
        *(("routes", _route), ("nats", _router), ("attachments", _attachment)),
        *(("groups", _group), ("commitments", _commitment)),
    ):
        yield from map(make, case.get(name, ()))
    yield from (disk for machine in case.get("machines", ()) for disk in _disks(machine))
    for tunnel in case.get("tunnels", ()):
        yield from _tunnel(tunnel)


def _network(n: Json) -> Json:
    network = _made("network", "global/networks", n["name"])
    network["peerings"] = [
        {"name": f"to-{peer}", "network": _link(f"global/networks/{peer}"), "state": "ACTIVE"}
        for peer in n.get("peers", ())
    ]
    network |= {"IPv4Range": n["legacy"]} if "legacy" in n else {}
    network |= {"autoCreateSubnetworks": n["auto"]} if "auto" in n else {}
    return network | ({"mtu": n["mtu"]} if "mtu" in n else {})


def _subnetworks(case: Json) -> list[Json]:
    if "subnetworks" in case:
        return list(case["subnetworks"])
    places = {
        (_region(m["zone"]), m.get("network", "default"))
        for m in case.get("machines", ())
        if "zone" in m
    }
    return [
        {"name": network, "region": region, "network": network, "range": "10.0.0.0/8"}
        for region, network in sorted(places)
    ]


def _subnetwork(s: Json) -> Json:
    place = f"regions/{s['region']}"
    subnetwork = _made("subnetwork", f"{place}/subnetworks", s["name"]) | {
        "region": _link(place),
        "network": _link(f"global/networks/{s['network']}"),
        "ipCidrRange": s["range"],
        "purpose": "PRIVATE",
        "privateIpGoogleAccess": s.get("private_google_access", True),
    }
    logs = s.get("logs", {"enable": True, "flowSampling": 1.0, "metadata": "INCLUDE_ALL_METADATA"})
    return subnetwork | ({"logConfig": logs} if logs is not None else {})


def _instance(m: Json) -> Json:
    zone, network = m["zone"], m.get("network", "default")
    nic: Json = {
        "name": "nic0",
        "network": _link(f"global/networks/{network}"),
        "subnetwork": _link(f"regions/{_region(zone)}/subnetworks/{network}"),
        "networkIP": m["internal"],
    }
    if m.get("legacy"):
        del nic["subnetwork"]
    if "external" in m:
        nic["accessConfigs"] = [
            {"name": "External NAT", "type": "ONE_TO_ONE_NAT", "natIP": m["external"]}
        ]
    if "external_ipv6" in m:
        nic["ipv6AccessConfigs"] = [
            {
                "name": "external-ipv6",
                "type": "DIRECT_IPV6",
                "externalIpv6": m["external_ipv6"],
                "externalIpv6PrefixLength": 96,
            }
        ]
        nic["stackType"] = "IPV4_IPV6"
    nic |= {"nicType": m["nic_type"]} if "nic_type" in m else {}
    nic |= {"queueCount": m["queues"]} if "queues" in m else {}
    others = [
        {
            "name": f"nic{number}",
            "network": _link(f"global/networks/{other['network']}"),
            "subnetwork": _link(f"regions/{_region(zone)}/subnetworks/{other['network']}"),
            "networkIP": other["internal"],
            **({"nicType": other["nic_type"]} if "nic_type" in other else {}),
            "accessConfigs": [
                {"name": "External NAT", "type": "ONE_TO_ONE_NAT", "natIP": address}
                for address in filter(None, (other.get("external"),))
            ],
        }
        for number, other in enumerate(m.get("interfaces", ()), 1)
    ]
    created = m.get("created", "2026-01-05T10:00:00.000-07:00")
    disk: Json = {
        "type": "PERSISTENT",
        "boot": True,
        "guestOsFeatures": [{"type": t} for t in m.get("features", ["GVNIC"])],
        "licenses": [_link(f"global/licenses/{n}", "os") for n in m.get("licenses", ())],
    }
    scratch = [{"type": "SCRATCH"}] * m.get("local_ssds", 0)
    instance = _made("instance", f"zones/{zone}/instances", m["name"]) | {
        "zone": _link(f"zones/{zone}"),
        "machineType": _link(f"zones/{zone}/machineTypes/{m['type']}"),
        "status": m.get("status", "RUNNING"),
        "cpuPlatform": m.get("platform", "Intel Cascade Lake"),
        "creationTimestamp": created,
        "lastStartTimestamp": m.get("started", created),
        "networkInterfaces": [nic, *others],
        "disks": [disk, *scratch],
        "labels": m.get("labels", {}),
        "tags": {"items": m.get("tags", [])},
        "scheduling": {"preemptible": m.get("spot", False)}
        | ({"nodeAffinities": [{"key": "a", "operator": "IN"}]} if m.get("sole_tenant") else {}),
        "advancedMachineFeatures": {"enableNestedVirtualization": m.get("nested", False)},
    }
    if "reservation" in m:
        instance["reservationAffinity"] = {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": "compute.googleapis.com/reservation-name",
            "values": [m["reservation"]],
        }
    if m.get("compact"):
        policy = f"regions/{_region(zone)}/resourcePolicies/close"
        instance["resourcePolicies"] = [_link(policy)]
    if "gpus" in m:
        gpu_type, count = m["gpus"]
        link = _link(f"zones/{zone}/acceleratorTypes/{gpu_type}")
        instance["guestAccelerators"] = [{"acceleratorType": link, "acceleratorCount": count}]
    if m.get("forwards"):
        instance["canIpForward"] = True
    if m.get("tier1"):
        instance["networkPerformanceConfig"] = {"totalEgressBandwidthTier": "TIER_1"}
    if "group" in m:
        manager = f"projects/1/{m['group']}".replace("projects/1/", f"projects/{PROJECT}/")
        instance["metadata"] = {"items": [{"key": "created-by", "value": manager}]}
    return instance


def _disks(m: Json) -> list[Json]:
    """Return the disks of a machine, where the case states them, and the policy that it follows."""
    zone, machine = m["zone"], _link(f"zones/{m['zone']}/instances/{m['name']}")
    found = [
        _made("disk", f"zones/{zone}/disks", f"{m['name']}-{number}")
        | {"type": _link(f"zones/{zone}/diskTypes/{disk_type}"), "users": [machine]}
        for number, disk_type in enumerate(m.get("disks", ()))
    ]
    if m.get("compact"):
        placement = {"collocation": "COLLOCATED", "vmCount": 4}
        policy = _made("resourcePolicy", f"regions/{_region(zone)}/resourcePolicies", "close")
        found.append(policy | {"groupPlacementPolicy": placement})
    return found


def _address(a: Json) -> Json:
    place = f"regions/{a['region']}" if "region" in a else "global"
    address = _made("address", f"{place}/addresses", a["name"]) | {
        "address": a["address"],
        "addressType": a.get("type", "EXTERNAL"),
        "status": a.get("status", "RESERVED"),
        "users": [_link(user) for user in a.get("users", ())],
    }
    if "region" in a:
        address["region"] = _link(place)
    if "created" in a:
        address["creationTimestamp"] = a["created"]
    return address


def _front(f: Json) -> Json:
    place = f"regions/{f['region']}"
    front = _made("forwardingRule", f"{place}/forwardingRules", f["name"]) | {
        "IPAddress": f["address"],
        "loadBalancingScheme": f["scheme"],
        "region": _link(place),
        "network": _link(f"global/networks/{f.get('network', 'default')}"),
    }
    front |= {"networkTier": f["tier"]} if "tier" in f else {}
    if "backend" in f:
        front["backendService"] = _link(f"{place}/backendServices/{f['backend']}")
    return front


def _route(r: Json) -> Json:
    route = _made("route", "global/routes", r["name"]) | {
        "destRange": r["range"],
        "network": _link(f"global/networks/{r.get('network', 'default')}"),
        "priority": r.get("priority", 1000),
        "tags": r.get("tags", []),
    }
    if "ip" in r:
        return route | {"nextHopIp": r["ip"]}
    if "hub" in r:
        hub = f"projects/p/locations/global/hubs/{r['hub']}"
        return route | {"nextHopHub": f"https://networkconnectivity.googleapis.com/v1/{hub}"}
    if "gateway" in r:
        return route | {"nextHopGateway": _link("global/gateways/default-internet-gateway")}
    if "tunnel" in r:
        region, _, name = r["tunnel"].partition("/")
        return route | {"nextHopVpnTunnel": _link(f"regions/{region}/vpnTunnels/{name}")}
    zone, _, name = r["instance"].partition("/")
    return route | {"nextHopInstance": _link(f"zones/{zone}/instances/{name}")}


def _router(n: Json) -> Json:
    region = n["region"]
    nat: Json = {
        "name": n["name"],
        "natIpAllocateOption": "MANUAL_ONLY" if "addresses" in n else "AUTO_ONLY",
        "natIps": [_link(f"regions/{region}/addresses/{a}") for a in n.get("addresses", ())],
        "sourceSubnetworkIpRangesToNat": "LIST_OF_SUBNETWORKS"
        if "subnetworks" in n
        else "ALL_SUBNETWORKS_ALL_IP_RANGES",
        "subnetworks": [
            {"name": _link(f"regions/{region}/subnetworks/{s}")} for s in n.get("subnetworks", ())
        ],
        "type": n.get("type", "PUBLIC"),
        **n.get("ports", {}),
    }
    return _made("router", f"regions/{region}/routers", f"router-{n['name']}") | {
        "region": _link(f"regions/{region}"),
        "network": _link(f"global/networks/{n.get('network', 'default')}"),
        "nats": [nat],
    }


def _tunnel(t: Json) -> Iterator[Json]:
    """Yield a tunnel of an HA VPN gateway, and the router that it belongs to."""
    place, gateway = f"regions/{t['region']}", t.get("gateway", t["name"])
    router = _link(f"{place}/routers/router-{gateway}")
    peer_region, _, peer = t.get("peer", "").partition("/")
    tunnel = _made("vpnTunnel", f"{place}/vpnTunnels", t["name"]) | {
        "region": _link(place),
        "peerIp": "203.0.113.9",
        "vpnGateway": _link(f"{place}/vpnGateways/{gateway}"),
        "status": "ESTABLISHED",
    }
    if peer:
        tunnel["peerGcpGateway"] = _link(f"regions/{peer_region}/vpnGateways/{peer}")
    else:
        tunnel["peerExternalGateway"] = _link("global/externalVpnGateways/elsewhere")
    yield tunnel | ({"router": router} if "network" in t else {})
    if "network" in t:
        network = _link(f"global/networks/{t['network']}")
        of_gateway = _made("router", f"{place}/routers", f"router-{gateway}")
        yield of_gateway | {"region": _link(place), "network": network}


def advice(case: Json) -> list[Json]:
    """Return recommendations as `gcloud recommender recommendations list` prints them."""
    recommender = "google.compute.instance.MachineTypeRecommender"
    found = []
    for number, r in enumerate(case.get("advice", ()), 1):
        place = f"projects/100/locations/{r['zone']}/recommenders/{recommender}"
        machine = f"projects/{PROJECT}/zones/{r['zone']}/instances/{r['name']}"
        operation = {
            "path": "/machineType",
            "resource": f"//compute.googleapis.com/{machine}",
            "resourceType": "compute.googleapis.com/Instance",
            "value": f"zones/{r['zone']}/machineTypes/{r['type']}",
        }
        operations = [{"action": action, **operation} for action in ("test", "replace")]
        found.append(
            {
                "name": f"{place}/recommendations/{number}",
                "etag": '"0123456789abcdef"',
                "recommenderSubtype": r.get("subtype", "CHANGE_MACHINE_TYPE"),
                "stateInfo": {"state": r.get("state", "ACTIVE")},
                "content": {"operationGroups": [{"operations": operations}]},
            }
        )
    return found


def _attachment(a: Json) -> Json:
    place = f"regions/{a['region']}"
    made = _made("interconnectAttachment", f"{place}/interconnectAttachments", a["name"])
    router = _link(f"{place}/routers/router-hybrid")
    return a | made | {"region": _link(place), "router": router}


def _group(g: Json) -> Json:
    place = f"zones/{g['zone']}" if "zone" in g else f"regions/{g['region']}"
    return _made("instanceGroupManager", f"{place}/instanceGroupManagers", g["name"]) | {
        place.split("/")[0][:-1]: _link(place),
        "targetSize": g.get("size", 1),
        "instanceTemplate": _link("global/instanceTemplates/t"),
    }


def _commitment(c: Json) -> Json:
    place = f"regions/{c['region']}"
    amounts = {"VCPU": c["vcpus"], "MEMORY": c["memory_gib"] * 1024}
    return _made("commitment", f"{place}/commitments", c["name"]) | {
        "region": _link(place),
        "plan": c.get("plan", "THIRTY_SIX_MONTH"),
        "category": "MACHINE",
        "type": c["type"],
        "status": c.get("status", "ACTIVE"),
        "endTimestamp": c.get("ends", "2028-06-01T00:00:00.000-07:00"),
        "resources": [{"type": kind, "amount": str(amount)} for kind, amount in amounts.items()],
    }
