"""Summaries of intervals: percentiles, sums and gaps; nothing that grows with their number."""

from collections.abc import Sequence

import numpy as np

from netplan_planner.model import PointSummary, Series
from netplan_planner.readers.time_series.intervals import Floats, Grid, Laid
from netplan_planner.readers.time_series.raw import US_PER_S, moment_of
from netplan_planner.units import SECONDS_PER_MINUTE, gbps_from_bytes

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
        return gbps_from_bytes(value, resolution_s)

    p50, p95, p99 = (rate(nearest_rank(ascending, percent)) for percent in PERCENTILES)
    active_s = int(np.count_nonzero(ascending)) * resolution_s
    is_by_minute = resolution_s <= SECONDS_PER_MINUTE
    return Series(
        p50_gbps=p50,
        p95_gbps=p95,
        p99_gbps=p99,
        max_gbps=rate(float(ascending[-1])),
        byte_count=round(float(ascending.sum())),
        active_minutes=round(active_s / SECONDS_PER_MINUTE),
        # "So many minutes above" cannot be said of longer intervals.
        top_gbps=tuple(rate(float(v)) for v in ascending[::-1][:_TOP]) if is_by_minute else (),
    )
