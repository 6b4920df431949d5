"""From the sums by pair to the matrix, and what it rests on; the same for all engines.

Reads the traffic of machines and paths by hour, from the wire bytes of edges by minute.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.model import BadRecord, Inventory, TrafficMatrix
from netplan_planner.model.base import collection_paused
from netplan_planner.model.evidence.traffic import MachineHours, PathHours, Rates, TrafficHours
from netplan_planner.paths.edges import PricedPathKey, priced_path_key
from netplan_planner.traffic.coverage import Inputs, coverage_of
from netplan_planner.traffic.engine import Engine, Row
from netplan_planner.traffic.logged import LogReader
from netplan_planner.traffic.matrix import MatrixBuilder
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.record_sums import RecordSums, Routes, microseconds
from netplan_planner.traffic.statements.keys import US_PER_MINUTE
from netplan_planner.traffic.statements.series import MACHINE_HOURS, MINUTES_PER_HOUR, PATH_HOURS
from netplan_planner.traffic.window import Active, Window, find_window, time_of_minute
from netplan_planner.units import SECONDS_PER_MINUTE, gbps_from_bytes

LEAST_MINUTES = MINUTES_PER_HOUR // 2
"""An hour of which less was observed is unknown."""


class HourReader:
    """Asks the engine for hours; those outside of the observed window are unknown, and not 0."""

    def __init__(self, engine: Engine, routes: Routes, window: Window) -> None:
        self._engine = engine
        self._routes = routes
        self._first = window.first_minute // MINUTES_PER_HOUR
        self._seconds = [
            minutes * SECONDS_PER_MINUTE if minutes >= LEAST_MINUTES else 0
            for minutes in observed_minutes(window)
        ]

    def read(self, matrix: TrafficMatrix, inventory: Inventory) -> TrafficHours:
        """Return the hours of a matrix that was read from the engine's tables."""
        paths = self._fill_paths(matrix, inventory)
        index = {owner.key: number for number, owner in enumerate(matrix.owners)}
        owners = {
            number: index[key] for key, number in self._routes.owner_number.items() if key in index
        }
        sent: dict[int, list[int]] = {}
        outside: dict[int, list[int]] = {}
        for rows in self._engine.stream(MACHINE_HOURS):
            self._add(sent, ((vm, hour, wire) for vm, hour, wire, _ in rows))
            self._add(outside, ((vm, hour, wire) for vm, hour, _, wire in rows))
        carried: dict[int, list[int]] = {}
        for rows in self._engine.stream(PATH_HOURS):
            self._add(carried, rows)
        return TrafficHours(
            start=time_of_minute(self._first * MINUTES_PER_HOUR),
            machines=tuple(
                MachineHours(
                    owner=owners[vm],
                    gbps=self._rates(sent[vm]),
                    outside_gbps=self._rates(outside[vm]),
                )
                for vm in sorted(sent, key=lambda number: owners.get(number, -1))
                if vm in owners
            ),
            paths=tuple(
                PathHours(edge=edge, gbps=self._rates(carried[path]))
                for path, edge in enumerate(paths)
                if path in carried
            ),
        )

    def _fill_paths(self, matrix: TrafficMatrix, inventory: Inventory) -> Sequence[int]:
        """Fill the table `edge_path`, and return an edge of the matrix for each path."""
        numbers = {key: number for number, key in enumerate(self._routes.keys)}
        paths: dict[PricedPathKey, int] = {}
        examples: list[int] = []
        rows: list[Row] = []
        for at, edge in enumerate(matrix.edges):
            key = priced_path_key(matrix, edge, inventory)
            path = paths.setdefault(key, len(paths))
            if path == len(examples):
                examples.append(at)
            src, dst = matrix.owners[edge.src].key, matrix.owners[edge.dst].key
            rows.append((numbers[src, dst, edge.path_class, edge.dst_address], path))
        self._engine.create("edge_path")
        self._engine.insert("edge_path", iter(rows))
        return examples

    def _add(self, found: dict[int, list[int]], rows: Iterable[Row]) -> None:
        for key, hour, wire in rows:
            at = hour - self._first
            if 0 <= at < len(self._seconds):
                found.setdefault(key, [0] * len(self._seconds))[at] += wire

    def _rates(self, wire: Sequence[int]) -> Rates:
        unit = self._routes.unit
        return tuple(
            gbps_from_bytes(count / unit, seconds) if seconds else None
            for count, seconds in zip(wire, self._seconds, strict=True)
        )


def observed_minutes(window: Window) -> list[int]:
    """Return how many minutes of each hour of a window were observed, from its first hour on."""
    first = window.first_minute // MINUTES_PER_HOUR
    found = [MINUTES_PER_HOUR] * (window.last_minute // MINUTES_PER_HOUR - first + 1)
    found[0] -= window.first_minute % MINUTES_PER_HOUR
    found[-1] -= MINUTES_PER_HOUR - 1 - window.last_minute % MINUTES_PER_HOUR
    for gap_first, gap_last in window.gaps:
        for hour in range(gap_first // MINUTES_PER_HOUR, gap_last // MINUTES_PER_HOUR + 1):
            begins = max(gap_first, hour * MINUTES_PER_HOUR)
            ends = min(gap_last, (hour + 1) * MINUTES_PER_HOUR - 1)
            found[hour - first] -= ends - begins + 1
    return found


class LeftOut(Protocol):
    """What was left out: how many records by reason, and the first few."""

    comment_count: int
    """Lines that were taken for records, but are comments."""

    def excluded(self, skewed_count: int) -> tuple[tuple[str, int], ...]:
        """Return how many records were left out by reason, sorted by reason."""

    def examples(self, count: int) -> tuple[BadRecord, ...]:
        """Return the first left-out records."""


@collection_paused()
def assembled(
    engine: Engine,
    ingest: RecordSums,
    faults: LeftOut,
    inventory: Inventory,
    options: TrafficOptions,
    *,
    shown: str,
    inputs: Inputs,
    is_steady: bool = False,
) -> TrafficMatrix:
    """Return the matrix of what was ingested, with its coverage.

    Args:
        engine: Holds the sums.
        ingest: What filled them.
        faults: What it left out.
        inventory: What the ends were looked up in.
        options: Choices and bounds.
        shown: What was read, as messages name it.
        inputs: What coverage says of it.
        is_steady: Rates without times were read.

    Raises:
        InputError: If there is no record to use.
    """
    window = _window(engine, options)
    examples = faults.examples(options.example_count)
    if window is None:
        left_out = "; ".join(f"{count:,} {reason}" for reason, count in faults.excluded(0))
        raise InputError(f"{shown}: no usable flow record" + (f" ({left_out})" if left_out else ""))
    routes = Routes(engine, ingest.nodes, options.reporter)
    routes.build()
    builder = MatrixBuilder(engine, routes, window)
    matrix = builder.build(options.reporter)
    # Before the overlaps, which are told of the same places.
    logged = ingest.repeats.logged(ingest.nodes)
    hours = None
    if options.by_hour and not is_steady:
        hours = HourReader(engine, routes, window).read(matrix, inventory)
    floor_gbps = options.log_volume_from_gbps
    log_volume = None
    if floor_gbps is not None and logged:
        log_volume = LogReader(engine, routes, matrix, ingest).read(floor_gbps)
    return replace(
        matrix,
        coverage=coverage_of(
            matrix,
            totals=builder.totals,
            routes=routes,
            nodes=ingest.nodes,
            window=window,
            inputs=inputs,
            record_count=ingest.record_count - faults.comment_count,
            excluded=faults.excluded(window.skewed_count),
            examples=examples,
            logged=logged,
            overlaps=ingest.repeats.overlaps(),
            engine=engine,
        ),
        log_volume=log_volume,
        hours=hours,
        log_volume_from_gbps=floor_gbps if log_volume is not None else None,
    )


def _window(engine: Engine, options: TrafficOptions) -> Window | None:
    rows = engine.rows(
        "SELECT start_minute, MAX(last_minute), CAST(SUM(records + dropped_records) AS BIGINT)"
        " FROM activity GROUP BY start_minute"
    )
    return find_window(
        (Active(first_minute=a, last_minute=b, record_count=n) for a, b, n in rows),
        gap_minutes=options.gap_minutes,
        max_skew_days=options.max_skew_days,
        skew_ratio=options.skew_ratio,
        asked=_asked(options),
    )


def _asked(options: TrafficOptions) -> tuple[int, int] | None:
    """Return the first minute and the minute after of a window that was named whole."""
    if options.since is None or options.until is None:
        return None
    first = microseconds(options.since) // US_PER_MINUTE
    return first, -(-microseconds(options.until) // US_PER_MINUTE)
