"""Named cases: what an input may be that nobody told, each with a value and an interval of its own.

Streams, threads, windows, set-ups and dates that are not known make a few cases, no scatter. In
each one input stands at one of the things that it may be, the others where they are likely; of a
number of streams the others are left open.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from netplan_planner.model import CapsBook, Case, Estimate, LimitKind, PathClass, PathQuery
from netplan_planner.throughput.calibration.factors.calibrated_caps import probed_paths
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import LIMITS, SHARED
from netplan_planner.throughput.limits import bounds
from netplan_planner.throughput.limits.bounds import Bound
from netplan_planner.throughput.limits.named import core
from netplan_planner.throughput.limits.path_limits import ONE_BY_ONE, StaticLimits, static_limits
from netplan_planner.throughput.limits.senders import RECEIVER_CORES
from netplan_planner.throughput.open_runs import SLIGHT, predict_rows
from netplan_planner.throughput.single_row import single_row, stacked
from netplan_planner.units import counted

STREAM_COUNTS = (1, 8, 64)
"""Of a path whose number of streams nobody told."""
_ONE_CORE = "single-flow-core"


class _Asked(NamedTuple):
    """A case before its value is known."""

    of: str
    name: str
    query: PathQuery
    limits: StaticLimits
    binding: str = ""
    """Where it is known beforehand."""


def cases_of(query: PathQuery, found: Estimate, caps: CapsBook) -> tuple[Case, ...]:
    """Return the cases of what nobody told of a path that move its value.

    Args:
        query: The path.
        found: Its estimate.
        caps: The caps at a date.
    """
    likely = found.gbps
    if likely is None or found.level is None:
        return ()
    dated = msgspec.structs.replace(query, as_of=caps.as_of)
    open_limits = static_limits(dated, caps, may_assume=True)
    asked = list(_asked(dated, open_limits, caps))
    if not asked:
        return ()
    queries, limits = [one.query for one in asked], [one.limits for one in asked]
    probed = probed_paths(queries, limits, caps)
    rows = stacked([single_row(one)[0] for one in queries])
    factors = factors_at(found.level)
    answers = predict_rows(queries, limits, rows, factors, probed, tells_streams=False)
    told = (
        Case(
            of=one.of,
            name=one.name,
            gbps=float(answers.gbps[at]),
            low_gbps=float(answers.low_gbps[at]),
            high_gbps=float(answers.high_gbps[at]),
            binding_limit=one.binding or LIMITS[answers.binding[at]],
        )
        for at, one in enumerate(asked)
        if answers.binding[at] >= 0
    )
    return tuple(case for case in told if not SLIGHT <= (case.gbps or 0.0) / likely <= 1 / SLIGHT)


def _asked(query: PathQuery, found: StaticLimits, caps: CapsBook) -> Iterator[_Asked]:
    """Yield the cases of each input that nobody told."""
    likely = settled(found)
    if query.streams is None and query.rtt_ms:
        for count in STREAM_COUNTS:
            some = msgspec.structs.replace(query, streams=count)
            # With what else nobody told left open: the answer to who tells this number.
            yield _Asked("streams", counted(count, "stream"), some, found)
    one = core(query, caps)
    if one is not None and query.streams != 1 and query.path_class is not PathClass.SAME_NODE_POD:
        # As what a receiver takes in it is a limit that all flows share.
        shared = bounds.plain(msgspec.structs.replace(one, name=RECEIVER_CORES))
        only = likely._replace(hard=(*likely.hard, shared))
        yield _Asked("threads", "one core processes all flows", query, only, _ONE_CORE)
    yield from _windows(query, found, likely)
    for bound in (*found.hard, *found.per_flow):
        for gbps in sorted({bound.case_low_gbps, bound.case_high_gbps} - {bound.limit.gbps}):
            changed = likely._replace(
                hard=tuple(_at(b, gbps) if b is bound else _likely(b) for b in found.hard),
                per_flow=tuple(_at(b, gbps) if b is bound else _likely(b) for b in found.per_flow),
            )
            yield _Asked(*_words(bound, gbps, query), query, changed)
    for bound in found.possible:
        if bound.case_low_gbps == bound.limit.gbps and bound.limit.gbps > 0:
            yield _Asked(*_possible_words(bound), query, _with(likely, bound))


def _windows(query: PathQuery, found: StaticLimits, likely: StaticLimits) -> Iterator[_Asked]:
    """Yield the ends of what a receiver's window may be, where streams are counted."""
    if query.streams is None or query.window_bytes is not None:
        return
    _, low, high = found.window_bytes
    # Of the range's low end a part is scatter around the least window.
    for size in (low / bounds.KNOWN_WINDOW_RATIO, high):
        some = msgspec.structs.replace(query, window_bytes=math.ceil(size))
        yield _Asked("window", f"window {size / 1e6:.3g} MB", some, likely)


def settled(found: StaticLimits) -> StaticLimits:
    """Return limits of which everything that nobody told is as it likely is."""
    return found._replace(
        hard=tuple(map(_likely, found.hard)),
        per_flow=tuple(map(_likely, found.per_flow)),
        possible=(),
        is_one_case=True,
    )


def _likely(bound: Bound) -> Bound:
    """Return a limit with its scatter alone."""
    return bounds.plain(bound.limit)


def _at(bound: Bound, gbps: float) -> Bound:
    """Return a limit at one of its cases."""
    ratio = gbps / bound.limit.gbps
    low, high = (
        None if end is None else end * ratio
        for end in (bound.limit.low_gbps, bound.limit.high_gbps)
    )
    return bounds.plain(
        msgspec.structs.replace(bound.limit, gbps=gbps, low_gbps=low, high_gbps=high)
    )


def _with(likely: StaticLimits, bound: Bound) -> StaticLimits:
    """Return limits with one more."""
    if bound.limit.name in SHARED:
        return likely._replace(hard=(*likely.hard, bound))
    return likely._replace(per_flow=(*likely.per_flow, bound))


def _words(bound: Bound, gbps: float, query: PathQuery) -> tuple[str, str]:
    """Return the input and the name of a case of a limit."""
    shown = f"{gbps:.3g} Gbit/s"
    if bound.regime == "unsure":
        is_stated = bounds.OTHERWISE_GBPS.get(query.src.machine_type or "") == gbps
        why = "value of another source" if is_stated else "as its source is not certain"
        return "cap", f"cap {shown}, {why}"
    if bound.regime == "unstated":
        return "cap", f"external cap {shown}, which is not documented"
    if bound.limit.name == _ONE_CORE:
        return "date", f"a core of {'an earlier' if gbps < bound.limit.gbps else 'a later'} day"
    is_type = bound.limit.name == "vm-egress" and not bound.regime
    if is_type and gbps > bound.limit.gbps and not query.src.cpu_platform:
        return "cap", f"cap {shown}, on another CPU platform or size"
    is_later = bound.limit.name.startswith("external-") and bound.limit.kind is LimitKind.DOCUMENTED
    if is_later and gbps > bound.limit.gbps:
        return "date", f"{bound.limit.name} not valid yet"
    return "date", f"{bound.limit.name} {shown}, on another day of that time"


def _possible_words(bound: Bound) -> tuple[str, str]:
    limit = bound.limit
    if limit.detail == ONE_BY_ONE:
        return "set-up", ONE_BY_ONE
    if limit.name == _ONE_CORE:
        return "threads", "a core has no higher rate than elsewhere"
    return "date", f"{limit.name} {limit.gbps:.3g} Gbit/s already valid"
