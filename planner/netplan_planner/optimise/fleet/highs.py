"""HiGHS, asked: a linear program, with or without whole numbers, to its values and its bound."""

from typing import Any, NamedTuple

import highspy
import numpy as np

from netplan_planner.errors import InputError
from netplan_planner.optimise.fleet.matrix import Model
from netplan_planner.optimise.fleet.program import Floats, Places

_SIMPLEX = 20_000
"""Columns up to which the linear program goes to the simplex method; interior points above."""


class Effort(NamedTuple):
    """How long to search for whole numbers; nodes bound it, so that a run can be repeated."""

    gap: float
    nodes: int
    seconds: float
    """A last resort, which HiGHS keeps loosely."""
    target: float = -np.inf
    """A cost that is good enough."""


def run(
    model: Model,
    whole: Places | None = None,
    effort: Effort | None = None,
    start: Floats | None = None,
) -> tuple[Floats, float] | None:
    """Return the values and what is proven of the least cost; None where there is no solution.

    Args:
        model: The program.
        whole: Variables that are whole numbers.
        effort: How long to search for these.
        start: A plan to begin with.

    Raises:
        InputError: If HiGHS ends for another reason.
    """
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    if effort is not None:
        solver.setOptionValue("time_limit", effort.seconds)
        solver.setOptionValue("mip_max_nodes", effort.nodes)
        solver.setOptionValue("mip_rel_gap", effort.gap)
        solver.setOptionValue("mip_abs_gap", 1e-6)
        solver.setOptionValue("objective_target", effort.target)
    elif len(model.cost) > _SIMPLEX:
        solver.setOptionValue("solver", "ipm")
    solver.passModel(_program_of(model, whole))
    if start is not None:
        known = highspy.HighsSolution()
        known.col_value = start.tolist()
        solver.setSolution(known)
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    answer, info = solver.getSolution(), solver.getInfo()
    is_feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    if status != highspy.HighsModelStatus.kOptimal and not (effort is not None and is_feasible):
        raise InputError(f"HiGHS ended without a plan: {solver.modelStatusToString(status)}")
    proven = info.objective_function_value if whole is None else info.mip_dual_bound
    return np.array(answer.col_value), float(proven)


def _program_of(model: Model, whole: Places | None) -> Any:
    """Return a model as HiGHS takes it."""
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.cost), len(model.row_low)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.cost, model.low, model.high
    lp.row_lower_, lp.row_upper_ = model.row_low, model.row_high
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = model.matrix.indptr
    lp.a_matrix_.index_ = model.matrix.indices
    lp.a_matrix_.value_ = model.matrix.data
    if whole is not None:
        kinds = [highspy.HighsVarType.kContinuous] * len(model.cost)
        for column in whole.tolist():
            kinds[column] = highspy.HighsVarType.kInteger
        lp.integrality_ = kinds
    return lp
