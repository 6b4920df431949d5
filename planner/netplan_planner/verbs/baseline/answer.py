"""What `netplan baseline` wrote."""

from netplan_planner.judging.baseline import Accepted
from netplan_planner.model.base import Value


class BaselineAnswer(Value, frozen=True, kw_only=True):
    """A file of accepted findings that was written."""

    file: str
    findings: tuple[Accepted, ...]
    """All that the file now holds."""
    new_count: int
    kept_count: int
    """Of the file before: they keep their date, reason and end."""
    gone_count: int
    """Of the file before, and found no more: they are not in it any longer."""
    unjudged_count: int
    """Kept although they were not found: their rule could not judge all this time."""
    incomplete: tuple[str, ...] = ()
    """What of the input could not be read, a line each."""
