"""Reads what the records themselves are: how many, and how much rests on each, by interval."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from netplan_planner.model import SelfLink, TrafficMatrix
from netplan_planner.model.evidence import log_volume
from netplan_planner.traffic.engine import Engine, Row
from netplan_planner.traffic.record_sums import RecordSums, Routes
from netplan_planner.traffic.repeats import write_places
from netplan_planner.traffic.statements import logged

_SLICE_ROWS = 2_000_000


_END: Row = (None,) * 10
"""Behind the last row of a stream."""


class _Key(NamedTuple):
    place: int
    configuration: int


class _Counts(NamedTuple):
    records: int
    extra: int
    counted: int


class LogReader:
    """Asks the engine for what an interval would make of the records."""

    def __init__(
        self, engine: Engine, routes: Routes, matrix: TrafficMatrix, ingest: RecordSums
    ) -> None:
        self._engine = engine
        self._matrix = matrix
        self._name_of = ingest.repeats.name_of
        self._places = write_places(engine, ingest.nodes.ends)
        owners = matrix.owners
        edges = {
            (owners[e.src].key, owners[e.dst].key, e.path_class, e.dst_address): number
            for number, e in enumerate(matrix.edges)
        }
        self._edges = {number: edges[key] for number, key in enumerate(routes.keys) if key in edges}
        numbers = {owner.key: number for number, owner in enumerate(owners)}
        self._owners = {
            number: numbers[key] for key, number in routes.owner_number.items() if key in numbers
        }
        self._unit = routes.unit

    def read(self, floor_gbps: float) -> tuple[log_volume.LogSource, ...]:
        """Return what each configuration wrote of each place, in order of place.

        `floor_gbps` bounds the machines whose series are told, by their 95th percentile.
        """
        self._choose_machines(floor_gbps)
        parts: dict[_Key, list[log_volume.IntervalRecords]] = defaultdict(list)
        asked: dict[_Key, _Counts] = {}
        for interval_s in log_volume.INTERVALS_S:
            steps = interval_s // logged.STEP_S
            self._put_together(steps)
            counts = self._counts()
            asked = asked or counts
            edges, machines = self._edge_records(), self._machine_blocks(steps)
            told = self._told_by_sender()
            for key, count in counts.items():
                parts[key].append(
                    log_volume.IntervalRecords(
                        interval_s=interval_s,
                        record_count=count.records,
                        edges=tuple(edges.get(key, ())),
                        machines=tuple(machines.get(key, ())),
                        told_by_sender=tuple(sorted(told.get(key, ()))),
                    )
                )
        self._engine.create("logged", "logged_interval")
        found = (self._source(key, asked[key], parts[key]) for key in asked)
        return tuple(sorted(found, key=lambda one: (one.place, one.configuration)))

    def _choose_machines(self, floor_gbps: float) -> None:
        busy = {vm.owner for vm in self._matrix.vms if vm.egress.p95_gbps >= floor_gbps}
        self._engine.create("looked_at")
        self._engine.insert(
            "looked_at",
            ((number,) for number, owner in self._owners.items() if owner in busy),
        )

    def _put_together(self, steps: int) -> None:
        self._engine.create("logged_interval")
        for first, until in self._slices():
            statement = logged.interval(steps, first, until)
            self._engine.run(f"INSERT INTO logged_interval {statement}")

    def _slices(self) -> Iterator[tuple[int, int]]:
        """Yield stretches of steps that cut no block of any interval."""
        first, last, count = self._engine.rows(
            "SELECT MIN(step) AS first, MAX(step) AS last, COUNT(*) AS records FROM logged"
        )[0]
        if first is None:
            return
        most = log_volume.INTERVALS_S[-1] // logged.STEP_S
        low, high = first // most, last // most + 1
        parts = 1
        if self._engine.slice_rows is not None:
            parts = max(1, min(round(count / _SLICE_ROWS), high - low))
        ends = [(low + (high - low) * part // parts) * most for part in range(parts + 1)]
        yield from pairwise(ends)

    def _counts(self) -> dict[_Key, _Counts]:
        found: dict[_Key, _Counts] = {}
        for place, configuration, is_extra, records, counted in self._engine.rows(
            logged.PLACE_RECORDS
        ):
            key = _Key(place, configuration)
            before = found.get(key, _Counts(0, 0, 0))
            found[key] = _Counts(
                before.records + records,
                before.extra + records * is_extra,
                before.counted + counted * (1 - is_extra),
            )
        return found

    def _edge_records(self) -> Mapping[_Key, Sequence[log_volume.EdgeRecords]]:
        found: dict[_Key, list[log_volume.EdgeRecords]] = defaultdict(list)
        for rows in self._engine.stream(logged.EDGE_SQUARES):
            for place, configuration, edge, is_received, records, wire, *squares, most in rows:
                if edge in self._edges:
                    found[_Key(place, configuration)].append(
                        log_volume.EdgeRecords(
                            edge=self._edges[edge],
                            is_received=bool(is_received),
                            record_count=records,
                            wire_bytes=wire // self._unit,
                            square_bytes=self._square(squares),
                            most_bytes=most // self._unit,
                        )
                    )
        return {
            key: sorted(rows, key=lambda one: (one.edge, one.is_received))
            for key, rows in found.items()
        }

    def _told_by_sender(self) -> Mapping[_Key, Sequence[tuple[SelfLink, int]]]:
        found: dict[_Key, list[tuple[SelfLink, int]]] = defaultdict(list)
        for place, configuration, sender, records in self._engine.rows(logged.TOLD_BY_SENDER):
            link = SelfLink(self._places[sender])
            found[_Key(place, configuration)].append((link, records))
        return found

    def _machine_blocks(self, steps: int) -> Mapping[_Key, Sequence[log_volume.MachineBlocks]]:
        statement = logged.machine_blocks(steps, max(steps, logged.STEPS_PER_MINUTE))
        found: dict[_Key, list[log_volume.MachineBlocks]] = defaultdict(list)
        key, rows_of_it = None, list[Row]()
        for rows in (*self._engine.stream(statement), [_END]):
            for row in rows:
                if row[:3] != key:
                    if key is not None:
                        found[_Key(*key[:2])].append(self._blocks(key[2], rows_of_it))
                    key, rows_of_it = row[:3], []
                rows_of_it.append(row)
        return found

    def _blocks(self, vm: int, rows: Sequence[Row]) -> log_volume.MachineBlocks:
        return log_volume.MachineBlocks(
            owner=self._owners[vm],
            numbers=tuple(row[3] for row in rows),
            wire_bytes=tuple(row[4] // self._unit for row in rows),
            square_bytes=tuple(self._square(row[5:8]) for row in rows),
            record_counts=tuple(row[9] for row in rows),
            most_bytes=tuple(row[8] // self._unit for row in rows),
        )

    def _square(self, parts: Sequence[int]) -> float:
        """Return the sum of squares of its parts, which the engine adds as whole numbers."""
        high, middle, low = parts
        base = logged.SQUARE_BASE
        return float((high * base + 2 * middle) * base + low) / self._unit**2

    def _source(
        self, key: _Key, counts: _Counts, intervals: Sequence[log_volume.IntervalRecords]
    ) -> log_volume.LogSource:
        return log_volume.LogSource(
            place=SelfLink(self._places[key.place]),
            configuration=self._name_of(key.configuration),
            record_count=counts.records,
            extra_count=counts.extra,
            counted_count=counts.counted,
            intervals=tuple(intervals),
        )
