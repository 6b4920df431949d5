"""Fit the interval factors: how far towards their bounds the figures of campaigns go, or beyond.

For each place, each campaign counts once, whatever its number of rows: rows of one campaign share
its kernel, its hour and its mistakes. The next campaign is like one of those seen, each as likely,
or like none, as likely again: hierarchical conformal prediction (Lee, Barber and Willett,
Distribution-free inference with hierarchical data, arXiv 2306.06342) puts the unseen one at
infinity. Physics knows more: its bounds hold 0.9, and what is in between is spread evenly on a
logarithmic scale, as in `draws`. So each end below 0.9 is a quantile over the campaigns and one
that is all physics. From 0.9 on the bounds stay, since they are figures that somebody measured, and
so few campaigns that never went there prove nothing; they give way to what the seen ones missed
them by, one distance for both ends, since the next one may miss the other. Rows of which an input
was not told say nothing of scatter: nobody knows which case they were.

Of the rules that were tried a nested leave-one-campaign-out choice takes this one, each
time below 0.9 and seven times of ten above (benchmarks/interval_rules.py).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.goodput import intervals

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
_SIDES = (np.arange(_STEPS) + 1) / _STEPS
UNSEEN = np.where(2 * _SIDES - 1 > BOUNDS_HOLD, np.inf, (2 * _SIDES - 1) / BOUNDS_HOLD)
"""Distances of the rows of a campaign that is all physics, half of them at the other end."""


class Scores(NamedTuple):
    """How far the rows of one campaign lie from their cases, in the units of `Factors`."""

    campaign: str
    place: NDArray[np.int8]
    below: NDArray[np.float64]
    """1 at the lower bound, negative above the least case; NaN where an input was not told."""
    above: NDArray[np.float64]
    """1 at the higher bound; negative and NaN likewise."""

    def in_place(self, code: int) -> "Scores":
        """Return the rows of a place whose inputs were told."""
        rows = (self.place == code) & ~np.isnan(self.below)
        return Scores(self.campaign, self.place[rows], self.below[rows], self.above[rows])


def scores(
    campaign: str, found: intervals.Spread, rows: NDArray[np.bool_], value_gbps: NDArray[np.float64]
) -> Scores:
    """Return the scores of the rows of one campaign, whose means are known."""
    is_open = found.case_high_gbps > found.case_low_gbps * intervals.WALL_RATIO
    below, above = (
        np.where(is_open, np.nan, one)[rows] for one in intervals.distances(found, value_gbps)
    )
    return Scores(campaign, found.place[rows], below, above)


def fit(campaigns: Iterable[Scores], level: float) -> intervals.Factors:
    """Return the factors of a level from some campaigns."""
    campaigns = list(campaigns)
    found = [ends(usable(campaigns, code), level) for code in range(len(intervals.PLACES))]
    return intervals.Factors(*np.array(found).T)


def usable(campaigns: Sequence[Scores], place: int) -> list[Scores]:
    """Return the rows of each campaign that tells something of a place."""
    parts = [one.in_place(place) for one in campaigns]
    return [part for part in parts if len(part.below) >= LEAST_ROWS]


def nested(campaigns: Sequence[Scores]) -> dict[float, intervals.Factors]:
    """Return the factors of all levels; a greater level never gives a narrower interval."""
    found: dict[float, intervals.Factors] = {}
    below = above = np.zeros(len(intervals.PLACES))
    for level in LEVELS:
        one = fit(campaigns, level)
        below, above = np.maximum(below, one.below), np.maximum(above, one.above)
        found[level] = intervals.Factors(below, above)
    return found


def ends(parts: list[Scores], level: float) -> tuple[float, float]:
    """Return the factors below and above of a place's intervals."""
    if level < BOUNDS_HOLD:
        side = 0.5 + level / 2
        below = quantile([*(one.below for one in parts), UNSEEN], side)
        return below, quantile([*(one.above for one in parts), UNSEEN], side)
    # What one campaign alone missed says nothing of the next.
    either = [np.maximum(one.below, one.above) for one in parts]
    both = max(PHYSICAL, quantile(either, level)) if len(parts) > 1 else PHYSICAL
    return both, both


def quantile(parts: Sequence[NDArray[np.float64]], level: float) -> float:
    """Return the quantile over all rows of some campaigns, each with the same weight."""
    values = np.concatenate(parts)
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for part in parts])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    # A little slack: sums of fractions do not hit a quantile exactly.
    at = min(int(np.searchsorted(reached, level - 1e-12)), len(values) - 1)
    return max(float(values[order][at]), 0.0)
