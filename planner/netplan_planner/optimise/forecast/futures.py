"""Futures of a series, drawn from all kinds of level and noise by their weights.

The random numbers are the same for every series and every run: an answer does not depend on the
order of its input, and amounts that are scaled give futures that are scaled.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri

from netplan_planner.optimise.forecast.grid import (
    DAYS_PER_WEEK,
    Floats,
    growth_column,
    week_columns,
)
from netplan_planner.optimise.forecast.level import Fit

DRAWS = 1000
_SEED = 16


class Normals(NamedTuple):
    """Random numbers of every draw: for the noise and the level of each day, and for the rest."""

    noise: Floats
    """Shape (draws, days)."""
    level: Floats
    """Shape (draws, days)."""
    spread: Floats
    """Uniform, shape (draws,): decides the size of the noise."""
    estimates: Floats
    """Shape (draws, columns at most)."""
    last: Floats
    """Shape (draws,): the noise of the last known day."""
    kinds: Floats
    """Evenly spaced between 0 and 1 and shuffled, shape (draws,): decide the kind."""
    weeks: Floats
    """The same: decide which of the weeks that were seen a future has."""


_MOST_COLUMNS = 16


@lru_cache(maxsize=2)
def normals(day_count: int) -> Normals:
    """Return the random numbers for a horizon."""
    generator = np.random.Generator(np.random.PCG64(_SEED))
    kinds = (generator.permutation(DRAWS) + 0.5) / DRAWS
    spread = (generator.permutation(DRAWS) + 0.5) / DRAWS
    weeks = (generator.permutation(DRAWS) + 0.5) / DRAWS
    estimates = generator.standard_normal((DRAWS, _MOST_COLUMNS))
    last = generator.standard_normal(DRAWS)
    noise = generator.standard_normal((DRAWS, day_count))
    level = generator.standard_normal((DRAWS, day_count))
    return Normals(noise, level, spread, estimates, last, kinds, weeks)


class Futures(NamedTuple):
    """Futures of a series."""

    values: Floats
    """Shape (draws, days), in the unit of the series, never below 0."""
    growth: Floats
    """Of a week, as a ratio of the level, shape (draws,); empty where none was asked for."""


def draw(fits: list[Fit], scale: float, day_count: int) -> Futures:
    """Return futures from the day after the last known one.

    Args:
        fits: All kinds with their weights; one design.
        scale: What the fits' values were divided by.
        day_count: Days of the horizon.
    """
    random = normals(day_count)
    edges = np.cumsum([fit.weight for fit in fits])
    chosen = np.searchsorted(edges / edges[-1], random.kinds)
    values = np.empty((len(chosen), day_count))
    growth = np.zeros(len(chosen))
    for number in np.unique(chosen):
        rows = np.flatnonzero(chosen == number)
        values[rows], growth[rows] = _of_kind(fits[number], random, rows, day_count)
    return Futures(np.maximum(values, 0.0) * scale, growth)


def _of_kind(
    fit: Fit, random: Normals, rows: np.ndarray[tuple[int], np.dtype[np.int64]], day_count: int
) -> tuple[Floats, Floats]:
    """Return the values of a kind's draws, and their growth in a week."""
    design, kind = fit.design, fit.factors.kind
    # Of the noise's variance, the evidence leaves a scaled inverse chi-squared.
    sigma = np.sqrt(fit.residual / chdtri(fit.freedom, random.spread[rows]))
    root = np.linalg.cholesky(fit.inverse)
    columns = len(fit.estimate)
    beta = fit.estimate + sigma[:, None] * (random.estimates[rows, :columns] @ root.T)
    wander = np.cumsum(random.level[rows], axis=1) * (np.sqrt(kind.wander) * sigma)[:, None]
    noise = np.empty((len(rows), day_count))
    last = fit.last_noise + np.sqrt(fit.last_noise_variance) * sigma * random.last[rows]
    fresh = np.sqrt(1.0 - kind.memory**2) * sigma
    for day in range(day_count):
        last = kind.memory * last + fresh * random.noise[rows, day]
        noise[:, day] = last
    found = beta[:, :1] + wander + noise
    ahead = np.arange(1, day_count + 1)
    drift = np.zeros(len(rows))
    at = 1
    if design.has_drift:
        drift = beta[:, 1]
        found += drift[:, None] * growth_column(ahead, design.bend)
        at = 2
    if design.has_week:
        week = week_columns(design.days[-1] + ahead)
        found += beta[:, at : at + DAYS_PER_WEEK - 1] @ week.T
    if fit.is_log:
        return np.exp(np.minimum(found, 50.0)), np.expm1(np.minimum(DAYS_PER_WEEK * drift, 50.0))
    level = np.maximum(beta[:, 0], 1e-9)
    return found, DAYS_PER_WEEK * drift / level


def middle(fits: list[Fit], scale: float, day_count: int) -> Floats:
    """Return the middle line: the mean over kinds, on each scale, of what is expected.

    Shape (days,). Logarithms are averaged as such: the line is a median, not a mean.
    """
    logs, amounts = np.zeros(day_count), np.zeros(day_count)
    log_weight = 0.0
    ahead = np.arange(1, day_count + 1)
    for fit in fits:
        found = fit.estimate[0] + fit.last_noise * fit.factors.kind.memory**ahead
        at = 1
        if fit.design.has_drift:
            found = found + fit.estimate[1] * growth_column(ahead, fit.design.bend)
            at = 2
        if fit.design.has_week:
            week = week_columns(fit.design.days[-1] + ahead)
            found = found + week @ fit.estimate[at : at + DAYS_PER_WEEK - 1]
        if fit.is_log:
            logs += fit.weight * found
            log_weight += fit.weight
        else:
            amounts += fit.weight * found
    if log_weight:
        amounts += log_weight * np.exp(np.minimum(logs / log_weight, 50.0))
    line: Floats = np.maximum(amounts, 0.0) * scale
    return line
