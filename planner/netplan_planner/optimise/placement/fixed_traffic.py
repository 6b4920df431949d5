"""Traffic that costs the same in every placement."""

import numpy as np

from netplan_planner.optimise.placement.problem import Layer, PlacementProblem, sparse_rows


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
