"""A program without whole numbers, kept by HiGHS between one question and the next."""

from typing import Any, NamedTuple

import highspy
import numpy as np
from scipy.sparse import csr_array, vstack

from netplan_planner.optimise.placement.problem import EPSILON, Floats, Zones
from netplan_planner.optimise.placement.program import INFINITY, Program, Row

_SCALE = 1000.0
"""What the dearest variable costs for HiGHS, whose tolerances are absolute."""
_MOST_ROWS = 1.5
"""Rows, as a multiple of the program's own, above which those that do not bind are left out."""
_SLACK = 1e-6


class Relaxation(NamedTuple):
    """An answer."""

    usd: float
    """No answer is below it; -inf where HiGHS knows nothing."""
    values: Floats
    reduced_usd: Floats
    """By how much one of each variable that is 0 would lift that at least."""


class Relaxed:
    """The linear program: variables from 0 to an upper figure."""

    def __init__(self, program: Program) -> None:
        """Take the rows so far."""
        self._solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in program.options().items():
            self._solver.setOptionValue(name, value)
        model = program.model()
        model.integrality_ = []
        self._constant, self._usd = program.constant, np.array(program.costs)
        self._scale = _SCALE / max(float(np.abs(self._usd).max(initial=0.0)), EPSILON)
        model.col_cost_, model.offset_ = self._usd * self._scale, 0.0
        self._solver.passModel(model)
        parts = model.a_matrix_
        shape = (model.num_row_, model.num_col_)
        cells = np.array(parts.value_), np.array(parts.index_), np.array(parts.start_)
        self._rows = csr_array(cells, shape=shape)
        self._low, self._high = np.array(model.row_lower_), np.array(model.row_upper_)
        self._upper = np.array(program.uppers)
        self._own = model.num_row_
        self.work = 0.0
        """Steps of the simplex method times rows: what time goes with, the same everywhere."""

    def add(self, rows: list[Row]) -> None:
        """Add rows, in the place of those that do not bind where they grow many."""
        if self._rows.shape[0] > self._own * _MOST_ROWS:
            self._clean()
        starts = np.cumsum([0, *(len(terms) for terms, _, _ in rows)])
        columns = np.array([c for terms, _, _ in rows for c, _ in terms], dtype=np.int32)
        values = np.array([value for terms, _, _ in rows for _, value in terms])
        low = np.array([least for _, least, _ in rows])
        high = np.array([most for _, _, most in rows])
        begins = starts[:-1].astype(np.int32)
        self._solver.addRows(len(rows), low, high, len(columns), begins, columns, values)
        new = csr_array((values, columns, starts), shape=(len(rows), len(self._usd)))
        self._rows = vstack([self._rows, new], format="csr")
        self._low, self._high = np.append(self._low, low), np.append(self._high, high)

    def _clean(self) -> None:
        sums = np.array(self._solver.getSolution().row_value)
        if len(sums) != len(self._low):
            return
        is_loose = (sums > self._low + _SLACK) & (sums < self._high - _SLACK)
        is_loose[: self._own] = False
        loose = np.flatnonzero(is_loose).astype(np.int32)
        if len(loose):
            self._solver.deleteRows(len(loose), loose)
            self._rows = self._rows[~is_loose]
            self._low, self._high = self._low[~is_loose], self._high[~is_loose]

    def limit(self, columns: Zones, values: Floats) -> None:
        """Let variables go up to these figures."""
        self._upper[columns] = values
        least = np.zeros(len(columns))
        self._solver.changeColsBounds(len(columns), columns.astype(np.int32), least, values)

    def solve(self) -> Relaxation | None:
        """Return the answer; None where no values keep the rows."""
        statuses = highspy.HighsModelStatus
        for _ in range(2):
            self._solver.run()
            self.work += float(self._solver.getInfo().simplex_iteration_count) * len(self._low)
            status = self._solver.getModelStatus()
            if status == statuses.kInfeasible:
                return None
            if status == statuses.kOptimal:
                return self._answer()
            self._solver.clearSolver()
        nothing = np.zeros(len(self._usd))
        return Relaxation(-np.inf, nothing, nothing)

    def _answer(self) -> Relaxation:
        answer = self._solver.getSolution()
        # What the duals prove holds whatever HiGHS's tolerances: by weak duality.
        duals = np.array(answer.row_dual) / self._scale
        duals[(duals > 0) & (self._low <= -INFINITY)] = 0.0
        duals[(duals < 0) & (self._high >= INFINITY)] = 0.0
        reduced = self._usd - self._rows.T @ duals
        met = np.where(duals > 0, self._low, np.where(duals < 0, self._high, 0.0))
        usd = float(duals @ met) + float(np.minimum(reduced, 0.0) @ self._upper)
        return Relaxation(usd + self._constant, np.array(answer.col_value), reduced)
