"""Simulated annealing of many machines at once, as arrays, each by its exact price.

Groups whose members stand apart and other machines are units. Units that neither exchange traffic
nor share a group have one colour, and those of a colour move in one round: none changes what
another's move costs. A group draws among its orders of zones by their prices (a heat bath); other
machines change places in pairs, or move where there is room.
"""

from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from netplan_planner.verbs.place.solve.feasible import without_fixed_traffic
from netplan_planner.verbs.place.solve.problem import (
    BROKEN_USD,
    EPSILON,
    Floats,
    PlacementProblem,
    Standing,
    Zones,
)

_FIRST_QUANTILE = 0.95
"""Of machines, what whose zones differ by is the first temperature: for flows of many sizes, what
the median machine pays moves none of the largest."""
_LAST = 0.1
"""The last one, by what the zones of the median machine differ by."""
_MOST_ORDERS = 24
"""Orders of zones that a group draws among; of more, exchanges of two zones drawn anew."""
_ALONE = 0.2
"""Share of machines that move alone where zones are limited; the others change places."""
_RECOUNT_EVERY = 500
_ROUND_WORK, _LINK_WORK = 50_000, 3
"""Work of a round, and of a number that it touches: nanoseconds, about."""


class _Colour(NamedTuple):
    """Units that move in one round."""

    machines: Zones
    """Members of groups that stand apart, one group after the other, then the others."""
    sizes: Zones
    """Of the groups."""
    seen: tuple[Any, ...]
    """By layer, sparse: what each machine sees of these."""


def anneal(
    problem: PlacementProblem,
    zones: Zones,
    sweeps: int,
    seed: int,
    *,
    most_work: float = np.inf,
    heat: float | None = None,
) -> Zones:
    """Return a placement after so many sweeps, from one that keeps every constraint.

    It keeps them, too; it may cost more than the first, and is not yet at the foot of its valley.

    Args:
        problem: What is asked.
        zones: Where to begin.
        sweeps: How often every unit is looked at, less where that is more than `most_work`.
        seed: Of what is drawn.
        most_work: Some nanoseconds; counted, not timed, so the same on every machine.
        heat: The first temperature, by what the zones of the median machine differ by, so that the
            most of a good placement stays; None: hot enough to leave any.
    """
    search = _Search(without_fixed_traffic(problem), zones, np.random.default_rng(seed))
    spans = search.spans()
    search.recount()
    if not len(spans):
        return zones
    sweeps = max(1, int(min(sweeps, most_work / search.sweep_work)))
    median = float(np.median(spans))
    temperature = float(np.quantile(spans, _FIRST_QUANTILE)) if heat is None else median * heat
    rounds = sweeps * len(search.colours)
    fall = (median * _LAST / temperature) ** (1.0 / max(rounds - 1, 1))
    for number in range(sweeps):
        for colour in search.chance.permutation(len(search.colours)).tolist():
            search.round(search.colours[colour], temperature)
            temperature *= fall
        if number % _RECOUNT_EVERY == _RECOUNT_EVERY - 1:
            search.recount()
    return search.standing.zones


class _Search:
    def __init__(
        self, problem: PlacementProblem, zones: Zones, chance: np.random.Generator
    ) -> None:
        self.problem, self.chance = problem, chance
        self.standing = Standing(problem, zones)
        self._is_limited = bool(np.isfinite(problem.capacity).any())
        # A zone that is too full today may stay so, as long as it does not get fuller.
        self._limit = np.maximum(problem.capacity, self.standing.used) + EPSILON
        self._least = np.array([group.least_zones for group in problem.groups], dtype=np.intp)
        can_move = problem.allowed.sum(axis=1) > 1
        is_loose = can_move.copy()
        self._units: list[Zones] = []
        for group in problem.groups:
            if group.is_apart:
                is_loose[group.members] = False
                if can_move[group.members].any():
                    self._units.append(group.members)
        self._apart_count = len(self._units)
        self._units += list(np.flatnonzero(is_loose)[:, None])
        self._orders = _orders(problem.zone_count)
        columns = [layer.weights.tocsc() for layer in problem.layers]
        colour_of = self._colour_of()
        self.colours = [
            self._colour(np.flatnonzero(colour_of == number).tolist(), columns)
            for number in range(int(colour_of.max(initial=-1)) + 1)
        ]
        links = sum(layer.weights.nnz for layer in problem.layers) * problem.zone_count
        self.sweep_work = float(len(self.colours) * _ROUND_WORK + links * _LINK_WORK)

    def spans(self) -> Floats:
        """Return what the zones of each machine differ by, where they do."""
        usd = np.where(self.problem.allowed, self.standing.usd, np.nan)[self.problem.movable]
        found = np.nanmax(usd, axis=1) - np.nanmin(usd, axis=1) if len(usd) else np.zeros(0)
        return np.asarray(found[found > EPSILON])

    def recount(self) -> None:
        """Work prices out anew; where a machine may not stand, they are what nobody pays."""
        self.standing.recount()
        self.standing.usd[~self.problem.allowed] = BROKEN_USD * BROKEN_USD

    def _colour_of(self) -> Zones:
        """Return the colour of each unit: the first free one, those with most neighbours first."""
        count = len(self._units)
        unit_of = np.full(self.problem.count, count, dtype=np.intp)
        for number, members in enumerate(self._units):
            unit_of[members] = number
        rows = [layer.weights.tocoo() for layer in self.problem.layers]
        one = np.concatenate([np.zeros(0, dtype=np.intp), *(unit_of[row.row] for row in rows)])
        other = np.concatenate([np.zeros(0, dtype=np.intp), *(unit_of[row.col] for row in rows)])
        # Rows of traffic may hold one direction alone.
        ends = np.append(one, other), np.append(other, one)
        near = csr_array((np.ones(len(ends[0])), ends), shape=(count + 1, count + 1))
        near.sum_duplicates()
        found = np.full(count + 1, -1, dtype=np.intp)
        for unit in np.argsort(-np.diff(near.indptr)[:count], kind="stable").tolist():
            used = set(found[near.indices[near.indptr[unit] : near.indptr[unit + 1]]].tolist())
            found[unit] = next(number for number in range(len(used) + 1) if number not in used)
        return found[:count]

    def _colour(self, units: list[int], columns: list[Any]) -> _Colour:
        groups = [self._units[n] for n in units if n < self._apart_count]
        loose = [self._units[n] for n in units if n >= self._apart_count]
        sizes = np.array([len(members) for members in groups], dtype=np.intp)
        machines = np.concatenate([*groups, *loose])
        return _Colour(machines, sizes, tuple(one[:, machines].tocsr() for one in columns))

    def round(self, colour: _Colour, temperature: float) -> None:
        """Draw new zones for the units of a colour, as far as room and spread allow."""
        standing, machines = self.standing, colour.machines
        was = standing.zones[machines]
        to, unit = was.copy(), np.arange(len(was))
        count = int(colour.sizes.sum())
        if count:
            unit[:count] = np.repeat(unit[: len(colour.sizes)], colour.sizes)
            to[:count] = self._ordered(colour, was[:count], temperature)
        if len(was) > count:
            self._exchange(machines[count:], to[count:], unit[count:], temperature)
        moved = np.flatnonzero(to != was)
        moved = moved[self._with_room(machines[moved], was[moved], to[moved], unit[moved])]
        moved = self._spread(machines, to, unit, moved)
        if not len(moved):
            return
        now = was.copy()
        now[moved] = to[moved]
        for layer, seen in zip(self.problem.layers, colour.seen, strict=True):
            # Of all, where most stand still: choosing columns of `seen` takes longer.
            standing.usd += seen @ (layer.usd.T[now] - layer.usd.T[was])
        standing.count_many(machines[moved], to[moved])

    def _drawn(self, usd: Floats, temperature: float) -> Zones:
        """Return a column of each row, drawn by its price."""
        return np.asarray((usd - temperature * self.chance.gumbel(size=usd.shape)).argmin(axis=1))

    def _ordered(self, colour: _Colour, was: Zones, temperature: float) -> Zones:
        """Return zones of groups' members, by the order of zones that each group drew."""
        orders = self._orders
        if len(orders) > _MOST_ORDERS:
            picked = self.chance.permutation(len(orders) - 1)[: _MOST_ORDERS - 1]
            orders = orders[np.append(0, picked + 1)]
        after = orders[:, was].T
        at = colour.machines[: len(was), None], after
        starts = np.cumsum(colour.sizes) - colour.sizes
        usd = np.add.reduceat(self.standing.usd[at], starts, axis=0)
        drawn = np.repeat(self._drawn(usd, temperature), colour.sizes)
        return np.asarray(after[np.arange(len(was)), drawn])

    def _exchange(self, loose: Zones, to: Zones, unit: Zones, temperature: float) -> None:
        """Write new zones of machines in no group that stands apart: swaps, and moves alone."""
        usd = self.standing.usd[loose]
        order = self.chance.permutation(len(loose))
        count = int(len(loose) * (1.0 - _ALONE) / 2) if self._is_limited else 0
        one, other, alone = order[:count], order[count : 2 * count], order[2 * count :]
        if count:
            a, b = to[one], to[other]
            gain = usd[one, a] + usd[other, b] - usd[one, b] - usd[other, a]
            swaps = gain > temperature * self.chance.logistic(size=count)
            to[one], to[other] = np.where(swaps, b, a), np.where(swaps, a, b)
            unit[other] = unit[one]
        room = self._limit - self.standing.used - self.problem.vcpus[loose[alone], None]
        is_full = (room < 0) & (np.arange(len(self._limit)) != to[alone, None])
        to[alone] = self._drawn(np.where(is_full, np.inf, usd[alone]), temperature)

    def _with_room(self, machines: Zones, was: Zones, to: Zones, unit: Zones) -> Any:
        """Return which moves fit, whoever else of the others goes or stays."""
        if not self._is_limited or not len(machines):
            return np.ones(len(machines), dtype=bool)
        count, vcpus = len(self._limit), self.problem.vcpus[machines]
        size = (int(unit.max()) + 1) * count
        more = np.bincount(unit * count + to, vcpus, size) - np.bincount(
            unit * count + was, vcpus, size
        )
        more = np.maximum(more.reshape(-1, count), 0.0)
        room = self._limit - self.standing.used
        fits = (more <= np.maximum(room, EPSILON)).all(axis=1)
        more[~fits] = 0.0
        fits &= ((np.cumsum(more, axis=0) <= room) | (more <= EPSILON)).all(axis=1)
        return fits[unit]

    def _spread(self, machines: Zones, to: Zones, unit: Zones, moved: Zones) -> Zones:
        """Return the moves after which every group stands in zones enough."""
        standing, group_of = self.standing, self.problem.group_of
        while self._apart_count < len(self._least) and len(moved):
            own = moved[group_of[machines[moved]] >= 0]
            group, counts = group_of[machines[own]], standing.group_counts.copy()
            np.subtract.at(counts, (group, standing.zones[machines[own]]), 1)
            np.add.at(counts, (group, to[own]), 1)
            needed = np.minimum(self._least, (standing.group_counts > 0).sum(axis=1))
            is_broken = (counts > 0).sum(axis=1) < needed
            if not is_broken[group].any():
                break
            moved = moved[~np.isin(unit[moved], unit[own[is_broken[group]]])]
        return moved


def _orders(count: int) -> Zones:
    """Return orders of zones, today's first: all, or of many zones exchanges of two."""
    if count <= 4:
        return np.array(list(permutations(range(count))), dtype=np.intp)
    pairs = np.array(list(combinations(range(count), 2)), dtype=np.intp)
    found = np.tile(np.arange(count), (len(pairs) + 1, 1))
    number = np.arange(1, len(pairs) + 1)
    found[number, pairs[:, 0]], found[number, pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    return found
