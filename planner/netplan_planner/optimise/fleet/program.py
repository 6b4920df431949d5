"""A fleet as numbers: classes of equal groups, pools that commitments cover, dollars a month.

Arrays cross modules here. Columns are offers, those of one class behind one another.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
NONE = -1
"""In an array of places: none."""


class PoolTerms(NamedTuple):
    """What commitments do in one place: for vCPUs or for memory of one series in a region."""

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
