"""From named limits to the numbers of the mean: the likely ones, the least and the greatest."""

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


class LimitRow(NamedTuple):
    """The limits of one kind of path as numbers: one row each for the fields of `Stands`."""

    shared_gbps: NDArray[np.float64]
    """Axes: stand, limit in the order of `SHARED`."""
    per_flow_gbps: NDArray[np.float64]
    """Axes: stand, limit in the order of `PER_FLOW`."""
    is_cap_known: bool
    core_gbps: NDArray[np.float64]
    """The least case and figure of one core that has to carry all flows: a tool of one thread, a
    queue, an interrupt. Infinite where that is not asked."""


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


def limit_row(found: StaticLimits) -> LimitRow:
    """Return the limits as numbers; of several of one name, the least counts."""
    shared = np.full((len(Stands._fields), len(SHARED)), np.inf)
    per_flow = np.full((len(Stands._fields), len(PER_FLOW)), np.inf)
    for bound in (*found.hard, *found.per_flow):
        column, at = _place(bound, shared, per_flow)
        column[:, at] = np.minimum(column[:, at], _stands_of(bound))
    # What may hold besides lowers the least cases only. A set-up that is not told comes last: it is
    # a doubt about one stream, and not on top of the one about a core that carries all.
    for is_of_set_up in (False, True):
        core_gbps = per_flow[1:3, _CORE].copy()
        for bound in found.possible:
            if (bound.limit.detail == ONE_BY_ONE) is is_of_set_up:
                column, at = _place(bound, shared, per_flow)
                least = (bound.case_low_gbps, bound.low_gbps)
                column[1:3, at] = np.minimum(column[1:3, at], least)
    if found.is_one_case:
        core_gbps = np.full_like(core_gbps, np.inf)
    is_cap_known = not found.unknown or bool(found.of_foreign)
    return LimitRow(shared, per_flow, is_cap_known, core_gbps)


def _place(
    bound: Bound, shared: NDArray[np.float64], per_flow: NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    name = bound.limit.name
    return (shared, SHARED.index(name)) if name in SHARED else (per_flow, PER_FLOW.index(name))


def _stands_of(bound: Bound) -> tuple[float, ...]:
    """Return the figures of a limit in the order of `Stands`."""
    gbps = bound.limit.gbps
    return gbps, bound.case_low_gbps, bound.low_gbps, bound.case_high_gbps, bound.high_gbps


def term_spans(rows: list[LimitRow], which: NDArray[np.intp], asked: Asked) -> TermSpans:
    """Return the terms of paths whose limits are given by number of row."""
    shape = (len(rows), len(Stands._fields))
    shared = np.array([row.shared_gbps for row in rows]).reshape(*shape, len(SHARED))
    per_flow = np.array([row.per_flow_gbps for row in rows]).reshape(*shape, len(PER_FLOW))
    shared_at = [shared[which, at] for at in range(len(Stands._fields))]
    is_cap_known = np.array([row.is_cap_known for row in rows], dtype=bool)[which]
    for at in (1, 2):
        shared_at[at] = _on_one_core(rows, which, asked, shared_at[at], at)
    rtt_at = (0, 3, 4, 1, 2)  # the longest way carries least
    return TermSpans._make(
        PathTerms(
            shared_gbps=shared_at[at],
            per_flow_gbps=per_flow[which, at],
            is_cap_known=is_cap_known,
            **_at(asked, at) | {"rtt_ms": asked.rtt_ms[rtt_at[at]]},
        )
        for at in range(len(Stands._fields))
    )


def _at(asked: Asked, at: int) -> dict[str, Any]:
    """Return what is asked, at one of `Stands`, by the names that `PathTerms` has for it too."""
    told = asked._asdict()
    return {name: each[at] if isinstance(each, Stands) else each for name, each in told.items()}


def _on_one_core(
    rows: list[LimitRow],
    which: NDArray[np.intp],
    asked: Asked,
    shared_gbps: NDArray[np.float64],
    at: int,
) -> NDArray[np.float64]:
    """Return the shared limits where one core carries several streams, at one of `Stands`.

    That they are told, or as many as it takes, says nothing of cores. A core holds back, it drops
    nothing.
    """
    several = np.flatnonzero(asked.streams[at] > 1)
    core = np.array([row.core_gbps[at - 1] for row in rows], dtype=float)[which[several]]
    found = shared_gbps.copy()
    found[several, _ALL_ON_CORE] = np.minimum(found[several, _ALL_ON_CORE], core)
    return found
