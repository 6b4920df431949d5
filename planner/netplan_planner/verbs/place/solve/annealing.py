"""Simulated annealing of many machines at once, as arrays: out of what single moves end in.

A round proposes moves for a random part of the machines, each as if the others stood still. What
that errs by, where two neighbours move at once, is small while the part is; it ends as the parts
of a round and the temperature fall.
"""

import numpy as np
from numpy.typing import NDArray

from netplan_planner.verbs.place.solve.feasible import without_fixed_traffic
from netplan_planner.verbs.place.solve.problem import (
    EPSILON,
    Floats,
    PlacementProblem,
    Standing,
    Zones,
)

_FIRST_TEMPERATURE = 1.0
_LAST_TEMPERATURE = 0.03
"""As shares of what a typical machine could save or lose by a move."""
_PART = 0.3
"""Of the units, that a round proposes moves for."""
_TRIMS = 4
_RECOUNT_EVERY = 500


def anneal(problem: PlacementProblem, zones: Zones, rounds: int, seed: int) -> Zones:
    """Return a placement after so many rounds, from one that keeps every constraint.

    It keeps them, too; it may cost more than the first, and is not yet at the foot of its valley.
    """
    search = _Search(without_fixed_traffic(problem), zones, np.random.default_rng(seed))
    if not search.unit_count:
        return zones
    scale = search.scale()
    if scale <= EPSILON:
        return zones
    fall = (_LAST_TEMPERATURE / _FIRST_TEMPERATURE) ** (1.0 / max(rounds - 1, 1))
    temperature = scale * _FIRST_TEMPERATURE
    for number in range(rounds):
        search.round(temperature, is_swap=bool(number % 2))
        temperature *= fall
        if number % _RECOUNT_EVERY == _RECOUNT_EVERY - 1:
            search.standing.recount()
    return search.standing.zones


class _Search:
    """One walk; a unit is a group that stands apart, or a machine of no such group."""

    def __init__(
        self, problem: PlacementProblem, zones: Zones, chance: np.random.Generator
    ) -> None:
        self.problem, self.chance = problem, chance
        self.standing = Standing(problem, zones)
        self.is_limited = bool(np.isfinite(problem.capacity).any())
        can_move = problem.allowed.sum(axis=1) > 1
        apart = [number for number, group in enumerate(problem.groups) if group.is_apart]
        in_apart = np.isin(problem.group_of, apart)
        self.singles = np.flatnonzero(can_move & ~in_apart)
        members = [group[can_move[group]] for group in (problem.groups[n].members for n in apart)]
        pairs = [(n, found) for n, found in zip(apart, members, strict=True) if len(found)]
        self.apart = np.array([number for number, _ in pairs], dtype=np.intp)
        sizes = np.array([len(found) for _, found in pairs], dtype=np.intp)
        self.sizes, self.firsts = sizes, np.cumsum(sizes) - sizes
        self.members = (
            np.concatenate([found for _, found in pairs]) if pairs else np.zeros(0, dtype=np.intp)
        )
        self.choice_count = problem.allowed.sum(axis=1)
        self.choices = np.argsort(~problem.allowed, axis=1, kind="stable")
        self.holder = np.full((len(problem.groups), problem.zone_count), -1, dtype=np.intp)
        grouped = np.flatnonzero(in_apart)
        self.holder[problem.group_of[grouped], zones[grouped]] = grouped
        self.unit_count = len(self.singles) + len(self.apart)

    def scale(self) -> float:
        """Return what a typical machine's zones differ by."""
        usd = np.where(self.problem.allowed, self.standing.usd, np.nan)
        spans = np.nanmax(usd, axis=1) - np.nanmin(usd, axis=1)
        spans = spans[(spans > EPSILON) & np.isfinite(spans)]
        return float(np.median(spans)) if len(spans) else 0.0

    def round(self, temperature: float, *, is_swap: bool) -> None:
        """Propose and take moves of a part of the units."""
        part = min(_PART, 1.0) * self.chance.uniform(0.3, 1.0)
        parts = []
        if len(self.apart):
            parts.append(self._of_groups(part))
        if len(self.singles):
            if is_swap and self.is_limited:
                parts.append(self._swaps(part))
            else:
                parts.append(self._moves(part))
        one, other = (np.concatenate(side) for side in zip(*parts, strict=True))
        to = np.concatenate([self._targets[number] for number in range(len(parts))])
        self._targets = []
        was = self.standing.zones[one]
        usd = self.standing.usd
        gain = usd[one, was] - usd[one, to]
        has_other = other >= 0
        gain[has_other] += (
            usd[other[has_other], to[has_other]] - usd[other[has_other], was[has_other]]
        )
        heat = np.exp(np.minimum(gain / temperature, 0.0))
        taken = self.chance.random(len(one)) < heat
        taken &= was != to
        self._take(one[taken], other[taken], to[taken])

    _targets: list[Zones]

    def _aimed(self, one: Zones, other: Zones, to: Zones) -> tuple[Zones, Zones]:
        self._targets = [*getattr(self, "_targets", []), to]
        return one, other

    def _random_zone(self, machines: Zones) -> Zones:
        at = (self.chance.random(len(machines)) * self.choice_count[machines]).astype(np.intp)
        return np.asarray(self.choices[machines, at])

    def _of_groups(self, part: float) -> tuple[Zones, Zones]:
        count = max(1, round(len(self.apart) * part))
        picked = self.chance.permutation(len(self.apart))[:count]
        at = self.firsts[picked] + (self.chance.random(count) * self.sizes[picked]).astype(np.intp)
        one = self.members[at]
        to = self._random_zone(one)
        other = self.holder[self.apart[picked], to]
        # The other one goes where this one stands.
        fits = (other < 0) | self.problem.allowed[other, self.standing.zones[one]]
        fits &= other != one
        return self._aimed(one[fits], other[fits], to[fits])

    def _moves(self, part: float) -> tuple[Zones, Zones]:
        count = max(1, round(len(self.singles) * part))
        one = self.singles[self.chance.permutation(len(self.singles))[:count]]
        return self._aimed(one, np.full(count, -1, dtype=np.intp), self._random_zone(one))

    def _swaps(self, part: float) -> tuple[Zones, Zones]:
        count = max(1, round(len(self.singles) * part) // 2)
        picked = self.singles[self.chance.permutation(len(self.singles))[: 2 * count]]
        half = len(picked) // 2
        one, other = picked[:half], picked[half : 2 * half]
        zones, allowed = self.standing.zones, self.problem.allowed
        fits = allowed[one, zones[other]] & allowed[other, zones[one]]
        return self._aimed(one[fits], other[fits], zones[other[fits]])

    def _take(self, one: Zones, other: Zones, to: Zones) -> None:
        """Take proposals as far as capacity and spread allow."""
        kept = np.ones(len(one), dtype=bool)
        was = self.standing.zones[one]
        if self.is_limited:
            kept &= self._with_room(one, other, to)
        machines, zones = _flat(one[kept], other[kept], was[kept], to[kept])
        broken = self._broken_groups(machines, zones)
        if len(broken):
            group = self.problem.group_of
            hit = np.isin(group[one], broken) | ((other >= 0) & np.isin(group[other], broken))
            kept &= ~hit
            if self.is_limited and not self._is_within(one[kept], other[kept], to[kept]):
                return
            machines, zones = _flat(one[kept], other[kept], was[kept], to[kept])
        if not len(machines):
            return
        groups = self.problem.group_of[machines]
        apart = np.isin(groups, self.apart)
        self.holder[groups[apart], self.standing.zones[machines[apart]]] = -1
        self.standing.move_many(machines, zones)
        self.holder[groups[apart], zones[apart]] = machines[apart]

    def _with_room(self, one: Zones, other: Zones, to: Zones) -> NDArray[np.bool_]:
        """Return which proposals to take, so that every zone holds what comes."""
        kept = np.ones(len(one), dtype=bool)
        for _ in range(_TRIMS):
            over = self._over(one[kept], other[kept], to[kept])
            if not over.any():
                return kept
            comes, goes = self._change(one, other, to)
            bad = np.flatnonzero(kept & ((comes & over[to]) | (goes & over[self._was(one)])))
            # Half of them, by chance in their order, then looked at again.
            kept[bad[len(bad) // 2 :]] = False
        over = self._over(one[kept], other[kept], to[kept])
        if over.any():
            kept[:] = False
        return kept

    def _was(self, machines: Zones) -> Zones:
        return np.asarray(self.standing.zones[machines])

    def _change(
        self, one: Zones, other: Zones, to: Zones
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which proposals make the wanted zone fuller, and which the left one."""
        more = self._more(one, other)
        return more > 0, more < 0

    def _more(self, one: Zones, other: Zones) -> Floats:
        vcpus = self.problem.vcpus
        return np.asarray(vcpus[one] - np.where(other >= 0, vcpus[other], 0.0))

    def _over(self, one: Zones, other: Zones, to: Zones) -> NDArray[np.bool_]:
        more, count = self._more(one, other), self.problem.zone_count
        used = self.standing.used + np.bincount(to, weights=more, minlength=count)
        used -= np.bincount(self._was(one), weights=more, minlength=count)
        # A zone that is too full today may stay so, as long as it does not get fuller.
        limit = np.maximum(self.problem.capacity, self.standing.used)
        return np.asarray(used > limit + EPSILON)

    def _is_within(self, one: Zones, other: Zones, to: Zones) -> bool:
        return not self._over(one, other, to).any()

    def _broken_groups(self, machines: Zones, zones: Zones) -> Zones:
        """Return the groups that would no longer stand in enough zones."""
        groups = self.problem.group_of[machines]
        loose = (groups >= 0) & ~np.isin(groups, self.apart)
        if not loose.any():
            return np.zeros(0, dtype=np.intp)
        counts = self.standing.group_counts.copy()
        np.subtract.at(counts, (groups[loose], self._was(machines[loose])), 1)
        np.add.at(counts, (groups[loose], zones[loose]), 1)
        least = np.array([group.least_zones for group in self.problem.groups])
        return np.flatnonzero((counts > 0).sum(axis=1) < least)


def _flat(one: Zones, other: Zones, was: Zones, to: Zones) -> tuple[Zones, Zones]:
    """Return every machine that moves, with its zone: those who change places go the other way."""
    has_other = other >= 0
    return np.concatenate([one, other[has_other]]), np.concatenate([to, was[has_other]])
