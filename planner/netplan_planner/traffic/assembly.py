"""From the sums by pair to the matrix, and what it rests on; the same for all engines."""

from typing import Protocol

from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.model import BadRecord, Inventory, TrafficMatrix
from netplan_planner.traffic.coverage import Inputs, coverage_of
from netplan_planner.traffic.engine import Engine
from netplan_planner.traffic.hours import HourReader
from netplan_planner.traffic.logged import LogReader
from netplan_planner.traffic.matrix import MatrixBuilder
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.record_sums import RecordSums, microseconds
from netplan_planner.traffic.routes import Routes
from netplan_planner.traffic.statements.keys import US_PER_MINUTE
from netplan_planner.traffic.window import Active, Window, find_window


class LeftOut(Protocol):
    """What was left out: how many records by reason, and the first few."""

    comment_count: int
    """Lines that were taken for records, but are comments."""

    def excluded(self, skewed_count: int) -> tuple[tuple[str, int], ...]:
        """Return how many records were left out by reason, sorted by reason."""

    def examples(self, count: int) -> tuple[BadRecord, ...]:
        """Return the first left-out records."""


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
        raise InputError(f"{shown}: no flow record to use" + (f" ({left_out})" if left_out else ""))
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
