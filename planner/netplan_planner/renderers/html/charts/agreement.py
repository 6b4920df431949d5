"""Predicted against measured, on logarithmic axes, each prediction with its interval."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from netplan_planner.renderers import figures
from netplan_planner.renderers.document import say

WIDTH, HEIGHT = 760, 560
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 20, 44
MOST_MARKS = 800
"""More would cover each other; every n-th row is drawn then."""
_NAME_LENGTH = 80
_MARGIN = 1.25
"""Beyond the least and the greatest figure, as a factor."""
_MOST_DECADES = 12
"""Of the axes: a figure far below all others would press them into a corner."""


class Mark(NamedTuple):
    """A measurement: how far right; its prediction and the ends of the interval: how far down."""

    x: float
    y: float
    low: float
    high: float
    is_inside: bool
    text: str


class Tick(NamedTuple):
    """A line of both scales."""

    x: float
    y: float
    text: str


class Agreement(NamedTuple):
    """The picture: a diagonal on which all predictions would be right, and the marks."""

    name: str
    marks: tuple[Mark, ...]
    ticks: tuple[Tick, ...]
    alt: str
    left_out: str
    """How many rows are not drawn; empty: none."""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    floor: int = HEIGHT - BOTTOM


class Point(NamedTuple):
    """A measurement beside its prediction."""

    name: str
    measured_gbps: float
    gbps: float
    low_gbps: float
    high_gbps: float

    @property
    def is_inside(self) -> bool:
        """Whether the measured figure lies in the interval."""
        return self.low_gbps <= self.measured_gbps <= self.high_gbps

    @property
    def text(self) -> str:
        """Both figures, for people."""
        predicted = figures.rate_interval(self.gbps, self.low_gbps, self.high_gbps)
        name = say(self.name, length=_NAME_LENGTH).text
        return f"{name}: measured {figures.rate(self.measured_gbps)}, predicted {predicted}"


def agreement(points: Sequence[Point]) -> Agreement | None:
    """Return the picture of measurements; None where nothing was both measured and predicted."""
    drawn = points[:: max(1, -(-len(points) // MOST_MARKS))]
    if not drawn:
        return None
    least, most = _ends(drawn)
    decades = math.log10(most / least)

    def place(gbps: float) -> float:
        return min(max(math.log10(gbps / least) / decades if gbps > 0 else 0.0, 0.0), 1.0)

    def x(gbps: float) -> float:
        return round(LEFT + place(gbps) * (WIDTH - LEFT - RIGHT), 1)

    def y(gbps: float) -> float:
        return round(HEIGHT - BOTTOM - place(gbps) * (HEIGHT - TOP - BOTTOM), 1)

    inside = sum(one.is_inside for one in points)
    lie = "lies" if len(points) == 1 else "lie"
    left_out = len(points) - len(drawn)
    return Agreement(
        name=f"{inside:,} of {figures.counted(len(points), 'measurement')} {lie} in their "
        "intervals",
        marks=tuple(
            Mark(
                x(one.measured_gbps),
                y(one.gbps),
                y(one.low_gbps),
                y(one.high_gbps),
                one.is_inside,
                one.text,
            )
            for one in drawn
        ),
        ticks=tuple(Tick(x(gbps), y(gbps), figures.rate(gbps)) for gbps in _scale(least, most)),
        alt=f"{inside:,} of {len(points):,} inside their intervals, from"
        f" {figures.rate(min(one.measured_gbps for one in points))} to"
        f" {figures.rate(max(one.measured_gbps for one in points))}",
        left_out=f"{figures.counted(left_out, 'more measurement')} not shown." if left_out else "",
    )


def _ends(points: Sequence[Point]) -> tuple[float, float]:
    """Return the ends of both axes, Gbit/s."""
    most = max(max(one.measured_gbps, one.high_gbps, one.gbps) for one in points) * _MARGIN
    least = min(min(one.measured_gbps, one.gbps) for one in points) / _MARGIN
    return max(least, most / 10**_MOST_DECADES), most


def _scale(least: float, most: float) -> Iterator[float]:
    """Yield round rates of an axis: powers of ten, with 2 and 5 between where these are few."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    for power in range(first, last + 1):
        for step in steps:
            if least <= (gbps := step * 10.0**power) <= most:
                yield gbps
