"""The cheapest offers and commitments of a fleet by HiGHS, with a bound that no plan undercuts.

A linear program with everything divisible gives the bound, and leaves few classes divided between
offers. Small fleets are solved as they are, in whole groups and units; in large ones the divided
classes are rounded, the clearest first and the rest solved again, and commitments follow. Only
where that is too far from the bound, whole numbers are searched for these classes.
"""

import numpy as np

from netplan_planner.errors import InputError
from netplan_planner.optimise.highs import Effort, run
from netplan_planner.verbs.fleet.program import (
    Floats,
    Infeasible,
    Layout,
    Model,
    Places,
    Program,
    Solution,
    fixed,
    model_of,
)

SMALL = 400
"""Columns up to which all is decided in whole numbers at once."""
_EXACT = 60
"""Columns up to which nothing is left between plan and bound."""
_NEAR = 1e-4
"""Between plan and bound, at which a large fleet's rounded program is good enough."""
_TARGET = 9e-4
"""The same, at which the search ends that follows."""
_OF_FEW = Effort(gap=1e-8, nodes=20_000, seconds=120.0)
_OF_SMALL = Effort(gap=1e-4, nodes=500, seconds=120.0)
_OF_DIVIDED = Effort(gap=2e-4, nodes=100, seconds=120.0)
_WHOLE = 1e-6


def solve(program: Program) -> Solution | Infeasible:
    """Return what to take and to commit to, or which limits cannot be kept.

    Raises:
        InputError: If HiGHS ends without an answer.
    """
    model = model_of(program)
    relaxed = run(model)
    if relaxed is None:
        return _shortage(program)
    divided, bound = relaxed
    rounded = run(fixed(model, np.arange(program.columns), _rounded(program, divided)))
    start = None if rounded is None else rounded[0]
    if program.columns <= SMALL:
        sold = np.arange(model.layout.committed, model.layout.flexible)
        whole = np.concatenate([np.arange(program.columns), sold])
        effort = _OF_FEW if program.columns <= _EXACT else _OF_SMALL
        found = run(model, whole, effort, start)
        if found is None:
            return _shortage(program)
        return _solution(program, model.layout, found[0], max(bound, found[1]))
    if start is None or model.usd(start) > bound + _NEAR * abs(bound):
        dived = _dive(program, model, divided)
        start = start if dived is None else dived
    if start is None or model.usd(start) > bound + _TARGET * abs(bound):
        start = _searched(program, model, divided, start, bound)
    if start is None:
        return _shortage(program)
    return _solution(program, model.layout, start, bound)


def _dive(program: Program, model: Model, divided: Floats) -> Floats | None:
    """Round the clearer half of the divided classes and solve the rest again, until none is left.

    None: a limit was overrun on the way.
    """
    values, columns = divided, program.columns
    classes = _class_of(program)
    low, high = model.low.copy(), model.high.copy()
    while True:
        taken = values[:columns]
        rest = taken - np.floor(taken + _WHOLE)
        is_open = np.zeros(len(program.group_counts), dtype=bool)
        is_open[classes[np.abs(taken - np.rint(taken)) > _WHOLE]] = True
        open_classes = np.flatnonzero(is_open)
        if not len(open_classes):
            return values
        clear = np.maximum.reduceat(rest, program.start[:-1])[open_classes]
        half = np.argsort(-clear, kind="stable")[: (len(open_classes) + 1) // 2]
        is_open[open_classes[half]] = False
        is_closed = ~is_open[classes]
        whole = _rounded(program, values)
        low[:columns][is_closed] = high[:columns][is_closed] = whole[is_closed]
        high[:columns][~is_closed & (taken < _WHOLE)] = 0
        found = run(model._replace(low=low.copy(), high=high.copy()))
        if found is None:
            return None
        values = found[0]


def _class_of(program: Program) -> Places:
    """Return the class of each column."""
    return np.repeat(np.arange(len(program.group_counts)), np.diff(program.start))


def _searched(
    program: Program, model: Model, divided: Floats, start: Floats | None, bound: float
) -> Floats | None:
    """Search whole numbers for the classes that the linear program divides, others as it has them.

    First only between what it divides them between; with limits that leaves nothing at times.
    """
    columns = program.columns
    taken = divided[:columns]
    classes = _class_of(program)
    is_off = np.abs(taken - np.rint(taken)) > _WHOLE
    is_divided = np.zeros(len(program.group_counts), dtype=bool)
    is_divided[classes[is_off]] = True
    effort = _OF_DIVIDED._replace(target=bound + _TARGET * abs(bound))
    near = fixed(model, np.flatnonzero(~is_off), np.rint(taken[~is_off]))
    near.low[:columns] = np.maximum(near.low[:columns], np.floor(taken + _WHOLE))
    near.high[:columns] = np.minimum(near.high[:columns], np.ceil(taken - _WHOLE))
    kept = np.flatnonzero(~is_divided[classes])
    for one in (near, fixed(model, kept, np.rint(taken[kept])), model):
        found = run(one, np.arange(columns), effort, start)
        if found is not None:
            best = start is not None and model.usd(start) <= model.usd(found[0])
            return start if best else found[0]
    return start


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


def _solution(program: Program, layout: Layout, values: Floats, bound: float) -> Solution:
    terms = len(program.flexible)
    steps = np.array([pool.step for pool in program.pools])
    committed = values[layout.committed : layout.flexible].reshape(len(program.pools), terms)
    # Rounded down to what is sold: a unit above what runs is paid for nothing.
    units = np.floor(committed + 1e-6) * steps[:, None]
    return Solution(
        counts=np.rint(values[: program.columns]).astype(np.intp),
        committed=units,
        flexible=np.maximum(values[layout.flexible : layout.short], 0.0),
        bound_usd_per_month=bound,
    )


def _shortage(program: Program) -> Infeasible:
    """Return by how much limits would have to grow at least.

    Raises:
        InputError: If even that has no answer.
    """
    model = model_of(program, may_grow=True)
    found = run(model)
    if found is None:
        raise InputError("HiGHS found no plan, and no reason why there is none")
    values, _ = found
    return Infeasible(short=values[model.layout.short : model.layout.end])
