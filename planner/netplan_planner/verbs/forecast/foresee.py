"""The forecast of one series of days: a middle line, and futures that its intervals come from.

Futures are drawn from all kinds of level and noise by their weights. The random numbers are the
same for every series and every run: an answer does not depend on the order of its input, and
amounts that are scaled give futures that are scaled.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri

from netplan_planner.model.base import Interval
from netplan_planner.verbs.forecast.level import (
    DAYS_PER_WEEK,
    Design,
    Fit,
    Floats,
    exceptions,
    fits,
    growth_column,
    steps,
    week_columns,
)

DRAWS = 1000
_SEED = 16
_MOST_COLUMNS = 16
LEAST_DAYS = 14
"""Known days from which growth and the week are told apart: two of each weekday."""
MOST_DAYS = 182
"""The last half year decides; what was before says little of the next quarter."""
_LEAST_OF_WEEKDAY = 2


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


def middle(fits: list[Fit], values: Floats, scale: float, day_count: int) -> Floats:
    """Return the middle line: the mean over kinds, on each scale, of what is expected.

    Shape (days,). Logarithms of the level are averaged as such, so its line is a median. Of the
    noise the line has the mean, as weeks and months are sums; with few days the noise may be found
    too large, so the mean is above the median by no more than in the values.
    """
    bursts = float(np.log(values.mean()))
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
            known = (1.0 - fit.last_noise_variance) * fit.factors.kind.memory ** (2 * ahead)
            logs += fit.weight * (found + min(0.5 * fit.noise**2, bursts) * (1.0 - known))
            log_weight += fit.weight
        else:
            amounts += fit.weight * found
    if log_weight:
        amounts += log_weight * np.exp(np.minimum(logs / log_weight, 50.0))
    line: Floats = np.maximum(amounts, 0.0) * scale
    return line


class Foreseen(NamedTuple):
    """What a series becomes."""

    line: Floats
    """The middle, shape (days ahead,)."""
    draws: Floats
    """Futures, shape (draws, days ahead)."""
    growth: Interval[float]
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


def interval_of(amounts: Floats, line: float, level: float) -> Interval[float]:
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
        return middle(fitted, values, scale, day_count)
    level_only = fitted[0].design._replace(has_drift=False, bend=0.0)
    return middle(fits(values, level_only), values, scale, day_count)


def _growth(futures: Futures, level: float) -> Interval[float]:
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
