"""A fleet as numbers: classes of equal groups, pools that commitments cover, dollars a month.

Arrays cross modules here. Columns are offers, those of one class behind one another.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.optimise.highs import Linear, Rows
from netplan_planner.units import HOURS_PER_MONTH

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
NONE = -1
"""In an array of places: none."""


class PoolTerms(NamedTuple):
    """What commitments do for vCPUs or for memory of one series in a region, of one price."""

    existing: float
    """Units that are committed already, and paid whatever is done."""
    fees: tuple[float, ...]
    """Dollars of a committed unit an hour, by the terms of the program; `inf`: not sold."""
    credit: float
    """What a covered unit no longer costs an hour."""
    spend: float
    """What flexible commitments count for a unit an hour; 0: they do not cover it."""
    spend_credit: float
    """What a dollar of that spend no longer costs when it is covered."""
    step: float
    """In which commitments are sold."""


class Program(NamedTuple):
    """What is to be decided: an offer for each group, and the commitments."""

    group_counts: Places
    """Classes: how many equal groups."""
    profile: Places
    """Classes: when they run."""
    start: Places
    """Classes, and one more: the first column of each."""
    usd: Floats
    """Columns: dollars a month of one group, before anything is covered."""
    pool: Places
    """Columns × 2: the pool of its vCPUs and of its memory, or `NONE`."""
    units: Floats
    """Columns × 2: of one group, while it runs."""
    limit_of: Places
    """Columns: the limit that counts it, or `NONE`."""
    limit_units: Floats
    """Columns: vCPUs of one group."""
    limits: Floats
    """Limits: most vCPUs."""
    hours: Floats
    """Stretches: hours a month."""
    runs: NDArray[np.bool_]
    """Profiles × stretches: whether a profile runs."""
    pools: tuple[PoolTerms, ...]
    """Units of one price in one place."""
    sold: Places
    """Pools: the first one that the same commitments serve, at which they are bought."""
    flexible: tuple[float, ...]
    """By the terms: what is paid of a dollar of spend; `inf`: not sold."""
    flexible_existing: float
    """Spend an hour that existing flexible commitments cover."""

    @property
    def columns(self) -> int:
        """How many offers there are."""
        return len(self.usd)


class Solution(NamedTuple):
    """What was decided, and how good it can be at most."""

    counts: Places
    """Columns: how many groups of the class take it."""
    committed: Floats
    """Pools × terms: units to buy."""
    flexible: Floats
    """Terms: dollars an hour to pay for."""
    bound_usd_per_month: float
    """No plan costs less."""


class Infeasible(NamedTuple):
    """Limits that cannot be kept, by the smallest sum of vCPUs that they would have to grow."""

    short: Floats


def used(program: Program, counts: NDArray[Any]) -> Floats:
    """Return the units of each pool that run at once, by profile.

    Args:
        program: The fleet.
        counts: Columns: how many groups take each.
    """
    found = np.zeros((len(program.pools), len(program.runs)))
    profile = np.repeat(program.profile, np.diff(program.start))
    for side in (0, 1):
        has = program.pool[:, side] != NONE
        amounts = counts[has] * program.units[has, side]
        np.add.at(found, (program.pool[has, side], profile[has]), amounts)
    return found


class Layout(NamedTuple):
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


def fixed(model: Linear, columns: NDArray[Any], values: NDArray[Any]) -> Linear:
    """Return a model in which some variables have their values."""
    low, high = model.low.copy(), model.high.copy()
    low[columns] = values
    high[columns] = values
    return model._replace(low=low, high=high)


def layout_of(program: Program) -> Layout:
    """Return where a program's variables stand."""
    pools, terms = len(program.pools), len(program.flexible)
    profiles, stretches = program.runs.shape
    sizes = (
        *(program.columns, pools * profiles, pools * stretches, pools * stretches),
        *(pools * terms, terms, len(program.limits)),
    )
    return Layout(*np.cumsum(sizes).tolist())


def model_of(program: Program, *, may_grow: bool = False) -> Linear:
    """Return a program's matrix; with `may_grow` only the growth of limits costs anything."""
    layout = layout_of(program)
    cost, low, high = _costs(program, layout, may_grow=may_grow)
    rows = Rows()
    classes = np.repeat(np.arange(len(program.group_counts)), np.diff(program.start))
    rows.add(classes, np.arange(program.columns), np.ones(program.columns))
    rows.bounds(program.group_counts, program.group_counts)
    _add_use(program, layout, rows)
    _add_cover(program, layout, rows)
    _add_limits(program, layout, rows)
    return Linear(cost, low, high, *rows.done(layout.end))


def _costs(program: Program, layout: Layout, *, may_grow: bool) -> tuple[Floats, Floats, Floats]:
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
    fees[program.sold != np.arange(pools)] = np.inf
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


def _add_use(program: Program, layout: Layout, rows: Rows) -> None:
    """Add what runs of each pool, by profile: its units, less the variable for it, are 0."""
    profiles = len(program.runs)
    profile = np.repeat(program.profile, np.diff(program.start))
    for side in (0, 1):
        has = np.flatnonzero(program.pool[:, side] != NONE)
        rows.add(program.pool[has, side] * profiles + profile[has], has, program.units[has, side])
    count = len(program.pools) * profiles
    rows.add(np.arange(count), layout.used + np.arange(count), np.full(count, -1.0))
    rows.bounds(np.zeros(count), np.zeros(count))


def _add_cover(program: Program, layout: Layout, rows: Rows) -> None:
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
    serving = np.repeat(program.sold * stretches, stretches) + every % stretches
    rows.add(serving, layout.covered + every, np.ones(count))
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


def _add_limits(program: Program, layout: Layout, rows: Rows) -> None:
    """Add that no limit counts more than it allows."""
    count = len(program.limits)
    has = np.flatnonzero(program.limit_of != NONE)
    rows.add(program.limit_of[has], has, program.limit_units[has])
    rows.add(np.arange(count), layout.short + np.arange(count), np.full(count, -1.0))
    rows.bounds(np.full(count, -np.inf), program.limits)
