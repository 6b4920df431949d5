"""Fit the interval factors: how far towards their bounds the figures of campaigns go, or beyond.

For each place, each campaign counts once, whatever its number of rows: rows of one campaign share
its kernel, its hour and its mistakes. What one campaign alone has seen keeps its physical bounds at
every level: nothing says how the next one differs. With two or more, the ends move. At 0.9 and
above never inwards: the bounds hold what may be, and a campaign that never went there proves
nothing. Below, they do; each end then holds what it should in every campaign that was seen, since
the next one is as a whole on one side more often than not. Rows of which an input was not told say
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
NEVER_NARROWER_FROM = 0.9
PHYSICAL = 1.0
"""The factor of bounds that stay as they are."""
LEAST_CAMPAIGNS = 2
LEAST_ROWS = 10
"""Of a campaign in a place: a quantile of fewer says nothing."""
CONSTANTS_ONLY = frozenset({"pkb-issue-175"})
"""Campaigns of a handful of rows that are constants themselves: they can score nothing."""
NOT_COMPARABLE = frozenset({"converged-computing-2024-vm"})
"""Campaigns that do not say what they measured: neither MTU nor buffers nor Tier_1. They are scored
and shown, and no factor rests on them."""


class Scores(NamedTuple):
    """How far the rows of one campaign lie from their cases, in the units of `Factors`."""

    campaign: str
    place: NDArray[np.int8]
    below: NDArray[np.float64]
    """1 at the lower bound, negative above the value; NaN where an input was not told."""
    above: NDArray[np.float64]
    """1 at the upper bound; NaN likewise."""


def scores(
    campaign: str, found: Spread, rows: NDArray[np.bool_], value_gbps: NDArray[np.float64]
) -> Scores:
    """Return the scores of the rows of one campaign, whose means are known."""
    below, above = distances(found, value_gbps)
    is_open = found.case_high_gbps > found.case_low_gbps * WALL_RATIO
    below, above = (np.where(is_open, np.nan, side) for side in (below, above))
    return Scores(campaign, found.place[rows], below[rows], above[rows])


def fit(campaigns: Sequence[Scores], level: float) -> Factors:
    """Return the factors of a level from some campaigns; physical bounds where too few tell."""
    side = 0.5 + level / 2
    low, high = (
        np.array([_factor(campaigns, code, name, side, level) for code in range(len(PLACES))])
        for name in ("below", "above")
    )
    return Factors(low, high)


def nested(campaigns: Sequence[Scores]) -> dict[float, Factors]:
    """Return the factors of all levels; a greater level never gives a narrower interval."""
    found: dict[float, Factors] = {}
    for level in LEVELS:
        one = fit(campaigns, level)
        for before in found.values():
            one = Factors(np.maximum(one.low, before.low), np.maximum(one.high, before.high))
        found[level] = one
    return found


def _factor(campaigns: Sequence[Scores], place: int, name: str, side: float, level: float) -> float:
    """Return the factor of one end of a place's interval."""
    parts = [getattr(c, name)[c.place == place] for c in campaigns]
    parts = [part for one in parts if len(part := one[~np.isnan(one)]) >= LEAST_ROWS]
    if len(parts) < LEAST_CAMPAIGNS:
        return PHYSICAL
    if level >= NEVER_NARROWER_FROM:
        return max(PHYSICAL, _quantile(parts, side))
    # One more campaign may lie farther out than so few: half of its share is left outside (plotting
    # positions of Hazen, 1914). Those that all lie on the other side of their values tell nothing.
    side += (1 - side) / (2 * (len(parts) + 1))
    farthest = max(_quantile([part], side) for part in parts)
    return farthest if farthest > 0 else PHYSICAL


def _quantile(parts: Sequence[NDArray[np.float64]], side: float) -> float:
    """Return the quantile over all rows of some campaigns, each with the same weight."""
    values = np.concatenate(parts)
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for part in parts])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    # A little slack: sums of fractions do not hit a quantile exactly.
    at = min(int(np.searchsorted(reached, side - 1e-12)), len(values) - 1)
    return float(values[order][at])
