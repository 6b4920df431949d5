"""Reads traffic between pods by name: flow logs with GKE annotations, tables of pods, Hubble.

Of flow logs a source's own reports count where it sends any, as in the matrix; of several
configurations that log the same pair, the one that reports most. Memory grows with pairs of pods.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from netplan_planner.input_files import reading
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.model.evidence.log_volume import REPEATED
from netplan_planner.model.evidence.pod_traffic import PodFlow, PodSource, PodTraffic
from netplan_planner.traffic import tables
from netplan_planner.traffic.files.embedded import EmbeddedEngine, open_engine
from netplan_planner.traffic.files.inputs import Source, find_files
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.pod_flows import hubble, pod_records
from netplan_planner.traffic.pod_flows.pod_records import PodNames
from netplan_planner.traffic.read import sources_of

_US_PER_S = 1_000_000
_NO_PODS = "an end that is not a Pod"
_OTHER_SIDE = "also reported by the sender"

_Sum = list[int]
"""Payload, headers, records."""


def read(
    paths: Sequence[Path],
    inventory: Inventory,
    options: TrafficOptions,
    beside: TrafficMatrix | None = None,
) -> PodTraffic | None:
    """Return the traffic of pods in files and folders; see `traffic.read_pod_traffic`."""
    files = find_files(paths)
    names = PodNames(inventory)
    of_hubble = [path for path in files if hubble.is_hubble_file(path)]
    parts: list[PodTraffic] = []
    if of_hubble:
        parts.append(hubble.read_files(of_hubble, names, options))
    others = [path for path in files if path not in of_hubble]
    if others:
        with reading(others[0]), open_engine(options) as engine:
            sources, _ = sources_of(others, engine)
            logs = [source for source in sources if not source.layout.is_table]
            plain = [source for source in sources if source.layout.is_table]
            has_repeated = beside is None or has_repeated_entries(beside)
            if logs:
                query = pod_records.query_of(logs, engine, options, has_repeated=has_repeated)
                parts.append(_of_logs(query, engine, names))
            parts += [_of_tables(plain, engine, names, options)] if plain else []
    found = [_in_window_of(beside, part) for part in parts if part.flows]
    return _joined(found) if found else None


def _in_window_of(beside: TrafficMatrix | None, part: PodTraffic) -> PodTraffic:
    """Return traffic of which a month is what it is of all traffic, whose bytes these are."""
    if beside is None or not part.has_bytes or part.window_seconds is None:
        return part
    return msgspec.structs.replace(part, window_seconds=beside.month_seconds)


def has_repeated_entries(matrix: TrafficMatrix) -> bool:
    """Return whether a matrix left out entries that were there more than once."""
    return any(reason == REPEATED and count for reason, count in matrix.coverage.excluded)


class _Sums:
    """Sums of flows, and the span of their times."""

    def __init__(self) -> None:
        self.by_flow: defaultdict[PodFlow, _Sum] = defaultdict(lambda: [0, 0, 0])
        self.left_out: Counter[str] = Counter()
        self.record_count = 0
        self._first_us: int | None = None
        self._last_us: int | None = None

    def add(self, flow: PodFlow, payload: int, header: int, records: int) -> None:
        """Add what was counted of a flow."""
        into = self.by_flow[flow]
        for index, value in enumerate((payload, header, records)):
            into[index] += value

    def span(self, first_us: int | None, last_us: int | None) -> None:
        """Take note of the times of some records."""
        if first_us is not None and last_us is not None:
            self._first_us = first_us if self._first_us is None else min(self._first_us, first_us)
            self._last_us = last_us if self._last_us is None else max(self._last_us, last_us)

    def traffic(self, source: PodSource, *, is_steady: bool = False) -> PodTraffic:
        """Return the flows, the greatest first."""
        made = [
            msgspec.structs.replace(
                flow, payload_bytes=payload, header_bytes=header, record_count=records
            )
            for flow, (payload, header, records) in self.by_flow.items()
        ]
        window_seconds = None
        if self._first_us is not None and self._last_us is not None and not is_steady:
            window_seconds = max(1, round((self._last_us - self._first_us) / _US_PER_S))
        return PodTraffic(
            flows=tuple(sorted(made, key=lambda flow: (-(flow.wire_bytes or 0), repr(flow)))),
            sources=(source,),
            window_seconds=window_seconds,
            is_steady=is_steady,
            record_count=self.record_count,
            left_out=tuple(sorted(self.left_out.items())),
        )


def _of_logs(query: str, engine: EmbeddedEngine, names: PodNames) -> PodTraffic:
    sums = _Sums()
    # By flow of pods and reporter, each configuration apart.
    counted: defaultdict[tuple[pod_records.Pair, bool], defaultdict[str, _Sum]]
    counted = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
    for rows in engine.stream(query):
        for row in rows:
            made = pod_records.Group(*row)
            sums.record_count += made.records
            if not (made.pair.src.pod and made.pair.dst.pod):
                sums.left_out[_NO_PODS] += made.records
                continue
            into = counted[made.pair, made.by_sender][made.configuration]
            for index, value in enumerate((made.payload, made.header, made.records)):
                into[index] += value
            sums.span(made.first_us, made.last_us)
    # By name: of workload and Service the two ends' records may say more and less.
    sending = {(pair.src.cluster, pair.src.pod) for pair, by_sender in counted if by_sender}
    for (pair, by_sender), by_configuration in counted.items():
        payload, header, records = max(by_configuration.values())
        if not by_sender and (pair.src.cluster, pair.src.pod) in sending:
            sums.left_out[_OTHER_SIDE] += records
        else:
            sums.add(_flow_of(pair, names), payload, header, records)
    return sums.traffic(PodSource.FLOW_LOGS)


def _flow_of(pair: pod_records.Pair, names: PodNames) -> PodFlow:
    src, dst = pair.src, pair.dst
    server = src if pair.is_reply else dst
    stated = server.service
    is_same_node = src.vm == dst.vm and src.zone == dst.zone if src.vm and dst.vm else None
    return PodFlow(
        src=names.end_of(src.pod, workload=src.workload, zone=src.zone, cluster=src.cluster),
        dst=names.end_of(dst.pod, workload=dst.workload, zone=dst.zone, cluster=dst.cluster),
        service=stated or names.service_of([server.pod]),
        is_reply=pair.is_reply,
        is_same_node=is_same_node,
    )


def _of_tables(
    sources: Sequence[Source], engine: EmbeddedEngine, names: PodNames, options: TrafficOptions
) -> PodTraffic:
    sums = _Sums()
    is_steady = False
    for source in sources:
        is_steady |= tables.is_steady(source, engine)
        for row in engine.rows(pod_records.table_query(source, engine, options)):
            _add_row(row, names, sums)
    return sums.traffic(PodSource.TABLE, is_steady=is_steady)


def _add_row(row: Sequence[Any], names: PodNames, sums: _Sums) -> None:
    src_text, dst_text, src_zone, dst_zone, service, payload, records, first_us, last_us = row
    sums.record_count += records
    src, dst = names.found(src_text or "", src_zone), names.found(dst_text or "", dst_zone)
    if src is None or dst is None or payload is None or payload < 0:
        sums.left_out[_NO_PODS if payload is not None else "no byte counts"] += records
        return
    (src_end, src_pods), (dst_end, dst_pods) = src, dst
    src_names, dst_names = ([pod.full_name for pod in pods] for pods in (src_pods, dst_pods))
    stated = service or names.service_of(dst_names)
    is_reply = False
    if stated is None or (service and names.is_endpoint(src_names, service)):
        answering = service or names.service_of(src_names)
        is_reply = answering is not None and not names.is_endpoint(dst_names, answering)
        stated = answering if is_reply else stated
    nodes = {pod.node for pod in (*src_pods, *dst_pods)}
    flow = PodFlow(
        src=src_end,
        dst=dst_end,
        service=stated,
        is_reply=is_reply,
        is_same_node=len(nodes) == 1 if src_pods and dst_pods else None,
    )
    sums.add(flow, payload, 0, records)
    sums.span(first_us, last_us)


def _joined(parts: Sequence[PodTraffic]) -> PodTraffic:
    """Return the one part, or what counts bytes: volumes and events are not added up."""
    best = next((part for part in parts if part.has_bytes), parts[0])
    others = [part for part in parts if part is not best]
    if not others:
        return best
    incomplete = tuple(text for part in parts for text in part.incomplete)
    named = ", ".join(source.value for part in others for source in part.sources)
    note = f"also given, but not added: {named}"
    return msgspec.structs.replace(best, incomplete=incomplete, notes=(*best.notes, note))
