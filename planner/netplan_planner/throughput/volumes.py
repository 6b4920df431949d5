"""What a path carries over a volume: the one answer that every verb gives of the same path.

Rates are means over the volume, from a cold start on, so that a time is the bytes over the rate, at
the value as at both ends. Where nobody told how many connections there are, as many are taken as it
takes, and their start is lost (`open_runs`).
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import CapsBook, PathClass, PathEnd, PathQuery
from netplan_planner.model.plans.connections import Connections
from netplan_planner.throughput import batch
from netplan_planner.throughput.calibration.factors.calibrated_caps import probed_paths
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.path_limits import StaticLimits, static_limits
from netplan_planner.throughput.open_runs import Runs
from netplan_planner.throughput.path import LEVEL
from netplan_planner.throughput.round_trips.of_path import path_round_trip, with_round_trip
from netplan_planner.throughput.single_row import single_row, stacked
from netplan_planner.throughput.transport.transfer import gbit_from_bytes

_LEAST_LEVEL = 0.5


class Rates(NamedTuple):
    """Mean rates over volumes in Gbit/s; axes: path, volume. NaN: not known."""

    gbps: Column
    low_gbps: Column
    high_gbps: Column
    start_s: Column
    """What the start costs, beside the steady rate of these connections."""


def path_between(
    path_class: PathClass,
    src: PathEnd,
    dst: PathEnd,
    sent: Connections | None = None,
    *,
    rtt_ms: float | None = None,
) -> PathQuery:
    """Return the path between two ends, with the round-trip time of their places.

    Args:
        path_class: Of the path.
        src: The sender.
        dst: The receiver.
        sent: How one machine sends, as far as it is told.
        rtt_ms: In place of that of the places.
    """
    sent = sent or Connections()
    if sent.mtu_bytes is not None:
        ends = (msgspec.structs.replace(end, mtu_bytes=sent.mtu_bytes) for end in (src, dst))
        src, dst = ends
    query = PathQuery(
        path_class=path_class,
        src=src,
        dst=dst,
        streams=sent.streams,
        window_bytes=sent.window_bytes,
        send_buffer_bytes=sent.send_buffer_bytes,
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
        self._last: tuple[bytes, Runs] | None = None

    def over(self, sent_bytes: NDArray[np.float64], level: float = LEVEL) -> Rates:
        """Return what the paths carry on average over some volumes, each.

        Args:
            sent_bytes: Axes: path, volume; of one machine.
            level: Share of measurements that the intervals are meant to hold.
        """
        if not self.queries:
            nothing = np.zeros_like(sent_bytes)
            return Rates(nothing, nothing, nothing, nothing)
        key = sent_bytes.tobytes()
        if self._last is None or self._last[0] != key:
            which = np.repeat(self._every, sent_bytes.shape[1])
            self._last = key, self._runs(which, sent_bytes.ravel())
        found = self._last[1].at(factors_at(level), tells_streams=False)
        ends = [one.reshape(sent_bytes.shape) for one in found[:3]]
        start = found.found.means.start_ratio.reshape(sent_bytes.shape)
        start_s = np.where(self._is_far[:, None], start, 0.0) * gbit_from_bytes(sent_bytes)
        return Rates(ends[0], ends[1], ends[2], start_s / ends[0])

    def streams(self, sent_bytes: NDArray[np.float64]) -> Column:
        """Return the connections as told, else as many as nearly reach the rates; NaN: not known.

        Args:
            sent_bytes: Of one machine, by path.
        """
        if not self.queries:
            return np.zeros(0)
        found = self._runs(self._every, sent_bytes).at(factors_at(LEVEL)).streams
        return np.where(np.isfinite(found), found, np.nan)

    def at(self, sent_bytes: NDArray[np.float64], quantile: float | None) -> Column:
        """Return the rates at a quantile of them, 0.005 to 0.995; None: the value.

        Between the innermost interval's ends the nearer end stands.
        """
        if quantile is None:
            return self.over(sent_bytes).gbps
        found = self.over(sent_bytes, max(abs(1 - 2 * quantile), _LEAST_LEVEL))
        return found.low_gbps if quantile < _LEAST_LEVEL else found.high_gbps

    @cached_property
    def _rows(self) -> batch.Columns:
        return stacked([single_row(one)[0] for one in self.queries])

    def _runs(self, which: NDArray[np.intp], sent_bytes: Column) -> Runs:
        """Return runs of some paths by number, each of them over its volume."""
        # Of a path of unknown length nobody knows the start.
        sent = np.where(self._is_far[which], sent_bytes, np.nan)
        rows = batch.Columns._make(column[which] for column in self._rows)
        rows = rows._replace(kind=which, streams=self._told[which], transfer_bytes=sent)
        probed = self._probed
        if probed is not None:
            probed = probed._replace(pairs=probed.pairs._replace(which=which))
        return Runs(self.queries, self._limits, rows, probed, paths=which)
