"""Names of series that a user gives, held against the caps table."""

from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.model import series_of
from netplan_planner.throughput import CapsTable


def checked_series(series: tuple[str, ...], table: CapsTable) -> tuple[str, ...]:
    """Return the series, each of which the caps table knows.

    Raises:
        UsageError: If one is not known; the text names them all.
    """
    known = {series_of(name) for name in table.machine_types}
    for name in series:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UsageError(f"--series {name!r}: it is one of {', '.join(sorted(known))}{hint}")
    return series
