"""Fit the interval factors: how far the figures of campaigns lie outside their physical bounds.

For each regime, each campaign counts once, whatever its number of rows: rows of one campaign share
its kernel, its hour and its mistakes. At 0.9 and above the bounds are never narrowed: they hold
what may be, and a campaign that never went there proves nothing. Below, they are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.goodput.intervals import REGIMES, Factors, Spread

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
NEVER_NARROWER_FROM = 0.9
OWN_FIGURES = frozenset({"pkb-samples-2014"})
"""Campaigns with rows in `data/single_flow.csv`, which are left out where they are scored."""
CONSTANTS_ONLY = frozenset({"pkb-issue-175"})
"""Campaigns of a handful of rows that are constants themselves: they can score nothing."""


class Scores(NamedTuple):
    """How far the rows of one campaign lie outside their bounds, on a logarithmic scale."""

    campaign: str
    regime: NDArray[np.int8]
    below: NDArray[np.float64]
    """Under the lower bound; negative inside."""
    above: NDArray[np.float64]


def scores(
    campaign: str, found: Spread, rows: NDArray[np.bool_], value_gbps: NDArray[np.float64]
) -> Scores:
    """Return the scores of the rows of one campaign, whose means are known."""
    values = value_gbps[rows]
    return Scores(
        campaign,
        found.regime[rows],
        np.log(found.low_gbps[rows] / values),
        np.log(values / found.high_gbps[rows]),
    )


def fit(campaigns: Sequence[Scores], level: float) -> Factors:
    """Return the factors of a level from some campaigns; 0 for a regime that none has seen."""
    side = 0.5 + level / 2
    least = 0.0 if level >= NEVER_NARROWER_FROM else -np.inf
    low, high = (
        np.array([_quantile(campaigns, code, name, side) for code in range(len(REGIMES))])
        for name in ("below", "above")
    )
    return Factors(np.maximum(low, least), np.maximum(high, least))


def nested(campaigns: Sequence[Scores]) -> dict[float, Factors]:
    """Return the factors of all levels; a greater level never gives a narrower interval."""
    found: dict[float, Factors] = {}
    for level in LEVELS:
        one = fit(campaigns, level)
        for before in found.values():
            one = Factors(np.maximum(one.low, before.low), np.maximum(one.high, before.high))
        found[level] = one
    return found


def _quantile(campaigns: Sequence[Scores], regime: int, name: str, side: float) -> float:
    """Return the quantile over all rows of a regime, each campaign with the same weight."""
    parts = [getattr(c, name)[c.regime == regime] for c in campaigns]
    parts = [part for part in parts if len(part)]
    if not parts:
        return 0.0
    values = np.concatenate(parts)
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for part in parts])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    # A little slack: sums of fractions do not hit a quantile exactly.
    at = min(int(np.searchsorted(reached, side - 1e-12)), len(values) - 1)
    return float(values[order][at])
