"""The forecast of one series of days: a middle line, and futures that its intervals come from."""

from typing import NamedTuple

import numpy as np

from netplan_planner.optimise.forecast.breaks import exceptions, steps
from netplan_planner.optimise.forecast.futures import DRAWS, Futures, draw, middle
from netplan_planner.optimise.forecast.grid import DAYS_PER_WEEK, Design, Floats
from netplan_planner.optimise.forecast.level import Fit, fits

LEAST_DAYS = 14
"""Known days from which growth and the week are told apart: two of each weekday."""
MOST_DAYS = 182
"""The last half year decides; what was before says little of the next quarter."""
_LEAST_OF_WEEKDAY = 2


class Interval(NamedTuple):
    """A middle and the bounds of an interval around it."""

    low: float
    middle: float
    high: float


class Foreseen(NamedTuple):
    """What a series becomes."""

    line: Floats
    """The middle, shape (days ahead,)."""
    draws: Floats
    """Futures, shape (draws, days ahead)."""
    growth: Interval
    """Of the level in a week, as a ratio; what the series shows, whether that is sure or not."""
    is_growing: bool
    """Whether the interval of growth leaves out 0, up or down: else the line is level."""
    has_week: bool
    """Whether each weekday has a value of its own."""
    exceptions: tuple[int, ...]
    """Days (index into the series) that were set aside."""
    steps: tuple[int, ...]
    """Days from which on the level is another."""
    known_days: int


def interval_of(amounts: Floats, line: float, level: float) -> Interval:
    """Return the middle `level` of draws, widened to what the middle line has."""
    low, high = np.quantile(amounts, [(1 - level) / 2, (1 + level) / 2])
    return Interval(min(float(low), line), line, max(float(high), line))


def foresee(values: Floats, day_count: int, level: float) -> Foreseen | None:
    """Return what a series becomes; None where too few days are known.

    Args:
        values: One for each day, oldest first, NaN where unknown; none below 0.
        day_count: Days ahead.
        level: Share of futures that intervals hold.
    """
    first = max(0, len(values) - MOST_DAYS)
    days = np.flatnonzero(~np.isnan(values[first:]))
    known = values[first:][days]
    if len(days) < LEAST_DAYS:
        return None
    if float(known.max()) <= 0.0:
        return _silent(day_count, len(days))
    aside = exceptions(days, known)
    kept = ~np.isin(days, aside)
    days, known = days[kept], known[kept]
    scale = _scale(known)
    design = Design(days=tuple(int(day) for day in days), has_week=_has_week(days))
    found = steps(known / scale, design)
    design = design._replace(steps=found)
    fitted = fits(known / scale, design)
    futures = draw(fitted, scale, day_count)
    growth = _growth(futures, level)
    is_growing = growth.low > 0 or growth.high < 0
    line = _line(fitted, futures, known / scale, scale, is_growing=is_growing)
    return Foreseen(
        line=line,
        draws=futures.values,
        growth=growth,
        is_growing=is_growing,
        has_week=design.has_week,
        exceptions=tuple(first + day for day in aside),
        steps=tuple(first + day for day in found),
        known_days=len(days) + len(aside),
    )


def _line(
    fitted: list[Fit], futures: Futures, values: Floats, scale: float, *, is_growing: bool
) -> Floats:
    """Return the middle line; it grows only where growth is shown."""
    day_count = futures.values.shape[1]
    if is_growing:
        return middle(fitted, scale, day_count)
    level_only = fitted[0].design._replace(has_drift=False, bend=0.0)
    return middle(fits(values, level_only), scale, day_count)


def _growth(futures: Futures, level: float) -> Interval:
    low, half, high = np.quantile(futures.growth, [(1 - level) / 2, 0.5, (1 + level) / 2])
    return Interval(float(low), float(half), float(high))


def _scale(known: Floats) -> float:
    """Return what values are divided by: then scales of amounts and logarithms have one measure."""
    if float(known.min()) > 0:
        return float(np.exp(np.log(known).mean()))
    return float(known.mean())


def _has_week(days: np.ndarray[tuple[int], np.dtype[np.int64]]) -> bool:
    counts = np.bincount(days % DAYS_PER_WEEK, minlength=DAYS_PER_WEEK)
    return int(counts.min()) >= _LEAST_OF_WEEKDAY


def _silent(day_count: int, known_days: int) -> Foreseen:
    """Return the forecast of a series that never carried anything."""
    return Foreseen(
        line=np.zeros(day_count),
        draws=np.zeros((DRAWS, day_count)),
        growth=Interval(0.0, 0.0, 0.0),
        is_growing=False,
        has_week=False,
        exceptions=(),
        steps=(),
        known_days=known_days,
    )
