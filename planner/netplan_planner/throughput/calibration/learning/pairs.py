"""What pairs of places keep to themselves: history of the same path, once all else is taken off."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import ProbedPair
from netplan_planner.throughput.calibration.factors.calibrated import PAIR_SHARE
from netplan_planner.throughput.calibration.factors.factor_paths import (
    answers,
    bound_slot,
    incidence,
    run_scatter,
    slopes,
    values_of,
)
from netplan_planner.throughput.calibration.factors.shared_factors import SLOTS
from netplan_planner.throughput.calibration.learning.joint_mode import Probes, residuals
from netplan_planner.throughput.calibration.learning.posterior import HIGH, LOW, Posterior
from netplan_planner.throughput.goodput.mean import Column

_GRID = np.linspace(-5.0, 1.5, 651)
"""Of the logarithm of a pair's factor."""
_ODD_SHARE = 0.05
"""Of pairs that are unlike all others, and of runs that are unlike the pair."""
_MOST_RUNS = 9
"""More of a path make it no likelier that their median is of the pair."""


class PairRuns(NamedTuple):
    """Which pair each probe is of, and what it counts for it."""

    pair: NDArray[np.intp]
    """Its number; -1 for none."""
    run_count: NDArray[np.intp]
    weight: Column
    """By the age of the newest run."""


def probed_pairs(
    keys: Sequence[str], runs: PairRuns, probes: Probes, found: Posterior
) -> list[ProbedPair]:
    """Return the factor of each pair and limit: the median of its posterior, and its range.

    Args:
        keys: The pairs.
        runs: The pair of each probe.
        probes: All probes, also those that `found` does not rest on.
        found: What all paths share.
    """
    values = values_of(probes.paths.shared_factor, found.factors)
    now = answers(probes.paths, values)
    slope = slopes(probes.paths, values, now)
    touched = incidence(probes.paths.shared_factor, slope, len(found.factors))
    unsure = ((touched @ found.covariance) * touched).sum(axis=1)
    scatter = run_scatter(probes.paths, slope) ** 2
    own = PAIR_SHARE * scatter
    # The share of the scatter that is left after several runs has the pair's own share in it.
    rest = (probes.scatter_share - PAIR_SHARE) * scatter + unsure
    residual = residuals(probes, now.log_gbps)
    slot = bound_slot(now.means)
    codes = np.where(runs.pair >= 0, runs.pair * len(SLOTS) + slot, -1)
    order = np.argsort(codes, kind="stable")
    distinct, starts = np.unique(codes[order], return_index=True)
    parts = zip(distinct.tolist(), np.split(order, starts[1:]), strict=True)
    return [
        _probed(keys[code // len(SLOTS)], SLOTS[code % len(SLOTS)], rows, own, rest, residual, runs)
        for code, rows in parts
        if code >= 0
    ]


def _probed(
    key: str,
    limit: str,
    rows: NDArray[np.intp],
    own: Column,
    rest: Column,
    residual: Column,
    runs: PairRuns,
) -> ProbedPair:
    odd = _ODD_SHARE / (_GRID[-1] - _GRID[0])
    log_density = np.log((1 - _ODD_SHARE) * _normal(_GRID, float(own[rows].mean())) + odd)
    for row in rows:
        seen = _normal(_GRID - residual[row], float(rest[row]))
        # The median of several runs is unlike the pair only where most of them are.
        share = _ODD_SHARE ** ((1 + min(int(runs.run_count[row]), _MOST_RUNS)) / 2)
        seen = (1 - share) * seen + share / (_GRID[-1] - _GRID[0])
        log_density += runs.weight[row] * np.log(seen)
    density = np.exp(log_density - log_density.max())
    reached = np.cumsum(density) - density / 2
    low, middle, high = np.exp(np.interp((LOW, 0.5, HIGH), reached / density.sum(), _GRID))
    return ProbedPair(
        key=key,
        limit=limit,
        ratio=float(f"{middle:.6g}"),
        low_ratio=float(f"{low:.6g}"),
        high_ratio=float(f"{high:.6g}"),
        run_count=int(runs.run_count[rows].sum()),
    )


def _normal(distance: Column, variance: float) -> Column:
    scale = 1 / math.sqrt(2 * math.pi * variance)
    return np.asarray(scale * np.exp(-0.5 * distance**2 / variance))
