"""Prices of traffic that only grow with the smallest circle of zones that holds both ends.

Zone, region, continent: nested sets, each cheaper inside than what is around it. Where a pair's
prices are so, what is saved can be counted by circle, which takes one variable for each of them.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.optimise.placement.problem import EPSILON, Floats, Zones

_ROUNDING = 1e-9
"""Of the greatest price, within which two are the same."""


class Circles(NamedTuple):
    """Nested sets of zones, but for the one of all."""

    holds: NDArray[np.bool_]
    """Circles × zones; the first are the zones themselves."""
    levels: tuple[tuple[int, ...], ...]
    """Circles that share out all zones, from fine to coarse."""
    parent: tuple[int, ...]
    """The next larger circle, -1 for all zones."""


def circles_of(usd: Floats) -> Circles:
    """Return the circles of prices between zones, Z × Z."""
    count = len(usd)
    price = np.maximum(usd, usd.T)
    last: Zones = np.arange(count)
    holds, levels = list(np.eye(count, dtype=bool)), [tuple(range(count))]
    parent = [-1] * count
    ends = sorted(combinations(range(count), 2), key=lambda pair: (price[pair], pair))
    label = last.copy()
    for number, (one, other) in enumerate(ends):
        label[label == label[other]] = label[one]
        is_last = number + 1 == len(ends)
        if not is_last and price[ends[number + 1]] <= price[one, other] * (1.0 + _ROUNDING):
            continue
        if len(np.unique(label)) == 1:
            break
        if np.array_equal(label, last):
            continue
        level = []
        for name in np.unique(label).tolist():
            row = label == name
            inside = [one for one in levels[-1] if (holds[one] & row).any()]
            if len(inside) > 1:
                for child in inside:
                    parent[child] = len(holds)
                inside = [len(holds)]
                holds.append(row)
                parent.append(-1)
            level += inside
        levels.append(tuple(level))
        last = label.copy()
    return Circles(np.array(holds, dtype=bool), tuple(levels), tuple(parent))


def saved_by_circle(usd: Floats, circles: Circles) -> tuple[float, Floats] | None:
    """Return what a pair costs in no common circle, and what each saves; None: not by circles."""
    top = float(usd.max())
    height = np.where(
        circles.holds[:, :, None] & circles.holds[:, None, :], usd[None], -np.inf
    ).max(axis=(1, 2))
    above = np.array([top if one < 0 else height[one] for one in circles.parent])
    saved = above - height
    rebuilt = top - (circles.holds.T * saved) @ circles.holds
    is_same = bool(np.abs(rebuilt - usd).max() <= _ROUNDING * max(abs(top), EPSILON))
    return (top, np.maximum(saved, 0.0)) if is_same and (saved >= -EPSILON).all() else None
