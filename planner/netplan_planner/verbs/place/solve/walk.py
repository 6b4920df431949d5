"""Simulated annealing one machine at a time, for what is too small to move many at once.

Placements against each other: what two agree on stands still, the rest goes to its optimum.

Long walks end in different placements that have most of the good in common. Where they differ
lies the little that is worth an exact answer (Rothberg, "An Evolutionary Algorithm for Polishing
Mixed Integer Programming Solutions", INFORMS Journal on Computing 19, 2007).
"""

import math
import random
from time import monotonic
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from netplan_planner.verbs.place.solve.descent import solve_open
from netplan_planner.verbs.place.solve.feasible import without_fixed_traffic
from netplan_planner.verbs.place.solve.problem import EPSILON, PlacementProblem, Standing, Zones

_SWAPS = 0.5
"""Share of the steps in which a machine of no group that stands apart changes places."""
_MOST_OPEN = 40
"""Machines that one program can place within its few branches."""


class Cooling(NamedTuple):
    """From which temperature to which, as shares of what a machine's zones differ by."""

    first: float
    last: float
    quantile: float = 0.5
    """Of machines, whose differences begin; the last ones are of the median machine."""


USUAL = Cooling(first=2.0, last=0.01)


HOT = Cooling(first=1.0, last=0.1, quantile=0.95)
"""For flows of many sizes: what the median machine pays moves none of the greatest."""


class _Neighbour(NamedTuple):
    machine: int
    by_zone: list[list[float]]
    """By the zone that the moved one stands in: what this one would pay in each of its own."""


def walk(
    problem: PlacementProblem, zones: Zones, steps: int, seed: int, cooling: Cooling = USUAL
) -> Zones:
    """Return the best placement met in so many steps, from one that keeps every constraint."""
    if not len(problem.movable):
        return zones
    search = _Walk(without_fixed_traffic(problem), zones, random.Random(seed))
    if search.scale <= EPSILON:
        return zones
    temperature = search.spans(cooling.quantile) * cooling.first
    fall = (search.scale * cooling.last / temperature) ** (1.0 / max(steps - 1, 1))
    for _ in range(steps):
        search.step(temperature)
        temperature *= fall
    return np.array(search.best, dtype=np.intp)


class _Walk:
    def __init__(self, problem: PlacementProblem, zones: Zones, chance: random.Random) -> None:
        standing = Standing(problem, zones)
        usd = np.where(problem.allowed, standing.usd, np.nan)[problem.movable]
        spans = np.nanmax(usd, axis=1) - np.nanmin(usd, axis=1)
        spans = spans[spans > EPSILON]
        self._spans = spans
        self.scale = self.spans(0.5)
        self.chance = chance
        self.zones: list[int] = zones.tolist()
        self.usd: list[list[float]] = standing.usd.tolist()
        self.used: list[float] = standing.used.tolist()
        self.limit = np.maximum(problem.capacity, standing.used).tolist()
        self.vcpus: list[float] = problem.vcpus.tolist()
        self.movable: list[int] = problem.movable.tolist()
        self.choices = [np.flatnonzero(row).tolist() for row in problem.allowed]
        self.allowed = [set(row) for row in self.choices]
        self.group_of: list[int] = problem.group_of.tolist()
        self.counts = standing.group_counts.tolist()
        self.least = [group.least_zones for group in problem.groups]
        self.is_apart = [group.is_apart for group in problem.groups]
        self.holder: list[dict[int, int]] = [
            {int(zones[m]): m for m in group.members.tolist()} if group.is_apart else {}
            for group in problem.groups
        ]
        self.is_limited = bool(np.isfinite(problem.capacity).any())
        self.neighbours = _neighbours(problem)
        self.loose = [m for m in self.movable if not self._stands_apart(m)]
        self.total = self.least_total = 0.0
        self.best = list(self.zones)

    def spans(self, quantile: float) -> float:
        """Return what the zones of a machine differ by; 0 where no zone matters."""
        return float(np.quantile(self._spans, quantile)) if len(self._spans) else 0.0

    def _stands_apart(self, machine: int) -> bool:
        group = self.group_of[machine]
        return group >= 0 and self.is_apart[group]

    def step(self, temperature: float) -> None:
        """Propose one change, and take it by chance."""
        one = self.movable[int(self.chance.random() * len(self.movable))]
        choices = self.choices[one]
        to = choices[int(self.chance.random() * len(choices))]
        was = self.zones[one]
        if to == was:
            return
        other = self._partner(one, was, to)
        if other is None:
            return
        gain = self.usd[one][was] - self.usd[one][to]
        if other >= 0:
            gain += self.usd[other][to] - self.usd[other][was]
            gain -= self._own(one, other, was, to)
        if gain < 0.0 and self.chance.random() >= math.exp(gain / temperature):
            return
        self._move(one, to)
        if other >= 0:
            self._move(other, was)
        self.total -= gain
        if self.total < self.least_total - EPSILON:
            self.least_total = self.total
            self.best = list(self.zones)

    def _partner(self, one: int, was: int, to: int) -> int | None:
        """Return who goes the other way, -1 for nobody, None where the change cannot be."""
        other = -1
        group = self.group_of[one]
        if group >= 0 and self.is_apart[group]:
            other = self.holder[group].get(to, -1)
            if other >= 0 and was not in self.allowed[other]:
                return None
        elif self.is_limited and self.chance.random() < _SWAPS:
            other = self.loose[int(self.chance.random() * len(self.loose))]
            if self.zones[other] != to or was not in self.allowed[other]:
                return None
            if self._loses_zone(other, to, was):
                return None
        if group >= 0 and not self.is_apart[group] and self._loses_zone(one, was, to):
            return None
        more = self.vcpus[one] - (self.vcpus[other] if other >= 0 else 0.0)
        if self.used[to] + more > self.limit[to] + EPSILON:
            return None
        if self.used[was] - more > self.limit[was] + EPSILON:
            return None
        return other

    def _loses_zone(self, machine: int, was: int, to: int) -> bool:
        """Return whether a group would stand in too few zones."""
        group = self.group_of[machine]
        if group < 0:
            return False
        counts = self.counts[group]
        zones = sum(1 for count in counts if count)
        after = zones - (counts[was] == 1) + (counts[to] == 0)
        return after < min(self.least[group], zones)

    def _own(self, one: int, other: int, was: int, to: int) -> float:
        """Return what two that change places seem to gain by each other, and do not."""
        for neighbour in self.neighbours[one]:
            if neighbour.machine == other:
                usd = neighbour.by_zone
                # Each price was asked for as if the other stood still.
                return usd[was][to] + usd[to][was] - usd[was][was] - usd[to][to]
        return 0.0

    def _move(self, machine: int, to: int) -> None:
        was = self.zones[machine]
        self.zones[machine] = to
        self.used[was] -= self.vcpus[machine]
        self.used[to] += self.vcpus[machine]
        group = self.group_of[machine]
        if group >= 0:
            self.counts[group][was] -= 1
            self.counts[group][to] += 1
            holder = self.holder[group]
            if holder.get(was) == machine:
                del holder[was]
            holder[to] = machine
        for neighbour in self.neighbours[machine]:
            row = self.usd[neighbour.machine]
            before, now = neighbour.by_zone[was], neighbour.by_zone[to]
            for zone, paid in enumerate(now):
                row[zone] += paid - before[zone]


def _neighbours(problem: PlacementProblem) -> list[list[_Neighbour]]:
    """Return who sees each machine, and what they pay by where it stands."""
    found: list[dict[int, np.ndarray]] = [{} for _ in range(problem.count)]
    for layer in problem.layers:
        rows = layer.weights.tocoo()
        for sees, seen, weight in zip(
            rows.row.tolist(), rows.col.tolist(), rows.data.tolist(), strict=True
        ):
            if weight:
                paid = weight * layer.usd.T
                found[seen][sees] = found[seen][sees] + paid if sees in found[seen] else paid
    return [[_Neighbour(machine, usd.tolist()) for machine, usd in one.items()] for one in found]


def cross(
    problem: PlacementProblem, found: list[Zones], *, rounds: int, seed: int, until: float
) -> Zones:
    """Return the cheapest placement after so many crossings, no dearer than any that is given.

    Args:
        problem: What is asked.
        found: Placements that keep every constraint, at least one.
        rounds: How many pairs are crossed.
        seed: Of their choice.
        until: A time of the monotonic clock after which no further pair is crossed.
    """
    chance = np.random.default_rng(seed)
    found = list(found)
    usd = [problem.usd(zones) for zones in found]
    is_open = problem.allowed.sum(axis=1) > 1
    for _ in range(rounds if len(found) > 1 else 0):
        if monotonic() > until:
            break
        cheap, dear = sorted(chance.choice(len(found), 2, replace=False), key=usd.__getitem__)
        differs = found[cheap] != _renamed(problem, found[cheap], found[dear])
        machines = np.flatnonzero(differs & is_open)
        if not len(machines):
            continue
        if len(machines) > _MOST_OPEN:
            machines = np.sort(chance.choice(machines, _MOST_OPEN, replace=False))
        standing = Standing(problem, found[cheap])
        if solve_open(standing, machines):
            found[dear] = standing.zones.copy()
            usd[dear] = problem.usd(standing.zones)
    return found[int(np.argmin(usd))]


def _renamed(problem: PlacementProblem, one: Zones, other: Zones) -> Zones:
    """Return the other with its zones named so that most machines agree with the one."""
    together = np.zeros((problem.zone_count, problem.zone_count))
    np.add.at(together, (other, one), 1.0)
    names = np.empty(problem.zone_count, dtype=np.intp)
    rows, columns = linear_sum_assignment(together, maximize=True)
    names[rows] = columns
    renamed: Zones = names[other]
    return renamed
