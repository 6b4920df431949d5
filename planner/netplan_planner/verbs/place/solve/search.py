"""The whole way: a start, search, proof of what is small, a bound of what is not."""

from collections.abc import Callable
from itertools import islice, permutations
from time import monotonic
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from netplan_planner.verbs.place.solve.annealing import anneal
from netplan_planner.verbs.place.solve.bounds import lower_bound, star_usd
from netplan_planner.verbs.place.solve.descent import descend, improve
from netplan_planner.verbs.place.solve.exact import prove, solve_exactly
from netplan_planner.verbs.place.solve.feasible import Shortfalls, nearest
from netplan_planner.verbs.place.solve.moves import Step, steps_to, with_fewest_moves
from netplan_planner.verbs.place.solve.problem import EPSILON, PlacementProblem, Standing, Zones
from netplan_planner.verbs.place.solve.reduced import (
    Reduced,
    cost_of,
    reduced,
    still_usd,
    with_open,
)
from netplan_planner.verbs.place.solve.walk import HOT, cross, walk

MOST_EXACT = 130
"""Open machines of a part that a program is asked of."""


EXACT_S = 6.5


ALL_EXACT_S = 12.0


_NODES = 30


_FOUND_S = 10.0
"""A last resort; the nodes end most searches of a solver."""


_MOST_NAMES = 120
"""Exchanges of zones' names that are tried to fit a part into what others leave."""


PROGRAM = "program"


_WALKED = 1500
"""Open machines up to which they are moved one at a time."""


_STEPS, _MOST_STEPS = 3_000, 1_200_000


_SEEDS = (1, 2, 3)


_HOT_SEEDS = tuple(range(11, 21))


_CROSSINGS = 60


_ROUNDS = 20_000


_WORK = 1.2e11
"""Numbers that rounds of annealing may touch in all: some 20 seconds."""


_NEIGHBOURHOODS = 60


_MORE_NEIGHBOURHOODS = 400


_OPEN = 24


_SEARCH_S = 12.0


_PROOF_RATIO = 1e-6
"""Of the dollars, within which a plan and its bound are the same."""


Say = Callable[[str], None]


class Placed(NamedTuple):
    """A placement and what is known of it."""

    zones: Zones
    usd: float
    bound_usd: float
    bound_by: str
    """`program`, `stars` or `eigenvalues`."""
    steps: tuple[Step, ...]
    part_count: int

    @property
    def is_proven(self) -> bool:
        """Whether no placement costs less."""
        return self.usd - self.bound_usd <= _PROOF_RATIO * max(1.0, abs(self.usd))


def best_placement(problem: PlacementProblem, say: Say = lambda _: None) -> Placed | Shortfalls:
    """Return the best zones that are found, or what is missing for any."""
    start = nearest(problem)
    if isinstance(start, Shortfalls):
        return start
    parts = parts_of(problem)
    zones, bound, bound_by = _proven(problem, start, parts, say)
    zones = with_fewest_moves(problem, zones, parts)
    usd = problem.usd(zones)
    return Placed(
        zones=zones,
        usd=usd,
        bound_usd=min(bound, usd),
        bound_by=bound_by,
        steps=steps_to(problem, zones),
        part_count=len(open_parts(problem, parts)),
    )


def _searched(problem: PlacementProblem, start: Zones, say: Say) -> Zones:
    """Return the best of what search finds, no dearer than the start brought down."""
    count = len(problem.movable)
    if not count:
        return start
    say(f"placing {count:,} machines")
    best = _brought_down(problem, start)
    if count > _WALKED:
        links = sum(layer.weights.nnz for layer in problem.layers) + problem.count
        rounds = int(min(_ROUNDS, max(_WORK / (links * problem.zone_count), 300)))
        found = _brought_down(problem, anneal(problem, start, rounds, _SEEDS[0]))
        best = _better(problem, best, found)
    else:
        steps = min(_STEPS * count, _MOST_STEPS)
        for seed in _SEEDS:
            best = _better(problem, best, _brought_down(problem, walk(problem, best, steps, seed)))
    # What is small goes to the proof as it is: few of its plans are left to improve after it.
    return best if count <= MOST_EXACT else _improved(problem, best, say)


def _crossed(problem: PlacementProblem, start: Zones, zones: Zones) -> Zones:
    """Return the best of hot walks from the start, crossed with each other and with these zones.

    They begin at the start: from a good placement a hot walk goes to a worse one.
    """
    start = _brought_down(problem, start)
    steps = _STEPS * len(problem.movable)
    walked = (_brought_down(problem, walk(problem, start, steps, seed, HOT)) for seed in _HOT_SEEDS)
    found = [zones, *(one for one in walked if not problem.faults(one))]
    until = monotonic() + _SEARCH_S
    return cross(problem, found, rounds=_CROSSINGS, seed=_SEEDS[0], until=until)


def _improved(problem: PlacementProblem, zones: Zones, say: Say) -> Zones:
    """Return what is found a few groups at a time."""
    is_small = len(problem.movable) <= MOST_EXACT
    return improve(
        problem,
        zones,
        rounds=_NEIGHBOURHOODS if is_small else _MORE_NEIGHBOURHOODS,
        size=_OPEN,
        seed=_SEEDS[0],
        until=monotonic() + _SEARCH_S,
        say=say,
    )


def _brought_down(problem: PlacementProblem, zones: Zones) -> Zones:
    standing = Standing(problem, zones)
    descend(standing)
    return standing.zones


def _better(problem: PlacementProblem, one: Zones, other: Zones) -> Zones:
    if problem.faults(other):
        return one
    return other if problem.usd(other) < problem.usd(one) - EPSILON else one


def _proven(
    problem: PlacementProblem, start: Zones, parts: Zones, say: Say
) -> tuple[Zones, float, str]:
    """Return the best placement from a start, and a bound of all placements."""
    zones = _searched(problem, start, say)
    count = len(problem.movable)
    if not count:
        return zones, problem.usd(zones), PROGRAM
    zones, of_parts = proven_by_parts(problem, zones, parts, say)
    found = [(of_parts, PROGRAM), lower_bound(problem)]
    usd = problem.usd(zones)
    is_open = usd - max(found)[0] > _PROOF_RATIO * max(1.0, abs(usd))
    if is_open and count <= MOST_EXACT and len(open_parts(problem, parts)) > 1:
        zones, together = proven_together(problem, zones)
        found.append((together, PROGRAM))
        usd = problem.usd(zones)
    bound, by = max(found)
    if count <= MOST_EXACT and usd - bound > _PROOF_RATIO * max(1.0, abs(usd)):
        zones = _crossed(problem, start, found_together(problem, zones))
        zones = _improved(problem, zones, say)
    return zones, float(np.float64(bound)), by


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
