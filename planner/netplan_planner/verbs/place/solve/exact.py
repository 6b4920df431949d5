"""A small placement to its proven optimum: by branches, or as a mixed-integer program."""

from time import monotonic
from typing import NamedTuple

import numpy as np

from netplan_planner.verbs.place.solve.branching import Branching
from netplan_planner.verbs.place.solve.formulation import Formulation
from netplan_planner.verbs.place.solve.problem import Floats, Zones
from netplan_planner.verbs.place.solve.program import INFINITY
from netplan_planner.verbs.place.solve.reduced import Reduced, cost_of, keeps_constraints
from netplan_planner.verbs.place.solve.symmetry import broken_symmetry

_MOST_WORK = 6e7
"""Steps of the simplex method times rows that a proof may take: some seconds."""


class Exact(NamedTuple):
    """What is known of a part."""

    zones: Zones | None
    """Of the open machines; None where nothing was found."""
    bound_usd: float
    """Of the part with all that stands still."""


def prove(part: Reduced, vcpus: Floats, start: Zones, *, time_limit_s: float) -> Exact:
    """Return the best zones of the open machines, and what no other can undercut, by branches.

    Args:
        part: What is open.
        vcpus: Of the open machines.
        start: Zones that keep every constraint.
        time_limit_s: A last resort, after which the best so far is taken.
    """
    until = monotonic() + time_limit_s
    allowed, start = broken_symmetry(part, start)
    part = part._replace(allowed=allowed)

    def usd_of(zones: Zones) -> float | None:
        is_kept = keeps_constraints(part, vcpus, zones)
        return part.fixed_usd + cost_of(part, zones) if is_kept else None

    search = Branching(Formulation(part, vcpus), start, usd_of)
    found = search.run(most_work=_MOST_WORK, until=until)
    return Exact(found.zones, found.bound_usd)


def solve_exactly(
    part: Reduced,
    vcpus: Floats,
    start: Zones,
    *,
    time_limit_s: float,
    node_limit: int | None = None,
) -> Exact:
    """Return the best zones of the open machines, and what no other can undercut, by HiGHS alone.

    Args:
        part: What is open.
        vcpus: Of the open machines.
        start: Zones that keep every constraint.
        time_limit_s: After which the best so far is taken.
        node_limit: After so many branches likewise; the same on every machine.
    """
    allowed, start = broken_symmetry(part, start)
    model = Formulation(part._replace(allowed=allowed), vcpus)
    solved = model.program.solve(
        start=model.values_of(start), time_limit_s=time_limit_s, node_limit=node_limit
    )
    zones = None if solved.values is None else model.zones_of(solved.values)
    bound = solved.bound if solved.bound > -INFINITY else -np.inf
    return Exact(zones, float(bound))
