"""Measurements as rows for a calibration: from stores of probes, and from tables of figures."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.inert import inert_line
from netplan_planner.measuring.store import is_store
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement, PathQuery
from netplan_planner.planning.table_kinds import pairs_of, read_kinds
from netplan_planner.readers.paths.path_cells import day_of
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput.batch import Columns, kind_limits
from netplan_planner.throughput.calibration.factors.shared_factors import pair_key
from netplan_planner.throughput.calibration.learning.measured_runs import Measured
from netplan_planner.throughput.limits.ends import measured_end
from netplan_planner.throughput.round_trips.of_path import run_round_trip
from netplan_planner.throughput.transport.tools import is_one_thread, late_rtts, thread_count
from netplan_planner.world.reading import read_measurements

BUSY_CORE_RATIO = 0.9
"""Of one CPU: above it the core is the limit, not the network."""
AT_LIMIT_RATIO = 0.97
"""Of a rate cap that was set on a run: a figure that near was held by it."""
_EPOCH = date(1970, 1, 1)


class ProbeRows(NamedTuple):
    """Measurements, and what of the files could not be used."""

    measured: Measured
    is_undated: NDArray[np.bool_]
    """Whether a figure has no date and got that of the question."""
    faults: tuple[str, ...]
    record_count: int
    """All figures of the files, used or not."""


def read_probe_rows(paths: Sequence[Path], *, as_of: date) -> ProbeRows:
    """Return the measurements of stores (JSON lines) and tables (CSV, Parquet).

    Args:
        paths: The files.
        as_of: The date of figures that have none.

    Raises:
        InputError: If a file cannot be read, or a table has no column of figures.
    """
    parts: list[Measured] = []
    undated: list[NDArray[np.bool_]] = []
    faults: list[str] = []
    refused: list[str] = []
    stores = [path for path in paths if is_store(path)]
    if stores:
        records, coverage = read_measurements(stores)
        faults += coverage.faults
        found, why = rows_of_records(records, as_of=as_of)
        parts.append(found)
        undated.append(
            np.array([day_of(one.started_at) is None for one in records if not _why_not(one)], bool)
        )
        faults += why
    for path in paths:
        if path not in stores:
            with PathTable(path) as table:
                parts.append(rows_of_table(table, as_of=as_of))
                undated.append(_is_undated(table))
                refused += [f"{table.shown}: {one}" for one in table.refused.named]
    count = sum(len(part.gbps) for part in parts) + len(faults)
    is_undated = np.concatenate(undated) if undated else np.zeros(0, dtype=bool)
    return ProbeRows(joined(parts), is_undated, (*faults, *refused), count)


def _is_undated(table: PathTable) -> NDArray[np.bool_]:
    if not table.has("date"):
        return np.ones(table.row_count, dtype=bool)
    texts, which = table.texts("date")
    return np.array([day_of(text) is None for text in texts], dtype=bool)[which]


def rows_of_table(table: PathTable, *, as_of: date) -> Measured:
    """Return the figures of a table.

    Raises:
        InputError: If the table has no column of figures.
    """
    values = table.values_gbps()
    found = read_kinds(table, as_of=as_of)
    values = np.where(table.refused.code >= 0, np.nan, values)
    keys, pair = pairs_of(found)
    days = np.array([((kind.as_of or as_of) - _EPOCH).days for kind in found.kinds])
    no = np.zeros(len(values), dtype=bool)
    return Measured(
        kinds=found.kinds,
        limits=found.limits,
        columns=found.columns,
        gbps=values,
        days=days[found.columns.kind],
        pair=pair,
        pairs=keys,
        is_core_only=no,
        is_at_least=no,
    )


def rows_of_records(
    records: Sequence[Measurement], *, as_of: date
) -> tuple[Measured, tuple[str, ...]]:
    """Return the rows of a store's records, and why others of them are none."""
    kinds: dict[PathQuery, int] = {}
    pairs: dict[str, int] = {}
    faults, rows, which, pair, days = [], [], [], [], []
    for one in records:
        why = _why_not(one)
        if why:
            faults.append(f"{inert_line(one.source)} {inert_line(one.place)}: {why}".strip())
            continue
        day = day_of(one.started_at) or as_of
        query = _query(one, day)
        key = pair_key(query, _place(one.src), _place(one.dst))
        which.append(kinds.setdefault(query, len(kinds)))
        pair.append(pairs.setdefault(key, len(pairs)) if key is not None else -1)
        days.append((day - _EPOCH).days)
        rows.append(_numbers(one))
    table = np.array(rows, dtype=float).reshape(len(rows), len(_NUMBERS)).T
    numbers = dict(zip(_NUMBERS, table, strict=True))
    listed = list(kinds)
    return (
        Measured(
            kinds=listed,
            limits=kind_limits(listed),
            columns=Columns(
                kind=np.array(which, dtype=np.intp),
                window_bytes=np.full(len(rows), np.nan),
                send_buffer_bytes=np.full(len(rows), np.nan),
                streams=numbers["streams"],
                rtt_ms=numbers["rtt_ms"],
                low_rtt_ms=numbers["low_rtt_ms"],
                high_rtt_ms=numbers["high_rtt_ms"],
                duration_s=numbers["duration_s"],
                omit_s=numbers["omit_s"],
                transfer_bytes=np.full(len(rows), np.nan),
                is_both_ways=numbers["is_both_ways"] > 0,
                is_sender_count=numbers["is_sender_count"] > 0,
                late_rtts=numbers["late_rtts"],
            ),
            gbps=numbers["gbps"],
            days=np.array(days, dtype=np.int64),
            pair=np.array(pair, dtype=np.intp),
            pairs=list(pairs),
            is_core_only=numbers["is_core_only"] > 0,
            is_at_least=numbers["is_at_least"] > 0,
        ),
        tuple(faults),
    )


def joined(parts: Sequence[Measured]) -> Measured:
    """Return the measurements of several inputs as one."""
    pairs = sorted({key for part in parts for key in part.pairs})
    number = {key: at for at, key in enumerate(pairs)}
    starts = np.cumsum([0, *(len(part.kinds) for part in parts)])
    shifted = [
        part.columns._replace(kind=part.columns.kind + start)
        for part, start in zip(parts, starts[:-1], strict=True)
    ]
    renamed = [
        np.array([*(number[key] for key in part.pairs), -1], dtype=np.intp)[part.pair]
        for part in parts
    ]
    return Measured(
        kinds=[kind for part in parts for kind in part.kinds],
        limits=[limit for part in parts for limit in part.limits],
        columns=Columns._make(np.concatenate(column) for column in zip(*shifted, strict=True)),
        gbps=np.concatenate([part.gbps for part in parts]),
        days=np.concatenate([part.days for part in parts]),
        pair=np.concatenate(renamed),
        pairs=pairs,
        is_core_only=np.concatenate([part.is_core_only for part in parts]),
        is_at_least=np.concatenate([part.is_at_least for part in parts]),
    )


_NUMBERS = (
    "gbps",
    "streams",
    "rtt_ms",
    "low_rtt_ms",
    "high_rtt_ms",
    "duration_s",
    "omit_s",
    "is_both_ways",
    "is_sender_count",
    "late_rtts",
    "is_core_only",
    "is_at_least",
)


def _numbers(one: Measurement) -> tuple[float, ...]:
    """Return the numbers of a record in the order of `_NUMBERS`; NaN is "not recorded"."""
    rtt, low, high = _round_trip(one)
    is_busy, has_one_thread = _is_core_bound(one)
    limit = one.bitrate_limit_gbps
    streams = 1 if is_busy and has_one_thread else one.streams
    return (
        one.gbps,
        _or_nan(streams),
        rtt,
        low,
        high,
        _or_nan(one.duration_s),
        one.omit_s or 0.0,
        one.is_bidirectional,
        one.counted_by is CountedBy.SENDER,
        late_rtts(one),
        is_busy,
        limit is not None and one.gbps >= AT_LIMIT_RATIO * limit,
    )


def _is_core_bound(one: Measurement) -> tuple[bool, bool]:
    """Return whether a core of either end was busy, and whether one core carried all streams."""
    threads = thread_count(one)
    is_busy = any(
        (end.cpu_ratio or 0.0) >= BUSY_CORE_RATIO * min(threads, end.vcpus or threads)
        for end in (one.src, one.dst)
    )
    return is_busy, is_one_thread(one)


def _round_trip(one: Measurement) -> tuple[float, float, float]:
    """Return the round-trip time of the idle path and its range."""
    known = run_round_trip(one, _place(one.src), _place(one.dst))
    if known.rtt_ms is None:
        return (np.nan,) * 3
    return known.rtt_ms, known.low_ms or known.rtt_ms, known.high_ms or known.rtt_ms


def _why_not(one: Measurement) -> str:
    if one.protocol != "tcp":
        return f"{inert_line(one.protocol)[:20]}, not TCP"
    if one.path_class is None:
        return "no path class"
    return "" if one.gbps > 0 else "nothing was transferred"


def _query(one: Measurement, day: date) -> PathQuery:
    """Return the kind of path of a record; its places are not in it."""
    assert one.path_class is not None
    src, dst = (measured_end(end, one.mtu_bytes) for end in (one.src, one.dst))
    return PathQuery(path_class=one.path_class, src=src, dst=dst, as_of=day)


def _place(end: MeasuredEnd) -> str:
    return end.zone or end.region or ""


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else float(value)


__all__ = ["ProbeRows", "joined", "read_probe_rows", "rows_of_records", "rows_of_table"]
