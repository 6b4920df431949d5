"""The level of a series and its growth, over all kinds at once, each by how well it explains it.

A Bayesian average of linear models (flat priors on level, drift, weekdays and the logarithm of the
noise): no kind is chosen, so that not knowing which one holds widens the interval.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from netplan_planner.optimise.forecast.grid import Design, Factored, Floats, factored, log_prior

_LEAST_NOISE = 1e-4
"""Of the level: no count of traffic repeats to more than four digits."""


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


_LEAST_START = 0.05
"""Of the level: a line through the series begins, or ends, no lower."""


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


USUAL_GROWTH = 0.03
"""Standard deviation, before the series is seen, of a day's growth as a ratio of the level.

It is 23 % in a week; twice as much for a quarter would be more than 200-fold. A few noisy weeks
would else leave any growth open, which says nothing to anybody.
"""


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


_DRIFT = 1
"""The column of growth, where a design has one."""
