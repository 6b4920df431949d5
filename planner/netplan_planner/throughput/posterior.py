"""What is left unknown of each factor once probes are in: a posterior on a one-dimensional grid.

Each latent has its own grid. All others are integrated out as if they were normal around the joint
mode, so that two limits that could each explain a figure are both left uncertain. Limits that no
probe reached keep their spread, cut off below where the figures say "at least this".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.joint_mode import (
    Prior,
    Probes,
    State,
    along,
    grid_of,
    joint_mode,
    misfit,
    pulls,
    residuals,
)
from netplan_planner.throughput.latent_paths import Matrix, incidence
from netplan_planner.throughput.mean import Column

LOW, HIGH = 0.05, 0.95
"""Percentiles of the range that is reported."""
GRID_POINTS = 60
REACHED_SLOPE = 0.1
"""A limit whose factor moves the figure by less than a tenth of itself has not told its value."""
BOUND_DROP = 0.05
"""A limit that would lower the figure by that much, had it been lower, is known "at least"."""
LEAST_FREEDOM = 0.05


class Posterior(NamedTuple):
    """What the probes say of each latent; one row of each array a latent."""

    factors: Column
    """The joint mode, as a natural logarithm."""
    low: Column
    high: Column
    covariance: Matrix
    value_count: Column
    bound_count: Column
    surprise: Column
    """Of each probe: its squared residual over what was to be expected, had it been left out."""


def posterior(probes: Probes, prior: Prior) -> Posterior:
    """Return the posterior of all latents of some probes."""
    mode = joint_mode(probes, prior)
    residual, weight = pulls(probes, mode)
    slope = incidence(probes.paths.latent, mode.slope, len(prior.slot))
    precision = (slope * weight[:, None]).T @ slope
    covariance = np.asarray(np.linalg.inv(precision + np.diag(1 / prior.variance)), dtype=float)
    latent_variance = np.einsum("pl,lm,pm->p", slope, covariance, slope)
    leverage = latent_variance * weight
    marginals = [
        _marginal(probes, prior, mode, precision, slope, residual, weight, latent)
        for latent in range(len(prior.slot))
    ]
    columns = [np.array(column) for column in zip(*marginals, strict=True)] or [np.zeros(0)] * 4
    low, high, values, bounds = columns
    return Posterior(
        factors=mode.factors,
        low=low,
        high=high,
        covariance=covariance,
        value_count=values,
        bound_count=bounds,
        surprise=residual**2 / mode.scatter**2 / np.maximum(1 - leverage, LEAST_FREEDOM),
    )


def _marginal(
    probes: Probes,
    prior: Prior,
    mode: State,
    precision: Matrix,
    slope: Matrix,
    residual: Column,
    weight: Column,
    latent: int,
) -> tuple[float, float, int, int]:
    """Return a latent's range, and how many probes told its value, or "at least" only."""
    grid = grid_of(prior, latent, GRID_POINTS)
    rows, predicted = along(probes, prior, mode, latent, grid)
    change = predicted - mode.log_gbps[rows][:, None]
    others = np.arange(len(prior.slot)) != latent
    # With the others at their best for each point: they give way as far as their own spread lets.
    pull = slope[rows][:, others].T @ (weight[rows][:, None] * change)
    stiff = precision[np.ix_(others, others)] + np.diag(1 / prior.variance[others])
    relief = (pull * np.linalg.solve(stiff, pull)).sum(axis=0) / 2
    fit = weight[rows][:, None] * (residual[rows][:, None] * change - change**2 / 2)
    log_density = fit.sum(axis=0) + relief - prior.penalty_of(latent, grid)
    log_density -= _at_least_cost(probes, mode, rows, predicted)
    density = np.exp(log_density - log_density.max()) * np.gradient(grid)
    reached = np.cumsum(density) / density.sum()
    at = mode.factors[latent]
    low, high = (float(np.interp(share, reached, grid)) for share in (LOW, HIGH))
    told = (np.abs(slope[rows, latent]) > REACHED_SLOPE) & ~probes.is_at_least[rows]
    is_bound = ~told & (change.min(axis=1) < -BOUND_DROP)
    return min(low, at), max(high, at), int(told.sum()), int(is_bound.sum())


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
