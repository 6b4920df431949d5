"""Placements against each other: what two agree on stands still, the rest goes to its optimum.

Long searches end in different placements that have most of the good in common. Where they differ
lies the little that is worth an exact answer (Rothberg, "An Evolutionary Algorithm for Polishing
Mixed Integer Programming Solutions", INFORMS Journal on Computing 19, 2007).
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

from netplan_planner.verbs.place.solve.descent import solve_open
from netplan_planner.verbs.place.solve.problem import PlacementProblem, Standing, Zones
from netplan_planner.verbs.place.solve.program import Effort

_MOST_OPEN = 40
"""Machines that one program can place within its few branches."""


def cross(
    problem: PlacementProblem, found: list[Zones], *, rounds: int, seed: int, effort: Effort
) -> Zones:
    """Return the cheapest placement after so many crossings, no dearer than any that is given.

    Args:
        problem: What is asked.
        found: Placements that keep every constraint, at least one.
        rounds: How many pairs are crossed.
        seed: Of their choice.
        effort: A last resort, after which no further pair is crossed.
    """
    chance = np.random.default_rng(seed)
    found = list(found)
    usd = [problem.usd(zones) for zones in found]
    is_open = problem.allowed.sum(axis=1) > 1
    for _ in range(rounds if len(found) > 1 else 0):
        if not effort.left_s():
            break
        cheap, dear = sorted(chance.choice(len(found), 2, replace=False), key=usd.__getitem__)
        differs = found[cheap] != _renamed(problem, found[cheap], found[dear])
        machines = np.flatnonzero(differs & is_open)
        if not len(machines):
            continue
        if len(machines) > _MOST_OPEN:
            machines = np.sort(chance.choice(machines, _MOST_OPEN, replace=False))
        standing = Standing(problem, found[cheap])
        if solve_open(standing, machines, effort):
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
