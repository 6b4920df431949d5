"""When a machine's busy rate reaches a line, from the futures of its days."""

from typing import NamedTuple

import numpy as np

from netplan_planner.optimise.forecast.days import WeekRatios
from netplan_planner.optimise.forecast.foresee import Foreseen
from netplan_planner.optimise.forecast.futures import normals
from netplan_planner.optimise.forecast.grid import DAYS_PER_WEEK, Floats


class Weeks(NamedTuple):
    """A rate by week: the middle line's, and that of each draw."""

    line: Floats
    """Shape (weeks,)."""
    draws: Floats
    """Shape (draws, weeks)."""


def weeks_of(foreseen: Foreseen, ratios: Floats, factor: float) -> Weeks:
    """Return a week's rate from the mean of its days' busy rates.

    Args:
        foreseen: Busy rates by day.
        ratios: The week's rate against that mean, of weeks that were seen; rising.
        factor: From the rates of bins to those of a minute.
    """
    count = foreseen.draws.shape[1] // DAYS_PER_WEEK
    whole = count * DAYS_PER_WEEK
    line = foreseen.line[:whole].reshape(count, DAYS_PER_WEEK).mean(axis=1)
    draws = foreseen.draws[:, :whole].reshape(-1, count, DAYS_PER_WEEK).mean(axis=2)
    random = normals(foreseen.draws.shape[1])
    of_draw = ratios[np.minimum((random.weeks * len(ratios)).astype(int), len(ratios) - 1)]
    return Weeks(line * float(np.median(ratios)) * factor, draws * of_draw[:, None] * factor)


def busy_weeks(foreseen: Foreseen, ratios: WeekRatios, factor: float) -> Weeks:
    """Return the 95th percentile of each week."""
    return weeks_of(foreseen, ratios.busy, factor)


def peak_weeks(foreseen: Foreseen, ratios: WeekRatios, factor: float) -> Weeks:
    """Return the greatest rate of each week."""
    return weeks_of(foreseen, ratios.peak, factor)


class Reach(NamedTuple):
    """When a line is reached first; weeks count from 1, None: not within the horizon."""

    probability: float
    """That it is, within the horizon."""
    week: int | None
    """By which it is more likely than not."""
    low_week: int | None
    high_week: int | None


def reach(weeks: Weeks, gbps: float, level: float) -> Reach:
    """Return when the draws reach a line, with the interval that holds `level` of them."""
    is_over = weeks.draws >= gbps
    first = np.where(is_over.any(axis=1), is_over.argmax(axis=1) + 1, 0)
    reached = np.cumsum(np.bincount(first, minlength=is_over.shape[1] + 1)[1:]) / len(first)

    def by(share: float) -> int | None:
        found = np.flatnonzero(reached >= share)
        return int(found[0]) + 1 if len(found) else None

    return Reach(
        probability=float(reached[-1]) if len(reached) else 0.0,
        week=by(0.5),
        low_week=by((1 - level) / 2),
        high_week=by((1 + level) / 2),
    )
