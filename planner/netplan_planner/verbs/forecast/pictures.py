"""A series with what becomes of it: its days, the middle and interval of each week, the cap."""

from collections.abc import Sequence

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import say
from netplan_planner.renderers.html.charts.front import Frame, Tick, at_x, at_y, scale
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.forecast.answer import ForecastAnswer, ForecastWeek

MOST_PICTURES = 6
_MARGIN = 1.06
_DAYS_PER_WEEK = 7
_MOST_CAPS = 3.0
"""A cap so many times above all values would press them to the floor."""


class ForecastPicture(Frame, frozen=True, kw_only=True):
    """The picture of one series."""

    name: str
    kind: str
    """What the values are."""
    past: tuple[str, ...]
    """The lines through known days, as SVG writes points; a gap parts two of them."""
    line: str
    """The middle of the weeks ahead."""
    band: str
    """The outline of their interval."""
    cap: Tick | None
    today: float
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    alt: str


def pictures(answer: ForecastAnswer, currency: CurrencyRate | None) -> list[Picture]:
    """Return the pictures of the most pressing machines and the dearest paths with a forecast."""
    del currency
    machines = [
        _picture(one.name, "95th percentile", one.past_gbps, one.weeks, one.cap_gbps)
        for one in answer.machines
        if one.weeks
    ][: MOST_PICTURES // 2]
    paths = [
        _picture(one.name, "mean rate", one.past_gbps, one.weeks, None)
        for one in answer.paths
        if one.weeks
    ][: MOST_PICTURES - len(machines)]
    return drawn("forecast", *machines, *paths)


def _picture(
    name: str,
    kind: str,
    past: Sequence[float | None],
    weeks: Sequence[ForecastWeek],
    cap_gbps: float | None,
) -> ForecastPicture:
    known = [rate for rate in past if rate is not None]
    most = max([*known, *(week.gbps for week in weeks)], default=0.0)
    # An interval that is many times the rest would leave nothing to see of it.
    most = min(max([most, *(week.high_gbps for week in weeks)]), most * _MOST_CAPS) or 1.0
    is_near = cap_gbps is not None and cap_gbps <= most * _MOST_CAPS
    most = (max(most, cap_gbps) if cap_gbps is not None and is_near else most) * _MARGIN
    span = len(past) + _DAYS_PER_WEEK * len(weeks)

    def x(day: float) -> float:
        return at_x(day / span)

    def y(gbps: float) -> float:
        return at_y(min(gbps / most, 1.0))

    middles = [(len(past) + _DAYS_PER_WEEK * (week.week - 0.5), week) for week in weeks]
    lows = [f"{x(day)},{y(week.low_gbps)}" for day, week in middles]
    highs = [f"{x(day)},{y(week.high_gbps)}" for day, week in middles]
    last = weeks[-1]
    return ForecastPicture(
        name=say(name, length=60).text,
        kind=kind,
        past=tuple(
            " ".join(f"{x(day + 0.5)},{y(rate)}" for day, rate in part) for part in _parts(past)
        ),
        line=" ".join(f"{x(day)},{y(week.gbps)}" for day, week in middles),
        band=" ".join([*highs, *reversed(lows)]),
        cap=Tick(y(cap_gbps), f"cap {figures.rate(cap_gbps)}") if cap_gbps and is_near else None,
        today=x(len(past)),
        across=tuple(Tick(x(len(past) + 7 * number), f"week {number}")
                     for number in range(2, len(weeks) + 1, max(2, len(weeks) // 6))),
        up=tuple(Tick(y(value), figures.rate(value)) for value in scale(most)),
        alt=f"{figures.rate(known[-1] if known else 0.0)} on the last day,"
        f" {figures.rate(last.gbps)}"
        f" {figures.interval(last.gbps, last.low_gbps, last.high_gbps)} in week {last.week}",
    )  # fmt: skip


def _parts(past: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    found: list[list[tuple[int, float]]] = [[]]
    for day, rate in enumerate(past):
        if rate is not None:
            found[-1].append((day, rate))
        elif found[-1]:
            found.append([])
    return [part for part in found if part]
