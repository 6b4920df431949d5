"""From today's placement to a planned one: fewest moves, the best saving a move first."""

from collections import defaultdict
from itertools import permutations
from typing import NamedTuple

import numpy as np

from netplan_planner.verbs.place.solve.problem import (
    EPSILON,
    Floats,
    PlacementProblem,
    Standing,
    Zones,
)

_MOST_ORDERS = 720
_LOOKED_AT = 64
"""Units of which it is asked whether they keep every constraint."""


class Step(NamedTuple):
    """Machines that move together, and what the bill falls by then."""

    machines: tuple[int, ...]
    saving_usd: float


def with_fewest_moves(problem: PlacementProblem, zones: Zones, parts: Zones) -> Zones:
    """Return a placement that costs no more and moves fewer, where names of zones alone differ.

    Args:
        problem: What is asked.
        zones: A placement that keeps every constraint.
        parts: The part of each machine; parts exchange no traffic and share no group.
    """
    found = zones.copy()
    usd = problem.usd(found)
    for part in np.unique(parts).tolist():
        members = np.flatnonzero(parts == part)
        if (found[members] == problem.today[members]).all():
            continue
        for new_name in _new_names(problem, members, found):
            trial = found.copy()
            trial[members] = new_name[found[members]]
            if problem.faults(trial) or problem.usd(trial) > usd + EPSILON:
                continue
            found = trial
            break
    return _without_idle_moves(problem, found)


def _new_names(problem: PlacementProblem, members: Zones, zones: Zones) -> list[Zones]:
    """Return names of zones exchanged, those first by which most stand where they do today."""
    used = np.unique(np.concatenate([zones[members], problem.today[members]]))
    stays = np.zeros((problem.zone_count, problem.zone_count))
    np.add.at(stays, (zones[members], problem.today[members]), 1)
    orders = []
    for number, order in enumerate(permutations(used.tolist())):
        if number >= _MOST_ORDERS:
            break
        new_name = np.arange(problem.zone_count)
        new_name[used] = order
        orders.append(new_name)
    same = np.arange(problem.zone_count)
    count = stays[same, same].sum()
    better = [one for one in orders if stays[same, one].sum() > count]
    return sorted(better, key=lambda one: -float(stays[same, one].sum()))[:24]


def _without_idle_moves(problem: PlacementProblem, zones: Zones) -> Zones:
    """Return the placement with every move undone that saves nothing."""
    standing = Standing(problem, zones)
    moved = True
    while moved:
        moved = False
        for machine in np.flatnonzero(standing.zones != problem.today).tolist():
            back = int(problem.today[machine])
            if standing.gains(machine)[back] >= -EPSILON and standing.fits(machine, back):
                standing.move(machine, back)
                moved = True
    return standing.zones


def steps_to(problem: PlacementProblem, zones: Zones) -> tuple[Step, ...]:
    """Return the moves from today in an order that may end after any step.

    After each, no constraint is broken that was not before; machines that need each other for that
    move in one step. The greatest saving a move comes first, by what the moves before it left.
    """
    order = _Order(problem, zones)
    steps: list[Step] = []
    machines: list[int] = []
    saving = 0.0
    tolerated = order.broken()
    while order.is_open:
        unit = order.mending() if machines else order.next(tolerated)
        machines += order.units[unit]
        saving += order.move(unit)
        broken = order.broken()
        if broken <= tolerated + EPSILON or not order.is_open:
            tolerated = min(broken, tolerated)
            steps.append(Step(tuple(machines), saving))
            machines, saving = [], 0.0
    return _by_saving(steps)


def _by_saving(steps: list[Step]) -> tuple[Step, ...]:
    """Return the steps, those put together that save only by the one behind them."""
    found: list[Step] = []
    for step in steps:
        found.append(step)
        # What lets the next one save belongs to it: else a stop line would come before it.
        while len(found) > 1 and _per_move(found[-1]) > _per_move(found[-2]) + EPSILON:
            last = found.pop()
            before = found.pop()
            found.append(
                Step((*before.machines, *last.machines), before.saving_usd + last.saving_usd)
            )
    return tuple(found)


def _per_move(step: Step) -> float:
    return step.saving_usd / len(step.machines)


class _Order:
    """Moves that are still to be made; a unit is one machine, or a group whose members move."""

    def __init__(self, problem: PlacementProblem, zones: Zones) -> None:
        self.problem, self.zones = problem, zones
        # Limits are counted, not priced.
        self.standing = Standing(problem.without_limits(), problem.today)
        self.units = _units(problem, zones)
        self._sizes = np.array([len(unit) for unit in self.units], dtype=float)
        self._machines = np.array([m for unit in self.units for m in unit], dtype=np.intp)
        self._unit_of = np.repeat(np.arange(len(self.units)), self._sizes.astype(np.intp))
        self._among = self._gains_among()
        self._is_open = np.ones(len(self.units), dtype=bool)
        self._least = np.array([group.least_zones for group in problem.groups], dtype=np.intp)

    @property
    def is_open(self) -> bool:
        return bool(self._is_open.any())

    def broken(self) -> float:
        """Return by how much constraints are broken: vCPUs, zones of groups, limits."""
        problem, standing = self.problem, self.standing
        over = float(np.maximum(standing.used - problem.capacity, 0.0).sum())
        if len(self._least):
            zones = (standing.group_counts > 0).sum(axis=1)
            over += float(np.maximum(self._least - zones, 0).sum())
        return over + sum(
            bool(limit.is_too_far[standing.zones[limit.one], standing.zones[limit.other]])
            for limit in problem.rtt_limits
        )

    def move(self, unit: int) -> float:
        """Move a unit and return what the bill falls by."""
        self._is_open[unit] = False
        saved = 0.0
        for machine in self.units[unit]:
            saved += float(self.standing.gains(machine)[self.zones[machine]])
            self.standing.move(machine, int(self.zones[machine]))
        return saved

    def next(self, tolerated: float) -> int:
        """Return the unit that saves most a move and breaks nothing, else that saves most."""
        ranked = self._ranked()
        for unit in ranked[:_LOOKED_AT]:
            if self._after(unit) <= tolerated + EPSILON:
                return unit
        return ranked[0]

    def mending(self) -> int:
        """Return the unit that mends most of what a step has broken so far."""
        ranked = self._ranked()
        full = self.standing.used > self.problem.capacity + EPSILON
        leaving = np.unique(self._unit_of[full[self.standing.zones[self._machines]]])
        known = set(leaving.tolist())
        near = [unit for unit in ranked if unit in known] or ranked
        return min(near[:_LOOKED_AT], key=self._after)

    def _gains_among(self) -> Floats:
        """Return what each unit saves beyond its machines alone, by traffic of its own."""
        today, then = self.problem.today, self.zones
        unit_of = np.full(self.problem.count, -1, dtype=np.intp)
        unit_of[self._machines] = self._unit_of
        found = np.zeros(len(self.units))
        for layer in self.standing.problem.priced_layers:
            rows = layer.weights.tocoo()
            kept = (unit_of[rows.row] >= 0) & (unit_of[rows.row] == unit_of[rows.col])
            one, other, usd = rows.row[kept], rows.col[kept], layer.usd
            alone = usd[then[one], today[other]] + usd[today[one], then[other]]
            both = usd[today[one], today[other]] + usd[then[one], then[other]]
            # Each pair stands in the rows of both ends.
            np.add.at(found, unit_of[one], 0.5 * rows.data[kept] * (alone - both))
        return found

    def _ranked(self) -> list[int]:
        now = self.standing.usd[self._machines, self.standing.zones[self._machines]]
        then = self.standing.usd[self._machines, self.zones[self._machines]]
        alone = np.bincount(self._unit_of, weights=now - then, minlength=len(self.units))
        gains = alone + self._among
        scores = np.where(self._is_open, gains / self._sizes, -np.inf)
        ranked = np.argsort(-scores, kind="stable")
        return [int(unit) for unit in ranked if self._is_open[unit]]

    def _after(self, unit: int) -> float:
        before = [int(self.standing.zones[machine]) for machine in self.units[unit]]
        for machine in self.units[unit]:
            self.standing.count(machine, int(self.zones[machine]))
        found = self.broken()
        for machine, zone in zip(self.units[unit], before, strict=True):
            self.standing.count(machine, zone)
        return found


def _units(problem: PlacementProblem, zones: Zones) -> list[list[int]]:
    """Return the moves: those of a group together, since members take each other's zones."""
    units: dict[int, list[int]] = defaultdict(list)
    for machine in np.flatnonzero(zones != problem.today).tolist():
        group = int(problem.group_of[machine])
        apart = group >= 0 and problem.groups[group].is_apart
        units[group if apart else -1 - machine].append(machine)
    return [units[key] for key in sorted(units)]
