"""A few groups at a time to their optimum, all others standing still: again and again."""

from collections.abc import Callable
from time import monotonic

import numpy as np

from netplan_planner.optimise.placement.exact import solve_exactly
from netplan_planner.optimise.placement.problem import EPSILON, Floats, PlacementProblem, Zones
from netplan_planner.optimise.placement.reduced import reduced, with_open
from netplan_planner.optimise.placement.standing import Standing

_NODES = 60
_SOLVE_S = 2.0
"""A bound for odd cases; the nodes end nearly all."""


def improve(
    problem: PlacementProblem,
    zones: Zones,
    *,
    rounds: int,
    size: int,
    seed: int,
    until: float,
    say: Callable[[str], None] = lambda _: None,
) -> Zones:
    """Return a placement that is no dearer, after so many neighbourhoods.

    Args:
        problem: What is asked.
        zones: A placement that keeps every constraint.
        rounds: How many neighbourhoods are looked at.
        size: Machines that are open in one.
        seed: Of the choice.
        until: A time of the monotonic clock after which no further one is begun.
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
    idle = 0
    for number in range(rounds):
        if monotonic() > until or idle > 3 * len(units):
            break
        if number and not number % 50:
            say(f"{number:,} of {rounds:,} neighbourhoods")
        machines = _neighbourhood(standing, units, unit_of, size, chance)
        idle = 0 if machines is not None and solve_open(standing, machines) else idle + 1
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


def solve_open(standing: Standing, machines: Zones) -> bool:
    """Move these machines where it is cheapest while all others stand; say whether it was."""
    problem = standing.problem
    part = reduced(problem, standing.zones, machines, is_priced=False)
    vcpus: Floats = problem.vcpus[machines]
    found = solve_exactly(
        part,
        vcpus,
        standing.zones[machines],
        time_limit_s=_SOLVE_S,
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
