"""Prediction intervals: physical bounds, scaled by what other campaigns have shown.

The bounds are the mean under the least and the most favourable of what nobody has told: the range
of every limit, and the behaviour of both ends. Measured campaigns then say how much of the way from
the value to its bounds their figures go: conformal intervals with a scale of their own for each
path (Lei and others, 2018), and campaigns, not rows, as the units of exchange. The factors are a
small dated table, `data/interval_factors.csv`, which `planner/scripts/build_intervals.py` makes.
"""

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput.goodput.mean import HARD_COUNT, LIMITS, Column, Means, means
from netplan_planner.throughput.goodput.terms import WIDE_REGIMES, TermSpans
from netplan_planner.throughput.transport import transfer

WALL_RATIO = 1.02
"""How far goodput was seen above a documented cap; no interval ends beyond it."""
PROBED_TAILS = {
    0.5: (0.5, 0.35),
    0.8: (1.75, 0.9),
    0.9: (2.9, 1.25),
    0.95: (4.3, 1.6),
    0.98: (6.3, 2.2),
    0.99: (7.9, 2.6),
}
"""Ends of the interval at a level, in standard deviations below and above the mean of a path that
probes told of. Quantiles over nine campaigns with three and ten probes each (`--tails` of
benchmarks/replay_probes.py), every campaign with the same weight; without any one of them those at
0.9 are 2.3 to 3.1 and 1.2 to 1.3. Something slows a few runs down whatever is known of the path."""
LEAST_LOG_DISTANCE = math.log(WALL_RATIO)
"""Between a value and its bounds: runs of one path differ by that much whatever holds them."""
RAMP_SHARE = 0.03
"""Below this share of the start in the time, a path is at its wall."""
REGIMES = (
    "wall-internal",
    "wall-external",
    "wall-foreign",
    "start-internal",
    "start-external",
    "start-foreign",
    "window-own",
    "window-foreign",
    "measured",
    "pod",
    "carried",
    "unsure",
    "unstated",
)
"""What decides how sure a prediction is, by code."""
_MEASURED = tuple(
    map(LIMITS.index, ("single-flow-core", "internal-flow", "external-path", "receiver-cores"))
)
_PODS = [at for at, name in enumerate(LIMITS) if name.startswith("pod-")]
_WALLS = [at for at in range(HARD_COUNT) if at not in (*_MEASURED, *_PODS)]
_OF_MACHINE = tuple(map(LIMITS.index, ("vm-egress", "external-egress")))
_FILE = Path(__file__).parents[1] / "data" / "interval_factors.csv"


class Spread(NamedTuple):
    """The mean of each path and the bounds that physics gives it."""

    means: Means
    low_gbps: Column
    high_gbps: Column
    wall_gbps: Column
    """No interval goes above it."""
    regime: NDArray[np.int8]
    learnt_ratio: Column
    """Share of the doubt that probes removed; 0 without a calibration."""
    log_sd: Column
    """Of one run around the mean, on a logarithmic scale, where probes said it."""


class Factors(NamedTuple):
    """How far from the value each regime's ends lie, in logarithmic distances to its bounds."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    probed: tuple[float, float] = PROBED_TAILS[0.9]
    """Standard deviations below and above, for what probes taught."""


def spread(
    terms: TermSpans,
    *,
    is_external: NDArray[np.bool_],
    is_foreign: NDArray[np.bool_],
    is_own_receiver: NDArray[np.bool_],
    is_pod: NDArray[np.bool_],
    wide: NDArray[np.intp],
) -> Spread:
    """Return the mean, its physical bounds and the regime of each path.

    Args:
        terms: What is known, with ranges.
        is_external: Whether the path leaves the VPC.
        is_foreign: Whether one end is not one of our machines.
        is_own_receiver: Whether the receiver is: its buffers make the window, not the sender's.
        is_pod: Whether pods of a cluster talk over its network.
        wide: Code of `WIDE_REGIMES` by path.
    """
    likely = means(terms.middle)
    least = means(terms.low, transfer.UNFAVOURABLE)
    greatest = means(terms.high, transfer.FAVOURABLE)
    # Where nobody knows the length of the path, the caps at their least are all that can be said.
    bound = np.where(np.isnan(least.gbps), least.cap_gbps, least.gbps)
    low = np.where(np.isnan(likely.gbps), np.nan, np.fmin(bound, likely.gbps))
    documented = greatest.limits_gbps[:, _WALLS]
    wall = WALL_RATIO * np.min(np.where(np.isnan(documented), np.inf, documented), axis=1)
    high = np.fmax(np.minimum(greatest.gbps * WALL_RATIO, wall), likely.gbps)
    place = np.where(is_foreign, 2, np.where(is_external, 1, 0))
    regime = _regimes(likely, place, is_own_receiver, is_pod, wide)
    nothing = np.zeros_like(low)
    return Spread(likely, low, high, wall, regime, nothing, nothing)


def joined(parts: Sequence[Spread]) -> Spread:
    """Return the rows of several answers as one."""
    if len(parts) == 1:
        return parts[0]
    means = Means(
        *(np.concatenate(column) for column in zip(*(p.means for p in parts), strict=True))
    )
    others = zip(*(part[1:] for part in parts), strict=True)
    return Spread(means, *(np.concatenate(column) for column in others))


def log_distances(found: Spread) -> tuple[Column, Column]:
    """Return how far below and above its value each path's bounds lie, on a logarithmic scale."""
    mean = found.means.gbps
    high = np.minimum(found.high_gbps, np.fmax(found.wall_gbps, mean))
    return (
        np.fmax(np.log(mean / found.low_gbps), LEAST_LOG_DISTANCE),
        np.fmax(np.log(high / mean), LEAST_LOG_DISTANCE),
    )


def interval(found: Spread, factors: Factors) -> tuple[Column, Column]:
    """Return the low and the high end of each interval in Gbit/s, NaN where the mean is."""
    mean = found.means.gbps
    below, above = log_distances(found)
    low = mean * np.exp(-factors.low[found.regime] * below)
    high = np.minimum(mean * np.exp(factors.high[found.regime] * above), found.wall_gbps)
    if found.learnt_ratio.any():
        low, high = _probed(found, factors.probed, low, high)
    unknown = np.isnan(mean)
    ends = np.fmin(low, mean), np.fmax(high, mean)
    return np.where(unknown, np.nan, ends[0]), np.where(unknown, np.nan, ends[1])


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
    low, high = (
        np.array(
            [
                np.interp(level, levels, [table[regime, one][side] for one in levels])
                for regime in REGIMES
            ]
        )
        for side in (0, 1)
    )
    return Factors(low, high, probed_tails(level))


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
        (row["regime"], float(row["level"])): (float(row["low"]), float(row["high"]))
        for row in shipped_rows(_FILE)
    }


def _regimes(
    likely: Means,
    place: NDArray[np.intp],
    is_own_receiver: NDArray[np.bool_],
    is_pod: NDArray[np.bool_],
    wide: NDArray[np.intp],
) -> NDArray[np.int8]:
    """Return the regime of each path; `place` is 0 inside the VPC, 1 outside, 2 elsewhere."""
    is_window = ~(likely.cap_share > 0.5)
    is_start = likely.start_ratio > RAMP_SHARE
    first_wide = REGIMES.index("carried") - 1
    of_cap = np.where(is_start, REGIMES.index("start-internal"), 0) + place
    is_measured = np.isin(likely.cap_limit, _MEASURED)
    of_cap = np.where(is_measured, REGIMES.index("measured"), of_cap)
    of_cap = np.where(is_pod, REGIMES.index("pod"), of_cap)
    is_carried = wide == WIDE_REGIMES.index("carried")
    is_wide = is_carried | ((wide > 0) & np.isin(likely.cap_limit, _OF_MACHINE))
    of_cap = np.where(is_wide, first_wide + wide, of_cap)
    of_window = np.where(
        is_own_receiver, REGIMES.index("window-own"), REGIMES.index("window-foreign")
    )
    return np.where(is_window & ~is_carried, of_window, of_cap).astype(np.int8)
