"""What probes tell of factors: the most likely ones at once, and what is left unknown of each."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.calibration.factors import shared_factors
from netplan_planner.throughput.calibration.factors.factor_paths import (
    LIKELIER,
    NO_FACTOR,
    FactorPaths,
    Matrix,
    answers,
    incidence,
    log_gbps,
    run_scatter,
    slopes,
    values_of,
)
from netplan_planner.throughput.calibration.factors.shared_factors import SLOTS
from netplan_planner.throughput.goodput.mean import Column

# A probe sees the least of several limits, after the start. Where a limit binds, the figure says
# what its factor is; where it does not, only that it is no lower. Both follow from one misfit: the
# distance between the figure and what the model says under the factors, which a limit far from
# binding does not change. Each factor is drawn to 0 by its spread before any probe. Two moves take
# turns until neither helps: the one factor whose own move explains most, found on a grid because
# the way there may be flat; then all together by Gauss-Newton steps. Nothing is drawn at random.


REACH = 4.0
"""Standard deviations that a grid reaches to each side."""
SIDE_POINTS = 25
FARTHEST = 30.0
"""Standard deviations; what lies further out is as unlikely."""
BACKGROUND_BELOW, _BACKGROUND_ABOVE = 0.5, 0.05
"""Density of degraded runs by unit of the logarithm, and of figures that are too good."""
_ROUNDS = 12
_STEPS = 6
_SHORTEST = 0.05
_LEAST_GAIN = 1e-3
_LEAST_STEP = 1e-4


class Probes(NamedTuple):
    """What was measured; one row is one path and set-up, with the figure of its median run."""

    paths: FactorPaths
    log_gbps: Column
    weight: Column
    """By age: 1 for a new one, 0 for one that says nothing any more."""
    scatter_share: Column
    """Of the scatter of one run: what is left after several."""
    is_at_least: NDArray[np.bool_]
    """Whether something else held the figure down: the path carries that or more."""

    def rows(self, which: NDArray[np.intp]) -> "Probes":
        """Return some of the probes."""
        paths = self.paths.rows(which)
        return Probes._make((paths, *(column[which] for column in self[1:])))


class Prior(NamedTuple):
    """The spread of each shared factor before any probe, and which it is."""

    slot: NDArray[np.intp]
    lower_sd: Column
    upper_sd: Column

    def penalty(self, values: Column) -> Column:
        """Return what each factor's distance from 0 costs."""
        return self.penalty_of(np.arange(len(values)), values)

    def penalty_of(self, which: NDArray[np.intp] | int, values: Column) -> Column:
        """Return the same for values of some shared factors."""
        peak = sum(self._densities(which, np.zeros_like(values)))
        return np.asarray(np.log(peak / sum(self._densities(which, values))))

    def stiffness(self, values: Column, side: Column) -> Column:
        """Return how strongly each factor is drawn to 0; at 0, `side` tells the side it goes to."""
        firm, wide, far = self._densities(np.arange(len(values)), values)
        sd = np.where(side < 0, self.lower_sd, self.upper_sd)
        pull = firm / shared_factors.LEAST_SD**2 + wide / sd**2 + far / shared_factors.FAR_SD**2
        return np.asarray(pull / (firm + wide + far))

    @property
    def variance(self) -> Column:
        """Over both sides."""
        return shared_factors.prior_variance(self.slot, self.lower_sd, self.upper_sd)

    def _densities(self, which: NDArray[np.intp] | int, values: Column) -> tuple[Column, ...]:
        """Return the density at the figure itself, of the range around it, and far outside."""
        lower, upper = self.lower_sd[which], self.upper_sd[which]
        is_firm = shared_factors.is_firm(self.slot[which], lower)
        share = np.where(is_firm, shared_factors.FIRM_SHARE, 0.0)
        sd = np.where(values < 0, lower, upper)
        middle = (lower + upper) / 2
        firm = share / shared_factors.LEAST_SD * _normal(values / shared_factors.LEAST_SD)
        is_far = shared_factors.may_be_far(self.slot[which])
        share_far = np.where(is_far, shared_factors.FAR_SHARE, 0.0)
        far = share_far / shared_factors.FAR_SD * _normal(values / shared_factors.FAR_SD)
        wide = (1 - share) / middle * _normal(values / sd)
        return (1 - share_far) * firm, (1 - share_far) * wide, far


class State(NamedTuple):
    """Where all factors stand, and what the model then says of the probes."""

    factors: Column
    log_gbps: Column
    slope: Matrix
    scatter: Column
    cost: float


def prior_of(paths: FactorPaths, count: int) -> Prior:
    """Return the prior of each shared factor: the widest range of all paths that have it."""
    slot = np.zeros(count, dtype=np.intp)
    lower, upper = np.full(count, shared_factors.LEAST_SD), np.full(count, shared_factors.LEAST_SD)
    for at in range(len(SLOTS)):
        rows = np.flatnonzero(paths.shared_factor[:, at] != NO_FACTOR)
        which = paths.shared_factor[rows, at]
        slot[which] = at
        np.maximum.at(lower, which, paths.lower_sd[rows, at])
        np.maximum.at(upper, which, paths.upper_sd[rows, at])
    return Prior(slot, lower, upper)


def joint_mode(probes: Probes, prior: Prior) -> State:
    """Return the most likely factors, and what they make of the probes."""
    state = _state(probes, prior, np.zeros(len(prior.slot)))
    for _ in range(_ROUNDS):
        moved = _best_single_move(probes, prior, state)
        polished = _polished(probes, prior, moved or state)
        gain = state.cost - polished.cost
        state = polished
        if moved is None and gain < _LEAST_GAIN:
            break
    return state


def misfit(probes: Probes, residual: Matrix, scatter: Matrix) -> Matrix:
    """Return the negative log-likelihood of residuals; axes: probe, then any others."""
    share = degraded_share(probes.paths).reshape(-1, *[1] * (residual.ndim - 1))
    background = share * np.where(residual < 0, BACKGROUND_BELOW, _BACKGROUND_ABOVE)
    weight = probes.weight.reshape(share.shape)
    return np.asarray(-weight * np.log(_core(residual, scatter, share) + background))


def pulls(probes: Probes, state: State) -> tuple[Column, Column]:
    """Return the residual of each probe and its weight in a least-squares fit around a state."""
    residual = residuals(probes, state.log_gbps)
    weight = probes.weight * beliefs(probes, state) / state.scatter**2
    return residual, np.where(probes.is_at_least & (residual <= 0), 0.0, weight)


def beliefs(probes: Probes, state: State) -> Column:
    """Return the probability of each probe that nothing else slowed it down, or sped it up."""
    residual = residuals(probes, state.log_gbps)
    share = degraded_share(probes.paths)
    core = _core(residual, state.scatter, share)
    background = share * np.where(residual < 0, BACKGROUND_BELOW, _BACKGROUND_ABOVE)
    return core / (core + background)


def residuals(probes: Probes, predicted: Matrix) -> Matrix:
    """Return measured less predicted; 0 where the figure is "at least" and the model says more."""
    shape = (-1, *[1] * (predicted.ndim - 1))
    found = probes.log_gbps.reshape(shape) - predicted
    at_least = probes.is_at_least.reshape(shape)
    return np.where(at_least, np.maximum(found, 0.0), found)


def along(
    probes: Probes, prior: Prior, state: State, shared_factor: int, grid: Column
) -> tuple[NDArray[np.intp], Matrix]:
    """Return the probes that have a factor and what the model says of them along a grid of it."""
    slot = int(prior.slot[shared_factor])
    rows = np.flatnonzero(probes.paths.shared_factor[:, slot] == shared_factor)
    count = len(grid)
    some = probes.paths.rows(np.repeat(rows, count))
    values = values_of(some.shared_factor, state.factors)
    values[:, slot] = np.tile(grid, len(rows))
    found = log_gbps(some, values)
    return rows, found.reshape(len(rows), count)


def grid_of(prior: Prior, shared_factor: int, points: int = SIDE_POINTS) -> Column:
    """Return the grid of a shared factor: 0 and as many points on either side."""
    below = np.linspace(-REACH * prior.lower_sd[shared_factor], 0.0, points + 1)
    above = np.linspace(0.0, REACH * prior.upper_sd[shared_factor], points + 1)
    grid = np.concatenate((below, above[1:]))
    if not shared_factors.may_be_far(prior.slot[shared_factor]):
        return grid
    far = np.linspace(-shared_factors.FAR_END, shared_factors.FAR_END, 4 * points)
    return np.concatenate((far[far < grid[0]], grid, far[far > grid[-1]]))


def _best_single_move(probes: Probes, prior: Prior, state: State) -> State | None:
    """Return the state after the one move that explains most; None where none explains more."""
    best, best_gain = None, _LEAST_GAIN
    now = misfit(probes, residuals(probes, state.log_gbps), state.scatter)
    for shared_factor in range(len(prior.slot)):
        grid = grid_of(prior, shared_factor)
        rows, predicted = along(probes, prior, state, shared_factor, grid)
        some = probes.rows(rows)
        cost = misfit(some, residuals(some, predicted), state.scatter[rows][:, None]).sum(axis=0)
        cost += prior.penalty_of(shared_factor, grid)
        before = now[rows].sum() + float(
            prior.penalty_of(shared_factor, state.factors[shared_factor : shared_factor + 1])[0]
        )
        at = int(cost.argmin())
        if before - cost[at] > best_gain:
            best, best_gain = (shared_factor, grid[at]), before - cost[at]
    if best is None:
        return None
    factors = state.factors.copy()
    factors[best[0]] = best[1]
    return _state(probes, prior, factors)


def _polished(probes: Probes, prior: Prior, state: State) -> State:
    """Return the state after Gauss-Newton steps with halving."""
    for _ in range(_STEPS):
        residual, weight = pulls(probes, state)
        slope = incidence(probes.paths.shared_factor, state.slope, len(prior.slot))
        pull = slope.T @ (weight * residual)
        side = np.where(state.factors == 0, pull, state.factors)
        stiffness = prior.stiffness(state.factors, side)
        curvature = (slope * weight[:, None]).T @ slope + np.diag(stiffness)
        step = np.linalg.solve(curvature, pull - stiffness * state.factors)
        size, found = 1.0, None
        while size > _SHORTEST and found is None:
            tried = _state(probes, prior, state.factors + size * step)
            found = tried if tried.cost < state.cost else None
            size /= 2
        if found is None:
            break
        state = found
        if float(np.abs(step).max(initial=0.0)) < _LEAST_STEP:
            break
    return state


def _state(probes: Probes, prior: Prior, factors: Column) -> State:
    paths = probes.paths
    values = values_of(paths.shared_factor, factors)
    now = answers(paths, values)
    predicted = now.log_gbps
    slope = slopes(paths, values, now)
    scatter = run_scatter(paths, slope) * np.sqrt(probes.scatter_share)
    cost = misfit(probes, residuals(probes, predicted), scatter).sum()
    cost += prior.penalty(factors).sum()
    return State(factors, predicted, slope, scatter, float(cost))


def degraded_share(paths: FactorPaths) -> Column:
    """Return the share of runs of each path that something slows down."""
    own = paths.is_own
    return np.where(own, shared_factors.DEGRADED_SHARE_OWN, shared_factors.DEGRADED_SHARE_FOREIGN)


def _core(residual: Matrix, scatter: Matrix, share: Matrix) -> Matrix:
    """Return the density of a run that nothing slowed down."""
    scale = (1 - share) / (scatter * math.sqrt(2 * math.pi))
    return np.asarray(scale * _normal(residual / scatter))


def _normal(distance: Matrix) -> Matrix:
    """Return `exp(-distance ** 2 / 2)`, never 0."""
    return np.asarray(np.exp(-0.5 * np.minimum(np.abs(distance), FARTHEST) ** 2))


# What is left unknown of each factor once probes are in: a posterior on a one-dimensional grid
#
# Each factor has its own grid. All others are integrated out as if they were normal around the
# joint mode, so that two limits that could each explain a figure are both left uncertain. Limits
# that no probe reached keep their spread, cut off below where the figures say "at least this".


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
