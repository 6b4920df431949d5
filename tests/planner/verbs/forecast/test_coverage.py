"""Intervals hold what they say on series whose truth is known."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import bdtr

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


def quantile(probability: float, times: int, chance: float) -> int:
    """Return the least count that so many tries reach or stay below with a probability."""
    return next(k for k in range(times + 1) if bdtr(k, times, chance) >= probability)


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
    *("wandering", "bursty", "batch", "heavy"),
)


@pytest.mark.parametrize(("kind", "days_known"), every(18, product(KINDS, [28, 91])))
def test_intervals_hold_about_as_often_as_they_say(kind: str, days_known: int) -> None:
    for (_, level), count in held(kind, days_known).items():
        assert count >= quantile(UNLIKELY, TIMES, level)


def test_intervals_are_of_use() -> None:
    """A quarter of steady data holds the next within a quarter of its middle; a month does not."""
    dice = np.random.default_rng(11)
    widths: dict[int, float] = {}
    for days_known in (28, 91):
        ahead = known(foresee(series("level", days_known, 0, dice), AHEAD, 0.9))
        low, middle, high = interval_of(ahead.draws.sum(axis=1), float(ahead.line.sum()), 0.9)
        widths[days_known] = (high - low) / middle
    assert widths[91] < 0.5 < widths[28]


@pytest.mark.parametrize("kind", ["bursty", "batch", "heavy"])
@pytest.mark.parametrize("days_known", [28, 91])
def test_bursts_leave_no_room_for_a_quarter_of_thousands_of_times(
    kind: str, days_known: int
) -> None:
    """Days that lie far apart say little of the level, and nothing of a level that explodes.

    The middle of a sum is among its futures: bursts are part of what months carry.
    """
    dice = np.random.default_rng(13)
    highs, errors = [], []
    for _ in range(12):
        days = series(kind, days_known, AHEAD, dice)
        ahead = known(foresee(days[:days_known], AHEAD, 0.9))
        line, futures = float(ahead.line.sum()), ahead.draws.sum(axis=1)
        highs.append(interval_of(futures, line, 0.9).high / AHEAD / days[:days_known].max())
        errors.append(np.log(line / AHEAD / days[:days_known].mean()))
        # It was outside what its own futures hold.
        assert np.quantile(futures, 0.1) < line < np.quantile(futures, 0.9)
    # A quarter in which each day is as the greatest that was seen is at the edge of it.
    assert np.median(highs) < 3
    # The mean of the days, not their median, which is 0.73 (bursty) to 0.43 (heavy) of it.
    assert abs(np.mean(errors)) < 0.25


def test_growth_is_claimed_where_there_is_some_and_seldom_elsewhere() -> None:
    dice = np.random.default_rng(5)
    claimed = {"level": 0, "ratio": 0}
    for kind in claimed:
        for _ in range(40):
            ahead = known(foresee(series(kind, 91, 0, dice), AHEAD, 0.9))
            claimed[kind] += ahead.is_growing
    assert claimed["ratio"] >= 36
    # At 90 % one in ten may be, by chance.
    assert claimed["level"] <= quantile(1 - UNLIKELY, 40, 0.1)
