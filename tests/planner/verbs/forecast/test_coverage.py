"""Intervals hold what they say on series whose truth is known."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from netplan_planner.verbs.forecast.foresee import foresee, interval_of
from support.forecasts.made import series
from support.known import known
from support.nightly import every

AHEAD = 91
TIMES = 40
LEVELS = (0.8, 0.9)
UNLIKELY = 0.005
"""Below what so rarely happens by chance, an interval does not hold what it says."""
Floats = np.ndarray[Any, np.dtype[np.float64]]


def held(kind: str, days_known: int) -> dict[tuple[str, float], int]:
    """Return how many intervals of the quarter's sum and of its last week held the truth."""
    dice = np.random.default_rng(7)
    found: dict[tuple[str, float], int] = {}
    for _ in range(TIMES):
        days = series(kind, days_known, AHEAD, dice)
        told, truth = days[:days_known], days[days_known:]
        for level in LEVELS:
            ahead = known(foresee(told, AHEAD, level))
            sums: tuple[tuple[str, Floats, float, float], ...] = (
                ("sum", ahead.draws.sum(axis=1), float(ahead.line.sum()), float(truth.sum())),
                (
                    "last week",
                    ahead.draws[:, -7:].mean(axis=1),
                    float(ahead.line[-7:].mean()),
                    float(truth[-7:].mean()),
                ),
            )
            for name, draws, line, true in sums:
                low, _, high = interval_of(draws, line, level)
                key = name, level
                found[key] = found.get(key, 0) + (low <= true <= high)
    return found


KINDS = (
    *("level", "ratio", "amount", "amount-noise", "lingering", "step", "outage", "gap"),
    "wandering",
)


@pytest.mark.parametrize(("kind", "days_known"), every(18, product(KINDS, [28, 91])))
def test_intervals_hold_about_as_often_as_they_say(kind: str, days_known: int) -> None:
    for (_, level), count in held(kind, days_known).items():
        assert count >= binom.ppf(UNLIKELY, TIMES, level)


def test_intervals_are_of_use() -> None:
    """A quarter of steady data holds the next within a quarter of its middle; a month does not."""
    dice = np.random.default_rng(11)
    widths: dict[int, float] = {}
    for days_known in (28, 91):
        ahead = known(foresee(series("level", days_known, 0, dice), AHEAD, 0.9))
        low, middle, high = interval_of(ahead.draws.sum(axis=1), float(ahead.line.sum()), 0.9)
        widths[days_known] = (high - low) / middle
    assert widths[91] < 0.5 < widths[28]


def test_growth_is_claimed_where_there_is_some_and_seldom_elsewhere() -> None:
    dice = np.random.default_rng(5)
    claimed = {"level": 0, "ratio": 0}
    for kind in claimed:
        for _ in range(40):
            ahead = known(foresee(series(kind, 91, 0, dice), AHEAD, 0.9))
            claimed[kind] += ahead.is_growing
    assert claimed["ratio"] >= 36
    # At 90 % one in ten may be, by chance.
    assert claimed["level"] <= binom.ppf(1 - UNLIKELY, 40, 0.1)
