"""Where published measurements say that the model's own value is too high: said with the answer.

The model keeps the documented cap as its value (one campaign is no constant), and the interval
holds what was measured. A reader of one answer does not read the table of all campaigns.
"""

from datetime import date
from functools import cache

from netplan_planner.model import Estimate, PathQuery, Value
from netplan_planner.shipped import shipped_values
from netplan_planner.throughput.limits.tables import DATA


class KnownDoubt(Value, frozen=True, kw_only=True):
    """A campaign whose rates the value misses by much, for paths of a class bound by a limit."""

    path_class: str
    limit: str
    campaign: str
    row_count: int
    median_error_ratio: float
    machine_type: str
    source: str
    as_of: date


@cache
def known_doubts() -> tuple[KnownDoubt, ...]:
    """Return the doubts that docs/accuracy.md has of its own values."""
    return shipped_values(DATA / "known_doubts.csv", KnownDoubt, as_of="source_date")


def doubt_of(query: PathQuery, found: Estimate) -> str:
    """Return what is known against the value of a path, empty where nothing is."""
    first = found.binding
    for one in known_doubts():
        if first is not None and query.path_class == one.path_class and first.name == one.limit:
            return (
                f"in the one published campaign of such paths ({one.as_of:%Y-%m},"
                f" {one.row_count} rates of {one.machine_type}) this value was"
                f" {100 * one.median_error_ratio:.0f} % too high in the median, and why is not"
                " known; nearer the low end until a probe says otherwise (docs/accuracy.md)"
            )
    return ""
