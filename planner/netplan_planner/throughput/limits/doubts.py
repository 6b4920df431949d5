"""The published campaigns that contradict a documented limit on a class of paths."""

from datetime import date
from functools import cache

from netplan_planner.model import PathClass, Value
from netplan_planner.shipped import shipped_values
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
    """Return the doubts that docs/accuracy.md has of its own values."""
    return shipped_values(DATA / "known_doubts.csv", KnownDoubt, as_of="source_date")
