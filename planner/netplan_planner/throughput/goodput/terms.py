"""From named limits to the numbers of the mean: the likely ones, the least and the greatest."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model.base import Interval
from netplan_planner.throughput.goodput.mean import PER_FLOW, SHARED, Column, PathTerms
from netplan_planner.throughput.limits.bounds import Bound
from netplan_planner.throughput.limits.path_limits import ONE_BY_ONE, StaticLimits
from netplan_planner.throughput.limits.senders import RECEIVER_CORES

_CORE = PER_FLOW.index("single-flow-core")
_ALL_ON_CORE = SHARED.index(RECEIVER_CORES)
"""Where one core stands that carries all flows: as what a receiver takes in, they all share it."""
_LEAST = (1, 2)
"""The least case and the least figure, among the fields of `Stands`."""


class LimitRows(NamedTuple):
    """The limits of kinds of path as numbers; stands are the fields of `Stands`."""

    shared_gbps: NDArray[np.float64]
    """Axes: stand, limit in the order of `SHARED`, kind."""
    per_flow_gbps: NDArray[np.float64]
    """Axes: stand, limit in the order of `PER_FLOW`, kind."""
    is_cap_known: NDArray[np.bool_]
    core_gbps: NDArray[np.float64]
    """The least case and figure of one core that has to carry all flows: a tool of one thread, a
    queue, an interrupt. Infinite where that is not asked. Axes: kind, stand."""


Spans = Interval[Column]
"""A value per row with its range."""


class Stands(NamedTuple):
    """A value per row: the likely one, the least and the greatest case, and what scatters beyond.

    A case is what an input may be that nobody told: a number of streams, a window, a cap. Inside a
    case runs scatter.
    """

    likely: Column
    case_low: Column
    low: Column
    case_high: Column
    high: Column


def scattered(likely: Column, low: Column, high: Column) -> Stands:
    """Return a value that is known as far as runs do not scatter around it."""
    return Stands(likely, likely, low, likely, high)


def in_cases(likely: Column, low: Column, high: Column) -> Stands:
    """Return a value that nobody told: both ends of its range are cases."""
    return Stands(likely, low, low, high, high)


class Asked(NamedTuple):
    """What is asked of each path, apart from its limits; see `PathTerms`."""

    window_bytes: Stands
    sent_bytes: Stands
    is_window_told: NDArray[np.bool_]
    is_buffer_told: NDArray[np.bool_]
    is_set_up_told: NDArray[np.bool_]
    rtt_ms: Stands
    streams: Stands
    duration_s: Stands
    mtu_bytes: Column
    omit_s: Column
    transfer_bytes: Column
    is_both_ways: NDArray[np.bool_]
    is_sender_count: NDArray[np.bool_]
    late_rtts: Column


class TermSpans(NamedTuple):
    """The terms five times, as `Stands` has them."""

    likely: PathTerms
    case_low: PathTerms
    low: PathTerms
    case_high: PathTerms
    high: PathTerms


def limit_rows(limits: Sequence[StaticLimits]) -> LimitRows:
    """Return the limits of kinds as numbers; of several of one name, the least counts."""
    kind_count, stand_count = len(limits), len(Stands._fields)
    rows = [_limit_row(one) for one in limits]
    shared, per_flow, core = (
        np.array([row[at] for row in rows], dtype=float).reshape(kind_count, *shape)
        for at, shape in enumerate(((stand_count, len(SHARED)), (stand_count, len(PER_FLOW)), (2,)))
    )
    return LimitRows(
        np.ascontiguousarray(np.moveaxis(shared, 0, 2)),
        np.ascontiguousarray(np.moveaxis(per_flow, 0, 2)),
        np.array([not one.unknown or bool(one.of_foreign) for one in limits], dtype=bool),
        core,
    )


def _limit_row(
    found: StaticLimits,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    shared = np.full((len(Stands._fields), len(SHARED)), np.inf)
    per_flow = np.full((len(Stands._fields), len(PER_FLOW)), np.inf)
    for bound in (*found.hard, *found.per_flow):
        column, at = _place(bound, shared, per_flow)
        column[:, at] = np.minimum(column[:, at], _stands_of(bound))
    # What may hold besides lowers the least cases only. A set-up that is not told comes last: it is
    # a doubt about one stream, and not on top of the one about a core that carries all.
    for is_of_set_up in (False, True):
        core_gbps = per_flow[_LEAST, _CORE].copy()
        for bound in found.possible:
            if (bound.limit.detail == ONE_BY_ONE) is is_of_set_up:
                column, at = _place(bound, shared, per_flow)
                least = (bound.case_low_gbps, bound.low_gbps)
                column[_LEAST, at] = np.minimum(column[_LEAST, at], least)
    if found.is_one_case:
        core_gbps = np.full_like(core_gbps, np.inf)
    return shared, per_flow, core_gbps


def _place(
    bound: Bound, shared: NDArray[np.float64], per_flow: NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    name = bound.limit.name
    return (shared, SHARED.index(name)) if name in SHARED else (per_flow, PER_FLOW.index(name))


def _stands_of(bound: Bound) -> tuple[float, ...]:
    """Return the figures of a limit in the order of `Stands`."""
    gbps = bound.limit.gbps
    return gbps, bound.case_low_gbps, bound.low_gbps, bound.case_high_gbps, bound.high_gbps


def term_spans(rows: LimitRows, which: NDArray[np.intp], asked: Asked) -> TermSpans:
    """Return the terms of paths whose limits are given by number of row."""
    is_cap_known = rows.is_cap_known[which]
    rtt_at = (0, 3, 4, 1, 2)  # the longest way carries least
    return TermSpans._make(
        PathTerms(
            shared_gbps=_shared(rows, which, asked, at),
            per_flow_gbps=np.take(rows.per_flow_gbps[at], which, axis=1).T,
            is_cap_known=is_cap_known,
            **_at(asked, at) | {"rtt_ms": asked.rtt_ms[rtt_at[at]]},
        )
        for at in range(len(Stands._fields))
    )


def _at(asked: Asked, at: int) -> dict[str, Any]:
    """Return what is asked, at one of `Stands`, by the names that `PathTerms` has for it too."""
    told = asked._asdict()
    return {name: each[at] if isinstance(each, Stands) else each for name, each in told.items()}


def _shared(rows: LimitRows, which: NDArray[np.intp], asked: Asked, at: int) -> NDArray[np.float64]:
    """Return the shared limits at one of `Stands`; at its least, where one core carries all.

    That several streams are told, or as many as it takes, says nothing of cores. A core holds back,
    it drops nothing.
    """
    found = np.take(rows.shared_gbps[at], which, axis=1)
    if at in _LEAST:
        several = np.flatnonzero(asked.streams[at] > 1)
        core = rows.core_gbps[which[several], at - _LEAST[0]]
        found[_ALL_ON_CORE, several] = np.minimum(found[_ALL_ON_CORE, several], core)
    return found.T
