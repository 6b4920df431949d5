"""Flow log entries written out one by one, and short ways to read them and to look at the result.

Times are seconds after `START`, which is the start of a minute, an hour and a day's working hours.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from netplan_planner.model import Edge, Instance, Inventory, Series, TrafficMatrix, last_part
from netplan_planner.traffic import TrafficOptions, read_traffic

START = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
COMPUTE_LOG = "projects/p/logs/compute.googleapis.com%2Fvpc_flows"
NETWORK_LOG = "projects/p/logs/networkmanagement.googleapis.com%2Fvpc_flows"
BYTES_PER_GBPS_MINUTE = 7_500_000_000

Json = dict[str, Any]


_EAST = timezone(timedelta(hours=5, minutes=30))


def stamp(seconds: float, form: int = 0) -> str:
    """Return a time as the logs write it: plainly, with nine digits, or in another zone."""
    moment = START + timedelta(microseconds=round(seconds * 1_000_000))
    if form == 2:
        return moment.astimezone(_EAST).isoformat(timespec="microseconds")
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + ("", "789")[form] + "Z"


def entry(
    src: str,
    dst: str,
    payload: int,
    *,
    start: float = 0,
    end: float = 59,
    packets: int | None = None,
    by: str = "SRC",
    protocol: int = 6,
    ports: tuple[int, int] | None = (40000, 443),
    rtt_ms: float | None = None,
    src_vm: Instance | None = None,
    dst_vm: Instance | None = None,
    is_dropped: bool = False,
    log: str = COMPUTE_LOG,
    insert_id: str | None = None,
    configuration: str | None = None,
    **more: Any,
) -> Json:
    """Return one log entry; `more` goes into the payload, an end's machine where it is given.

    One without an id is never equal to another. `configuration` is one of the Network Management
    API, which has a log of its own.
    """
    resource = {"type": "gce_subnetwork", "labels": {"project_id": "p"}}
    if configuration is not None:
        labels = {"name": configuration, "location": "global", "resource_container": "projects/1"}
        log, resource = NETWORK_LOG, {"type": "vpc_flow_logs_config", "labels": labels}
    connection: Json = {"src_ip": src, "dest_ip": dst, "protocol": protocol}
    if ports is not None:
        connection |= {"src_port": ports[0], "dest_port": ports[1]}
    what = "dropped" if is_dropped else "sent"
    body: Json = {
        "connection": connection,
        "reporter": by,
        f"bytes_{what}": str(payload),
        "start_time": stamp(start),
        "end_time": stamp(end),
    }
    if packets is not None:
        body[f"packets_{what}"] = str(packets)
    if is_dropped:
        body["disposition"] = "DROPPED"
    if rtt_ms is not None:
        body["round_trip_time"] = {"median_msec": rtt_ms}
    for side, machine in (("src", src_vm), ("dest", dst_vm)):
        if machine is not None:
            body |= named(side, machine)
    return {
        **({} if insert_id is None else {"insertId": insert_id}),
        "logName": log,
        "resource": resource,
        "timestamp": stamp(end + 5),
        "jsonPayload": body | more,
    }


def named(side: str, machine: Instance) -> Json:
    """Return what metadata annotations say of an end, `side` being `src` or `dest`."""
    nic = machine.interfaces[0]
    return {
        f"{side}_instance": {
            "project_id": machine.project,
            "region": machine.region,
            "vm_name": machine.name,
            "zone": machine.zone,
        },
        f"{side}_vpc": {
            "project_id": machine.project,
            "vpc_name": last_part(nic.network),
            **(
                {
                    "subnetwork_name": last_part(nic.subnetwork),
                    "subnetwork_region": machine.region,
                }
                if nic.subnetwork
                else {}
            ),
        },
    }


def lines(entries: Iterable[Json]) -> str:
    """Return entries one a line."""
    return "".join(json.dumps(item) + "\n" for item in entries)


def read(
    folder: Path, entries: Iterable[Json], known: Inventory | None = None, **options: Any
) -> TrafficMatrix:
    """Return the matrix of entries, written to one file of JSON lines."""
    path = folder / "flows.json"
    path.write_text(lines(entries), encoding="utf-8")
    return read_traffic([path], known or Inventory(), TrafficOptions(**options))


def only_edge(matrix: TrafficMatrix) -> Edge:
    """Return the one edge of a matrix."""
    (edge,) = matrix.edges
    return edge


def edge_between(matrix: TrafficMatrix, src: str, dst: str) -> Edge:
    """Return the one edge between two owners, by their names."""
    (edge,) = [
        e
        for e in matrix.edges
        if (matrix.owners[e.src].name, matrix.owners[e.dst].name) == (src, dst)
    ]
    return edge


def top_bytes(series: Series) -> list[int]:
    """Return the bytes of the greatest ten minutes, in falling order."""
    return [round(gbps * BYTES_PER_GBPS_MINUTE) for gbps in series.top_gbps]
