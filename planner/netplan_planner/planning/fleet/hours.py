"""Which groups run at the same time: the month cut into stretches of hours.

A commitment covers in each hour at most what runs in that hour. A group runs in some hours of the
day (UTC), on a share of the days. Which days is not known: groups are taken to run on the same
ones, which makes the peaks as high as they can be, so that a commitment is never counted as better
used than it is.
"""

from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from netplan_planner.units import HOURS_PER_MONTH

HOURS_PER_DAY = 24
_GRID = 24
"""Steps of the share of days, where there are more different shares than this."""
ALL_DAY = frozenset(range(HOURS_PER_DAY))


class Profile(NamedTuple):
    """When a group runs."""

    hours_per_month: Decimal
    """Above 0, at most what the hours of the day allow."""
    active: frozenset[int] = ALL_DAY
    """Hours of the day, UTC: 8 is from 8 to 9."""

    @property
    def day_ratio(self) -> Decimal:
        """The share of the days on which it runs."""
        return min(Decimal(1), self.hours_per_month / hours_of(self.active))

    @property
    def month_ratio(self) -> float:
        """The share of the month that it runs, for sustained-use discounts."""
        return float(min(Decimal(1), self.hours_per_month / HOURS_PER_MONTH))


def hours_of(active: frozenset[int]) -> Decimal:
    """Return the hours of a month that fall into hours of the day."""
    return Decimal(HOURS_PER_MONTH) * len(active) / HOURS_PER_DAY


class Stretch(NamedTuple):
    """Hours of the month in which the same profiles run."""

    hours_per_month: Decimal
    profiles: frozenset[int]
    """By their place in the calendar."""


class Calendar:
    """The month as stretches, for all profiles of a fleet."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self.profiles = tuple(
            sorted(set(profiles), key=lambda p: (sorted(p.active), p.hours_per_month))
        )

    @cached_property
    def place(self) -> dict[Profile, int]:
        """The place of each profile."""
        return {profile: place for place, profile in enumerate(self.profiles)}

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """All stretches in which anything runs, in a fixed order.

        Where there are many shares of days they are rounded down to a grid: what runs beyond it
        is paid, but no commitment covers it.
        """
        edges = sorted({Decimal(0), *(p.day_ratio for p in self.profiles)})
        if len(edges) > _GRID:
            edges = [Decimal(step) / _GRID for step in range(_GRID + 1)]
        found: dict[frozenset[int], Decimal] = {}
        for hour in range(HOURS_PER_DAY):
            awake = [at for at, p in enumerate(self.profiles) if hour in p.active]
            for low, high in pairwise(edges):
                running = frozenset(at for at in awake if self.profiles[at].day_ratio >= high)
                if running:
                    hours = Decimal(HOURS_PER_MONTH) * (high - low) / HOURS_PER_DAY
                    found[running] = found.get(running, Decimal(0)) + hours
        return tuple(
            Stretch(hours, running)
            for running, hours in sorted(found.items(), key=lambda item: sorted(item[0]))
        )
