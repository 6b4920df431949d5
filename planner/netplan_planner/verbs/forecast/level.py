"""The level of a series and its growth, over all kinds at once, each by how well it explains it.

A Bayesian average of linear models (flat priors on level, drift, weekdays and the logarithm of the
noise): no kind is chosen, so that not knowing which one holds widens the interval.

Beside it days that are no part of the usual, and days from which on the usual is another.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from netplan_planner.verbs.forecast.grid import (
    DAYS_PER_WEEK,
    Design,
    Factored,
    Floats,
    factored,
    log_prior,
)

_LEAST_NOISE = 1e-4
"""Of the level: no count of traffic repeats to more than four digits."""
_LEAST_START = 0.05
"""Of the level: a line through the series begins, or ends, no lower."""
USUAL_GROWTH = 0.03
"""Standard deviation, before the series is seen, of a day's growth as a ratio of the level.

It is 23 % in a week; twice as much for a quarter would be more than 200-fold. A few noisy weeks
would else leave any growth open, which says nothing to anybody.
"""
_DRIFT = 1
"""The column of growth, where a design has one."""
_FAR = 6.0
"""Robust standard deviations from the days around, from which on a day is set aside."""
_NORMAL = 1.4826
"""Median absolute deviations in a standard deviation of normal noise."""
_LEAST_OF_WEEKDAY = 3
_MOST_SHARE = 0.1
"""Of the days that may be set aside: more of them are no exceptions."""
_MOST_STEPS = 2
_LEAST_APART = 7
"""Days between two steps, and from either end: less is an exception, not a level."""
_DAYS_BEHIND_STEP = 28
"""Known days for each step that is looked for."""


class Fit(NamedTuple):
    """One kind on one scale, with what it says of the series."""

    factors: Factored
    design: Design
    is_log: bool
    estimate: Floats
    """Of the design's columns."""
    inverse: Floats
    """Covariance of the estimate, in variances of a day's noise."""
    residual: float
    """Sum of the squared whitened residuals."""
    freedom: int
    log_volume: float
    """What evidence loses to the size of what the kind could have explained."""
    last_noise: float
    """The noise of the last day, estimated."""
    last_noise_variance: float
    """Of that estimate, in variances of a day's noise."""
    weight: float = 0.0

    @property
    def noise(self) -> float:
        """The standard deviation of a day's noise."""
        return float(np.sqrt(self.residual / self.freedom))


def fits(values: Floats, design: Design) -> list[Fit]:
    """Return every kind, on the scale of amounts and, where no value is 0, of their logarithms.

    Args:
        values: One for each day of the design, in multiples of their geometric mean where all are
            above 0: then both scales have the same measure, and their evidence compares.
        design: What explains them; more days than columns.
    """
    found: list[Fit] = []
    evidence: list[float] = []
    for is_log, one in _scales(values, design):
        scaled = np.log(values) if is_log else values
        for factors in factored(one):
            fit = _fit(scaled, one, factors, is_log=is_log)
            found.append(fit)
            explained = -0.5 * fit.freedom * float(np.log(fit.residual)) - fit.log_volume
            evidence.append(explained + log_prior(factors.kind))
    weights = np.exp(np.array(evidence) - max(evidence))
    weights /= weights.sum()
    return [fit._replace(weight=float(w)) for fit, w in zip(found, weights, strict=True)]


def _scales(values: Floats, design: Design) -> list[tuple[bool, Design]]:
    """Return the scales of a series, with how growth looks on each.

    Amounts grow by the same amount. Logarithms grow by the same ratio, or, with noise and week in
    ratios of the level, by the same amount.
    """
    if float(values.min()) <= 0:
        return [(False, design)]
    found = [(False, design), (True, design)]
    if design.has_drift:
        days = np.array(design.days) - design.days[-1]
        slope, level = np.polyfit(days, values, 1)
        least = _LEAST_START * max(float(values.mean()), 1e-9)
        level = max(float(level), least)
        most = (1.0 - _LEAST_START) / max(int(-days[0]), 1)
        bend = min(float(slope) / level, most)
        found.append((True, design._replace(bend=round(bend, 6))))
    return found


def best_evidence(values: Floats, design: Design) -> float:
    """Return the greatest logarithm of the profile likelihood of any kind, on either scale."""
    scales = [values, np.log(values)] if float(values.min()) > 0 else [values]
    count = len(design.days)
    return max(
        -0.5 * count * float(np.log(_fit(scaled, design, one, is_log=False).residual))
        - float(np.log(np.diag(one.lower)).sum())
        for scaled in scales
        for one in factored(design)
    )


def _fit(scaled: Floats, design: Design, factors: Factored, *, is_log: bool) -> Fit:
    white = solve_triangular(factors.lower, scaled, lower=True, check_finite=False)
    inverse, log_volume = factors.inverse, factors.log_volume
    estimate = inverse @ (factors.white.T @ white)
    freedom = len(scaled) - factors.white.shape[1]
    rest = white - factors.white @ estimate
    residual = max(float(rest @ rest), freedom * _LEAST_NOISE**2)
    if design.has_drift:
        # The growth's prior is one more observation, of weight 1 / variance in days' noise.
        weight = residual / freedom / USUAL_GROWTH**2
        of_drift = inverse[:, _DRIFT]
        loss = 1.0 + weight * float(of_drift[_DRIFT])
        drift = float(estimate[_DRIFT])
        estimate = estimate - of_drift * (weight * drift / loss)
        inverse = inverse - np.outer(of_drift, of_drift) * (weight / loss)
        residual += weight * drift**2 / loss
        log_volume += 0.5 * float(np.log(loss)) - 0.5 * float(np.log(weight))
        freedom += 1
        rest = white - factors.white @ estimate
    return Fit(
        factors=factors,
        design=design,
        is_log=is_log,
        estimate=estimate,
        inverse=inverse,
        residual=residual,
        freedom=freedom,
        log_volume=log_volume,
        last_noise=float(factors.last_noise @ rest),
        last_noise_variance=max(0.0, 1.0 - float(factors.last_noise @ factors.last_noise)),
    )


def exceptions(days: np.ndarray[tuple[int], np.dtype[np.int64]], values: Floats) -> tuple[int, ...]:
    """Return days that lie far from those around, such as the day of an outage.

    Each is held against the median of the week before and after, and weekdays against their own
    kind where there are enough of them.
    """
    scaled = np.log(values) if float(values.min()) > 0 else values
    rest = _rest(days, scaled)
    spread = _NORMAL * float(np.median(np.abs(rest)))
    if spread <= 0.0:
        return ()
    far = np.flatnonzero(np.abs(rest) > _FAR * spread)
    if len(far) > _MOST_SHARE * len(days):
        return ()
    return tuple(int(days[one]) for one in far)


def _rest(days: np.ndarray[tuple[int], np.dtype[np.int64]], scaled: Floats) -> Floats:
    """Return what a day has beyond the week around it, and beyond its weekday's usual share."""
    found = np.empty(len(days))
    for at, day in enumerate(days):
        near = np.abs(days - day) <= DAYS_PER_WEEK
        found[at] = scaled[at] - np.median(scaled[near])
    weekday = days % DAYS_PER_WEEK
    if int(np.bincount(weekday, minlength=DAYS_PER_WEEK).min()) < _LEAST_OF_WEEKDAY:
        return found
    for number in range(DAYS_PER_WEEK):
        found[weekday == number] -= np.median(found[weekday == number])
    return found


def steps(values: Floats, design: Design) -> tuple[int, ...]:
    """Return the days from which on the level is another, the clearest first found.

    A step is taken where the likelihood gains what the criterion of Schwarz asks for its two
    numbers (when and how much), twice over: a level that wanders explains most of the rest.
    """
    found: tuple[int, ...] = ()
    most = min(_MOST_STEPS, len(design.days) // _DAYS_BEHIND_STEP)
    evidence = best_evidence(values, design) if most else 0.0
    price = 2.0 * np.log(len(design.days))
    while len(found) < most:
        tried = [
            (best_evidence(values, design._replace(steps=tuple(sorted((*found, day))))), day)
            for day in _candidates(values, design, found)
        ]
        if not tried or max(tried)[0] - evidence < price:
            break
        evidence, day = max(tried)
        found = tuple(sorted((*found, day)))
    return found


def _candidates(values: Floats, design: Design, found: tuple[int, ...]) -> list[int]:
    """Return the days at which the medians of a fortnight before and after differ most."""
    days = np.array(design.days)
    scaled = np.log(values) if float(values.min()) > 0 else values
    gains: list[tuple[float, int]] = []
    for day in design.days:
        # Known days, however far: of a calendar's fortnight a gap may leave none.
        at = int(np.searchsorted(days, day))
        before, after = scaled[max(0, at - 2 * _LEAST_APART) : at], scaled[at:][: 2 * _LEAST_APART]
        is_edge = min(at, len(days) - at) < _LEAST_APART
        is_near = any(abs(day - other) < _LEAST_APART for other in found)
        if is_edge or is_near:
            continue
        gain = abs(float(np.median(after) - np.median(before)))
        gains.append((gain, int(day)))
    gains.sort(key=lambda one: (-one[0], one[1]))
    return [day for _, day in gains[:5]]
