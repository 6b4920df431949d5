"""What `netplan flows aggregate` wrote."""

from datetime import datetime

from netplan_planner.model.base import Value
from netplan_planner.model.evidence.traffic import Reporter


class AggregatedTable(Value, frozen=True, kw_only=True):
    """One file of aggregates."""

    file: str
    row_count: int
    byte_count: int
    sha256: str


class Aggregated(Value, frozen=True, kw_only=True):
    """Aggregates that were written."""

    folder: str
    """As it was named; of a cluster's own storage its address."""
    format: str
    """Name and version of the aggregates' format."""
    start: datetime
    end: datetime
    is_steady: bool
    """Rates without times were read: the window stands for any."""
    reporter: Reporter
    record_count: int
    """All records that were read."""
    used_count: int
    machine_count: int
    byte_count: int
    """Of all tables."""
    has_log_volume: bool
    """Whether `flow-logs cost` and `plan` can be answered from them."""
    tables: tuple[AggregatedTable, ...]
    inventory_words: tuple[str, ...]
    """The options by which the inventory was read, for the verbs that read the aggregates."""
    incomplete: tuple[str, ...]
    """What of the input could not be read or used in full, a line each."""
