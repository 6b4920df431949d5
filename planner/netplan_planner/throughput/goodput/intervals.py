"""Prediction intervals: named cases, and scatter around them as campaigns have shown it.

What nobody has told (streams, threads, windows, dates) makes cases, each with the value that the
model has for it. Around a case stand bounds of scatter: the same arithmetic at the least and the
most favourable of measured ranges and of the behaviour of both ends. Measured campaigns say how far
towards these bounds, or beyond them, their figures go: conformal intervals with a scale of their
own for each path (Lei and others, 2018), and campaigns, not rows, as the units of exchange. No
factor stretches the way from one case to another. The factors are a small dated table,
`data/interval_factors.csv`, which `planner/scripts/build_intervals.py` makes.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput.goodput.mean import (
    HARD_COUNT,
    LIMITS,
    PER_FLOW,
    SHARED,
    Column,
    Means,
    PathTerms,
    means,
    rates,
)
from netplan_planner.throughput.goodput.terms import TermSpans
from netplan_planner.throughput.transport import transfer

WALL_RATIO = 1.02
"""How far goodput was seen above a documented cap; no interval ends beyond it. Runs of one path
differ by that much whatever holds them, so no bound is nearer to its case."""
PROBED_TAILS = {
    0.5: (0.49, 0.33),
    0.8: (1.51, 0.81),
    0.9: (2.68, 1.15),
    0.95: (4.13, 1.51),
    0.98: (6.19, 2.16),
    0.99: (7.76, 2.84),
}
"""Ends of the interval at a level, in standard deviations below and above the mean of a path that
probes told of. Quantiles over nine campaigns with three and ten probes each (`--tails --seeds 100`
of benchmarks/replay_probes.py), every campaign with the same weight; without any one of them those
at 0.9 are 2.15 to 2.93 and 1.07 to 1.21. Something slows a few runs down whatever is known of the
path."""
PLACES = ("internal", "external", "foreign", "pod")
"""Where a path runs, by code: inside the VPC, to a machine of ours by its outside address, from or
to a machine that is not ours, over a cluster's network. What a path is asked with, its streams or
its machines, never moves it to another, so that ends rise as values do."""
_MEASURED = tuple(
    map(LIMITS.index, ("single-flow-core", "internal-flow", "external-path", "receiver-cores"))
)
_PODS = [at for at, name in enumerate(LIMITS) if name.startswith("pod-")]
_WALLS = [at for at in range(HARD_COUNT) if at not in (*_MEASURED, *_PODS)]
_FILE = Path(__file__).parents[1] / "data" / "interval_factors.csv"


class Spread(NamedTuple):
    """The mean of each path, the cases around it and the bounds that physics gives them."""

    means: Means
    case_low_gbps: Column
    """The value where everything that nobody told stands at its least."""
    low_gbps: Column
    """The same where, besides, limits and habits do."""
    case_high_gbps: Column
    high_gbps: Column
    wall_gbps: Column
    """No interval goes above it."""
    place: NDArray[np.int8]
    """Code of `PLACES`."""
    learnt_ratio: Column
    """Share of the doubt that probes removed; 0 without a calibration."""
    log_sd: Column
    """Of one run around the mean, on a logarithmic scale, where probes said it."""


class Factors(NamedTuple):
    """How far the ends of each place lie from the outer cases.

    Up to 1 it is a share of the way to the bounds of scatter, on a logarithmic scale; what is above
    1 goes beyond these bounds, as a distance of its own: powers of e.
    """

    below: NDArray[np.float64]
    """Of low ends, by place."""
    above: NDArray[np.float64]
    """Of high ends, by place."""
    probed: tuple[float, float] = PROBED_TAILS[0.9]
    """Standard deviations below and above, for what probes taught."""


def spread(terms: TermSpans, place: NDArray[np.int8]) -> Spread:
    """Return the mean, its cases, its physical bounds and the place of each path.

    Args:
        terms: What is known, with ranges.
        place: Code of `PLACES` by path.
    """
    likely = means(terms.likely)
    least = rates(terms.low, transfer.UNFAVOURABLE)
    value = likely.gbps
    # A value that is known without the sender's cap has a high end without it, too.
    is_known = terms.high.is_cap_known | ~np.isnan(value)
    tops = [some._replace(is_cap_known=is_known) for some in (terms.case_high, terms.high)]
    greatest = rates(tops[1], transfer.FAVOURABLE)
    cases = [np.where(np.isnan(value), value, rates(x).gbps) for x in (terms.case_low, tops[0])]
    case_low, case_high = np.fmin(cases[0], value), np.fmax(cases[1], value)
    # Where nobody knows the length of the path, the caps at their least are all that can be said.
    bound = np.where(np.isnan(least.gbps), least.met.cap_gbps, least.gbps)
    low = np.where(np.isnan(value), np.nan, np.fmin(bound, case_low / WALL_RATIO))
    documented = greatest.limits_gbps[:, _WALLS]
    wall = WALL_RATIO * np.min(np.where(np.isnan(documented), np.inf, documented), axis=1)
    high = np.fmax(greatest.gbps, case_high) * WALL_RATIO
    nothing = np.zeros_like(low)
    return Spread(likely, case_low, low, case_high, high, wall, place, nothing, nothing)


def empty_like(part: Spread, row_count: int) -> Spread:
    """Return room for an answer of so many rows; `put` fills it."""

    def room(column: Any) -> Any:
        return np.empty((*column.shape[1:], row_count), column.dtype).T

    return Spread(Means._make(map(room, part.means)), *map(room, part[1:]))


def put(whole: Spread, rows: slice, part: Spread) -> None:
    """Put the answers of some rows where they belong."""
    pairs: Any = (
        *zip(whole.means, part.means, strict=True),
        *zip(whole[1:], part[1:], strict=True),
    )
    for column, values in pairs:
        column[rows] = values


def distances(found: Spread, gbps: Column) -> tuple[Column, Column]:
    """Return how far below and above the outer cases rates lie, in the units of `Factors`."""
    return (
        _distance(np.log(found.case_low_gbps / gbps), np.log(found.case_low_gbps / found.low_gbps)),
        _distance(
            np.log(gbps / found.case_high_gbps), np.log(found.high_gbps / found.case_high_gbps)
        ),
    )


def _distance(off: Column, to_bound: Column) -> Column:
    return np.where(off > to_bound, 1 + off - to_bound, off / to_bound)


def interval(found: Spread, factors: Factors) -> tuple[Column, Column]:
    """Return the low and the high end of each interval in Gbit/s, NaN where the mean is.

    Both are products of rates that rise with whatever raises the value, so they rise with it.
    """
    mean = found.means.gbps
    low = _end(found.case_low_gbps, found.low_gbps, factors.below[found.place], -1)
    high = _end(found.case_high_gbps, found.high_gbps, factors.above[found.place], 1)
    high = np.minimum(high, found.wall_gbps)
    if found.learnt_ratio.any():
        low, high = _probed(found, factors.probed, low, high)
    unknown = np.isnan(mean)
    ends = np.fmin(low, mean), np.fmax(high, mean)
    return np.where(unknown, np.nan, ends[0]), np.where(unknown, np.nan, ends[1])


def _end(case_gbps: Column, bound_gbps: Column, factor: Column, way: int) -> Column:
    share = np.clip(factor, 0.0, 1.0)
    beyond = np.exp(way * np.maximum(factor - 1, 0.0))
    return np.asarray(case_gbps ** (1 - share) * bound_gbps**share * beyond)


def _probed(
    found: Spread, tails: tuple[float, float], low: Column, high: Column
) -> tuple[Column, Column]:
    """Return the ends moved towards those of the probes, by the share that these taught."""
    share, sd = found.learnt_ratio, found.log_sd
    mean = found.means.gbps
    below = mean * np.exp(-tails[0] * sd)
    above = np.minimum(mean * np.exp(tails[1] * sd), found.wall_gbps)
    return (
        np.where(share > 0, low ** (1 - share) * below**share, low),
        np.where(share > 0, high ** (1 - share) * above**share, high),
    )


@cache
def factors_at(level: float) -> Factors:
    """Return the shipped factors at a level between 0.5 and 0.99, between its rows if need be.

    Raises:
        ValueError: If the level lies outside of the table.
    """
    table = _table()
    levels = sorted({key[1] for key in table})
    if not levels[0] <= level <= levels[-1]:
        raise ValueError(f"a level is between {levels[0]:g} and {levels[-1]:g}, got {level:g}")
    below, above = (
        np.array(
            [
                np.interp(level, levels, [table[place, one][end] for one in levels])
                for place in PLACES
            ]
        )
        for end in (0, 1)
    )
    return Factors(below, above, probed_tails(level))


def probed_tails(level: float) -> tuple[float, float]:
    """Return `PROBED_TAILS` at a level, between its rows if need be."""
    levels = sorted(PROBED_TAILS)
    below, above = (
        float(np.interp(level, levels, [PROBED_TAILS[one][side] for one in levels]))
        for side in (0, 1)
    )
    return below, above


@cache
def _table() -> dict[tuple[str, float], tuple[float, float]]:
    return {
        (row["place"], float(row["level"])): (float(row["below"]), float(row["above"]))
        for row in shipped_rows(_FILE)
    }


# One path drawn many times over the ranges of all that is not known of it, without chance
#
# The draws are an additive recurrence, a low-discrepancy sequence: the same path gives the same
# figures on every machine.


COUNT = 1024
_DIMENSIONS = len(SHARED) + len(PER_FLOW) + 3
"""The uncertain quantities: every limit, the window, the round-trip time and the send buffer."""


def draws(spans: TermSpans, count: int = COUNT) -> PathTerms:
    """Return `count` rows of terms for the first path of `spans`.

    Each quantity moves by itself: evenly on a logarithmic scale from its least to its likely value
    in one half of the draws, from there to its greatest in the other. A shared limit that may be
    another one stands there in that half: nothing between the two cases was ever stated.
    """
    shares = _shares(count)
    first = spans.likely
    shared_count = first.shared_gbps.shape[1]
    after = shared_count + first.per_flow_gbps.shape[1]

    def drawn(name: str, at: int, column: int | tuple[int, int] = 0) -> NDArray[np.float64]:
        case_low, low, case_high, high = (float(getattr(one, name)[column]) for one in spans[1:])
        likely = float(getattr(first, name)[column])
        found = _between(low, likely, high, shares[:, at])
        if name != "shared_gbps" or not np.isfinite(likely):
            return found
        below = case_low if case_low < likely else np.nan
        above = case_high if case_high > likely else np.nan
        case = np.where(shares[:, at] < 1 / 2, below, above)
        return np.where(np.isnan(case), found, case)

    def drawn_limits(name: str, start: int, width: int) -> NDArray[np.float64]:
        return np.column_stack([drawn(name, start + i, (0, i)) for i in range(width)])

    held = PathTerms._make(np.repeat(column[:1], count, axis=0) for column in first)
    return held._replace(
        shared_gbps=drawn_limits("shared_gbps", 0, shared_count),
        per_flow_gbps=drawn_limits("per_flow_gbps", shared_count, after - shared_count),
        window_bytes=drawn("window_bytes", after),
        sent_bytes=drawn("sent_bytes", after + 2),
        rtt_ms=drawn("rtt_ms", after + 1),
    )


def _shares(count: int) -> NDArray[np.float64]:
    """Return evenly spread points of the unit cube; axes: draw, dimension.

    Source:
        Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018 (R sequence).
    """
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (_DIMENSIONS + 1))
    steps = root ** -np.arange(1, _DIMENSIONS + 1)
    return (0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0


def _between(
    low: float, likely: float, high: float, share: NDArray[np.float64]
) -> NDArray[np.float64]:
    if not (np.isfinite(low) and np.isfinite(likely) and np.isfinite(high)) or low <= 0:
        return np.full_like(share, likely)
    knots = np.log([min(low, likely), likely, max(high, likely)])
    return np.exp(np.interp(share, [0.0, 0.5, 1.0], knots))
