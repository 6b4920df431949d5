"""What a path carries over a volume: the one answer that every verb gives of the same path.

Rates are means over the volume, from a cold start on, so that a time is the bytes over the rate, at
the value as at both ends. Where nobody told how many connections there are, as many are taken as
nearly reach the rate of any number, and their start is lost.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import CapsBook, Estimate, PathClass, PathEnd, PathQuery
from netplan_planner.throughput import batch
from netplan_planner.throughput.calibration.factors.calibrated_caps import probed_paths
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.path_limits import StaticLimits, static_limits
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


class PathRates:
    """Paths with their limits looked up once, for any volume and any level.

    What they say of bytes and times is not looked at.
    """

    def __init__(
        self,
        queries: Sequence[PathQuery],
        caps: CapsBook,
        limits: Sequence[StaticLimits] | None = None,
    ) -> None:
        """Look the limits up, unless they are given."""
        self.queries = [
            msgspec.structs.replace(query, transfer_bytes=None, duration_s=None)
            for query in queries
        ]
        self._limits = limits or [static_limits(one, caps, may_assume=True) for one in self.queries]
        self._probed = probed_paths(self.queries, self._limits, caps)
        self._every = np.arange(len(queries))
        self._told = np.array([float(one.streams or np.inf) for one in queries])
        self._is_far = np.array([bool(one.rtt_ms) for one in queries], dtype=bool)
        self._starts: dict[tuple[bytes, float], tuple[Column, Column, Column]] = {}

    def over(self, sent_bytes: NDArray[np.float64], level: float = LEVEL) -> Rates:
        """Return what the paths carry on average over some volumes, each.

        Args:
            sent_bytes: Axes: path, volume; of one machine.
            level: Share of measurements that the intervals are meant to hold.
        """
        if not self.queries:
            nothing = np.zeros_like(sent_bytes)
            return Rates(nothing, nothing, nothing, nothing, np.zeros(0))
        starts_s = self._starts_s(sent_bytes, level)
        gbit = gbit_from_bytes(sent_bytes)
        steady = self._answers(self._every, self._told, level)
        ends = [
            gbit / (gbit / one[:, None] + start_s)
            for one, start_s in zip(steady[:3], starts_s, strict=True)
        ]
        ends[1], ends[2] = np.minimum(ends[0], ends[1]), np.maximum(ends[0], ends[2])
        counted = np.flatnonzero(self._is_far & np.isfinite(self._told))
        if len(counted):
            which = np.repeat(counted, sent_bytes.shape[1])
            sent = sent_bytes[counted].ravel()
            finite = self._answers(which, self._told[which], level, sent)
            for end, own in zip(ends, finite[:3], strict=True):
                end[counted] = own.reshape(gbit[counted].shape)
        is_known = self._is_far | np.isfinite(self._told)
        streams = np.where(is_known, self._streams, np.nan)
        return Rates(ends[0], ends[1], ends[2], starts_s[0], streams)

    def at(self, sent_bytes: NDArray[np.float64], quantile: float | None) -> Column:
        """Return the rates at a quantile of them, 0.005 to 0.995; None: the value.

        Between the innermost interval's ends the nearer end stands.
        """
        if quantile is None:
            return self.over(sent_bytes).gbps
        found = self.over(sent_bytes, max(abs(1 - 2 * quantile), _LEAST_LEVEL))
        return found.low_gbps if quantile < _LEAST_LEVEL else found.high_gbps

    def _starts_s(
        self, sent_bytes: NDArray[np.float64], level: float
    ) -> tuple[Column, Column, Column]:
        """Return what the start costs over each volume, beside the steady rate.

        Of the value, the low rates and the high ones, as rates and round trips are apart there.
        """
        key = (sent_bytes.tobytes(), level)
        if key not in self._starts:
            rows = np.flatnonzero(self._is_far)
            which = np.repeat(rows, sent_bytes.shape[1])
            gbit = gbit_from_bytes(sent_bytes[rows])
            finite = self._answers(which, self._streams[which], level, sent_bytes[rows].ravel())
            alone = self._answers(rows, self._streams[rows], level)
            found = tuple(np.zeros_like(sent_bytes) for _ in range(3))
            for start_s, mean, steady in zip(found, finite[:3], alone[:3], strict=True):
                lost = gbit / mean.reshape(gbit.shape) - gbit / steady[:, None]
                start_s[rows] = np.maximum(lost, 0.0)
            self._starts = {key: (found[0], found[1], found[2])}
        return self._starts[key]

    @cached_property
    def _streams(self) -> Column:
        """Connections as told, else the least number that nearly reaches the rate of any."""
        most = self._answers(self._every, self._told, LEVEL).gbps
        counts = np.tile(np.array(STREAMS, dtype=float), len(self._every))
        tried = self._answers(np.repeat(self._every, len(STREAMS)), counts, LEVEL).gbps
        is_enough = tried.reshape(-1, len(STREAMS)) >= NEARLY * most[:, None]
        at = np.where(is_enough.any(axis=1), is_enough.argmax(axis=1), len(STREAMS) - 1)
        return np.where(np.isfinite(self._told), self._told, np.array(STREAMS, dtype=float)[at])

    @cached_property
    def _rows(self) -> batch.Columns:
        return stacked([single_row(one)[0] for one in self.queries])

    def _answers(
        self,
        which: NDArray[np.intp],
        streams: Column,
        level: float,
        sent_bytes: Column | None = None,
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
            factors_at(level),
            probed,
        )


def predict_volume(query: PathQuery, caps: CapsBook, *, level: float, weigh: bool) -> Estimate:
    """Return the estimate of a path, over its volume where it has one."""
    if query.transfer_bytes is None or query.streams is not None or not query.rtt_ms:
        return predict(query, caps, may_assume=True, level=level, weigh=weigh)
    steady = msgspec.structs.replace(query, transfer_bytes=None)
    found = predict(steady, caps, may_assume=True, level=level, weigh=weigh)
    if found.gbps is None:
        return found
    sent = np.array([[float(query.transfer_bytes)]])
    rates = PathRates([query], caps).over(sent, level)
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
