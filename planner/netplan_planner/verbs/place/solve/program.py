"""A mixed-integer program under construction, and HiGHS that solves it: one thread, one seed."""

from typing import Any, NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from netplan_planner.verbs.place.solve.problem import Floats

INFINITY = float(highspy.kHighsInf)
_GAP_USD = 1e-6
_GAP_RATIO = 1e-9
Row = tuple[list[tuple[int, float]], float, float]
"""Terms, and between which figures their sum lies."""


class Solved(NamedTuple):
    """What came out."""

    values: Floats | None
    """None: nothing was found."""
    bound: float
    """No answer is below it."""
    is_proven: bool
    is_infeasible: bool


class Program:
    """Minimise costs of variables from 0 to 1, under rows."""

    def __init__(self) -> None:
        """Begin without any."""
        self.costs: list[float] = []
        self.uppers: list[float] = []
        self.lowers: list[float] = []
        self.is_whole: list[bool] = []
        self.constant = 0.0
        self._rows: list[tuple[float, float]] = []
        self._columns: list[int] = []
        self._values: list[float] = []
        self._starts: list[int] = [0]

    def variable(self, usd: float = 0.0, *, is_whole: bool = False, upper: float = 1.0) -> int:
        """Add a variable and return its number."""
        self.costs.append(usd)
        self.lowers.append(0.0)
        self.uppers.append(upper)
        self.is_whole.append(is_whole)
        return len(self.costs) - 1

    def row(self, terms: list[tuple[int, float]], least: float, most: float) -> None:
        """Add a row: the sum of the terms lies between two figures."""
        self._rows.append((least, most))
        for column, value in terms:
            self._columns.append(column)
            self._values.append(value)
        self._starts.append(len(self._columns))

    def solve(
        self, *, start: Floats | None, time_limit_s: float, node_limit: int | None = None
    ) -> Solved:
        """Return the best answer that is found, and how good one can be at best."""
        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        options = self.options(time_limit_s)
        if node_limit is not None:
            options["mip_max_nodes"] = node_limit
        for name, value in options.items():
            solver.setOptionValue(name, value)
        solver.passModel(self.model())
        if start is not None:
            given = highspy.HighsSolution()
            given.col_value = start.tolist()
            solver.setSolution(given)
        solver.run()
        return self._read(solver)

    @staticmethod
    def options(time_limit_s: float = INFINITY) -> dict[str, Any]:
        """Return what HiGHS is told: one thread, one seed, and when to end."""
        return {
            "output_flag": False,
            "threads": 1,
            "parallel": "off",
            "random_seed": 0,
            "mip_rel_gap": _GAP_RATIO,
            "mip_abs_gap": _GAP_USD,
            "time_limit": time_limit_s,
        }

    def model(self) -> Any:
        """Return the program as HiGHS takes it."""
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.costs), len(self._rows)
        model.offset_ = self.constant
        model.col_cost_ = np.array(self.costs)
        model.col_lower_, model.col_upper_ = np.array(self.lowers), np.array(self.uppers)
        bounds = np.array(self._rows).reshape(-1, 2)
        model.row_lower_, model.row_upper_ = bounds[:, 0], bounds[:, 1]
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.array(self._starts)
        model.a_matrix_.index_ = np.array(self._columns)
        model.a_matrix_.value_ = np.array(self._values)
        kinds = highspy.HighsVarType
        model.integrality_ = [kinds.kInteger if one else kinds.kContinuous for one in self.is_whole]
        return model

    def _read(self, solver: Any) -> Solved:
        status = solver.getModelStatus()
        statuses = highspy.HighsModelStatus
        is_infeasible = status == statuses.kInfeasible
        info = solver.getInfo()
        is_proven = status == statuses.kOptimal
        values = None
        found: NDArray[np.float64] = np.array(solver.getSolution().col_value, dtype=float)
        if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
            values = found
        bound = float(info.mip_dual_bound) if any(self.is_whole) else -INFINITY
        if is_proven and not any(self.is_whole):
            bound = float(info.objective_function_value)
        return Solved(values, bound, is_proven, is_infeasible)
