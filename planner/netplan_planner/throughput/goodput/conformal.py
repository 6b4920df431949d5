"""Fit the interval factors: how far towards their bounds the figures of campaigns go, or beyond.

For each place, each campaign counts once, whatever its number of rows: rows of one campaign share
its kernel, its hour and its mistakes. The next campaign is like one of those seen, each as likely,
or like none, as likely again: hierarchical conformal prediction (Lee, Barber and Willett,
Distribution-free inference with hierarchical data, arXiv 2306.06342) puts the unseen one at
infinity. Physics knows more: its bounds hold 0.9, and what is in between is spread evenly on a
logarithmic scale, as in `draws`. So factors below 0.9 are quantiles over the campaigns and one that
is all physics. From 0.9 on the bounds stay, since so few campaigns that never went there prove
nothing, and give way to what the seen ones missed them by. Rows of which an input was not told say
nothing of scatter: nobody knows which case they were.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.goodput.intervals import (
    PLACES,
    WALL_RATIO,
    Factors,
    Spread,
    distances,
)

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
BOUNDS_HOLD = 0.9
"""The share of rows that is inside of physical bounds."""
PHYSICAL = 1.0
"""The factor of bounds that stay as they are."""
LEAST_ROWS = 10
"""Of a campaign in a place: a quantile of fewer says nothing."""
CONSTANTS_ONLY = frozenset({"pkb-issue-175"})
"""Campaigns of a handful of rows that are constants themselves: they can score nothing."""
_STEPS = 1000
_UNSEEN = np.where(
    np.arange(_STEPS) < BOUNDS_HOLD * _STEPS,
    (np.arange(_STEPS) + 1) / (BOUNDS_HOLD * _STEPS),
    np.inf,
)
"""Rows of a campaign that is all physics."""


class Scores(NamedTuple):
    """How far the rows of one campaign lie from their cases, in the units of `Factors`."""

    campaign: str
    place: NDArray[np.int8]
    distance: NDArray[np.float64]
    """1 at a bound, negative between cases; NaN where an input was not told."""


def scores(
    campaign: str, found: Spread, rows: NDArray[np.bool_], value_gbps: NDArray[np.float64]
) -> Scores:
    """Return the scores of the rows of one campaign, whose means are known."""
    distance = np.maximum(*distances(found, value_gbps))
    is_open = found.case_high_gbps > found.case_low_gbps * WALL_RATIO
    return Scores(campaign, found.place[rows], np.where(is_open, np.nan, distance)[rows])


def fit(campaigns: Sequence[Scores], level: float) -> Factors:
    """Return the factors of a level from some campaigns."""
    return Factors(
        np.array([_factor(usable(campaigns, code), level) for code in range(len(PLACES))])
    )


def usable(campaigns: Sequence[Scores], place: int) -> list[NDArray[np.float64]]:
    """Return the distances of each campaign that tells something of a place."""
    parts = [one.distance[(one.place == place) & ~np.isnan(one.distance)] for one in campaigns]
    return [part for part in parts if len(part) >= LEAST_ROWS]


def nested(campaigns: Sequence[Scores]) -> dict[float, Factors]:
    """Return the factors of all levels; a greater level never gives a narrower interval."""
    found: dict[float, Factors] = {}
    for level in LEVELS:
        one = fit(campaigns, level)
        found[level] = Factors(np.max([one.scatter, *(f.scatter for f in found.values())], axis=0))
    return found


def _factor(parts: list[NDArray[np.float64]], level: float) -> float:
    """Return the factor of a place's intervals from the distances of each campaign."""
    if level < BOUNDS_HOLD:
        return _quantile([*parts, _UNSEEN], level)
    # What one campaign alone missed says nothing of the next.
    return max(PHYSICAL, _quantile(parts, level)) if len(parts) > 1 else PHYSICAL


def _quantile(parts: Sequence[NDArray[np.float64]], level: float) -> float:
    """Return the quantile over all rows of some campaigns, each with the same weight."""
    values = np.concatenate(parts)
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for part in parts])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    # A little slack: sums of fractions do not hit a quantile exactly.
    at = min(int(np.searchsorted(reached, level - 1e-12)), len(values) - 1)
    return max(float(values[order][at]), 0.0)
