"""The cheapest offers and commitments of a fleet by HiGHS, with a bound that no plan undercuts.

A linear program with everything divisible gives the bound, and leaves few classes divided between
offers. Small fleets are solved as they are, in whole groups and units; in large ones only the
divided classes are decided again, by a smaller program, and commitments follow.
"""

from typing import Any, NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from netplan_planner.errors import InputError
from netplan_planner.optimise.fleet.program import (
    NONE,
    Floats,
    Infeasible,
    Places,
    Program,
    Solution,
)
from netplan_planner.units import HOURS_PER_MONTH

SMALL = 400
"""Columns up to which all is decided in whole numbers at once."""
_SIMPLEX = 20_000
"""Columns up to which the linear program goes to the simplex method; interior points above."""
_NEAR = 1e-4
"""Between plan and bound, at which a large fleet's rounded program is good enough."""
_TARGET = 5e-4
"""The same, at which the search for what is divided ends."""


class _Effort(NamedTuple):
    """How long to search for whole numbers; nodes bound it, so that a run can be repeated."""

    gap: float
    nodes: int
    seconds: float
    """A last resort, which HiGHS keeps loosely."""
    target: float = -np.inf
    """A cost that is good enough."""


_OF_SMALL = _Effort(gap=1e-8, nodes=20_000, seconds=30.0)
_OF_DIVIDED = _Effort(gap=2e-4, nodes=100, seconds=30.0)
_WHOLE = 1e-7


class _Layout(NamedTuple):
    """Where the variables stand."""

    used: int
    """Pools × profiles: units."""
    covered: int
    """Pools × stretches: units that resource-based commitments cover."""
    spent: int
    """Pools × stretches: dollars an hour that flexible commitments cover."""
    committed: int
    """Pools × terms, in steps."""
    flexible: int
    """Terms: dollars an hour to pay."""
    short: int
    """Limits: vCPUs that they would have to grow."""
    end: int


class _Model(NamedTuple):
    """A linear program in HiGHS's terms."""

    layout: _Layout
    cost: Floats
    low: Floats
    high: Floats
    matrix: Any
    row_low: Floats
    row_high: Floats


def solve(program: Program) -> Solution | Infeasible:
    """Return what to take and to commit to, or which limits cannot be kept.

    Raises:
        InputError: If HiGHS ends without an answer.
    """
    model = _model(program)
    relaxed = _run(model)
    if relaxed is None:
        return _shortage(program)
    divided, bound = relaxed
    start = _start(program, model, divided)
    if program.columns <= SMALL:
        whole = np.arange(program.columns)
        sold = np.arange(model.layout.committed, model.layout.flexible)
        found = _run(model, np.concatenate([whole, sold]), _OF_SMALL, start)
        bound = max(bound, found[1]) if found is not None else bound
    elif start is not None and _usd(model, start) <= bound + _NEAR * abs(bound):
        found = start, bound
    else:
        found = _of_divided(program, model, divided, start, bound)
    if found is None:
        return _shortage(program)
    counts = np.rint(found[0][: program.columns]).astype(np.intp)
    return _solution(program, model.layout, found[0], counts, bound)


def _start(program: Program, model: _Model, divided: Floats) -> Floats | None:
    """Return whole groups near a divided plan, with the best commitments; None: over a limit."""
    found = _run(_fixed(model, np.arange(program.columns), _rounded(program, divided)))
    return None if found is None else found[0]


def solve_commitments(program: Program, counts: Places) -> Solution:
    """Return the best commitments for offers that are taken already, by a linear program."""
    model = _fixed(_model(program), np.arange(program.columns), counts)
    found = _run(model)
    if found is None:
        raise InputError("HiGHS found no commitments for offers that are taken")
    values, bound = found
    return _solution(program, model.layout, values, counts, bound)


def _of_divided(
    program: Program, model: _Model, divided: Floats, start: Floats | None, bound: float
) -> tuple[Floats, float] | None:
    """Decide the classes again that the linear program divides, all others as it has them.

    First only between what it divides them between; with limits that leaves nothing at times.
    """
    taken = divided[: program.columns]
    classes = np.repeat(np.arange(len(program.group_counts)), np.diff(program.start))
    is_off = np.abs(taken - np.rint(taken)) > _WHOLE
    is_divided = np.zeros(len(program.group_counts), dtype=bool)
    is_divided[classes[is_off]] = True
    kept = np.flatnonzero(~is_off)
    rest = _fixed(model, kept, np.rint(taken[kept]))
    rest.low[: program.columns] = np.maximum(rest.low[: program.columns], np.floor(taken + _WHOLE))
    rest.high[: program.columns] = np.minimum(rest.high[: program.columns], np.ceil(taken - _WHOLE))
    whole = np.arange(program.columns)
    effort = _OF_DIVIDED._replace(target=bound + _TARGET * abs(bound))
    found = _run(rest, whole, effort, start)
    if found is not None:
        return found
    kept = np.flatnonzero(~is_divided[classes])
    found = _run(_fixed(model, kept, np.rint(taken[kept])), whole, effort, start)
    return found if found is not None else _run(model, whole, effort, start)


def _usd(model: _Model, values: Floats) -> float:
    return float(model.cost @ values)


def _rounded(program: Program, divided: Floats) -> Places:
    """Return whole groups near what a linear program divides: greatest remainders first."""
    taken = np.maximum(divided[: program.columns], 0.0)
    counts = np.floor(taken + _WHOLE).astype(np.intp)
    for at, groups in enumerate(program.group_counts):
        first, end = program.start[at], program.start[at + 1]
        left = int(groups - counts[first:end].sum())
        if left > 0:
            order = np.argsort(-(taken[first:end] - counts[first:end]), kind="stable")
            counts[first + order[:left]] += 1
    return counts


def _solution(
    program: Program, layout: _Layout, values: Floats, counts: Places, bound: float
) -> Solution:
    terms = len(program.flexible)
    steps = np.array([pool.step for pool in program.pools])
    committed = values[layout.committed : layout.flexible].reshape(len(program.pools), terms)
    # Rounded down to what is sold: a unit above what runs is paid for nothing.
    units = np.floor(committed + 1e-6) * steps[:, None]
    return Solution(
        counts=counts,
        committed=units,
        flexible=np.maximum(values[layout.flexible : layout.short], 0.0),
        bound_usd_per_month=bound,
    )


def _shortage(program: Program) -> Infeasible:
    """Return by how much limits would have to grow at least.

    Raises:
        InputError: If even that has no answer.
    """
    model = _model(program, may_grow=True)
    found = _run(model)
    if found is None:
        raise InputError("HiGHS found no plan, and no reason why there is none")
    values, _ = found
    return Infeasible(short=values[model.layout.short : model.layout.end])


def _fixed(model: _Model, columns: NDArray[Any], values: NDArray[Any]) -> _Model:
    low, high = model.low.copy(), model.high.copy()
    low[columns] = values
    high[columns] = values
    return model._replace(low=low, high=high)


def _model(program: Program, *, may_grow: bool = False) -> _Model:
    """Return a program's matrix; with `may_grow` only the growth of limits costs anything."""
    pools, terms = len(program.pools), len(program.flexible)
    profiles, stretches = program.runs.shape
    sizes = (
        *(program.columns, pools * profiles, pools * stretches, pools * stretches),
        *(pools * terms, terms, len(program.limits)),
    )
    layout = _Layout(*np.cumsum(sizes).tolist())
    cost, low, high = _costs(program, layout, may_grow=may_grow)
    rows = _Rows()
    classes = np.repeat(np.arange(len(program.group_counts)), np.diff(program.start))
    rows.add(classes, np.arange(program.columns), np.ones(program.columns))
    rows.bounds(program.group_counts, program.group_counts)
    _add_use(program, layout, rows)
    _add_cover(program, layout, rows)
    _add_limits(program, layout, rows)
    return _Model(layout, cost, low, high, *rows.done(layout.end))


def _costs(
    program: Program, layout: _Layout, *, may_grow: bool
) -> tuple[Floats, Floats, Floats]:
    cost, low, high = np.zeros(layout.end), np.zeros(layout.end), np.full(layout.end, np.inf)
    pools, stretches = len(program.pools), len(program.hours)
    credit = np.array([pool.credit for pool in program.pools])
    spend = np.array([pool.spend for pool in program.pools])
    spend_credit = np.array([pool.spend_credit for pool in program.pools])
    fees = np.array([pool.fees for pool in program.pools]).reshape(pools, len(program.flexible))
    steps = np.array([pool.step for pool in program.pools])
    groups = np.repeat(program.group_counts, np.diff(program.start))
    high[: program.columns] = groups
    cost[: program.columns] = program.usd
    cost[layout.covered : layout.spent] = -np.outer(credit, program.hours).ravel()
    cost[layout.spent : layout.committed] = -np.outer(spend_credit, program.hours).ravel()
    high[layout.spent : layout.committed] = np.where(np.repeat(spend, stretches) > 0, np.inf, 0)
    flat = (fees * steps[:, None]).ravel() * HOURS_PER_MONTH
    high[layout.committed : layout.flexible] = np.where(np.isinf(flat), 0, np.inf)
    cost[layout.committed : layout.flexible] = np.where(np.isinf(flat), 0, flat)
    is_sold = np.isfinite(np.array(program.flexible))
    high[layout.flexible : layout.short] = np.where(is_sold, np.inf, 0)
    cost[layout.flexible : layout.short] = float(HOURS_PER_MONTH)
    high[layout.short : layout.end] = np.inf if may_grow else 0
    if may_grow:
        cost[:] = 0
        cost[layout.short : layout.end] = 1
    return cost, low, high


class _Rows:
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


def _add_use(program: Program, layout: _Layout, rows: _Rows) -> None:
    """Add what runs of each pool, by profile: its units, less the variable for it, are 0."""
    profiles = len(program.runs)
    profile = np.repeat(program.profile, np.diff(program.start))
    for side in (0, 1):
        has = np.flatnonzero(program.pool[:, side] != NONE)
        rows.add(program.pool[has, side] * profiles + profile[has], has, program.units[has, side])
    count = len(program.pools) * profiles
    rows.add(np.arange(count), layout.used + np.arange(count), np.full(count, -1.0))
    rows.bounds(np.zeros(count), np.zeros(count))


def _add_cover(program: Program, layout: _Layout, rows: _Rows) -> None:
    """Add that cover is at most what runs, and at most what is committed."""
    pools, terms = len(program.pools), len(program.flexible)
    profiles, stretches = program.runs.shape
    count = pools * stretches
    every = np.arange(count)
    spend = np.array([pool.spend for pool in program.pools])
    per_dollar = np.divide(1.0, spend, out=np.zeros(pools), where=spend > 0)
    rows.add(every, layout.covered + every, np.ones(count))
    rows.add(every, layout.spent + every, np.repeat(per_dollar, stretches))
    profile, stretch = np.nonzero(program.runs)
    for pool in range(pools):
        where = layout.used + pool * profiles + profile
        rows.add(pool * stretches + stretch, where, np.full(len(profile), -1.0))
    rows.bounds(np.full(count, -np.inf), np.zeros(count))
    rows.add(every, layout.covered + every, np.ones(count))
    steps = np.repeat(np.array([pool.step for pool in program.pools]), stretches)
    for term in range(terms):
        rows.add(every, layout.committed + every // stretches * terms + term, -steps)
    existing = np.repeat(np.array([pool.existing for pool in program.pools]), stretches)
    rows.bounds(np.full(count, -np.inf), existing)
    rows.add(every % stretches, layout.spent + every, np.ones(count))
    for term, ratio in enumerate(program.flexible):
        bought = np.full(stretches, -1.0 / ratio)
        rows.add(np.arange(stretches), np.full(stretches, layout.flexible + term), bought)
    rows.bounds(np.full(stretches, -np.inf), np.full(stretches, program.flexible_existing))


def _add_limits(program: Program, layout: _Layout, rows: _Rows) -> None:
    """Add that no limit counts more than it allows."""
    count = len(program.limits)
    has = np.flatnonzero(program.limit_of != NONE)
    rows.add(program.limit_of[has], has, program.limit_units[has])
    rows.add(np.arange(count), layout.short + np.arange(count), np.full(count, -1.0))
    rows.bounds(np.full(count, -np.inf), program.limits)


def _run(
    model: _Model,
    whole: Places | None = None,
    effort: _Effort | None = None,
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
    solver = highspy.Highs()
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


def _program_of(model: _Model, whole: Places | None) -> Any:
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
