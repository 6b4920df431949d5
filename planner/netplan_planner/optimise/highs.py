"""HiGHS, asked: a linear program, with or without whole numbers, to its values and its bound."""

from typing import Any, NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import InputError

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_SIMPLEX = 20_000
"""Columns up to which the linear program goes to the simplex method; interior points above."""


class Linear(NamedTuple):
    """A linear program: what its columns cost a unit and lie between, and its rows."""

    cost: Floats
    low: Floats
    high: Floats
    matrix: tuple[Places, Places, Floats]
    """By columns: where the cells of each start, their rows, their values. SciPy's takes 0.2 s to
    import."""
    row_low: Floats
    row_high: Floats

    def usd(self, values: Floats) -> float:
        """Return what a plan costs."""
        return float(self.cost @ values)


class Rows:
    """Rows of a sparse matrix, a block at a time."""

    def __init__(self) -> None:
        self._count = 0
        self._cells: list[tuple[NDArray[Any], ...]] = []
        self._bounds: list[tuple[NDArray[Any], ...]] = []

    def add(self, rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]) -> None:
        """Add cells to the block that `bounds` ends; rows count from its first."""
        self._cells.append((rows + self._count, columns, values))

    def bounds(self, low: NDArray[Any], high: NDArray[Any]) -> None:
        """End the block with what its rows lie between."""
        self._bounds.append((low, high))
        self._count += len(low)

    def done(self, columns: int) -> tuple[tuple[Places, Places, Floats], Floats, Floats]:
        """Return the matrix by columns, whose cells are sums, and the bounds of its rows."""
        at, column, value = map(np.concatenate, zip(*self._cells, strict=True))
        # Indices of few machines are short integers, whose product would not fit.
        numbers = column.astype(np.intp) * self._count + at
        cells, which = np.unique(numbers, return_inverse=True)
        column, at = np.divmod(cells, max(self._count, 1))
        starts = np.searchsorted(column, np.arange(columns + 1))
        sums = np.bincount(which, value, len(cells)).astype(float)
        low, high = map(np.concatenate, zip(*self._bounds, strict=True))
        return (starts, at, sums), low.astype(float), high.astype(float)


class Answer(NamedTuple):
    """The solution of a program."""

    values: Floats
    bound: float
    """What is proven of the least cost."""
    duals: Floats
    """Rows: by how much the cost falls where a row's bound grows by one, as HiGHS signs it; of a
    program without whole numbers."""


class Clock:
    """A last resort for searches, which HiGHS keeps loosely."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.has_struck = False
        """Whether it ended one, found or not: then the plan depends on the computer's load."""


def stopped_after(seconds: float) -> str:
    """Return what is said of a plan whose search the clock ended."""
    return (
        f"the search stopped after {seconds:g} s on the clock, before its normal end; on a less "
        "busy computer the plan may be better"
    )


class Effort(NamedTuple):
    """How long to search for whole numbers; nodes bound it, so that a run can be repeated."""

    gap: float
    nodes: int
    clock: Clock
    target: float = -np.inf
    """A cost that is good enough."""
    is_optional: bool = False
    """Whether to find nothing within it is no error: there is another plan to go on with."""


def run(
    model: Linear,
    whole: Places | None = None,
    effort: Effort | None = None,
    start: Floats | None = None,
) -> Answer | None:
    """Return the best solution; None where there is none, or none was found within the effort.

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
        solver.setOptionValue("time_limit", effort.clock.seconds)
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
    status, kinds = solver.getModelStatus(), highspy.HighsModelStatus
    answer, info = solver.getSolution(), solver.getInfo()
    if effort is not None:
        effort.clock.has_struck |= status == kinds.kTimeLimit
    is_feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    has_ended = status in {kinds.kTimeLimit, kinds.kSolutionLimit}
    may_fail = effort is not None and effort.is_optional and has_ended
    if status == kinds.kInfeasible or (may_fail and not is_feasible):
        return None
    if status != kinds.kOptimal and not (effort is not None and is_feasible):
        raise InputError(f"the solver HiGHS returned no plan: {solver.modelStatusToString(status)}")
    return Answer(
        values=np.array(answer.col_value),
        bound=float(info.objective_function_value if whole is None else info.mip_dual_bound),
        duals=np.array(answer.row_dual),
    )


def _program_of(model: Linear, whole: Places | None) -> Any:
    """Return a model as HiGHS takes it."""
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.cost), len(model.row_low)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.cost, model.low, model.high
    lp.row_lower_, lp.row_upper_ = model.row_low, model.row_high
    held = lp.a_matrix_
    held.format_ = highspy.MatrixFormat.kColwise
    held.start_, held.index_, held.value_ = model.matrix
    if whole is not None:
        kinds = [highspy.HighsVarType.kContinuous] * len(model.cost)
        for column in whole.tolist():
            kinds[column] = highspy.HighsVarType.kInteger
        lp.integrality_ = kinds
    return lp
