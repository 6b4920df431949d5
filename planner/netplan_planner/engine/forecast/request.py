"""What a forecast is asked of."""

from pathlib import Path

from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import UsageError
from netplan_planner.model import Value
from netplan_planner.quantities import seconds
from netplan_planner.units import SECONDS_PER_DAY

LEAST_DAYS, MOST_DAYS = 7, 364


class ForecastRequest(Value, frozen=True, kw_only=True):
    """Inputs and choices of a forecast: a table of series, or an inventory with its traffic."""

    read: AuditRequest
    series: Path | None = None
    horizon_days: int = 91
    level: float = 0.9
    headroom_ratio: float = 0.1
    """Share of a cap that stays free; the audit calls a machine saturated that leaves less."""


def horizon_days(text: str) -> int:
    """Return a horizon in whole days.

    Raises:
        UsageError: If it is no time of one to 52 weeks.

    >>> horizon_days("13w"), horizon_days("30d")
    (91, 30)
    """
    found = seconds("--horizon", text)
    days = round((found or 0.0) / SECONDS_PER_DAY)
    if not LEAST_DAYS <= days <= MOST_DAYS:
        raise UsageError(f"--horizon {text!r}: a forecast is of 1 week to 52 weeks, such as 13w")
    return days
