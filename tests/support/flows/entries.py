"""Flow log entries between the machines of an inventory, at constant rates.

`traffic` holds `minutes` (default 60) and `flows`. A flow has

    src, dst        a machine (`name`, `project/name` or `project/zone/name`), or an address
    gbps            its rate, headers counted, while it is active
    over            `external` or `external-ipv6`: how the packets are addressed (default internal)
    minutes         how long it is active, from the start (default: all the time)
    flows           how many five-tuples share it (default 1)
    record_seconds  what one record covers (default 60)
    packet_bytes    mean packet, headers counted (default 1460)
    rtt_ms, port, area; annotated: false leaves the receiver unnamed
    configuration   of the Network Management API, that logs it instead of the subnetwork's setting
    dropped         packets of each record's time that were dropped, with `reason`
    as              the address that the sender answers from, a load balancer's
    to              the address that the receiver is sent to, a load balancer's

The sender reports; of a sender that is no machine, the receiver does.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from netplan_planner.model import Instance, Inventory, last_part

HEADER_BYTES = 52
MTU_BYTES = 1460
START = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)

Json = dict[str, Any]


def write_entries(path: Path, inventory: Inventory, traffic: Json) -> None:
    """Write the entries, one a line, as a Cloud Storage sink does."""
    with path.open("w", encoding="utf-8") as file:
        for entry in entries(inventory, traffic):
            file.write(json.dumps(entry) + "\n")


def entries(inventory: Inventory, traffic: Json) -> Iterator[Json]:
    """Yield the entries of all flows, and empty ones that make the window as long as it says."""
    machines = {
        name: machine
        for machine in inventory.instances
        for name in (
            machine.name,
            f"{machine.project}/{machine.name}",
            f"{machine.project}/{machine.zone}/{machine.name}",
        )
    }
    minutes = traffic.get("minutes", 60)
    for number, flow in enumerate(traffic["flows"]):
        step = flow.get("record_seconds", 60) // 60
        for minute in range(0, flow.get("minutes", minutes), step):
            yield from _records(machines, flow, number, START + timedelta(minutes=minute))
    silent = {**traffic["flows"][0], "gbps": 0.0, "flows": 1, "record_seconds": 60}
    for minute in (0, minutes - 1):
        yield from _records(machines, silent, 0, START + timedelta(minutes=minute))


def _records(
    machines: dict[str, Instance], flow: Json, number: int, start: datetime
) -> Iterator[Json]:
    src, dst = machines.get(flow["src"]), machines.get(flow["dst"])
    shares = flow.get("flows", 1)
    seconds = flow.get("record_seconds", 60)
    wire = flow["gbps"] * 1e9 / 8 * seconds / shares
    packets = max(1, round(wire / flow.get("packet_bytes", MTU_BYTES))) if wire else 0
    body: Json = {
        "reporter": "SRC" if src else "DEST",
        "bytes_sent": str(max(0, round(wire) - packets * HEADER_BYTES)),
        "packets_sent": str(packets),
        "start_time": _stamp(start),
        "end_time": _stamp(start + timedelta(seconds=seconds, microseconds=-1000)),
    }
    if "rtt_ms" in flow:
        body["round_trip_time"] = {"median_msec": flow["rtt_ms"]}
    if "area" in flow:
        body["dest_location" if src else "src_location"] = flow["area"]
    if src:
        body |= _annotation("src", src)
    if dst and flow.get("annotated", True):
        body |= _annotation("dest", dst)
    project = (src or dst).project if src or dst else "p"  # type: ignore[union-attr]
    for share in range(shares):
        connection = {
            "protocol": 6,
            "src_ip": flow.get("as", src.interfaces[0].internal_ipv4) if src else flow["src"],
            "src_port": 40000 + 100 * number + share,
            "dest_ip": _reached(flow, dst),
            "dest_port": flow.get("port", 443),
        }
        logged: Json = {
            "insertId": f"{number}-{share}-{start.isoformat()}",
            "logName": f"projects/{project}/logs/compute.googleapis.com%2Fvpc_flows",
            "resource": {"type": "gce_subnetwork", "labels": {"project_id": project}},
            "timestamp": _stamp(start + timedelta(seconds=seconds + 7)),
            "jsonPayload": body | {"connection": connection},
        }
        if "configuration" in flow:
            logged["insertId"] += flow["configuration"]
            log = "networkmanagement.googleapis.com%2Fvpc_flows"
            logged["logName"] = f"projects/{project}/logs/{log}"
            logged["resource"] = {
                "type": "vpc_flow_logs_config",
                "labels": {
                    "resource_container": f"projects/{project}",
                    "location": "global",
                    "name": flow["configuration"],
                },
            }
        yield logged
        if "dropped" in flow:
            # No recorded one is public: made from the documentation of the fields.
            lost = {
                "disposition": "DROPPED",
                "drop_reason": flow["reason"],
                "bytes_dropped": str(flow["dropped"] * MTU_BYTES),
                "packets_dropped": str(flow["dropped"]),
            }
            kept = {k: v for k, v in body.items() if k not in {"bytes_sent", "packets_sent"}}
            payload = kept | lost | {"connection": connection}
            yield logged | {"insertId": logged["insertId"] + "-d", "jsonPayload": payload}


def _reached(flow: Json, dst: Instance | None) -> str:
    if dst is None or "to" in flow:
        return str(flow.get("to", flow["dst"]))
    nic = dst.interfaces[0]
    over = flow.get("over", "internal")
    address = {
        "internal": nic.internal_ipv4,
        "external": nic.external_ipv4,
        "external-ipv6": nic.external_ipv6,
    }[over]
    assert address is not None, f"{dst.name} has no address for {over}"
    return address


def _annotation(end: str, machine: Instance) -> Json:
    nic = machine.interfaces[0]
    return {
        f"{end}_instance": {
            "project_id": machine.project,
            "region": machine.region,
            "vm_name": machine.name,
            "zone": machine.zone,
        },
        f"{end}_vpc": {
            "project_id": machine.project,
            "subnetwork_name": last_part(nic.subnetwork or ""),
            "subnetwork_region": machine.region,
            "vpc_name": last_part(nic.network),
        },
    }


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def around(inventory: Inventory) -> list[dict[str, Any]]:
    """Return flows from each machine that has an address to the next one."""
    names = [
        one.name
        for one in inventory.instances
        if one.interfaces and one.interfaces[0].internal_ipv4
    ]
    pairs = zip(names, [*names[1:], names[0]], strict=True)
    return [{"src": a, "dst": b, "gbps": 0.2 + n / 10} for n, (a, b) in enumerate(pairs)]
