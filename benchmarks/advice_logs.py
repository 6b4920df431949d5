"""Writes the flow logs of a made project by the line.

Reports are the sender's, and the receiver's where the sender is on the internet: each flow once.
The bytes of all records of a flow together are what `Flow` says, to the packet; a bulk transfer
sends them at the rate that its path lets it have.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from advice_moments import MINUTES_PER_DAY, Moments, moments, packets_of
from advice_pages import Item, pages, subnet_of
from advice_rates import At, Caps, held
from advice_state import (
    INTERNET,
    PAYLOAD_BYTES_PER_PACKET,
    PROJECT,
    Flow,
    Machine,
    Project,
    cuts,
)

START = datetime(2026, 5, 4)


def write(project: Project, logged: Project, folder: Path, caps: Caps) -> None:
    """Write `inventory/*.json` and `flows/*.json.gz` into a folder without either.

    Args:
        project: As its inventory is read.
        logged: As it was while its logs were written.
        folder: Where they go.
        caps: What bulk transfers are held to.
    """
    (folder / "inventory").mkdir(parents=True)
    (folder / "flows").mkdir()
    for name, page in pages(project).items():
        (folder / "inventory" / f"{name}.json").write_text(json.dumps(page), encoding="utf-8")
    with gzip.GzipFile(folder / "flows" / "flows.json.gz", "wb", compresslevel=1, mtime=0) as out:
        for line in _lines(logged, caps):
            out.write(line.encode())


def _lines(project: Project, caps: Caps) -> Iterator[str]:
    rates = held(project, caps)
    gone = {cut.at for cut in cuts(project)}
    for at, flow in enumerate(project.flows):
        sent = _bulk(project, at, rates) if flow.bulk_hours else moments(project, flow)
        for stream in range(0 if at in gone else flow.streams):
            yield from _stream(project, at, stream, sent)


def _bulk(project: Project, at: int, rates: Mapping[At, float]) -> Moments:
    """Return the records of a bulk transfer: as fast as it can, until its day's volume is sent."""
    flow, a_day = project.flows[at], MINUTES_PER_DAY // project.minutes
    by_day: defaultdict[int, list[int]] = defaultdict(list)
    for slot, _ in moments(project, flow):
        by_day[slot // a_day].append(slot)
    found = []
    for day, slots in by_day.items():
        left, rate = round(flow.packets_per_day), 0.0
        for slot in range(slots[0], (day + 1) * a_day):
            rate = rates.get((at, slot), rate)
            packets = min(left, round(packets_of(rate, project.minutes)))
            left -= packets
            if packets > 0:
                found.append((slot, packets))
    return tuple(found)


def _stream(project: Project, at: int, stream: int, sent: Moments) -> Iterator[str]:
    """Yield the records of one of the connections of a flow."""
    flow, minutes = project.flows[at], project.minutes
    head = _head(project, flow, stream)
    for part, (slot, whole) in enumerate(sent):
        packets = whole // flow.streams + (stream < whole % flow.streams)
        start = START + timedelta(minutes=minutes * slot)
        end = start + timedelta(minutes=minutes, milliseconds=-100)
        record = {
            **head,
            "bytes_sent": str(packets * PAYLOAD_BYTES_PER_PACKET),
            "packets_sent": str(packets),
            "start_time": f"{start.isoformat(timespec='milliseconds')}Z",
            "end_time": f"{end.isoformat(timespec='milliseconds')}Z",
        }
        entry = {
            "insertId": f"{at:06x}-{stream:x}-{part:x}",
            "jsonPayload": record,
            "logName": f"projects/{PROJECT}/logs/compute.googleapis.com%2Fvpc_flows",
            "resource": {"type": "gce_subnetwork", "labels": {"project_id": PROJECT}},
            "timestamp": record["end_time"],
        }
        if packets:
            yield json.dumps(entry, separators=(",", ":")) + "\n"


def _head(project: Project, flow: Flow, stream: int) -> Item:
    src, dst = project.machines.get(flow.src), project.machines.get(flow.dst)
    client_port, server_port = 40_000 + len(flow.src + flow.dst) + 100 * stream, flow.port
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
            "subnetwork_name": subnet_of(one.network, one.region),
            "subnetwork_region": one.region,
            "vpc_name": one.network,
        },
    }
