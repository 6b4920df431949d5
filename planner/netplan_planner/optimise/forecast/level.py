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
    residual: float
    """Sum of the squared whitened residuals."""
    freedom: int
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
            explained = -0.5 * fit.freedom * float(np.log(fit.residual)) - factors.log_volume
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


def _fit(scaled: Floats, design: Design, factors: Factored, *, is_log: bool) -> Fit:
    white = solve_triangular(factors.lower, scaled, lower=True, check_finite=False)
    estimate = factors.inverse @ (factors.white.T @ white)
    rest = white - factors.white @ estimate
    freedom = len(scaled) - factors.white.shape[1]
    return Fit(
        factors=factors,
        design=design,
        is_log=is_log,
        estimate=estimate,
        residual=max(float(rest @ rest), freedom * _LEAST_NOISE**2),
        freedom=freedom,
        last_noise=float(factors.last_noise @ rest),
        last_noise_variance=max(0.0, 1.0 - float(factors.last_noise @ factors.last_noise)),
    )
