"""The best transfer, found a second time: one linear program for each choice of machine counts.

Shares no code with the planner: dictionaries in, SciPy's `linprog`. For counts that are decided the
time is a variable like the shares of the bytes, so the least over all counts is the least there is.
To several targets each byte crosses an edge once: what crosses is at least what each target gets.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

GIBIBIT = 8 * 2**30 / 1e9
"""Gigabits of a GiB."""
Edge = tuple[str, str]


class Case(NamedTuple):
    """A transfer between places of which rates and prices are known."""

    places: tuple[str, ...]
    gbps: Mapping[Edge, float]
    usd_per_gib: Mapping[Edge, float]
    source: str
    targets: tuple[str, ...]
    gib: float
    most: int
    usd_per_hour: float | None
    deadline_s: float | None = None


class Best(NamedTuple):
    """The least cost, and the machines that have it."""

    usd: float
    counts: dict[str, int]


def best(case: Case, *, only: Sequence[Edge] | None = None) -> Best | None:
    """Return the least cost of a case; None: nothing keeps the deadline."""
    edges = [
        edge
        for edge in sorted(case.gbps)
        if edge in case.usd_per_gib and case.gbps[edge] > 0 and (only is None or edge in only)
    ]
    found: Best | None = None
    choices = [(0, *range(1, case.most + 1))] * len(case.places)
    if case.usd_per_hour is None:
        choices = [(case.most,)] * len(case.places)
    for numbers in product(*choices):
        counts = dict(zip(case.places, numbers, strict=True))
        if not all(counts[end] for end in (case.source, *case.targets)):
            continue
        usd = _least(case, edges, counts)
        if usd is not None and (found is None or usd < found.usd):
            found = Best(usd, counts)
    return found


def _least(case: Case, edges: Sequence[Edge], counts: Mapping[str, int]) -> float | None:
    wide = len(edges) * (1 + len(case.targets)) + 1
    at = {edge: number for number, edge in enumerate(edges)}
    cost = np.zeros(wide)
    for edge in edges:
        cost[at[edge]] = case.usd_per_gib[edge] * case.gib
    cost[-1] = sum(counts.values()) * (case.usd_per_hour or 0.0) / 3600
    below: list[np.ndarray] = []
    equal: list[np.ndarray] = []
    balance: list[float] = []
    gigabits = case.gib * GIBIBIT

    def at_most(group: Sequence[Edge], gbps: float) -> None:
        row = np.zeros(wide)
        row[[at[edge] for edge in group]] = gigabits
        row[-1] = -gbps
        below.append(row)

    for edge in edges:
        for end in edge:
            at_most([edge], case.gbps[edge] * counts[end])
    for place in case.places:
        for side in (0, 1):
            group = [edge for edge in edges if edge[side] == place]
            if group:
                at_most(group, max(case.gbps[edge] for edge in group) * counts[place])
    for number, target in enumerate(case.targets, 1):
        for place in case.places:
            row = np.zeros(wide)
            for edge in edges:
                column = number * len(edges) + at[edge]
                row[column] = float(edge[0] == place) - float(edge[1] == place)
            equal.append(row)
            balance.append(float(place == case.source) - float(place == target))
        for edge in edges:
            row = np.zeros(wide)
            row[number * len(edges) + at[edge]], row[at[edge]] = 1.0, -1.0
            below.append(row)
    bounds = [(0.0, 1.0)] * (wide - 1) + [(0.0, case.deadline_s)]
    answer = linprog(
        cost,
        A_ub=np.array(below),
        b_ub=np.zeros(len(below)),
        A_eq=np.array(equal),
        b_eq=np.array(balance),
        bounds=bounds,
    )
    return float(answer.fun) if answer.status == 0 else None
