"""Where published measurements contradict a documented limit or the model: said with the answer."""

from collections.abc import Sequence
from datetime import date
from functools import cache

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Estimate, PathClass, PathQuery, Value
from netplan_planner.shipped import shipped_values
from netplan_planner.throughput.goodput.intervals import Spread
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.tables import DATA


class KnownDoubt(Value, frozen=True, kw_only=True):
    """A campaign whose rates the value misses by much, for paths of a class bound by a limit."""

    path_class: PathClass
    limit: str
    campaign: str
    row_count: int
    median_error_ratio: float
    seen_gbps: float
    """What is left of the machine's cap in the median: the cap over one and that error."""
    machine_type: str
    source: str
    as_of: date


@cache
def known_doubts() -> tuple[KnownDoubt, ...]:
    """Return the doubts that docs/background/accuracy.md has of its own values."""
    return shipped_values(DATA / "known_doubts.csv", KnownDoubt, as_of="source_date")


# Where published measurements say that the model's own value is too high: said with the answer
#
# The model keeps the documented cap as its value (one campaign is no constant). Where the value is
# above what the campaign saw, the interval reaches down to that, and where the limit in doubt binds
# the answer says so. Below it nothing contradicts the value. A reader of one answer does not read
# the table of all campaigns.


def doubted_low(
    kinds: Sequence[PathQuery], which: NDArray[np.intp], found: Spread, low_gbps: Column
) -> Column:
    """Return the low ends in Gbit/s: where a doubt holds, no higher than what its campaign saw.

    So they are whatever binds above that, else a path with less would have the higher end. Of a
    path that probes told of, they know more.

    Args:
        kinds: The kinds of paths.
        which: Kind of each row.
        found: Their means.
        low_gbps: Of each row, before.
    """
    for one in known_doubts():
        is_of_class = np.array([kind.path_class is one.path_class for kind in kinds], dtype=bool)
        is_doubted = (
            is_of_class[which] & (found.means.gbps > one.seen_gbps) & (found.learnt_ratio == 0)
        )
        low_gbps = np.where(is_doubted, np.minimum(low_gbps, one.seen_gbps), low_gbps)
    return low_gbps


def doubt_of(query: PathQuery, found: Estimate) -> str:
    """Return what is known against the value of a path, empty where nothing is."""
    first, low = found.binding, found.low_gbps
    for one in known_doubts():
        is_bound = first is not None and first.name == one.limit
        is_seen = low is not None and low <= one.seen_gbps < (found.gbps or 0.0)
        if is_bound and is_seen and query.path_class is one.path_class:
            return (
                f"in the only published campaign of such paths ({one.as_of:%Y-%m},"
                f" {one.row_count} rates of {one.machine_type}) such values were"
                f" {100 * one.median_error_ratio:.0f} % too high in the median: {one.seen_gbps:g}"
                " Gbit/s. The reason is unknown, so expect the low end until you measure"
                " (docs/background/accuracy.md)"
            )
    return ""
