"""The whole way: a start, search, proof of what is small, a bound of what is not."""

from collections.abc import Callable, Iterator
from itertools import islice, permutations
from time import monotonic
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from netplan_planner.verbs.place.solve.annealing import anneal
from netplan_planner.verbs.place.solve.bounds import lower_bound, star_usd
from netplan_planner.verbs.place.solve.crossing import cross
from netplan_planner.verbs.place.solve.descent import descend, improve
from netplan_planner.verbs.place.solve.exact import MOST_WORK, prove, solve_exactly
from netplan_planner.verbs.place.solve.feasible import Shortfalls, nearest
from netplan_planner.verbs.place.solve.moves import Step, steps_to, with_fewest_moves
from netplan_planner.verbs.place.solve.problem import EPSILON, PlacementProblem, Standing, Zones
from netplan_planner.verbs.place.solve.program import Effort
from netplan_planner.verbs.place.solve.reduced import (
    Reduced,
    cost_of,
    reduced,
    still_usd,
    with_open,
)

MOST_EXACT = 130
"""Open machines of a part that a program is asked of."""
_ALL_WORK = 2 * MOST_WORK
"""Of the proofs of all parts."""
_FOUND_NODES = 30
"""Branches of the program that looks for plans where nothing is proven."""
_MOST_NAMES = 120
"""Exchanges of zones' names that are tried to fit a part into what others leave."""
PROGRAM = "program"
_SWEEPS_PER_MACHINE = 15
_SEEDS = (1, 2, 3)
_MORE_SEEDS = tuple(range(11, 21))
"""Of what is annealed to be crossed."""
_CROSSINGS = 60
_HOT_SWEEPS, _REHEATED_SWEEPS = 3, 2
"""For each machine, where they are too many for a proof."""
_REHEATS = (0.5, 0.4) * 4
_WORK = 1e10
"""Of hot annealing, and of all that comes after it: some 10 seconds each, counted."""
_NEIGHBOURHOODS = 60
_OPEN, _MORE_OPEN = 24, 40
"""Machines of a neighbourhood; more where they are too many for a proof."""
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
    is_cut_short: bool
    """Whether the last resort ended anything: then the answer depends on the machine's load."""

    @property
    def is_proven(self) -> bool:
        """Whether no placement costs less."""
        return self.usd - self.bound_usd <= _PROOF_RATIO * max(1.0, abs(self.usd))


def best_placement(
    problem: PlacementProblem,
    say: Say = lambda _: None,
    clock: Callable[[], float] = monotonic,
) -> Placed | Shortfalls:
    """Return the best zones that are found, or what is missing for any.

    What is done is counted; `clock`, in seconds, ends it as a last resort alone.
    """
    effort = Effort(clock)
    start = nearest(problem, effort)
    if isinstance(start, Shortfalls):
        return start
    parts = parts_of(problem)
    zones, bound, bound_by = _proven(problem, start, parts, effort, say)
    zones = with_fewest_moves(problem, zones, parts)
    usd = problem.usd(zones)
    return Placed(
        zones=zones,
        usd=usd,
        bound_usd=min(bound, usd),
        bound_by=bound_by,
        steps=steps_to(problem, zones),
        part_count=len(open_parts(problem, parts)),
        is_cut_short=effort.has_struck,
    )


def _searched(problem: PlacementProblem, start: Zones, effort: Effort, say: Say) -> Zones:
    """Return the best of what search finds, no dearer than the start brought down."""
    count = len(problem.movable)
    say(f"placing {count:,} VMs")
    best = _brought_down(problem, start)
    if count > MOST_EXACT:
        return _reheated(problem, start, best, effort, say)
    # What is small goes to the proof as it is: few of its plans are left to improve after it.
    for zones in _annealed(problem, start, _SEEDS):
        best = _better(problem, best, zones)
    return best


def _reheated(
    problem: PlacementProblem, start: Zones, best: Zones, effort: Effort, say: Say
) -> Zones:
    """Return the best of annealing from the start, and from the best so far, less hot."""
    count = len(problem.movable)
    for number, heat in enumerate((None, *_REHEATS)):
        is_hot = heat is None
        found = anneal(
            problem,
            start if is_hot else best,
            count * (_HOT_SWEEPS if is_hot else _REHEATED_SWEEPS),
            number,
            most_work=_WORK if is_hot else _WORK / len(_REHEATS),
            heat=heat,
        )
        found = _brought_down(problem, found)
        if not problem.faults(found):
            found = _improved(problem, found, effort, say)
        best = _better(problem, best, found)
    return best


def _annealed(problem: PlacementProblem, start: Zones, seeds: tuple[int, ...]) -> Iterator[Zones]:
    sweeps = _SWEEPS_PER_MACHINE * len(problem.movable)
    for seed in seeds:
        yield _brought_down(problem, anneal(problem, start, sweeps, seed))


def _crossed(problem: PlacementProblem, start: Zones, zones: Zones, effort: Effort) -> Zones:
    """Return the best of what is annealed from the start, crossed with each other and these zones.

    It begins at the start: from a good placement a hot search goes to a worse one.
    """
    found = _annealed(problem, start, _MORE_SEEDS)
    kept = [zones, *(one for one in found if not problem.faults(one))]
    return cross(problem, kept, rounds=_CROSSINGS, seed=_SEEDS[0], effort=effort)


def _improved(problem: PlacementProblem, zones: Zones, effort: Effort, say: Say) -> Zones:
    """Return what is found a few groups at a time."""
    is_small = len(problem.movable) <= MOST_EXACT
    return improve(
        problem,
        zones,
        rounds=_NEIGHBOURHOODS,
        size=_OPEN if is_small else _MORE_OPEN,
        seed=_SEEDS[0],
        effort=effort,
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
    problem: PlacementProblem, start: Zones, parts: Zones, effort: Effort, say: Say
) -> tuple[Zones, float, str]:
    """Return the best placement from a start, and a bound of all placements."""
    count = len(problem.movable)
    if not count:
        return start, problem.usd(start), PROGRAM
    zones = _searched(problem, start, effort, say)
    zones, of_parts = proven_by_parts(problem, zones, parts, effort, say)
    found = [(of_parts, PROGRAM), lower_bound(problem)]
    usd = problem.usd(zones)
    is_open = usd - max(found)[0] > _PROOF_RATIO * max(1.0, abs(usd))
    if is_open and count <= MOST_EXACT and len(open_parts(problem, parts)) > 1:
        zones, together = proven_together(problem, zones, effort)
        found.append((together, PROGRAM))
        usd = problem.usd(zones)
    bound, by = max(found)
    if count <= MOST_EXACT and usd - bound > _PROOF_RATIO * max(1.0, abs(usd)):
        zones = _crossed(problem, start, found_together(problem, zones, effort), effort)
        zones = _improved(problem, zones, effort, say)
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
    problem: PlacementProblem, zones: Zones, parts: Zones, effort: Effort, say: Say
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
    most_work = effort.work + _ALL_WORK
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
        if own - least > EPSILON and effort.work < most_work and effort.left_s():
            say(f"proving a part of {len(members):,} VMs")
            vcpus, start = problem.vcpus[members], zones[members]
            found = prove(part, vcpus, start, effort, min(MOST_WORK, most_work - effort.work))
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


def proven_together(problem: PlacementProblem, zones: Zones, effort: Effort) -> tuple[Zones, float]:
    """Return the same of all open machines at once, capacity and all."""
    part = reduced(problem, zones, problem.movable)
    vcpus, start = problem.vcpus[part.machines], zones[part.machines]
    found = prove(part, vcpus, start, effort)
    return _cheaper(problem, zones, part, found.zones), found.bound_usd


def found_together(problem: PlacementProblem, zones: Zones, effort: Effort) -> Zones:
    """Return a placement that is no dearer, by the heuristics of a solver.

    Where branches prove nothing, these find plans that moving few machines at a time does not.
    """
    part = reduced(problem, zones, problem.movable)
    vcpus, start = problem.vcpus[part.machines], zones[part.machines]
    found = solve_exactly(part, vcpus, start, effort=effort, node_limit=_FOUND_NODES)
    return _cheaper(problem, zones, part, found.zones)


def _cheaper(problem: PlacementProblem, zones: Zones, part: Reduced, chosen: Zones | None) -> Zones:
    """Return the placement with its open machines as chosen, where that is cheaper and allowed."""
    if chosen is None:
        return zones
    trial = with_open(zones, part, chosen)
    is_cheaper = problem.usd(trial) < problem.usd(zones) - EPSILON
    return trial if is_cheaper and not problem.faults(trial) else zones
