"""From intervals of any length to hours, which a forecast is made of."""

import numpy as np

from netplan_planner.model.evidence.rate_bins import RateBins
from netplan_planner.readers.time_series.intervals import Floats, Grid
from netplan_planner.readers.time_series.raw import US_PER_S, moment_of
from netplan_planner.units import BITS_PER_BYTE, BITS_PER_GIGABIT, SECONDS_PER_HOUR

_US_PER_HOUR = SECONDS_PER_HOUR * US_PER_S
_LEAST_KNOWN = 0.5
"""An hour of which a smaller share is known is unknown."""


def hours_of(bytes_per_s: Floats, grid: Grid) -> RateBins:
    """Return the rates of intervals by hour; longer intervals stay what they are.

    Args:
        bytes_per_s: Shape (grid.interval_count,), NaN where no point tells of it.
        grid: When the intervals are.
    """
    gbps = bytes_per_s * BITS_PER_BYTE / BITS_PER_GIGABIT
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
