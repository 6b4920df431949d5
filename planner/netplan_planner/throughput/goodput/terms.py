"""From named limits to the numbers of the mean: the likely ones, the least and the greatest."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model.base import Interval
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

    shared_gbps: Interval[tuple[float, ...]]
    per_flow_gbps: Interval[tuple[float, ...]]
    is_cap_known: bool
    wide: int
    """Code of the widest range among the caps."""


Spans = Interval[Column]
"""A value per row with its range."""


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


TermSpans = Interval[PathTerms]
"""The terms three times: as they most likely are, at their least and at their greatest."""


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
            values = (bound.low_gbps, bound.limit.gbps, bound.high_gbps)
            for column, value in zip(columns, values, strict=True):
                column[at] = min(column[at], value)
    wide = max((WIDE_REGIMES.index(bound.regime) for bound in _deciding(found)), default=0)
    for bound in found.possible:
        of_all = bound.limit.name in SHARED
        names, column = (SHARED, shared[0]) if of_all else (PER_FLOW, per_flow[0])
        at = names.index(bound.limit.name)
        column[at] = min(column[at], bound.low_gbps)
    # One core may have to carry all flows: a tool of one thread, a queue, an interrupt.
    one_core = min(per_flow[0][PER_FLOW.index("single-flow-core")], np.inf)
    least = min((SHARED.index(name) for name in INSIDE_CAPS), key=shared[1].__getitem__)
    shared[0][least] = min(shared[0][least], one_core)
    return LimitRow(
        shared_gbps=Interval(*map(tuple, shared)),
        per_flow_gbps=Interval(*map(tuple, per_flow)),
        is_cap_known=not found.unknown,
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


def term_spans(rows: list[LimitRow], which: NDArray[np.intp], asked: Asked) -> TermSpans:
    """Return the terms of paths whose limits are given by number of row."""
    told = asked._asdict()
    told["is_cap_known"] = np.array([row.is_cap_known for row in rows], dtype=bool)[which]
    # The longest way carries least.
    told["rtt_ms"] = Interval(*reversed(tuple(asked.rtt_ms)))

    def terms(end: str) -> PathTerms:
        found = {
            name: getattr(value, end) if isinstance(value, Interval) else value
            for name, value in told.items()
        }
        for name, width in (("shared_gbps", len(SHARED)), ("per_flow_gbps", len(PER_FLOW))):
            limits = [getattr(getattr(row, name), end) for row in rows]
            found[name] = np.array(limits, dtype=float).reshape(len(rows), width)[which]
        return PathTerms(**found)

    return Interval(terms("low"), terms("middle"), terms("high"))
