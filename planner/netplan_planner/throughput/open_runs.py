"""Runs over a time or a volume whose number of streams nobody told: as many as it takes.

Their steady rate is that of any number, and their start that of the most that are tried, whose
windows hold nothing back: so what is better for a path never lowers the rate. The number that is
told is the least which nearly reaches the steady rate.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import PathQuery
from netplan_planner.throughput.batch import Columns, Predictions, most_of_bytes, predict_columns
from netplan_planner.throughput.calibration.factors.calibrated import Probed
from netplan_planner.throughput.goodput.intervals import Factors
from netplan_planner.throughput.goodput.mean import RAMP, RAMP_RATIO, Column
from netplan_planner.throughput.limits.path_limits import StaticLimits
from netplan_planner.throughput.transport.transfer import gbit_from_bytes

STREAMS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Numbers of connections that are tried."""
NEARLY = 0.95
"""Of the rate with as many connections as it takes: more of them hardly bring anything."""
SLIGHT = 0.98
"""What moves a value by less is no case."""


class Ends(NamedTuple):
    """The value and both ends of an interval in Gbit/s, by row."""

    gbps: Column
    low_gbps: Column
    high_gbps: Column


def enough_streams(
    gbps_of: Callable[[NDArray[np.intp], float], Column], most_gbps: Column
) -> Column:
    """Return by row the least number of connections that nearly reaches the rate of any.

    Args:
        gbps_of: The rates of some rows, by number, with so many connections.
        most_gbps: Of as many as it takes.
    """
    found = np.full(len(most_gbps), float(STREAMS[-1]))
    left = np.arange(len(most_gbps))
    for count in STREAMS[:-1]:
        is_enough = gbps_of(left, float(count)) >= NEARLY * most_gbps[left]
        found[left[is_enough]] = count
        left = left[~is_enough]
        if not len(left):
            break
    return found


def predict_rows(
    kinds: Sequence[PathQuery],
    limits: Sequence[StaticLimits],
    columns: Columns,
    factors: Factors,
    probed: Probed | None = None,
    enough: Column | None = None,
) -> Predictions:
    """Return what `predict_columns` does, of runs with as many streams as it takes too.

    Args:
        kinds: The kinds of paths.
        limits: Of each kind.
        columns: The rows; infinite streams are as many as it takes.
        factors: Of the interval's level.
        probed: What probes taught of the paths.
        enough: `enough_streams` of the rows, where they are known.
    """
    is_sized = ~np.isnan(columns.transfer_bytes)
    is_run = np.isinf(columns.streams) & (np.isfinite(columns.duration_s) | is_sized)
    rows = np.flatnonzero(is_run & ~np.isnan(columns.rtt_ms))
    if not len(rows):
        return predict_columns(kinds, limits, columns, factors, probed)
    steady_columns = columns._replace(
        duration_s=np.where(is_run, np.inf, columns.duration_s),
        transfer_bytes=np.where(is_run, np.nan, columns.transfer_bytes),
    )
    answers = predict_columns(kinds, limits, steady_columns, factors, probed)

    def ask(which: NDArray[np.intp], of: Columns, streams: float) -> Predictions:
        some = Columns._make(column[which] for column in of)
        some = some._replace(streams=np.full(len(which), streams))
        own = probed.rows(which) if probed is not None else None
        return predict_columns(kinds, limits, some, factors, own)

    def gbps_of(which: NDArray[np.intp], count: float) -> Column:
        return ask(rows[which], steady_columns, count).gbps

    # No window holds back as many streams as it takes.
    free = np.full(len(is_run), np.inf)
    run, alone = (
        ask(rows, of._replace(window_bytes=free, send_buffer_bytes=free), STREAMS[-1])
        for of in (columns, steady_columns)
    )
    some, steady = Columns._make(column[rows] for column in columns), _rows_of(answers, rows)
    streams = enough_streams(gbps_of, steady.gbps) if enough is None else enough[rows]
    told = _answer(some, steady, _ends(some, steady, run, alone), streams)
    found: Predictions = _put(answers, rows, told)
    return found


def _ends(columns: Columns, steady: Predictions, run: Predictions, alone: Predictions) -> Ends:
    """Return the means over runs: those of the most streams, and at most the steady ones.

    Where even the most streams do not reach what any number does in steady state (`alone` is
    theirs), they stand for as many times more.
    """
    times = np.fmax(steady.gbps / alone.gbps, 1.0)
    gbps, low, high = (
        np.minimum(getattr(steady, end), getattr(run, end) * times) for end in Ends._fields
    )
    most = np.minimum(high, most_of_bytes(columns))
    return Ends(gbps, np.minimum(low, gbps), np.maximum(gbps, most))


def _answer(columns: Columns, steady: Predictions, ends: Ends, streams: Column) -> Predictions:
    """Return the answers of runs, of their steady state and the means over them."""
    gbit = gbit_from_bytes(columns.transfer_bytes)
    duration_s = np.where(np.isnan(gbit), columns.duration_s, gbit / ends.gbps)
    start = np.clip(1 - ends.gbps / steady.gbps, 0.0, 1.0)
    is_start = start > RAMP_RATIO
    binding = np.where(is_start, RAMP, steady.binding).astype(np.int8)
    following = np.where(is_start, steady.binding, steady.following).astype(np.int8)
    limits = steady.found.means.limits_gbps.copy()
    limits[:, RAMP] = np.where(start > 0, ends.gbps, np.inf)
    means = steady.found.means._replace(
        gbps=ends.gbps,
        duration_s=duration_s,
        start_ratio=start,
        limits_gbps=limits,
        binding=binding,
        following=following,
    )
    return Predictions(
        *ends, duration_s, binding, following, streams, steady.found._replace(means=means)
    )


def _rows_of(table: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a table of arrays, which may hold another."""
    if isinstance(table, np.ndarray):
        return table[rows]
    return type(table)(*(_rows_of(one, rows) for one in table))


def _put(table: Any, rows: NDArray[np.intp], new: Any) -> Any:
    """Return a table of arrays with some of its rows from another."""
    if isinstance(table, np.ndarray):
        table = table.copy()
        table[rows] = new
        return table
    return type(table)(*(_put(old, rows, one) for old, one in zip(table, new, strict=True)))
