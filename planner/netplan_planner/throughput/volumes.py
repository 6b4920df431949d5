"""What a path carries over a volume: the one answer that every verb gives of the same path.

Rates are means over the volume, from a cold start on, so that a time is the bytes over the rate, at
the value as at both ends. Where nobody told how many connections there are, as many are taken as
nearly reach the rate of any number, and their start is lost.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import CapsBook, Estimate, PathClass, PathEnd, PathQuery
from netplan_planner.throughput import batch
from netplan_planner.throughput.calibration.factors.calibrated_caps import probed_paths
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.path_limits import static_limits
from netplan_planner.throughput.path import LEVEL, predict
from netplan_planner.throughput.round_trips.of_path import path_round_trip, with_round_trip
from netplan_planner.throughput.single_row import single_row, stacked
from netplan_planner.throughput.transport.tcp import gbit_from_bytes

STREAMS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Numbers of connections that are tried."""
NEARLY = 0.95
"""Of the rate with as many connections as it takes: more of them hardly bring anything."""

_LEAST_LEVEL = 0.5


class Rates(NamedTuple):
    """Mean rates over volumes in Gbit/s; axes: path, volume. NaN: not known."""

    gbps: Column
    low_gbps: Column
    high_gbps: Column
    start_s: Column
    """What the start costs, beside the steady rate of these connections."""
    streams: Column
    """By path: connections as told, else as many as nearly reach the rate; NaN: not known."""


def path_between(
    path_class: PathClass,
    src: PathEnd,
    dst: PathEnd,
    *,
    streams: int | None = None,
    rtt_ms: float | None = None,
    window_bytes: int | None = None,
    send_buffer_bytes: int | None = None,
) -> PathQuery:
    """Return the path between two ends, with the round-trip time of their places.

    Args:
        path_class: Of the path.
        src: The sender.
        dst: The receiver.
        streams: Connections of one machine; None: as many as it takes.
        rtt_ms: In place of that of the places.
        window_bytes: Of one stream at the receiver; None: not told.
        send_buffer_bytes: Of one stream at the sender.
    """
    query = PathQuery(
        path_class=path_class,
        src=src,
        dst=dst,
        streams=streams,
        window_bytes=window_bytes,
        send_buffer_bytes=send_buffer_bytes,
    )
    if rtt_ms is not None:
        return msgspec.structs.replace(query, rtt_ms=rtt_ms)
    places = (end.zone or end.region for end in (src, dst))
    return with_round_trip(query, path_round_trip(*places, distance=path_class.distance))


def rates_over(
    queries: Sequence[PathQuery],
    caps: CapsBook,
    sent_bytes: NDArray[np.float64],
    *,
    level: float = LEVEL,
) -> Rates:
    """Return what paths carry on average over some volumes, each.

    Args:
        queries: The paths; what they say of bytes and times is not looked at.
        caps: The caps at a date.
        sent_bytes: Axes: path, volume; of one machine.
        level: Share of measurements that the intervals are meant to hold.
    """
    if not queries:
        nothing = np.zeros_like(sent_bytes)
        return Rates(nothing, nothing, nothing, nothing, nothing[:, :0].ravel())
    steady_of = [
        msgspec.structs.replace(query, transfer_bytes=None, duration_s=None) for query in queries
    ]
    paths = _Paths(steady_of, caps, level)
    every = np.arange(len(queries))
    told = np.array([float(one.streams or np.inf) for one in queries])
    steady = paths.rates(every, told)
    streams = np.where(np.isfinite(told), told, _enough(paths, steady.gbps))
    start_s = np.zeros_like(sent_bytes)
    ends = [np.broadcast_to(one[:, None], sent_bytes.shape).copy() for one in steady[:3]]
    rows = np.flatnonzero([bool(one.rtt_ms) for one in queries])
    gbit = gbit_from_bytes(sent_bytes[rows])
    which = np.repeat(rows, sent_bytes.shape[1])
    finite = paths.rates(which, streams[which], sent_bytes[rows].ravel())
    alone = paths.rates(rows, streams[rows]).gbps[:, None]
    start_s[rows] = np.maximum(finite.duration_s.reshape(gbit.shape) - gbit / alone, 0.0)
    is_told = np.isfinite(told[rows])[:, None]
    for end, own in zip(ends, finite[:3], strict=True):
        with_start = gbit / (gbit / end[rows] + start_s[rows])
        end[rows] = np.where(is_told, own.reshape(gbit.shape), with_start)
    is_far = np.isin(every, rows) | np.isfinite(told)
    return Rates(ends[0], ends[1], ends[2], start_s, np.where(is_far, streams, np.nan))


def rates_at(
    queries: Sequence[PathQuery],
    caps: CapsBook,
    sent_bytes: NDArray[np.float64],
    quantile: float | None,
) -> Column:
    """Return the same at a quantile of the rates, 0.005 to 0.995; None: the value.

    Between the innermost interval's ends the nearer end stands.
    """
    if quantile is None:
        return rates_over(queries, caps, sent_bytes).gbps
    level = max(abs(1 - 2 * quantile), _LEAST_LEVEL)
    found = rates_over(queries, caps, sent_bytes, level=level)
    return found.low_gbps if quantile < _LEAST_LEVEL else found.high_gbps


def predict_volume(query: PathQuery, caps: CapsBook, *, level: float, weigh: bool) -> Estimate:
    """Return the estimate of a path, over its volume where it has one."""
    if query.transfer_bytes is None or query.streams is not None or not query.rtt_ms:
        return predict(query, caps, may_assume=True, level=level, weigh=weigh)
    steady = msgspec.structs.replace(query, transfer_bytes=None)
    found = predict(steady, caps, may_assume=True, level=level, weigh=weigh)
    if found.gbps is None:
        return found
    rates = rates_over([query], caps, np.array([[float(query.transfer_bytes)]]), level=level)
    gbit = float(gbit_from_bytes(query.transfer_bytes))
    mean, low, high = (float(one[0, 0]) for one in rates[:3])
    lost, count = float(rates.start_s[0, 0]), int(rates.streams[0])
    return msgspec.structs.replace(
        found,
        gbps=mean,
        low_gbps=low,
        high_gbps=high,
        duration_s=gbit / mean,
        low_duration_s=gbit / high,
        high_duration_s=gbit / low,
        assumed=(
            *found.assumed,
            f"as many connections as it takes: {count}, whose start takes {lost:.3g} s",
        ),
    )


class _Paths:
    """Paths with their limits, for any number of connections and any volume."""

    def __init__(self, queries: Sequence[PathQuery], caps: CapsBook, level: float) -> None:
        self.queries = queries
        self._limits = [static_limits(one, caps, may_assume=True) for one in queries]
        self._rows = stacked([single_row(one)[0] for one in queries])
        self._probed = probed_paths(queries, self._limits, caps)
        self._factors = factors_at(level)

    def rates(
        self, which: NDArray[np.intp], streams: Column, sent_bytes: Column | None = None
    ) -> batch.Predictions:
        """Return the answers of some paths by number, each of them as often as wanted."""
        rows = batch.Columns._make(column[which] for column in self._rows)
        if sent_bytes is not None:
            rows = rows._replace(transfer_bytes=sent_bytes)
        probed = self._probed
        if probed is not None:
            probed = probed._replace(pairs=probed.pairs._replace(which=which))
        return batch.predict_columns(
            self.queries,
            self._limits,
            rows._replace(kind=which, streams=streams),
            self._factors,
            probed,
        )


def _enough(paths: _Paths, most_gbps: Column) -> Column:
    """Return the least number of connections that nearly reach each rate, else the most tried."""
    every = np.arange(len(most_gbps))
    counts = np.repeat(np.array(STREAMS, dtype=float)[None, :], len(every), axis=0)
    found = paths.rates(np.repeat(every, len(STREAMS)), counts.ravel()).gbps.reshape(counts.shape)
    is_enough = found >= NEARLY * most_gbps[:, None]
    at = np.where(is_enough.any(axis=1), is_enough.argmax(axis=1), len(STREAMS) - 1)
    return np.array(STREAMS, dtype=float)[at]
