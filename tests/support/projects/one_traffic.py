"""One small set of flows, of one project and one cluster, in every format that traffic comes in.

Ten minutes; every packet has the same payload, so that headers change no minute's share.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from netplan_planner.model import Instance, Inventory, last_part
from netplan_planner.readers import read_inventory
from support.flows.records import START, Json, entry, stamp
from support.metrics.series import flow as flow_series
from support.metrics.series import machine, page
from support.projects import one_cluster
from support.projects.one_project import FOLDER, PROJECT

MINUTES = 10
END = START + timedelta(minutes=MINUTES)
PAYLOAD_BYTES = 1000
"""Of every packet."""
LOG = f"projects/{PROJECT}/logs/compute.googleapis.com%2Fvpc_flows"
_INTERNET = "198.51.100.99"
_CALLER = "203.0.113.99"
_WEB, _DATABASE = "web-75b66db9b9-aaaaa", "db-0"


class Flow(NamedTuple):
    """One five-tuple: its ends, and its packets of each minute."""

    src: str
    """A machine's name, or an address."""
    dst: str
    packets: tuple[int, ...]
    over: str = "internal"
    rtt_ms: float | None = None
    pods: tuple[str, str] | None = None
    """Names in the namespace `shop`; the ends are then their addresses."""


FLOWS = (
    Flow("plain-1", "dual-1", tuple(10_000 * n for n in range(1, 11)), rtt_ms=1.5),
    Flow("dual-1", "plain-1", (500,) * 10, rtt_ms=1.5),
    Flow("plain-1", "six-1", (0, 0, 90_000, 0, 0, 7, 0, 0, 0, 1), rtt_ms=101.0),
    Flow("plain-1", "spot-1", (2_000_000,) * 10, over="external", rtt_ms=0.5),
    Flow("mover-1", _INTERNET, (0, 40, 0, 0, 300_000, 0, 0, 0, 0, 0)),
    Flow(_CALLER, "mover-1", (70,) * 10),
    Flow("10.8.0.7", "10.8.1.7", (3_000, 0) * 5, rtt_ms=0.7, pods=(_WEB, _DATABASE)),
)
DROPPED_PACKETS = 12
"""Of the first flow, in its first minute, before it was sent."""
DROP_REASON = "QUEUE_OVERFLOW"


def _machines() -> dict[str, Instance]:
    return {one.name: one for one in read_inventory([FOLDER / "gcloud"]).instances}


def _address(machines: Mapping[str, Instance], end: str, over: str = "internal") -> str:
    if end not in machines:
        return end
    nic = machines[end].interfaces[0]
    found = nic.external_ipv4 if over == "external" else nic.internal_ipv4
    assert found is not None
    return found


def log_entries() -> list[Json]:
    """The flows as log entries: the sender reports, of a sender outside the receiver."""
    machines = _machines()
    found = []
    for number, flow in enumerate(FLOWS):
        for minute, packets in enumerate(flow.packets):
            if packets:
                found.append(_entry(machines, flow, number, minute, packets))
    first = FLOWS[0]
    found.append(_entry(machines, first, 0, 0, DROPPED_PACKETS, drop_reason=DROP_REASON))
    return found


def _entry(
    machines: Mapping[str, Instance],
    flow: Flow,
    number: int,
    minute: int,
    packets: int,
    **more: Any,
) -> Json:
    src, dst = machines.get(flow.src), machines.get(flow.dst)
    if flow.pods is not None:
        ends = zip(("src", "dest"), flow.pods, (0, 1), strict=True)
        for end, pod, node in ends:
            more |= {f"{end}_gke_details": _gke(pod), f"{end}_instance": _node(node)}
    made = entry(
        _address(machines, flow.src),
        _address(machines, flow.dst, flow.over),
        packets * PAYLOAD_BYTES,
        packets=packets,
        start=60 * minute,
        end=60 * minute + 59,
        by="DEST" if flow.src == _CALLER else "SRC",
        ports=(40_000 + number, 3306 if flow.pods else 443),
        rtt_ms=None if "drop_reason" in more else flow.rtt_ms,
        src_vm=src,
        dst_vm=dst,
        is_dropped="drop_reason" in more,
        log=LOG,
        insert_id=f"{number}-{minute}-{len(more)}",
        **more,
    )
    return made


def _gke(pod: str) -> Json:
    found: Json = {
        "cluster": {"cluster_name": "shop", "cluster_location": "us-central1-a"},
        "pod": {"pod_name": pod, "pod_namespace": "shop"},
    }
    if pod == _DATABASE:
        found["service"] = [{"service_name": "db", "service_namespace": "shop"}]
    return found


def _node(number: int) -> Json:
    zone = one_cluster.ZONES[number]
    return {
        "project_id": one_cluster.PROJECT,
        "region": "us-central1",
        "vm_name": f"gke-shop-pool-{number}",
        "zone": zone,
    }


def table_rows() -> list[dict[str, str | int]]:
    """The flows as rows of a plain table: a row a minute; pods by their names' addresses."""
    machines = _machines()
    return [
        {
            "src": flow.src,
            "dst": _address(machines, flow.dst, flow.over) if flow.over != "internal" else flow.dst,
            "start": stamp(60 * minute),
            "end": stamp(60 * minute + 59),
            "bytes": packets * PAYLOAD_BYTES,
            "protocol": "tcp",
            "address_kind": flow.over,
            "service": "shop/db" if flow.pods else "",
        }
        for flow in FLOWS
        for minute, packets in enumerate(flow.packets)
        if packets
    ]


def hubble_lines() -> str:
    """The flow between pods as Hubble tells it: an event a minute."""
    found = []
    for flow in FLOWS:
        for minute, packets in enumerate(flow.packets):
            if flow.pods is None or not packets:
                continue
            ends = {
                side: {"namespace": "shop", "pod_name": pod, "labels": [], "ID": 5}
                for side, pod in zip(("source", "destination"), flow.pods, strict=True)
            }
            ports = {"source_port": 40_000, "destination_port": 3306}
            told = {
                "time": stamp(60 * minute),
                "verdict": "FORWARDED",
                "traffic_direction": "EGRESS",
                "l4": {"TCP": ports},
                **ends,
            }
            found.append({"flow": told, "node_name": "gke-shop-pool-0"})
    return "".join(json.dumps(one) + "\n" for one in found)


def flow_metrics(inventory: Inventory) -> Json:
    """The flows as `vm_flow` counts them: by machine, and the place of its peer."""
    machines = {one.name: one for one in inventory.instances}
    found = []
    for flow in FLOWS:
        names = ("gke-shop-pool-0", "gke-shop-pool-1") if flow.pods else (flow.src, flow.dst)
        src, dst = (machines.get(name) for name in names)
        if src is not None:
            found.append(_series("egress", flow, src, dst))
        if dst is not None:
            found.append(_series("ingress", flow, dst, src))
    return page(*_from_start(found))


def _series(direction: str, flow: Flow, local: Instance, remote: Instance | None) -> Json:
    assert local.instance_id is not None
    values = [packets * PAYLOAD_BYTES for packets in flow.packets]
    resource = machine(local.instance_id, local.zone, local.project)
    # A public address of one's own machine is told as any other.
    if remote is None or flow.over != "internal":
        return flow_series(direction, values, resource=resource, where="EXTERNAL")
    return flow_series(
        direction,
        values,
        resource=resource,
        zone=remote.zone,
        network=last_part(remote.interfaces[0].network),
        project=remote.project,
    )


def _from_start(series: list[Json]) -> Iterator[Json]:
    """Yield series that begin when the flows do."""
    for one in series:
        points = [
            {**point, "interval": {"startTime": stamp(60 * n), "endTime": stamp(60 * (n + 1))}}
            for n, point in enumerate(reversed(one["points"]))
        ]
        yield {**one, "points": points[::-1]}
