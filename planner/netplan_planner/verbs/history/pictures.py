"""What each path class costs over the runs, with the steps and the advice that was carried out."""

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import NamedTuple

from netplan_planner.model import CurrencyRate, PathClass
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import say
from netplan_planner.renderers.html.charts.front import Frame, Tick, at_x, at_y, dollars, scale
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.history.answer import HistoryAnswer

MOST_LINES = 6
_MARGIN = 1.06
_TICKS = 6
_TEXT_LENGTH = 90
_LEAST_GAP = 14
"""Between two names at the right end."""


_ORDER = [
    *("inter-region-internal", "internet", "inter-zone-internal", "same-zone-internal"),
    *("nat", "same-zone-external"),
]
_ORDER += [one.value for one in PathClass if one.value not in _ORDER]
"""A path class has one style in every picture; the usual ones differ."""


class PathLine(NamedTuple):
    """The line of a path class."""

    points: str
    """As SVG writes them."""
    name: Tick
    number: int
    """Which of the line styles it has."""


class Mark(NamedTuple):
    """A step, or advice that was carried out."""

    x: float
    kind: str
    """`step` or `advice`."""
    text: str


class HistoryPicture(Frame, frozen=True, kw_only=True):
    """The picture of one figure."""

    name: str
    unit: str
    lines: tuple[PathLine, ...]
    marks: tuple[Mark, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    alt: str


def pictures(answer: HistoryAnswer, currency: CurrencyRate | None) -> list[Picture]:
    """Return what path classes cost and carry; none of a single run."""
    usd = {(one.day, one.path_class.value): float(one.usd_per_month)
           for one in answer.paths if one.usd_per_month is not None}  # fmt: skip
    gbps = {(one.day, one.path_class.value): one.gbps for one in answer.paths}
    money = partial(dollars, currency=currency)
    return drawn(
        "history",
        _picture(answer, "Cost of traffic", "per month", usd, money, currency),
        _picture(answer, "Mean rate of traffic", "Gbit/s", gbps, figures.number, currency),
    )


def _picture(
    answer: HistoryAnswer,
    name: str,
    unit: str,
    values: dict[tuple[date, str], float],
    said: Callable[[float], str],
    currency: CurrencyRate | None,
) -> HistoryPicture | None:
    days = sorted({day for day, _ in values})
    highest: dict[str, float] = {}
    for (_, series), value in values.items():
        highest[series] = max(highest.get(series, 0.0), value)
    largest = sorted(highest, key=lambda one: -highest[one])[:MOST_LINES]
    if len(days) < 2 or not max(highest.values(), default=0.0):
        return None
    most = max(highest.values()) * _MARGIN
    span = (days[-1] - days[0]).days

    def x(day: date) -> float:
        return at_x(min(max((day - days[0]).days / span, 0.0), 1.0))

    last = {
        one: values[max(day for day, series in values if series == one), one] for one in largest
    }
    names = _apart({one: at_y(value / most) for one, value in last.items()})

    def mark(day: date, kind: str, what: str, then: str) -> Mark:
        return Mark(x(day), kind, f"{day}: {say(what, length=_TEXT_LENGTH).text}, {then}")

    steps = ((one, figures.dollars(one.difference_usd_per_month, currency=currency))
             for one in answer.steps if one.causes)  # fmt: skip
    marks = [mark(one.day, "step", one.causes[0].text, f"{usd}/month") for one, usd in steps]
    marks += [mark(one.day, "advice", one.subject, "fixed")
              for one in answer.carried_out if one.is_seen]  # fmt: skip
    return HistoryPicture(
        name=name,
        unit=unit,
        lines=tuple(
            PathLine(
                " ".join(
                    f"{x(day)},{at_y(values[day, one] / most)}"
                    for day in days
                    if (day, one) in values
                ),
                Tick(names[one], one),
                _ORDER.index(one) % MOST_LINES,
            )
            for one in largest
        ),
        marks=tuple(marks),
        across=tuple(
            Tick(x(days[at]), days[at].isoformat())
            for at in range(0, len(days), max(1, -(-len(days) // _TICKS)))
        ),
        up=tuple(Tick(at_y(value / most), said(value)) for value in scale(most)),
        alt="; ".join(f"{one}: {said(last[one])} on the last day" for one in largest),
    )


def _apart(heights: dict[str, float]) -> dict[str, float]:
    """Return where names stand so that none covers another."""
    found: dict[str, float] = {}
    least = 0.0
    for name in sorted(heights, key=lambda one: heights[one]):
        found[name] = round(max(heights[name], least), 1)
        least = found[name] + _LEAST_GAP
    return found
