"""Parts that exchange no traffic, each proven by itself; only capacity ties them together."""

from collections.abc import Callable
from itertools import islice, permutations
from time import monotonic

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from netplan_planner.verbs.place.solve.bounds import star_usd
from netplan_planner.verbs.place.solve.exact import prove, solve_exactly
from netplan_planner.verbs.place.solve.problem import EPSILON, PlacementProblem, Zones
from netplan_planner.verbs.place.solve.reduced import (
    Reduced,
    cost_of,
    reduced,
    still_usd,
    with_open,
)

MOST_EXACT = 130
"""Open machines of a part that a program is asked of."""
EXACT_S = 6.5
ALL_EXACT_S = 12.0
_NODES = 30
_FOUND_S = 10.0
"""A last resort; the nodes end most searches of a solver."""
_MOST_NAMES = 120
"""Exchanges of zones' names that are tried to fit a part into what others leave."""


def parts_of(problem: PlacementProblem) -> Zones:
    """Return the part of each machine: by traffic between open ones, groups and round trips."""
    still = problem.allowed.sum(axis=1) == 1
    one, other = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
    for layer in problem.layers:
        rows = layer.weights.tocoo()
        kept = ~still[rows.row] & ~still[rows.col]
        one.append(rows.row[kept])
        other.append(rows.col[kept])
    for group in problem.groups:
        one.append(np.full(len(group.members), group.members[0]))
        other.append(group.members)
    ends = np.concatenate(one), np.concatenate(other)
    graph = coo_array((np.ones(len(ends[0])), ends), shape=(problem.count, problem.count))
    _, found = connected_components(graph, directed=False)
    return np.asarray(found, dtype=np.intp)


def open_parts(problem: PlacementProblem, parts: Zones) -> list[Zones]:
    """Return the open machines of each part, the greatest parts last."""
    found = [problem.movable[parts[problem.movable] == n] for n in np.unique(parts)]
    return sorted((one for one in found if len(one)), key=lambda one: (len(one), one.tolist()))


def proven_by_parts(
    problem: PlacementProblem, zones: Zones, parts: Zones, say: Callable[[str], None]
) -> tuple[Zones, float]:
    """Return a placement that is no dearer, and a bound: the sum of what each part costs at least.

    A part is asked of as if all capacity were its own, which no placement can better.
    """
    still = problem.allowed.sum(axis=1) == 1
    used = np.bincount(
        problem.today[still], weights=problem.vcpus[still], minlength=problem.zone_count
    )
    bound = still_usd(problem, zones, problem.movable)
    stars = star_usd(problem)
    until = monotonic() + ALL_EXACT_S
    for members in open_parts(problem, parts):
        least = float(
            np.where(problem.allowed, problem.unary_usd, np.inf)[members].min(axis=1).sum()
        )
        least += float(stars[members].sum())
        if len(members) > MOST_EXACT:
            bound += least
            continue
        part = reduced(problem, zones, members)._replace(
            room=problem.capacity - used, fixed_usd=0.0
        )
        own = cost_of(part, zones[members])
        left = until - monotonic()
        if own - least > EPSILON and left > 0:
            say(f"proving a part of {len(members):,} machines")
            vcpus, start = problem.vcpus[members], zones[members]
            found = prove(part, vcpus, start, time_limit_s=min(EXACT_S, left))
            least = max(least, found.bound_usd)
            if found.zones is not None and cost_of(part, found.zones) < own - EPSILON:
                zones = _fitted(problem, zones, part, found.zones)
        bound += min(least, own) if own < np.inf else least
    return zones, bound


def _fitted(problem: PlacementProblem, zones: Zones, part: Reduced, chosen: Zones) -> Zones:
    """Return the placement with a part as chosen, zones' names exchanged where that makes room."""
    usd = problem.usd(zones)
    used = np.unique(np.flatnonzero(part.allowed.any(axis=0)))
    for order in islice(permutations(used.tolist()), _MOST_NAMES):
        new_name = np.arange(problem.zone_count)
        new_name[used] = order
        trial = with_open(zones, part, new_name[chosen])
        if not problem.faults(trial) and problem.usd(trial) < usd - EPSILON:
            return trial
    return zones


def proven_together(problem: PlacementProblem, zones: Zones) -> tuple[Zones, float]:
    """Return the same of all open machines at once, capacity and all."""
    part = reduced(problem, zones, problem.movable)
    vcpus, start = problem.vcpus[part.machines], zones[part.machines]
    found = prove(part, vcpus, start, time_limit_s=EXACT_S)
    return _cheaper(problem, zones, part, found.zones), found.bound_usd


def found_together(problem: PlacementProblem, zones: Zones) -> Zones:
    """Return a placement that is no dearer, by the heuristics of a solver.

    Where branches prove nothing, these find plans that moving few machines at a time does not.
    """
    part = reduced(problem, zones, problem.movable)
    vcpus, start = problem.vcpus[part.machines], zones[part.machines]
    found = solve_exactly(part, vcpus, start, time_limit_s=_FOUND_S, node_limit=_NODES)
    return _cheaper(problem, zones, part, found.zones)


def _cheaper(problem: PlacementProblem, zones: Zones, part: Reduced, chosen: Zones | None) -> Zones:
    """Return the placement with its open machines as chosen, where that is cheaper and allowed."""
    if chosen is None:
        return zones
    trial = with_open(zones, part, chosen)
    is_cheaper = problem.usd(trial) < problem.usd(zones) - EPSILON
    return trial if is_cheaper and not problem.faults(trial) else zones
