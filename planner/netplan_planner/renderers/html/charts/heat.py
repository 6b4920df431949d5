"""A matrix of places, its cells shaded by a measure: a panel a measure, one shown at a time."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from netplan_planner.renderers.document import Line

STEPS = 7
"""Shades; the style has a colour for each."""


class Cell(NamedTuple):
    """One pair of places; without a shade nothing is known, or there is no traffic."""

    text: Line
    shade: int | None = None
    is_over: bool = False


class Panel(NamedTuple):
    """One measure of a matrix."""

    title: str
    note: str
    rows: tuple[tuple[Cell, ...], ...]


class Matrix(NamedTuple):
    """From the places of the rows to those of the columns."""

    name: str
    """Tells it from others of its page."""
    title: str
    places: tuple[str, ...]
    panels: tuple[Panel, ...]
    rest: str
    """What is left out; empty: nothing."""


def evenly(value: float) -> int:
    """Return a shade by size, of a ratio from 0 to 1 and above."""
    return min(int(value * STEPS), STEPS - 1)


def by_magnitude(values: Sequence[float]) -> Callable[[float], int]:
    """Return a shade by the logarithm: traffic and prices span many orders of magnitude."""
    if not values:
        return lambda _: 0
    low, high = math.log(min(values)), math.log(max(values))
    if high == low:
        return lambda value: STEPS // 2 if value > 0 else 0
    span = high - low
    return lambda value: (
        min(int((math.log(value) - low) / span * STEPS), STEPS - 1) if value > 0 else 0
    )
