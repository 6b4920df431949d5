"""A small placement to its proven optimum: by branches, or as a mixed-integer program."""

from typing import NamedTuple

import numpy as np

from netplan_planner.optimise.placement.branching import Branching
from netplan_planner.optimise.placement.formulation import Formulation
from netplan_planner.optimise.placement.problem import Floats, Zones
from netplan_planner.optimise.placement.program import INFINITY
from netplan_planner.optimise.placement.reduced import Reduced
from netplan_planner.optimise.placement.symmetry import broken_symmetry


class Exact(NamedTuple):
    """What is known of a part."""

    zones: Zones | None
    """Of the open machines; None where nothing was found."""
    bound_usd: float
    """Of the part with all that stands still."""
    is_proven: bool
    is_infeasible: bool


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
    return Exact(zones, float(bound), solved.is_proven, solved.is_infeasible)
