"""Down to where no single move, swap or new order of a group costs less.

A few groups at a time to their optimum, all others standing still: again and again.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import linear_sum_assignment

from netplan_planner.verbs.place.solve.exact import solve_exactly
from netplan_planner.verbs.place.solve.problem import (
    BROKEN_USD,
    EPSILON,
    Floats,
    PlacementProblem,
    Standing,
    Zones,
)
from netplan_planner.verbs.place.solve.program import Effort
from netplan_planner.verbs.place.solve.reduced import reduced, with_open

_MOST_PASSES = 30
_SWAP_PARTNERS = 24
"""Machines of the wanted zone that a machine which does not fit there tries to change with."""
_NODES = 60
_MOST_WORK = 4e6
"""Of the programs of one search, as `Effort` counts it: a second, about."""


def descend(standing: Standing, passes: int = _MOST_PASSES) -> None:
    """Improve a placement that keeps every constraint until nothing near it is better."""
    problem = standing.problem
    machines = [int(m) for m in problem.movable if problem.group_of[m] < 0]
    groups = [
        number
        for number, group in enumerate(problem.groups)
        if problem.allowed[group.members].sum(axis=1).max(initial=0) > 1
    ]
    for _ in range(passes):
        moved = False
        for number in groups:
            moved |= _order_group(standing, number)
        for machine in machines:
            moved |= _move_one(standing, machine)
        if not moved:
            return


def _move_one(standing: Standing, machine: int) -> bool:
    """Move a machine to the best zone with room, or change places with one that stands there."""
    gains = np.where(standing.problem.allowed[machine], standing.gains(machine), -np.inf)
    for zone in np.argsort(-gains, kind="stable").tolist():
        if gains[zone] <= EPSILON:
            return False
        if standing.fits(machine, zone):
            standing.move(machine, zone)
            return True
        if standing.keeps_spread(machine, zone) and _swap(standing, machine, zone):
            return True
    return False


def _swap(standing: Standing, machine: int, zone: int) -> bool:
    problem, was = standing.problem, int(standing.zones[machine])
    there = np.flatnonzero((standing.zones == zone) & problem.allowed[:, was])
    loss = standing.usd[there, was] - standing.usd[there, zone]
    for other in there[np.argsort(loss, kind="stable")[:_SWAP_PARTNERS]].tolist():
        if not standing.keeps_spread(other, was) or not _has_room(standing, machine, other):
            continue
        # Two of one group keep its zones by changing places: asked of each alone, it need not.
        if standing.swap_gain(machine, other) > EPSILON:
            standing.move(machine, zone)
            standing.move(other, was)
            return True
    return False


def _has_room(standing: Standing, one: int, other: int) -> bool:
    problem = standing.problem
    a, b = int(standing.zones[one]), int(standing.zones[other])
    more = problem.vcpus[one] - problem.vcpus[other]
    return bool(
        standing.used[b] + more <= problem.capacity[b] + EPSILON
        and standing.used[a] - more <= problem.capacity[a] + EPSILON
    )


def _order_group(standing: Standing, number: int) -> bool:
    """Give a group's members the best zones: all at once where no two may share one."""
    group = standing.problem.groups[number]
    if group.is_apart and _assign(standing, number):
        return True
    moved = False
    for machine in group.members.tolist():
        moved |= _move_one(standing, machine)
    return moved


def _assign(standing: Standing, number: int) -> bool:
    problem = standing.problem
    members = problem.groups[number].members
    costs = np.where(problem.allowed[members], standing.usd[members], BROKEN_USD * BROKEN_USD)
    _, chosen = linear_sum_assignment(costs)
    before = standing.zones[members]
    if np.array_equal(before, chosen):
        return False
    used = standing.used.copy()
    np.subtract.at(used, before, problem.vcpus[members])
    np.add.at(used, chosen, problem.vcpus[members])
    if (used > problem.capacity + EPSILON).any():
        return False
    if not problem.allowed[members, chosen].all():
        return False
    return move_if_better(standing, members.tolist(), chosen.tolist())


def move_if_better(standing: Standing, machines: list[int], zones: list[int]) -> bool:
    """Move machines one after the other, and back unless the bill falls by all together."""
    before = [int(standing.zones[machine]) for machine in machines]
    gain = 0.0
    for machine, zone in zip(machines, zones, strict=True):
        gain += float(standing.gains(machine)[zone])
        standing.move(machine, zone)
    if gain > EPSILON:
        return True
    for machine, zone in zip(reversed(machines), reversed(before), strict=True):
        standing.move(machine, zone)
    return False


def improve(
    problem: PlacementProblem,
    zones: Zones,
    *,
    rounds: int,
    size: int,
    seed: int,
    effort: Effort,
    say: Callable[[str], None] = lambda _: None,
) -> Zones:
    """Return a placement that is no dearer, after so many neighbourhoods.

    Args:
        problem: What is asked.
        zones: A placement that keeps every constraint.
        rounds: How many neighbourhoods are looked at.
        size: Machines that are open in one.
        seed: Of the choice.
        effort: A last resort, after which no further one is begun.
        say: Where progress goes.
    """
    chance = np.random.default_rng(seed)
    standing = Standing(problem, zones)
    units = _units(problem)
    if not units or sum(map(len, units)) <= 1:
        return zones
    unit_of = np.full(problem.count, -1, dtype=np.intp)
    for number, members in enumerate(units):
        unit_of[members] = number
    idle, most_work = 0, effort.work + _MOST_WORK
    for number in range(rounds):
        if not effort.left_s() or effort.work > most_work or idle > 3 * len(units):
            break
        if number and not number % 50:
            say(f"{number:,} of {rounds:,} neighbourhoods")
        machines = _neighbourhood(standing, units, unit_of, size, chance)
        idle = 0 if machines is not None and solve_open(standing, machines, effort) else idle + 1
    return standing.zones


def _units(problem: PlacementProblem) -> list[Zones]:
    """Return what is opened together: a group that stands apart, or a machine alone."""
    is_open = problem.allowed.sum(axis=1) > 1
    units = []
    taken = np.zeros(problem.count, dtype=bool)
    for group in problem.groups:
        if group.is_apart:
            members = group.members[is_open[group.members]]
            taken[members] = True
            if len(members):
                units.append(members)
    return [*units, *(np.array([m]) for m in np.flatnonzero(is_open & ~taken))]


def _neighbourhood(
    standing: Standing,
    units: list[Zones],
    unit_of: Zones,
    size: int,
    chance: np.random.Generator,
) -> Zones | None:
    """Return machines around one that pays for traffic, those with most of it between first."""
    problem = standing.problem
    paid = standing.usd[np.arange(problem.count), standing.zones]
    paid = np.where(unit_of >= 0, np.maximum(paid, 0.0), 0.0)
    total = float(paid.sum())
    if total <= EPSILON:
        return None
    first = int(np.searchsorted(np.cumsum(paid), chance.random() * total))
    chosen: dict[int, None] = {}
    reach: dict[int, float] = {int(unit_of[min(first, problem.count - 1)]): 1.0}
    count = 0
    while reach and count < size:
        # Some chance, so that no two neighbourhoods of one machine need be alike.
        unit = max(reach, key=lambda one: (reach[one], -one))
        if len(reach) > 1 and chance.random() < 0.2:
            keys = sorted(reach)
            unit = keys[int(chance.random() * len(keys))]
        del reach[unit]
        chosen[unit] = None
        count += len(units[unit])
        for machine in units[unit].tolist():
            _reach(standing, machine, unit_of, chosen, reach)
    if not chosen:
        return None
    return np.sort(np.concatenate([units[unit] for unit in chosen]))


def _reach(
    standing: Standing,
    machine: int,
    unit_of: Zones,
    chosen: dict[int, None],
    reach: dict[int, float],
) -> None:
    for layer in standing.problem.priced_layers:
        rows = layer.weights
        first, last = rows.indptr[machine], rows.indptr[machine + 1]
        for other, weight in zip(
            unit_of[rows.indices[first:last]].tolist(), rows.data[first:last].tolist(), strict=True
        ):
            if other >= 0 and other not in chosen:
                reach[other] = reach.get(other, 0.0) + weight


def solve_open(standing: Standing, machines: Zones, effort: Effort) -> bool:
    """Move these machines where it is cheapest while all others stand; say whether it was."""
    problem = standing.problem
    part = reduced(problem, standing.zones, machines, is_priced=False)
    vcpus: Floats = problem.vcpus[machines]
    found = solve_exactly(
        part,
        vcpus,
        standing.zones[machines],
        effort=effort,
        node_limit=_NODES,
    )
    if found.zones is None:
        return False
    before = standing.zones.copy()
    after = with_open(standing.zones, part, found.zones)
    usd = float(problem.usd(before)) if problem.count < 2000 else None
    for machine in machines[before[machines] != after[machines]].tolist():
        standing.move(machine, int(after[machine]))
    if usd is None:
        return bool((before != standing.zones).any())
    if problem.usd(standing.zones) < usd - EPSILON and not problem.faults(standing.zones):
        return True
    for machine in machines[before[machines] != after[machines]].tolist():
        standing.move(machine, int(before[machine]))
    return False
