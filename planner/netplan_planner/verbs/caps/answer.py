"""What `netplan caps` answers: the bandwidth limits of machine types at a date."""

from datetime import date

from netplan_planner.model.base import Value
from netplan_planner.model.limits import EgressCap, MeasuredLimit, PhysicalNics


class CapsAnswer(Value, frozen=True, kw_only=True):
    """Caps of one machine type with all that is known of them, or a list of many types."""

    limits_as_of: date
    """The day of the limits that hold, at most that of the newest source."""
    caps: tuple[EgressCap, ...]
    """One for each variant: with and without Tier_1, by CPU platform."""
    measured: tuple[MeasuredLimit, ...] = ()
    """Limits that no document states and that held on that day, whatever the machine type."""
    physical_nics: PhysicalNics | None = None
    """Of the one type that was asked for, where it has several."""
    is_list: bool = False
    """Whether many types were asked for, a line each."""
