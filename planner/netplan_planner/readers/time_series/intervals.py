"""From points to equal intervals: rates of counters, values of gauges, and gaps that stay gaps.

An array of intervals has one value for each stretch of the resolution from the first on; NaN where
no point tells of it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from netplan_planner import units
from netplan_planner.model import PointSummary, Series
from netplan_planner.model.evidence.traffic import RateBins
from netplan_planner.readers.time_series.raw import US_PER_S, Points, Unusable, moment_of

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

MOST_INTERVALS = 2_000_000
"""Nearly four years of minutes; Cloud Monitoring keeps six weeks of them
(docs.cloud.google.com/monitoring/quotas, data retention, 2026)."""
_LONGER = 1.5
"""Times the resolution from which a point fills several intervals."""


class Laid(NamedTuple):
    """Values with the time that each is of, by end; a gauge's moment has a length of 0."""

    start_us: Ints
    end_us: Ints
    value: Floats
    reset_count: int = 0


class Grid(NamedTuple):
    """Intervals that several series share."""

    first_end_us: int
    resolution_us: int
    interval_count: int


def known_of(points: Points, kind: str, unit: str, *, is_counter: bool) -> Laid:
    """Return the rates of a counter per second, or the values of a gauge.

    Raises:
        Unusable: If the points are of a kind that tells neither.
    """
    order = np.argsort(points.end_us, kind="stable")
    start, end, value = points.start_us[order], points.end_us[order], points.value[order]
    # The same moment again is the same point: copies and overlapping exports count once.
    keep = np.ones(len(end), dtype=bool)
    keep[:-1] = end[1:] != end[:-1]
    start, end, value = start[keep], end[keep], value[keep]
    if not is_counter:
        if kind not in {"GAUGE", ""}:
            raise Unusable(f"a {kind} where a gauge was expected")
        return Laid(end, end, value)
    if kind == "DELTA":
        return _of_deltas(start, end, value)
    if kind == "CUMULATIVE":
        return _of_cumulative(start, end, value)
    if kind in {"GAUGE", ""} and unit.endswith("/s"):
        return Laid(end, end, value)
    raise Unusable(
        f"a {kind or 'series'} of unit {unit or 'unstated'}, where a counter was expected: rate"
        " or mean is unknown. Align it with ALIGN_DELTA or ALIGN_RATE"
    )


def _of_deltas(start: Ints, end: Ints, value: Floats) -> Laid:
    good = (end > start) & (value >= 0)
    start, end, value = start[good], end[good], value[good]
    return Laid(start, end, value / ((end - start) / US_PER_S))


def _of_cumulative(start: Ints, end: Ints, value: Floats) -> Laid:
    """Return the rates between the points of a counter that goes on counting.

    A new start is a reset, from which the first value counts; a value that falls without one is a
    reset at an unknown moment, and that interval a gap. What the first point counted since a start
    before the window is not known to be of the window.
    """
    if len(end) == 0:
        return Laid(start, end, value)
    is_new = start[1:] != start[:-1]
    is_fallen = ~is_new & (value[1:] < value[:-1])
    begun = np.where(is_new, np.maximum(start[1:], end[:-1]), end[:-1])
    grown = np.where(is_new, value[1:], value[1:] - value[:-1])
    good = ~is_fallen & (end[1:] > begun) & (grown >= 0)
    begun, ended, grown = begun[good], end[1:][good], grown[good]
    rates = grown / ((ended - begun) / US_PER_S)
    return Laid(begun, ended, rates, int(np.count_nonzero(is_new | is_fallen)))


def grid_of(parts: Sequence[Laid]) -> Grid | None:
    """Return intervals that suit all of some series; None where a single moment tells of none.

    The resolution is the length that most points have; of moments, the distance between most.

    Raises:
        Unusable: If there is no point, or their times lie impossibly far apart.
    """
    known = [part for part in parts if len(part.end_us)]
    if not known:
        raise Unusable("no point has a number and a time")
    lengths = np.concatenate([_lengths(part) for part in known])
    if len(lengths) == 0:
        return None
    found, counts = np.unique(_whole_seconds(lengths), return_counts=True)
    resolution_us = int(found[np.argmax(counts)])
    first = min(int(part.end_us[0]) for part in known)
    last = max(int(part.end_us[-1]) for part in known)
    count = round((last - first) / resolution_us) + 1
    if count > MOST_INTERVALS:
        raise Unusable("its points are further apart than Cloud Monitoring stores any")
    return Grid(first, resolution_us, count)


def _lengths(part: Laid) -> Ints:
    lengths = part.end_us - part.start_us
    stated: Ints = lengths[lengths > 0]
    if len(stated):
        return stated
    return np.diff(part.end_us)


def _whole_seconds(lengths: Ints) -> Ints:
    """Return lengths rounded to seconds where they have any: moments jitter."""
    rounded: Ints = (lengths + US_PER_S // 2) // US_PER_S * US_PER_S
    return np.where(rounded > 0, rounded, lengths)


def laid_on(part: Laid, grid: Grid) -> Floats:
    """Return a series by the intervals of a grid, NaN where it has no value.

    Shape (grid.interval_count,). A point that is longer than the resolution fills as many intervals
    as it covers.
    """
    values = np.full(grid.interval_count, np.nan)
    if len(part.end_us) == 0:
        return values
    index = np.rint((part.end_us - grid.first_end_us) / grid.resolution_us).astype(np.int64)
    lengths = part.end_us - part.start_us
    for long in np.flatnonzero(lengths > _LONGER * grid.resolution_us):
        covered = round(int(lengths[long]) / grid.resolution_us)
        values[max(int(index[long]) - covered + 1, 0) : int(index[long]) + 1] = part.value[long]
    values[index] = part.value
    return values


def summed(parts: Sequence[Floats]) -> Floats:
    """Return the sum of series, NaN where one that was there before and after has no value."""
    whole = np.zeros(len(parts[0]))
    is_lost = np.zeros(len(whole), dtype=bool)
    is_told = np.zeros(len(whole), dtype=bool)
    for part in parts:
        has = ~np.isnan(part)
        if not has.any():
            continue
        places = np.flatnonzero(has)
        within = np.zeros(len(whole), dtype=bool)
        within[places[0] : places[-1] + 1] = True
        is_lost |= within & ~has
        is_told |= has
        whole[has] += part[has]
    whole[is_lost | ~is_told] = np.nan
    return whole


def most(parts: Sequence[Floats]) -> Floats:
    """Return the greatest of series; NaN where none has a value."""
    whole = parts[0]
    for part in parts[1:]:
        whole = np.fmax(whole, part)
    return whole


# From intervals of any length to hours, which a forecast is made of


_US_PER_HOUR = units.SECONDS_PER_HOUR * US_PER_S
_LEAST_KNOWN = 0.5
"""An hour of which a smaller share is known is unknown."""


def hours_of(bytes_per_s: Floats, grid: Grid) -> RateBins:
    """Return the rates of intervals by hour; longer intervals stay what they are.

    Args:
        bytes_per_s: Shape (grid.interval_count,), NaN where no point tells of it.
        grid: When the intervals are.
    """
    gbps = bytes_per_s * units.BITS_PER_BYTE / units.BITS_PER_GIGABIT
    first_us = grid.first_end_us - grid.resolution_us
    if grid.resolution_us >= _US_PER_HOUR:
        rates = tuple(None if np.isnan(rate) else float(rate) for rate in gbps)
        bin_s = grid.resolution_us / US_PER_S
        return RateBins(start=moment_of(first_us), bin_s=bin_s, gbps=rates)
    middles_us = first_us + grid.resolution_us * (np.arange(len(gbps)) * 2 + 1) // 2
    hours = middles_us // _US_PER_HOUR
    at = (hours - hours[0]).astype(np.int64)
    is_known = ~np.isnan(gbps)
    count = int(at[-1]) + 1
    known = np.bincount(at[is_known], minlength=count)
    sums = np.bincount(at[is_known], weights=gbps[is_known], minlength=count)
    enough = known * grid.resolution_us >= _LEAST_KNOWN * _US_PER_HOUR
    return RateBins(
        start=moment_of(int(hours[0]) * _US_PER_HOUR),
        gbps=tuple(
            float(total / number) if is_enough else None
            for total, number, is_enough in zip(sums, known, enough, strict=True)
        ),
    )


# Summaries of intervals: percentiles, sums and gaps; nothing that grows with their number


PERCENTILES = (50, 95, 99)
_TOP = 10


def summary_of(
    values: Floats, grid: Grid | None, parts: Sequence[Laid], *, is_counter: bool
) -> PointSummary:
    """Return what intervals come to; at least one has a value.

    Args:
        values: One for each interval, NaN where no point tells of it.
        grid: When the intervals are; None of a single moment.
        parts: The series behind them, for the first and last moment.
        is_counter: Whether values are rates, whose sum over time is a count.
    """
    known = np.sort(values[~np.isnan(values)])
    places = np.flatnonzero(~np.isnan(values))
    p50, p95, p99 = (nearest_rank(known, percent) for percent in PERCENTILES)
    resolution_s = grid.resolution_us / US_PER_S if grid is not None else None
    if grid is None:
        start = end = moment_of(int(parts[0].end_us[0]))
    else:
        last_us = grid.first_end_us + int(places[-1]) * grid.resolution_us
        start = moment_of(
            grid.first_end_us + int(places[0]) * grid.resolution_us - grid.resolution_us
        )
        end = moment_of(last_us)
    inside = np.isnan(values[places[0] : places[-1] + 1])
    return PointSummary(
        p50=p50,
        p95=p95,
        p99=p99,
        max=float(known[-1]),
        min=float(known[0]),
        mean=float(known.mean()),
        total=float(known.sum()) * resolution_s if is_counter and resolution_s else None,
        start=start,
        end=end,
        resolution_s=resolution_s,
        interval_count=len(known),
        nonzero_count=int(np.count_nonzero(known)),
        gap_count=int(np.count_nonzero(inside[1:] & ~inside[:-1])),
        gap_s=float(np.count_nonzero(inside)) * (resolution_s or 0.0),
        top=tuple(float(value) for value in known[::-1][:_TOP]),
    )


def nearest_rank(ascending: Floats, percent: int) -> float:
    """Return the least value that so many per cent of all do not exceed.

    >>> nearest_rank(np.array([1.0, 2.0, 3.0, 4.0]), 50)
    2.0
    """
    return float(ascending[-(-percent * len(ascending) // 100) - 1])


def rates_of(byte_counts: Floats, resolution_s: float) -> Series:
    """Return the series of bytes by interval, idle ones included; rates in Gbit/s."""
    ascending = np.sort(byte_counts)

    def rate(value: float) -> float:
        return units.gbps_from_bytes(value, resolution_s)

    p50, p95, p99 = (rate(nearest_rank(ascending, percent)) for percent in PERCENTILES)
    active_s = int(np.count_nonzero(ascending)) * resolution_s
    is_by_minute = resolution_s <= units.SECONDS_PER_MINUTE
    return Series(
        p50_gbps=p50,
        p95_gbps=p95,
        p99_gbps=p99,
        max_gbps=rate(float(ascending[-1])),
        byte_count=round(float(ascending.sum())),
        active_minutes=round(active_s / units.SECONDS_PER_MINUTE),
        # "So many minutes above" cannot be said of longer intervals.
        top_gbps=tuple(rate(float(v)) for v in ascending[::-1][:_TOP]) if is_by_minute else (),
    )
