"""HiGHS, asked: a linear program, with or without whole numbers, to its values and its bound."""

from typing import Any, NamedTuple, Protocol

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from netplan_planner.errors import InputError

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_SIMPLEX = 20_000
"""Columns up to which the linear program goes to the simplex method; interior points above."""


class Linear(Protocol):
    """A linear program: costs and bounds of its variables, a matrix by columns, bounds of rows."""

    @property
    def cost(self) -> Floats:
        """Of one unit of each variable."""

    @property
    def low(self) -> Floats:
        """Least value of each variable."""

    @property
    def high(self) -> Floats:
        """Greatest value of each variable."""

    @property
    def matrix(self) -> Any:
        """Rows × variables, compressed by columns."""

    @property
    def row_low(self) -> Floats:
        """What each row lies above."""

    @property
    def row_high(self) -> Floats:
        """What each row lies below."""


class Rows:
    """Rows of a sparse matrix, a block at a time."""

    def __init__(self) -> None:
        self._count = 0
        self._at: list[Any] = []
        self._columns: list[Any] = []
        self._values: list[Any] = []
        self._low: list[Any] = []
        self._high: list[Any] = []

    def add(self, rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]) -> None:
        """Add cells to the block that `bounds` ends; rows count from its first."""
        self._at.append(rows + self._count)
        self._columns.append(columns)
        self._values.append(values)

    def bounds(self, low: NDArray[Any], high: NDArray[Any]) -> None:
        """End the block with what its rows lie between."""
        self._low.append(low)
        self._high.append(high)
        self._count += len(low)

    def done(self, columns: int) -> tuple[Any, Floats, Floats]:
        """Return the matrix by columns, and the bounds of its rows."""
        cells = (np.concatenate(self._at), np.concatenate(self._columns))
        matrix = coo_array((np.concatenate(self._values), cells), shape=(self._count, columns))
        low, high = np.concatenate(self._low), np.concatenate(self._high)
        return matrix.tocsc(), low.astype(float), high.astype(float)


class Priced(NamedTuple):
    """The solution of a linear program with what each row is worth."""

    values: Floats
    duals: Floats
    """Rows: by how much the cost falls where a row's bound grows by one, as HiGHS signs it."""
    usd: float


class Effort(NamedTuple):
    """How long to search for whole numbers; nodes bound it, so that a run can be repeated."""

    gap: float
    nodes: int
    seconds: float
    """A last resort, which HiGHS keeps loosely."""
    target: float = -np.inf
    """A cost that is good enough."""


def run(
    model: Linear,
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


def run_priced(model: Linear) -> Priced | None:
    """Return the solution of a linear program and the worth of its rows; None: there is none.

    Raises:
        InputError: If HiGHS ends for another reason.
    """
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.passModel(_program_of(model, None))
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    if status != highspy.HighsModelStatus.kOptimal:
        raise InputError(f"HiGHS ended without a plan: {solver.modelStatusToString(status)}")
    answer = solver.getSolution()
    return Priced(
        values=np.array(answer.col_value),
        duals=np.array(answer.row_dual),
        usd=float(solver.getInfo().objective_function_value),
    )


def _program_of(model: Linear, whole: Places | None) -> Any:
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
