"""The series that are forecast: senders, which have caps, and paths, which have prices, by days."""

from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from netplan_planner.model import Instance, Interval, PriceTier
from netplan_planner.model.evidence.traffic import RateBins
from netplan_planner.units import SECONDS_PER_DAY
from netplan_planner.verbs.forecast.answer import Basis, ForecastWeek, Range, Scope
from netplan_planner.verbs.forecast.foresee import Foreseen, normals
from netplan_planner.verbs.forecast.level import DAYS_PER_WEEK, Floats

# Days are stretches of 24 hours that end with the last known bin, so that none is cut. A bin that
# is not known is never 0: a day of which too little is known is unknown, the rest is filled by the
# shape of the other days.
#
# And when a machine's busy rate reaches a line, from the futures of its days.


BUSY_PERCENT = 95
"""The percentile of rates that caps are held against, here as everywhere."""
LEAST_KNOWN = 0.75
"""A day of which a smaller share is known is unknown."""
_LEAST_SHAPE_DAYS = 3
_LEAST_WEEK_DAYS = 5
"""Known days of seven from which a week's busy rate is told."""


class Days(NamedTuple):
    """A series by day, oldest first."""

    bins: Floats
    """Gbit/s, shape (days, bins of a day), NaN in unknown days; filled by the shape in others."""
    mean: Floats
    """Gbit/s, shape (days,), NaN where unknown."""
    busy: Floats
    """95th percentile of a day's bins, Gbit/s, shape (days,), NaN where unknown."""
    shape: Floats | None
    """Rate of each bin of a day against the day's mean; None: too few whole days show it."""

    @property
    def known_count(self) -> int:
        """How many days are known."""
        return int(np.count_nonzero(~np.isnan(self.mean)))


def days_of(series: RateBins) -> Days:
    """Return a series by day; its bins divide a day."""
    per_day = max(1, round(SECONDS_PER_DAY / series.bin_s))
    rates = np.array([np.nan if rate is None else rate for rate in series.gbps], dtype=float)
    known = np.flatnonzero(~np.isnan(rates))
    rates = rates[: known[-1] + 1] if len(known) else rates[:0]
    lead = -len(rates) % per_day
    bins = np.concatenate([np.full(lead, np.nan), rates]).reshape(-1, per_day)
    shape = _shape(bins)
    for day in bins:
        has = ~np.isnan(day)
        if np.count_nonzero(has) < LEAST_KNOWN * per_day:
            day[:] = np.nan
        elif not has.all():
            level = _level(day[has], None if shape is None else shape[has])
            day[~has] = level * (1.0 if shape is None else shape[~has])
    if not len(bins):
        return Days(bins, np.empty(0), np.empty(0), None)
    return Days(bins, bins.mean(axis=1), _rank(bins, BUSY_PERCENT), shape)


def _level(known: Floats, shape: Floats | None) -> float:
    whole = float(known.sum())
    if shape is None:
        return whole / len(known)
    parts = float(shape.sum())
    return whole / parts if parts > 0 else 0.0


def _shape(bins: Floats) -> Floats | None:
    whole = bins[~np.isnan(bins).any(axis=1)]
    whole = whole[whole.sum(axis=1) > 0]
    if len(whole) < _LEAST_SHAPE_DAYS or bins.shape[1] == 1:
        return None
    found = np.median(whole / whole.mean(axis=1, keepdims=True), axis=0)
    mean = float(found.mean())
    return found / mean if mean > 0 else None


def _rank(rows: Floats, percent: int) -> Floats:
    """Return the percentile of each row by nearest rank, shape (rows,); NaN stays NaN."""
    place = -(-percent * rows.shape[1] // 100) - 1
    found: Floats = np.sort(rows, axis=1)[:, place]
    return found


class WeekRatios(NamedTuple):
    """What the weeks that were seen have, against the mean of their days' busy rates."""

    busy: Floats
    """95th percentile of a week's bins."""
    peak: Floats
    """The greatest bin of a week."""


def week_ratios(days: Days, skipped: tuple[int, ...]) -> WeekRatios:
    """Return the ratios of every seven days of the series, each starting a day later.

    Args:
        days: The series.
        skipped: Days that are no part of the usual.
    """
    busy, peak = [], []
    bins = days.bins.copy()
    bins[list(skipped)] = np.nan
    for first in range(max(1, len(bins) - DAYS_PER_WEEK + 1)):
        week = bins[first : first + DAYS_PER_WEEK]
        week = week[~np.isnan(week).any(axis=1)]
        if len(week) < _LEAST_WEEK_DAYS:
            continue
        mean = float(_rank(week, BUSY_PERCENT).mean())
        if mean > 0:
            flat = week.reshape(1, -1)
            busy.append(float(_rank(flat, BUSY_PERCENT)[0]) / mean)
            peak.append(float(flat.max()) / mean)
    return WeekRatios(np.sort(np.array(busy or [1.0])), np.sort(np.array(peak or [1.0])))


def busy_rate(bins: Floats) -> float | None:
    """Return the 95th percentile of the known bins; None where none is known."""
    known = np.sort(bins[~np.isnan(bins)])
    if not len(known):
        return None
    return float(known[-(-BUSY_PERCENT * len(known) // 100) - 1])


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


# What is forecast: senders, which have caps, and paths, which have prices


_DIGITS = 6
"""More is noise of the arithmetic, which differs between machines."""


class Sender(NamedTuple):
    """The series of a machine under one of its caps."""

    name: str
    scope: Scope
    bins: RateBins
    source: str
    cap_gbps: float | None = None
    machine_type: str | None = None
    is_tier1: bool = False
    zone: str = ""
    instance: Instance | None = None
    """Of an inventory."""
    busy_factor: float = 1.0
    """From the 95th percentile of bins to that of minutes, as the window has them."""
    peak_factor: float = 1.0
    """The same of the greatest ones."""


class PathSeries(NamedTuple):
    """The series of what is sent from one place to another."""

    name: str
    path_class: str
    src: str
    dst: str
    bins: RateBins
    source: str
    prices: tuple[tuple[PriceTier, ...], ...] = ()
    """Steps of each price that a GiB pays."""
    unpriced: str = ""
    """Why no price is known; then there are none."""


class Subjects(NamedTuple):
    """All that is forecast, and what is not."""

    senders: tuple[Sender, ...]
    paths: tuple[PathSeries, ...]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def short(value: float) -> float:
    """Return a figure with as many digits as anybody knows."""
    return float(f"{value:.{_DIGITS}g}")


def basis_of(bins: RateBins, days: Days, foreseen: Foreseen | None, source: str) -> Basis:
    """Return what a series is, and what its forecast takes from it."""
    known = [at for at, rate in enumerate(bins.gbps) if rate is not None]
    first, last = (known[0], known[-1]) if known else (0, -1)
    inside = bins.gbps[first : last + 1]
    end = bins.start + timedelta(seconds=bins.bin_s * (last + 1))
    told = np.flatnonzero(~np.isnan(days.mean))

    def day(index: int) -> date:
        return (end - timedelta(days=len(days.mean) - index - 0.5)).date()

    return Basis(
        start=bins.start + timedelta(seconds=bins.bin_s * first),
        end=end,
        bin_s=bins.bin_s,
        known_days=days.known_count,
        span_days=int(told[-1] - told[0]) + 1 if len(told) else 0,
        unknown_bins=sum(rate is None for rate in inside),
        has_day_shape=days.shape is not None,
        has_week_shape=foreseen is not None and foreseen.has_week,
        growth_per_week=range_of(foreseen.growth) if foreseen is not None else None,
        is_growing=foreseen is not None and foreseen.is_growing,
        set_aside=tuple(day(one) for one in foreseen.exceptions) if foreseen else (),
        steps=tuple(day(one) for one in foreseen.steps) if foreseen else (),
        source=source,
    )


def range_of(found: Interval[float]) -> Range:
    """Return an interval as an answer holds it."""
    low, middle, high = found.each(short)
    return Range(middle=middle, low=low, high=high)


def week_of(number: int, gbps: Interval[float]) -> ForecastWeek:
    """Return a week of the horizon, the first of which has the number 0."""
    low, middle, high = gbps.each(short)
    return ForecastWeek(week=number + 1, low_gbps=low, gbps=middle, high_gbps=high)


def past(values: Floats) -> tuple[float | None, ...]:
    """Return values of days, None where unknown."""
    return tuple(None if np.isnan(value) else short(float(value)) for value in values)
