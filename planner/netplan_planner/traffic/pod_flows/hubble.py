"""Flows of Hubble, as `hubble observe --output=jsonpb` prints them, one a line, packed or not.

A flow is an event: Cilium's report of a packet, thinned by monitor aggregation. It has no bytes and
no packet count, so that what is counted here says which pods meet and how often they were seen, and
nothing of volumes. Both nodes report a flow: the sender's report counts where it sends any.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.model import FIRST_EPHEMERAL_PORT
from netplan_planner.model.evidence.log_volume import OUTSIDE_WINDOW
from netplan_planner.model.evidence.pod_traffic import (
    PodFlow,
    PodSource,
    PodTraffic,
    seconds_between,
)
from netplan_planner.traffic.files.entries import first_lines, lines_of
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.pod_flows.pod_records import PodNames

EGRESS = "EGRESS"
_FORWARDED = frozenset({"FORWARDED", "TRANSLATED", "TRACED", "VERDICT_UNKNOWN"})
"""Verdicts of what was not dropped (docs.cilium.io observability/hubble)."""


class _Named(msgspec.Struct, gc=False):
    name: str | None = None
    namespace: str | None = None


class _End(msgspec.Struct, gc=False):
    namespace: str | None = None
    pod_name: str | None = None
    workloads: list[_Named] | None = None


class _Ports(msgspec.Struct, gc=False):
    source_port: int | None = None
    destination_port: int | None = None


class _Transport(msgspec.Struct, gc=False):
    tcp: _Ports | None = msgspec.field(name="TCP", default=None)
    udp: _Ports | None = msgspec.field(name="UDP", default=None)


class _Flow(msgspec.Struct, gc=False):
    time: datetime | None = None
    verdict: str | None = None
    source: _End | None = None
    destination: _End | None = None
    destination_service: _Named | None = None
    source_service: _Named | None = None
    traffic_direction: str | None = None
    is_reply: bool | None = None
    l4: _Transport | None = None


class _Line(msgspec.Struct, gc=False):
    flow: _Flow | None = None


_HEAD_BYTES = 65_536
_HEAD_LINES = 20
"""A line of a node's state or of lost events may come first."""

_Key = tuple[str, str, str, str, str | None, bool]
"""Pod and workload of each end, the Service, and whether it is a reply."""


def is_hubble(line: bytes) -> bool:
    """Return whether a line is one of Hubble's flows."""
    try:
        flow = decode_json(line, _Line).flow
    except msgspec.DecodeError:
        return False
    return flow is not None and (flow.verdict is not None or flow.source is not None)


def is_hubble_file(path: Path) -> bool:
    """Return whether a file, packed or not, begins with lines of Hubble of which one is a flow."""
    try:
        lines = first_lines(path, _HEAD_BYTES)
    except OSError:
        # Whoever reads it as flow logs says what is wrong.
        return False
    return any(is_hubble(line) for line in lines[:_HEAD_LINES])


def read_files(paths: Iterable[Path], names: PodNames, options: TrafficOptions) -> PodTraffic:
    """Return the flows between pods in files, and which of them are cut."""
    cut: list[str] = []
    every = (line for path in paths for line in lines_of(path, cut.append))
    found = read_flows(every, names, options)
    return msgspec.structs.replace(found, incomplete=tuple(cut))


def read_flows(lines: Iterable[bytes], names: PodNames, options: TrafficOptions) -> PodTraffic:
    """Return the flows between pods, and how many lines say nothing of two pods."""
    counts: dict[str, Counter[_Key]] = {EGRESS: Counter(), "": Counter()}
    left_out: Counter[str] = Counter()
    first = last = None
    total = 0
    for line in lines:
        if not line.strip():
            continue
        total += 1
        try:
            flow = decode_json(line, _Line).flow
        except msgspec.DecodeError:
            left_out["not readable"] += 1
            continue
        reason = _reason(flow)
        if flow is None or reason:
            left_out[reason] += 1
            continue
        moment = _aware(flow.time)
        if not _is_in_window(moment, options):
            left_out[OUTSIDE_WINDOW] += 1
            continue
        if moment is not None:
            first = min(first or moment, moment)
            last = max(last or moment, moment)
        counts[EGRESS if flow.traffic_direction == EGRESS else ""][_key(flow)] += 1
    # A pod whose node reports what it sends: what its peers' nodes report is the same again.
    sending = {key[0] for key in counts[EGRESS]}
    chosen = counts[EGRESS].copy()
    for key, count in counts[""].items():
        if key[0] in sending:
            left_out["also reported by the sender's node"] += count
        else:
            chosen[key] += count
    return PodTraffic(
        flows=_flows(chosen, names),
        sources=(PodSource.HUBBLE,),
        window_seconds=seconds_between(first, last) if first and last else None,
        record_count=total,
        left_out=tuple(sorted(left_out.items())),
        notes=("Hubble flows count events; they have no bytes and no price",),
    )


def _aware(time: datetime | None) -> datetime | None:
    return time if time is None or time.tzinfo else time.replace(tzinfo=UTC)


def _is_in_window(moment: datetime | None, options: TrafficOptions) -> bool:
    """Return whether an event is in the window that was named; one without a time is in none."""
    since, until = _aware(options.since), _aware(options.until)
    if moment is None:
        return since is None and until is None
    return (since is None or moment >= since) and (until is None or moment < until)


def _reason(flow: _Flow | None) -> str:
    """Return why a line counts for nothing, or nothing."""
    if flow is None:
        return "not a flow (a lost-events or status line)"
    if flow.verdict is not None and flow.verdict not in _FORWARDED:
        return "dropped or refused"
    if not (flow.source and flow.source.pod_name and flow.destination):
        return "an end that is not a Pod"
    return "" if flow.destination.pod_name else "an end that is not a Pod"


def _key(flow: _Flow) -> _Key:
    src, dst = flow.source or _End(), flow.destination or _End()
    is_reply = flow.is_reply if flow.is_reply is not None else _looks_like_reply(flow.l4)
    service = flow.source_service if is_reply else flow.destination_service
    named = f"{service.namespace}/{service.name}" if service and service.name else None
    return (*_names(src), *_names(dst), named, is_reply)


def _looks_like_reply(transport: _Transport | None) -> bool:
    ports = (transport.tcp or transport.udp) if transport is not None else None
    if ports is None or ports.source_port is None or ports.destination_port is None:
        return False
    return ports.source_port < FIRST_EPHEMERAL_PORT <= ports.destination_port


def _names(end: _End) -> tuple[str, str]:
    pod = f"{end.namespace or 'default'}/{end.pod_name}"
    workload = end.workloads[0].name if end.workloads else None
    return pod, f"{end.namespace or 'default'}/{workload}" if workload else ""


def _flows(counts: Counter[_Key], names: PodNames) -> tuple[PodFlow, ...]:
    joined: Counter[PodFlow] = Counter()
    for (src, src_workload, dst, dst_workload, service, is_reply), count in counts.items():
        server = src if is_reply else dst
        flow = PodFlow(
            src=names.end_of(src, workload=src_workload or None),
            dst=names.end_of(dst, workload=dst_workload or None),
            service=service or names.service_of([server]),
            is_reply=is_reply,
            is_same_node=names.is_same_node(src, dst),
        )
        joined[flow] += count
    made = [msgspec.structs.replace(flow, record_count=count) for flow, count in joined.items()]
    return tuple(sorted(made, key=lambda flow: (-flow.record_count, repr(flow))))
