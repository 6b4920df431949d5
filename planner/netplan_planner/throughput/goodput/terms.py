"""From named limits to the numbers of the mean: the likely ones, the least and the greatest."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.goodput.mean import PER_FLOW, SHARED, Column, PathTerms
from netplan_planner.throughput.limits.bounds import Bound
from netplan_planner.throughput.limits.path_limits import StaticLimits
from netplan_planner.throughput.limits.shared_by import OF_SENDER

WIDE_REGIMES = ("", "carried", "unsure", "unstated")
"""Why the range of a cap is wide, by code; see `bounds.Bound`."""


INSIDE_CAPS = ("vm-egress", "nic-egress")
"""Of the sending machine, wherever its packets go."""
MACHINE_CAPS = OF_SENDER


class LimitRow(NamedTuple):
    """The limits of one kind of path as numbers, in the order of `SHARED` and `PER_FLOW`."""

    shared_gbps: tuple[float, ...]
    shared_low_gbps: tuple[float, ...]
    shared_high_gbps: tuple[float, ...]
    per_flow_gbps: tuple[float, ...]
    per_flow_low_gbps: tuple[float, ...]
    per_flow_high_gbps: tuple[float, ...]
    is_cap_known: bool
    wide: int
    """Code of the widest range among the caps."""


class Spans(NamedTuple):
    """A value per row with its range."""

    likely: Column
    low: Column
    high: Column


class Asked(NamedTuple):
    """What is asked of each path, apart from its limits; see `PathTerms`."""

    window_bytes: Spans
    sent_bytes: Spans
    is_window_told: NDArray[np.bool_]
    is_buffer_told: NDArray[np.bool_]
    rtt_ms: Spans
    streams: Spans
    duration_s: Spans
    mtu_bytes: Column
    omit_s: Column
    transfer_bytes: Column
    is_both_ways: NDArray[np.bool_]
    is_sender_count: NDArray[np.bool_]
    late_rtts: Column


class TermSpans(NamedTuple):
    """The terms three times: as they most likely are, at their least and at their greatest."""

    likely: PathTerms
    low: PathTerms
    high: PathTerms


def limit_row(found: StaticLimits) -> LimitRow:
    """Return the limits as numbers; of several of one name, the least counts."""
    shared = [[np.inf] * len(SHARED) for _ in range(3)]
    per_flow = [[np.inf] * len(PER_FLOW) for _ in range(3)]
    for names, columns, bounds in (
        (SHARED, shared, found.hard),
        (PER_FLOW, per_flow, found.per_flow),
    ):
        for bound in bounds:
            at = names.index(bound.limit.name)
            values = (bound.limit.gbps, bound.low_gbps, bound.high_gbps)
            for column, value in zip(columns, values, strict=True):
                column[at] = min(column[at], value)
    wide = max((WIDE_REGIMES.index(bound.regime) for bound in _deciding(found)), default=0)
    if found.of_foreign:
        # Nothing else is known of such a sender: physical bounds at every level, whatever binds.
        wide = WIDE_REGIMES.index("carried")
    for bound in found.possible:
        of_all = bound.limit.name in SHARED
        names, column = (SHARED, shared[1]) if of_all else (PER_FLOW, per_flow[1])
        at = names.index(bound.limit.name)
        column[at] = min(column[at], bound.low_gbps)
    # One core may have to carry all flows: a tool of one thread, a queue, an interrupt.
    one_core = min(per_flow[1][PER_FLOW.index("single-flow-core")], np.inf)
    least = min((SHARED.index(name) for name in INSIDE_CAPS), key=shared[0].__getitem__)
    shared[1][least] = min(shared[1][least], one_core)
    likely, low, high = (tuple(column) for column in shared)
    flow, flow_low, flow_high = (tuple(column) for column in per_flow)
    return LimitRow(
        shared_gbps=likely,
        shared_low_gbps=low,
        shared_high_gbps=high,
        per_flow_gbps=flow,
        per_flow_low_gbps=flow_low,
        per_flow_high_gbps=flow_high,
        is_cap_known=not found.unknown or bool(found.of_foreign),
        wide=wide,
    )


def _deciding(found: StaticLimits) -> Iterator[Bound]:
    """Yield the limits whose doubt is one about the answer.

    A machine's doubtful cap is none about the lower one that binds before it.
    """
    of_machine = [b for b in found.hard if b.limit.name in MACHINE_CAPS]
    least = min(of_machine, key=lambda bound: bound.limit.gbps, default=None)
    for bound in (*found.hard, *found.per_flow):
        if bound.regime != "unsure" or bound is least:
            yield bound


def _limits_of(rows: list[LimitRow], name: str, width: int) -> NDArray[np.float64]:
    return np.array([getattr(row, name) for row in rows], dtype=float).reshape(len(rows), width)


def term_spans(rows: list[LimitRow], which: NDArray[np.intp], asked: Asked) -> TermSpans:
    """Return the terms of paths whose limits are given by number of row."""
    shared = [
        _limits_of(rows, name, len(SHARED))[which]
        for name in ("shared_gbps", "shared_low_gbps", "shared_high_gbps")
    ]
    per_flow = [
        _limits_of(rows, name, len(PER_FLOW))[which]
        for name in ("per_flow_gbps", "per_flow_low_gbps", "per_flow_high_gbps")
    ]
    is_cap_known = np.array([row.is_cap_known for row in rows], dtype=bool)[which]

    return TermSpans._make(
        PathTerms(
            shared_gbps=shared[at],
            per_flow_gbps=per_flow[at],
            is_cap_known=is_cap_known,
            window_bytes=asked.window_bytes[at],
            sent_bytes=asked.sent_bytes[at],
            is_window_told=asked.is_window_told,
            is_buffer_told=asked.is_buffer_told,
            streams=asked.streams[at],
            rtt_ms=asked.rtt_ms[(0, 2, 1)[at]],  # the longest way carries least
            mtu_bytes=asked.mtu_bytes,
            duration_s=asked.duration_s[at],
            omit_s=asked.omit_s,
            transfer_bytes=asked.transfer_bytes,
            is_both_ways=asked.is_both_ways,
            is_sender_count=asked.is_sender_count,
            late_rtts=asked.late_rtts,
        )
        for at in range(3)
    )
