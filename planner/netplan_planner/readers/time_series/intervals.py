"""From points to equal intervals: rates of counters, values of gauges, and gaps that stay gaps.

An array of intervals has one value for each stretch of the resolution from the first on; NaN where
no point tells of it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from netplan_planner.readers.time_series.raw import US_PER_S, Points, Unusable

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
        f"a {kind or 'series'} of unit {unit or 'unstated'} where a counter was expected: whether"
        " it is a rate or a mean cannot be told (align it with ALIGN_DELTA or ALIGN_RATE)"
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
        raise Unusable("its points lie further apart than Cloud Monitoring keeps any")
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
