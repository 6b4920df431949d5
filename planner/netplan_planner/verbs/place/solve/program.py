"""Programs in HiGHS: with whole numbers, built up, and without, kept between questions."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from scipy.sparse.csgraph import dijkstra

from netplan_planner.verbs.place.solve.problem import EPSILON, Floats, Zones

INFINITY = float(highspy.kHighsInf)
_GAP_USD = 1e-6
_MOST_NODES = 20_000
"""Branches of a program that nobody bounds more closely."""
_GAP_RATIO = 1e-9
Row = tuple[list[tuple[int, float]], float, float]
"""Terms, and between which figures their sum lies."""


class Effort:
    """What programs have taken so far, which ends searches, and a time that does as a last resort.

    The count is the same on every machine; the time is for what it did not foresee.
    """

    def __init__(self, clock: Callable[[], float] = monotonic, seconds: float = 600.0) -> None:
        """Begin to measure, in seconds of a clock that only goes forward."""
        self._clock, self._until = clock, clock() + seconds
        self.work = 0.0
        """Steps of the simplex method times rows: what time goes with."""
        self.has_struck = False
        """Whether anything ended by it: then the answer depends on the machine and its load."""

    def left_s(self) -> float:
        """Return the seconds that are left."""
        left = max(self._until - self._clock(), 0.0)
        self.has_struck |= not left
        return left


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
        self, *, start: Floats | None, effort: Effort, node_limit: int = _MOST_NODES
    ) -> Solved:
        """Return the best answer that is found after so many branches, and a bound of all."""
        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        options = {**self.options(), "mip_max_nodes": node_limit, "time_limit": effort.left_s()}
        for name, value in options.items():
            solver.setOptionValue(name, value)
        solver.passModel(self.model())
        if start is not None:
            given = highspy.HighsSolution()
            given.col_value = start.tolist()
            solver.setSolution(given)
        solver.run()
        effort.work += float(solver.getInfo().simplex_iteration_count) * len(self._rows)
        effort.has_struck |= solver.getModelStatus() == highspy.HighsModelStatus.kTimeLimit
        return self._read(solver)

    @staticmethod
    def options() -> dict[str, Any]:
        """Return what HiGHS is told: one thread, one seed, and how near is near enough."""
        return {
            "output_flag": False,
            "threads": 1,
            "parallel": "off",
            "random_seed": 0,
            "mip_rel_gap": _GAP_RATIO,
            "mip_abs_gap": _GAP_USD,
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


# A program without whole numbers, kept by HiGHS between one question and the next
#
# Rows that hold of every placement, found where a relaxed one breaks them.
#
# Along a way from one member of a group to another that stands apart, some traffic crosses zones.
# From a machine on, no more stands in its zone than a zone holds: who is joined to it by ways that
# do not cross counts. Both are looked for along the shortest ways, by how far pairs are apart in
# the relaxed placement.


_SCALE = 1000.0
"""What the dearest variable costs for HiGHS, whose tolerances are absolute."""
_MOST_ROWS = 1.5
"""Rows, as a multiple of the program's own, above which those that do not bind are left out."""
_SLACK = 1e-6
_VIOLATED = 1e-3
_NONE = -9999
"""What SciPy writes where a way begins."""
Cut = tuple[dict[int, float], float]
"""How much each pair counts that crosses zones, and what the sum is at least."""


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


class CutFinder:
    """Finds rows for one graph of pairs."""

    def __init__(
        self,
        pairs: list[tuple[int, int]],
        groups: list[Zones],
        vcpus: Floats,
        most_vcpus: float,
    ) -> None:
        """Take what does not change.

        Args:
            pairs: Machines that exchange traffic; each pair counts by its place here.
            groups: Machines of which no two share a zone.
            vcpus: Of the machines.
            most_vcpus: That any zone holds.
        """
        self._ends = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        self._number = {pair: number for number, pair in enumerate(pairs)}
        self._groups, self._vcpus, self._most = groups, vcpus, most_vcpus

    def broken(self, crossing: Floats) -> list[Cut]:
        """Return rows that a relaxed placement breaks.

        Args:
            crossing: How far each pair is apart in it, 0 to 1.
        """
        count = len(self._vcpus)
        one, other = self._ends[:, 0], self._ends[:, 1]
        # SciPy takes 0 for no edge.
        lengths = csr_array((np.maximum(crossing, 1e-7), (one, other)), shape=(count, count))
        distance, before = dijkstra(lengths, directed=False, return_predecessors=True)
        found = [*self._paths(distance, before), *self._trees(distance, before)]
        new: dict[tuple[tuple[int, float], ...], Cut] = {}
        for counts, least in found:
            met = sum(count * float(crossing[number]) for number, count in counts.items())
            if met < least - _VIOLATED * max(1.0, least):
                new[tuple(sorted(counts.items()))] = counts, least
        return list(new.values())

    def _pair(self, one: int, other: int) -> int:
        return self._number[min(one, other), max(one, other)]

    def _paths(self, distance: Floats, before: NDArray[np.int32]) -> Iterator[Cut]:
        for members in self._groups:
            for number, one in enumerate(members.tolist()):
                for other in members[number + 1 :].tolist():
                    if distance[one, other] >= 1.0 - _VIOLATED:
                        continue
                    way = {}
                    at = other
                    while at != one:
                        previous = int(before[one, at])
                        way[self._pair(previous, at)] = 1.0
                        at = previous
                    yield way, 1.0

    def _trees(self, distance: Floats, before: NDArray[np.int32]) -> Iterator[Cut]:
        if not np.isfinite(self._most):
            return
        near = np.maximum(1.0 - distance, 0.0) @ self._vcpus
        for root in np.flatnonzero(near > self._most + _VIOLATED).tolist():
            reached = np.flatnonzero(distance[root] < 1.0)
            excess = float(self._vcpus[reached].sum()) - self._most
            below: dict[int, float] = defaultdict(float)
            tree: dict[int, float] = {}
            for machine in reached[np.argsort(-distance[root, reached], kind="stable")].tolist():
                if machine == root:
                    continue
                previous = int(before[root, machine])
                if previous == _NONE:
                    continue
                weight = below[machine] + float(self._vcpus[machine])
                below[previous] += weight
                tree[self._pair(previous, machine)] = min(weight, excess)
            yield tree, excess
