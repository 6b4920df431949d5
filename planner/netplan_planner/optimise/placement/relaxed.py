"""A program without whole numbers, kept by HiGHS between one question and the next."""

from typing import Any, NamedTuple

import highspy
import numpy as np

from netplan_planner.optimise.placement.problem import Floats, Zones
from netplan_planner.optimise.placement.program import Program, Row

_ROWS_BEFORE_CLEANING = 1.5


class Relaxation(NamedTuple):
    """An answer."""

    usd: float
    values: Floats
    reduced_usd: Floats
    """What one more of each variable costs."""


class Relaxed:
    """The linear program."""

    def __init__(self, program: Program, scale: float) -> None:
        """Take the rows so far; dollars are multiplied by `scale` for the solver's tolerances."""
        self._solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in program.options().items():
            self._solver.setOptionValue(name, value)
        model = program.model()
        model.integrality_ = []
        self._scale, self._constant = scale, program.constant
        model.col_cost_, model.offset_ = np.array(program.costs) * scale, 0.0
        self._solver.passModel(model)
        self.count = 0

    def add(self, rows: list[Row]) -> None:
        """Add rows."""
        low = np.array([row[1] for row in rows])
        high = np.array([row[2] for row in rows])
        starts = np.cumsum([0, *(len(row[0]) for row in rows)])[:-1].astype(np.int32)
        columns = np.array([c for row in rows for c, _ in row[0]], dtype=np.int32)
        values = np.array([v for row in rows for _, v in row[0]])
        self._solver.addRows(len(rows), low, high, len(columns), starts, columns, values)

    def upper(self, columns: Zones, values: Floats) -> None:
        """Let variables go up to these figures."""
        self._solver.changeColsBounds(
            len(columns), columns.astype(np.int32), np.zeros(len(columns)), values
        )

    def solve(self) -> Relaxation | None:
        """Return the answer; None where there is none."""
        self._solver.run()
        self.count += 1
        status = self._solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(str(status))
        answer = self._solver.getSolution()
        usd = float(self._solver.getInfo().objective_function_value) / self._scale
        return Relaxation(
            usd + self._constant, np.array(answer.col_value), np.array(answer.col_dual) / self._scale
        )
