"""What is forecast: senders, which have caps, and paths, which have prices."""

from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from netplan_planner.model import Instance, Interval, PriceTier
from netplan_planner.model.evidence.rate_bins import RateBins
from netplan_planner.verbs.forecast.answer import Basis, ForecastWeek, Range, Scope
from netplan_planner.verbs.forecast.days import Days
from netplan_planner.verbs.forecast.foresee import Foreseen
from netplan_planner.verbs.forecast.grid import Floats

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
