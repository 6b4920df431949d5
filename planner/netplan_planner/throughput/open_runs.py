"""Runs over a time or a volume whose number of streams nobody told: as many as it takes.

Their steady rate is that of any number, and their start that of many, whose windows hold nothing
back: so what is better for a path never lowers the rate. The number that is told is the least whose
own start and windows nearly reach that rate, and whose interval is inside of the one that is told.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import PathQuery
from netplan_planner.throughput.batch import (
    Columns,
    Predictions,
    at_level,
    most_of_bytes,
    spread_columns,
)
from netplan_planner.throughput.calibration.factors.calibrated import Probed
from netplan_planner.throughput.goodput.intervals import Factors, Spread
from netplan_planner.throughput.goodput.mean import RAMP, RAMP_RATIO, Column
from netplan_planner.throughput.limits.path_limits import StaticLimits
from netplan_planner.throughput.transport.transfer import gbit_from_bytes

MANY = 256
"""Connections whose start is taken for that of as many as it takes."""
STREAMS = tuple(2**power for power in range(13))
"""Numbers of connections that are tried: over long ways windows hold back more than `MANY`."""
NEARLY = 0.95
"""Of the rate with as many connections as it takes, and of its low end: more of them hardly bring
anything."""
SLIGHT = 0.98
"""What moves a value by less is no case."""


class Ends(NamedTuple):
    """The value and both ends of an interval in Gbit/s, by row."""

    gbps: Column
    low_gbps: Column
    high_gbps: Column


def enough_streams(runs_of: Callable[[NDArray[np.intp], float], Predictions], told: Ends) -> Column:
    """Return by row the least number of connections that nearly reaches a rate and its low end.

    Args:
        runs_of: The same runs of some rows, by number, with so many connections.
        told: Of as many as it takes.
    """
    found = np.full(len(told.gbps), float(STREAMS[-1]))
    left = np.arange(len(told.gbps))
    for count in STREAMS[:-1]:
        run = runs_of(left, float(count))
        is_near = run.gbps >= NEARLY * told.gbps[left]
        is_enough = is_near & (run.low_gbps >= told.low_gbps[left])
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
    *,
    tells_streams: bool = True,
) -> Predictions:
    """Return what `predict_columns` does, of runs with as many streams as it takes too.

    Args:
        kinds: The kinds of paths.
        limits: Of each kind.
        columns: The rows; infinite streams are as many as it takes.
        factors: Of the interval's level.
        probed: What probes taught of the paths.
        tells_streams: Whether the number of connections is wanted, which costs most.
    """
    return Runs(kinds, limits, columns, probed).at(factors, tells_streams=tells_streams)


class _Part(NamedTuple):
    """Rows that were asked of the model, each once, and which of them stands in which row."""

    columns: Columns
    found: Spread
    rows: NDArray[np.intp] | None
    """None: each in its own."""

    def at(self, kinds: Sequence[PathQuery], factors: Factors) -> Predictions:
        """Return the answers at a level, by row."""
        told = at_level(kinds, self.columns, self.found, factors)
        return told if self.rows is None else _rows_of(told, self.rows)


class Runs:
    """Rows of which all is known but the level of their intervals."""

    def __init__(
        self,
        kinds: Sequence[PathQuery],
        limits: Sequence[StaticLimits],
        columns: Columns,
        probed: Probed | None = None,
        paths: NDArray[np.intp] | None = None,
    ) -> None:
        """Ask the model.

        Args:
            kinds: The kinds of paths.
            limits: Of each kind.
            columns: The rows; infinite streams are as many as it takes.
            probed: What probes taught of the paths.
            paths: Numbers of paths by row: rows of one differ in their bytes alone, so that what
                it does in steady state is asked once. None: all differ.
        """
        self._kinds, self._limits, self._columns, self._probed = kinds, limits, columns, probed
        is_sized = ~np.isnan(columns.transfer_bytes)
        is_run = np.isinf(columns.streams) & (np.isfinite(columns.duration_s) | is_sized)
        is_run &= ~np.isnan(columns.rtt_ms)
        self._rows = np.flatnonzero(is_run)
        steady = columns._replace(
            duration_s=np.where(is_run, np.inf, columns.duration_s),
            transfer_bytes=np.where(is_run, np.nan, columns.transfer_bytes),
        )
        every = np.arange(len(is_run))
        alike = None if paths is None else np.where(is_run, paths, len(self._kinds) + every)
        self._steady = self._asked(every, steady, alike)
        if len(self._rows):
            # No window holds back as many streams as it takes.
            free = np.full(len(is_run), np.inf)
            many = np.full(len(is_run), float(MANY))
            free_columns = {"window_bytes": free, "send_buffer_bytes": free, "streams": many}
            self._run = self._asked(self._rows, columns._replace(**free_columns))
            self._alone = self._asked(self._rows, steady._replace(**free_columns), alike)

    def _asked(
        self, rows: NDArray[np.intp], columns: Columns, alike: NDArray[np.intp] | None = None
    ) -> _Part:
        """Ask the model of some rows, of those alike once; None: all differ."""
        which = None
        if alike is not None:
            _, first, which = np.unique(alike[rows], return_index=True, return_inverse=True)
            rows = rows[first]
        some = Columns._make(column[rows] for column in columns)
        own = self._probed.rows(rows) if self._probed is not None else None
        return _Part(some, spread_columns(self._kinds, self._limits, some, own), which)

    def at(self, factors: Factors, *, tells_streams: bool = True) -> Predictions:
        """Return the answers.

        Args:
            factors: Of the interval's level.
            tells_streams: Whether the number of connections is wanted, which costs most.
        """
        kinds, rows = self._kinds, self._rows
        answers = self._steady.at(kinds, factors)
        if not len(rows):
            return answers
        run, alone = (part.at(kinds, factors) for part in (self._run, self._alone))
        some, steady = (
            Columns._make(column[rows] for column in self._columns),
            _rows_of(answers, rows),
        )
        ends = _ends(some, steady, run, alone)

        def runs_of(which: NDArray[np.intp], count: float) -> Predictions:
            wanted = rows[which]
            some = self._columns._replace(streams=np.full(len(self._columns.streams), count))
            return self._asked(wanted, some).at(kinds, factors)

        streams = enough_streams(runs_of, ends) if tells_streams else some.streams
        found: Predictions = _put(answers, rows, _answer(some, steady, ends, streams))
        return found


def _ends(columns: Columns, steady: Predictions, run: Predictions, alone: Predictions) -> Ends:
    """Return the means over runs: those of many streams, and at most the steady ones.

    Where even so many do not reach what any number does in steady state (`alone` is theirs), they
    stand for as many times more. The low end is what the number that is told reaches of it.
    """
    times = np.fmax(steady.gbps / alone.gbps, 1.0)
    gbps, low, high = (
        np.minimum(getattr(steady, end), getattr(run, end) * times) for end in Ends._fields
    )
    most = np.minimum(high, most_of_bytes(columns))
    return Ends(gbps, NEARLY * np.minimum(low, gbps), np.maximum(gbps, most))


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
