"""What every limit of a path lets through, for paths over as many streams as it takes."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.model import CapsBook, PathQuery
from netplan_planner.throughput.batch import spread_columns
from netplan_planner.throughput.calibration.factors.calibrated_caps import probed_paths
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.limits.path_limits import static_limits
from netplan_planner.throughput.single_row import single_row, stacked


class PathRates(NamedTuple):
    """The arrays' first axis is that of the paths; NaN where a path's rate is not known."""

    gbps: NDArray[np.float64]
    """What the path carries alone: what `predict` says."""
    limits_gbps: NDArray[np.float64]
    """Second axis: `mean.LIMITS`; NaN also for a limit that the path has not."""
    unknown: tuple[str, ...]
    """By path: why its rate is not known; empty where it is."""


def path_rates(queries: Sequence[PathQuery], caps: CapsBook) -> PathRates:
    """Return the rates of paths and of each of their limits, worked out on whole columns.

    Args:
        queries: Paths in steady state without a number of streams.
        caps: The caps at a date.
    """
    gbps = np.full(len(queries), np.nan)
    limits_gbps = np.full((len(queries), len(LIMITS)), np.nan)
    found = [static_limits(query, caps) for query in queries]
    known = [number for number, one in enumerate(found) if not one.unknown]
    if known:
        asked = [replace(queries[number], as_of=caps.as_of) for number in known]
        limits = [found[number] for number in known]
        columns = stacked([single_row(query)[0] for query in asked])
        means = spread_columns(asked, limits, columns, probed_paths(asked, limits, caps)).means
        gbps[known] = means.gbps
        limits_gbps[known] = means.limits_gbps
    return PathRates(gbps, limits_gbps, tuple("; ".join(one.unknown) for one in found))
