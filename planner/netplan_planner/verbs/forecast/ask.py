"""What `netplan forecast` is asked."""

from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import INPUT, Ask, Reading, Request, seconds
from netplan_planner.errors import UsageError
from netplan_planner.planning.project import Input, OfMachines
from netplan_planner.units import SECONDS_PER_DAY

AHEAD = "Horizon and confidence"
LEAST_DAYS, MOST_DAYS = 7, 364


def days_ahead(option: str, text: str) -> int:
    """Return a horizon in whole days.

    Raises:
        UsageError: If it is no time of one to 52 weeks.

    >>> days_ahead("--horizon", "13w"), days_ahead("--horizon", "30d")
    (91, 30)
    """
    found = seconds(option, text)
    days = round((found or 0.0) / SECONDS_PER_DAY)
    if not LEAST_DAYS <= days <= MOST_DAYS:
        raise UsageError(f"{option} {text!r}: the horizon is 1 to 52 weeks, such as 13w")
    return days


class Ahead(Request, frozen=True, kw_only=True):
    """How far is looked ahead, and how sure an answer is to be."""

    PANEL: ClassVar[str] = AHEAD

    horizon_days: Annotated[
        int,
        Reading(str, days_ahead, lambda days: f"{days / 7:g}w"),
        Ask("How far to look ahead, such as 13w or 30d.", "--horizon", metavar="TIME"),
    ] = 91
    level: Annotated[
        float, Ask("Share of outcomes inside the intervals.", least=0.5, most=0.99)
    ] = 0.9
    headroom_ratio: Annotated[
        float,
        Ask("Share of the cap to keep free; less is reached.", "--headroom", least=0, most=0.99),
    ] = 0.1
    """The audit calls a machine saturated that leaves less."""


class ForecastAsk(OfMachines, frozen=True, kw_only=True):
    """What is forecast: a table of series, or an inventory with its traffic."""

    series: Annotated[
        Path | None,
        Ask(
            "Table of series instead of an inventory (docs/reference/verbs/forecast.md): name, "
            "time, gbps or gib of each bin, and more.",
            parameter="series_file",
            metavar="FILE",
            panel=INPUT,
        ),
    ] = None
    given: Input = Input()
    ahead: Ahead = Ahead()
