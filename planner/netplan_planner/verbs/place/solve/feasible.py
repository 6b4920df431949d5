"""A placement near today's that keeps every constraint; else what it lacks at least.

Traffic that costs the same in every placement.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from netplan_planner.verbs.place.solve.problem import (
    EPSILON,
    Layer,
    PlacementProblem,
    Zones,
    sparse_rows,
)
from netplan_planner.verbs.place.solve.program import INFINITY, Effort, Program

_SHORT = 1e4
"""What a missing vCPU, zone or limit counts against a machine that moves, which counts 1."""
_MATTERS = 1e-6


class Shortfalls(NamedTuple):
    """What is missing at least, all together."""

    vcpus: tuple[tuple[int, float], ...]
    """By zone."""
    zones: tuple[tuple[int, int], ...]
    """By group: in so many zones too few."""
    pairs: tuple[int, ...]
    """Limits of round trips, by their place in the problem."""
    is_known: bool = True
    """False: the branches ended before anything was found."""


def nearest(problem: PlacementProblem, effort: Effort | None = None) -> Zones | Shortfalls:
    """Return a placement that keeps every constraint and moves few, or what is missing for one."""
    if not problem.faults(problem.today):
        return problem.today
    program = Program()
    at: list[dict[int, int]] = []
    for machine in range(problem.count):
        zones = np.flatnonzero(problem.allowed[machine]).tolist()
        today = int(problem.today[machine])
        at.append({z: program.variable(0.0 if z == today else 1.0, is_whole=True) for z in zones})
        program.row([(column, 1.0) for column in at[-1].values()], 1.0, 1.0)
    more = _capacity_rows(problem, program, at)
    fewer = _group_rows(problem, program, at)
    far = _limit_rows(problem, program, at)
    solved = program.solve(start=None, effort=effort or Effort())
    if solved.values is None:
        return Shortfalls((), (), (), is_known=False)
    values = solved.values
    vcpus = tuple((z, float(values[c])) for z, c in more if values[c] > _MATTERS)
    zones_short = tuple((g, round(float(values[c]))) for g, c in fewer if values[c] > 0.5)
    pairs = tuple(n for n, c in far if values[c] > 0.5)
    if vcpus or zones_short or pairs:
        return Shortfalls(vcpus, zones_short, pairs)
    return np.array([max(one, key=lambda z: values[one[z]]) for one in at], dtype=np.intp)


def _capacity_rows(
    problem: PlacementProblem, program: Program, at: list[dict[int, int]]
) -> list[tuple[int, int]]:
    found = []
    for zone in np.flatnonzero(np.isfinite(problem.capacity)).tolist():
        terms = [(one[zone], float(problem.vcpus[m])) for m, one in enumerate(at) if zone in one]
        if sum(value for _, value in terms) <= problem.capacity[zone] + EPSILON:
            continue
        more = program.variable(_SHORT, upper=INFINITY)
        program.row([*terms, (more, -1.0)], -INFINITY, float(problem.capacity[zone]))
        found.append((zone, more))
    return found


def _group_rows(
    problem: PlacementProblem, program: Program, at: list[dict[int, int]]
) -> list[tuple[int, int]]:
    found = []
    for number, group in enumerate(problem.groups):
        by_zone: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for machine in group.members.tolist():
            for zone, column in at[machine].items():
                by_zone[zone].append((column, 1.0))
        used = []
        for terms in by_zone.values():
            is_used = program.variable()
            program.row([*terms, (is_used, -1.0)], 0.0, INFINITY)
            used.append((is_used, 1.0))
        fewer = program.variable(_SHORT, is_whole=True, upper=float(group.least_zones))
        program.row([*used, (fewer, 1.0)], float(group.least_zones), INFINITY)
        found.append((number, fewer))
    return found


def _limit_rows(
    problem: PlacementProblem, program: Program, at: list[dict[int, int]]
) -> list[tuple[int, int]]:
    found = []
    for number, limit in enumerate(problem.rtt_limits):
        far = limit.is_too_far | limit.is_too_far.T
        broken = program.variable(_SHORT, is_whole=True)
        found.append((number, broken))
        for zone, column in at[limit.one].items():
            terms = [(c, 1.0) for z, c in at[limit.other].items() if far[zone, z]]
            if terms:
                program.row([*terms, (column, 1.0), (broken, -1.0)], -INFINITY, 1.0)
    return found


def without_fixed_traffic(problem: PlacementProblem) -> PlacementProblem:
    """Return the problem without traffic inside groups that stand apart: it costs what it costs."""
    if not problem.is_potts or not problem.groups:
        return problem
    is_apart = np.array([group.is_apart for group in problem.groups])

    def kept(layer: Layer) -> Layer:
        rows = layer.weights.tocoo()
        group = problem.group_of[rows.row]
        fixed = (group >= 0) & (group == problem.group_of[rows.col]) & is_apart[group]
        values = np.where(fixed, 0.0, rows.data)
        return Layer(sparse_rows(values, (rows.row, rows.col), problem.count), layer.usd)

    return problem.with_layers(tuple(map(kept, problem.priced_layers)), problem.rtt_limits)
