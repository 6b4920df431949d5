"""What is left unknown of each factor once probes are in: a posterior on a one-dimensional grid.

Each factor has its own grid. All others are integrated out as if they were normal around the joint
mode, so that two limits that could each explain a figure are both left uncertain. Limits that no
probe reached keep their spread, cut off below where the figures say "at least this".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.calibration.factors.factor_paths import LIKELIER, Matrix, incidence
from netplan_planner.throughput.calibration.learning.joint_mode import (
    Prior,
    Probes,
    State,
    along,
    beliefs,
    grid_of,
    joint_mode,
    misfit,
    pulls,
    residuals,
)
from netplan_planner.throughput.goodput.mean import Column

LOW, HIGH = 0.05, 0.95
"""Percentiles of the range that is reported."""
GRID_POINTS = 60
REACHED_SLOPE = 0.1
"""A limit whose factor moves the figure by less than a tenth of itself has not told its value."""
BOUND_DROP = 0.05
"""A limit that would lower the figure by that much, had it been lower, is known "at least"."""
LEAST_FREEDOM = 0.05


class Posterior(NamedTuple):
    """What the probes say of each shared factor; arrays go by factor unless they say otherwise."""

    factors: Column
    """The joint mode, as a natural logarithm."""
    low: Column
    high: Column
    covariance: Matrix
    is_told: NDArray[np.bool_]
    """Whether a probe's figure told a shared factor's value; axes: probe, shared factor."""
    is_bound: NDArray[np.bool_]
    """Whether it only said "at least"."""
    is_believed: NDArray[np.bool_]
    """Whether a probe is more likely one that nothing else slowed down."""
    log_gbps: Column
    """Of each probe, under the factors."""
    surprise: Column
    """Of each probe: its squared residual over what was to be expected, had it been left out."""


def posterior(probes: Probes, prior: Prior) -> Posterior:
    """Return the posterior of all shared factors of some probes."""
    mode = joint_mode(probes, prior)
    residual, weight = pulls(probes, mode)
    slope = incidence(probes.paths.shared_factor, mode.slope, len(prior.slot))
    precision = (slope * weight[:, None]).T @ slope
    covariance = np.asarray(np.linalg.inv(precision + np.diag(1 / prior.variance)), dtype=float)
    leverage = np.einsum("pl,lm,pm->p", slope, covariance, slope) * weight
    shape = (len(residual), len(prior.slot))
    low, high = mode.factors.copy(), mode.factors.copy()
    is_told, is_bound = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    is_believed = beliefs(probes, mode) > LIKELIER
    around = _Around(probes, prior, mode, precision, slope, residual, weight)
    for shared_factor in range(len(prior.slot)):
        grid = grid_of(prior, shared_factor, GRID_POINTS)
        rows, predicted = along(probes, prior, mode, shared_factor, grid)
        ends = _range(around, shared_factor, grid, rows, predicted)
        low[shared_factor], high[shared_factor] = (
            min(ends[0], low[shared_factor]),
            max(ends[1], high[shared_factor]),
        )
        reached = np.abs(slope[rows, shared_factor]) > REACHED_SLOPE
        told = reached & ~probes.is_at_least[rows] & is_believed[rows]
        least = predicted.min(axis=1) - mode.log_gbps[rows]
        is_told[rows, shared_factor] = told
        is_bound[rows, shared_factor] = ~told & is_believed[rows] & (least < -BOUND_DROP)
    return Posterior(
        factors=mode.factors,
        low=low,
        high=high,
        covariance=covariance,
        is_told=is_told,
        is_bound=is_bound,
        is_believed=is_believed,
        log_gbps=mode.log_gbps,
        surprise=residual**2 / mode.scatter**2 / np.maximum(1 - leverage, LEAST_FREEDOM),
    )


class _Around(NamedTuple):
    """The joint mode with the normal distribution around it."""

    probes: Probes
    prior: Prior
    mode: State
    precision: Matrix
    slope: Matrix
    residual: Column
    weight: Column


def _range(
    around: _Around, shared_factor: int, grid: Column, rows: NDArray[np.intp], predicted: Matrix
) -> tuple[float, float]:
    """Return the range of a shared factor; `predicted` is what the model says along its grid."""
    prior, mode = around.prior, around.mode
    weight = around.weight[rows][:, None]
    change = predicted - mode.log_gbps[rows][:, None]
    others = np.arange(len(prior.slot)) != shared_factor
    # With the others at their best for each point: they give way as far as their own spread lets.
    pull = around.slope[rows][:, others].T @ (weight * change)
    stiff = around.precision[np.ix_(others, others)] + np.diag(1 / prior.variance[others])
    relief = (pull * np.linalg.solve(stiff, pull)).sum(axis=0) / 2
    fit = (weight * (around.residual[rows][:, None] * change - change**2 / 2)).sum(axis=0)
    log_density = fit + relief - prior.penalty_of(shared_factor, grid)
    log_density -= _at_least_cost(around.probes, mode, rows, predicted)
    density = np.exp(log_density - log_density.max()) * np.gradient(grid)
    reached = (np.cumsum(density) - density / 2) / density.sum()
    low, high = np.interp((LOW, HIGH), reached, grid)
    return float(low), float(high)


def _at_least_cost(
    probes: Probes, mode: State, rows: NDArray[np.intp], predicted: Matrix
) -> Column:
    """Return what points of a grid cost that lie below what capped probes carried."""
    which = rows[probes.is_at_least[rows]]
    if not len(which):
        return np.zeros(predicted.shape[1])
    some = probes.rows(which)
    kept = predicted[probes.is_at_least[rows]]
    cost = misfit(some, residuals(some, kept), mode.scatter[which][:, None]).sum(axis=0)
    return np.asarray(cost - cost.min())
