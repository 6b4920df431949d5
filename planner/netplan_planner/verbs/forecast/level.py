"""The level of a series and its growth, over all kinds at once, each by how well it explains it.

A Bayesian average of linear models (flat priors on level, drift, weekdays and the logarithm of the
noise): no kind is chosen, so that not knowing which one holds widens the interval.

Beside it days that are no part of the usual, and days from which on the usual is another.
"""

from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

# How a level can wander and noise can linger: the kinds that are weighed against each other
#
# Days of one pattern (which of them are known) share the factors of their covariances, so that a
# fleet of series that were observed together costs one factorisation of each kind.


Floats = np.ndarray[Any, np.dtype[np.float64]]

WANDERS = (0.0, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0)
"""Variance of a day's change of the level, in variances of a day's noise; 0: it stands."""
MEMORIES = (0.0, 0.4, 0.7)
"""Correlation of one day's noise with the next."""
DAYS_PER_WEEK = 7


class Kind(NamedTuple):
    """One way in which level and noise may behave."""

    wander: float
    memory: float


KINDS = tuple(Kind(wander, memory) for wander, memory in product(WANDERS, MEMORIES))


def log_prior(kind: Kind) -> float:
    """Return the logarithm of a kind's weight before the series is seen.

    Flat in the standard deviation of the level's daily change, as is usual for a variance that may
    be 0: each value of the grid stands for the stretch halfway to its neighbours.
    """
    return float(_LOG_PRIORS[WANDERS.index(kind.wander)])


_ROOTS = np.sqrt(np.array(WANDERS))
_LOG_PRIORS = np.log(np.diff(np.concatenate([[0.0], (_ROOTS[1:] + _ROOTS[:-1]) / 2, [_ROOTS[-1]]])))


class Design(NamedTuple):
    """What a level is explained by; the last known day is the origin.

    Args:
        days: The known days, rising; the last one is where the level is told.
        has_drift: Whether the level may grow.
        bend: 0 where a day's growth is always as much; else the curve, on a scale of logarithms, of
            a level that grows by this share of the last day's level each day.
        has_week: Whether each weekday has a value of its own.
        steps: Days from which on the level is another.
    """

    days: tuple[int, ...]
    has_drift: bool = True
    bend: float = 0.0
    has_week: bool = False
    steps: tuple[int, ...] = ()

    @property
    def columns(self) -> Floats:
        """Shape (days, columns): level, drift, six weekdays against the seventh, steps."""
        days = np.array(self.days)
        parts = [np.ones(len(days))]
        if self.has_drift:
            parts.append(growth_column(days - days[-1], self.bend))
        if self.has_week:
            parts += list(week_columns(days).T)
        parts += [(days < step).astype(float) for step in self.steps]
        return np.stack(parts, axis=1)


def growth_column(ahead: np.ndarray[Any, np.dtype[np.int64]], bend: float) -> Floats:
    """Return what a growth of 1 adds by a day so far ahead of the origin; its slope there is 1."""
    if abs(bend) < _STRAIGHT:
        return ahead.astype(float)
    found: Floats = np.log(np.maximum(1.0 + bend * ahead, _LEAST_LEVEL)) / bend
    return found


_STRAIGHT = 1e-9
_LEAST_LEVEL = 0.05
"""Of the last day's level: a line that falls does not fall below."""


def week_columns(days: np.ndarray[Any, np.dtype[np.int64]]) -> Floats:
    """Return six columns, shape (days, 6); the seventh weekday is less all of them: they sum to 0.

    Day 0 is any day: weekdays are told apart, not named.
    """
    weekday = days % DAYS_PER_WEEK
    found = np.zeros((len(days), DAYS_PER_WEEK - 1))
    for column in range(DAYS_PER_WEEK - 1):
        found[weekday == column, column] = 1.0
    found[weekday == DAYS_PER_WEEK - 1] = -1.0
    return found


class Factored(NamedTuple):
    """A design under one kind: columns and covariance after the noise was made white."""

    kind: Kind
    lower: Floats
    """Cholesky factor of the covariance, in variances of a day's noise."""
    white: Floats
    """The columns, whitened."""
    inverse: Floats
    """Of the whitened columns' products."""
    log_volume: float
    """Half the logarithms of both determinants, which evidence loses."""
    last_noise: Floats
    """Whitened covariance of the days with the last day's noise."""


@lru_cache(maxsize=24)
def factored(design: Design) -> tuple[Factored, ...]:
    """Return a design under every kind."""
    columns = design.columns
    return tuple(_factored(kind, covariance_factor(design.days, kind), columns, design)
                 for kind in KINDS)  # fmt: skip


@lru_cache(maxsize=12 * len(KINDS))
def covariance_factor(days: tuple[int, ...], kind: Kind) -> Floats:
    """Return the Cholesky factor of the days' covariance under a kind, shape (days, days).

    The level wanders backwards from the last day, where the design tells it.
    """
    ago = days[-1] - np.array(days, dtype=float)
    noise = kind.memory ** np.abs(ago[:, None] - ago[None, :])
    return np.linalg.cholesky(noise + kind.wander * np.minimum(ago[:, None], ago[None, :]))


def _factored(kind: Kind, lower: Floats, columns: Floats, design: Design) -> Factored:
    white = solve_triangular(lower, columns, lower=True, check_finite=False)
    products = white.T @ white
    ago = design.days[-1] - np.array(design.days, dtype=float)
    last = solve_triangular(lower, kind.memory**ago, lower=True, check_finite=False)
    log_volume = float(np.log(np.diag(lower)).sum()) + 0.5 * float(np.linalg.slogdet(products)[1])
    return Factored(kind, lower, white, np.linalg.inv(products), log_volume, last)


# The level of a series and its growth, over all kinds at once, each by how well it explains it


_LEAST_NOISE = 1e-4
"""Of the level: no count of traffic repeats to more than four digits."""
_LEAST_START = 0.05
"""Of the level: a line through the series begins, or ends, no lower."""
USUAL_GROWTHS = ((0.007, 0.9), (0.03, 0.1))
"""Standard deviations, before the series is seen, of a day's growth as a ratio of the level, each
with its share of series.

The first is 5 % in a week and 89 % in a quarter. A few noisy weeks would else leave any growth
open, which says nothing to anybody; docs/reference/verbs/forecast.md says on which series it was
chosen. Some grow faster, by 23 % in a week: clear growth is not taken for less than it is.
"""
USUAL_WANDER = 0.1
"""The same of a random step of the level from one day to the next.

Kinds measure it in standard deviations of a day's noise: where bursts make that noise as large as
the level, the kinds alone would let the level itself double from day to day, for a quarter.
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
        growths = USUAL_GROWTHS if one.has_drift else USUAL_GROWTHS[:1]
        for factors, (growth, share) in product(factored(one), growths):
            fit = _fit(scaled, one, factors, is_log=is_log, usual_growth=growth)
            found.append(fit)
            explained = -0.5 * fit.freedom * float(np.log(fit.residual)) - fit.log_volume
            usual = -0.5 * factors.kind.wander * (fit.noise / USUAL_WANDER) ** 2
            evidence.append(explained + log_prior(factors.kind) + usual + float(np.log(share)))
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
    fast, _ = USUAL_GROWTHS[-1]
    return max(
        -0.5
        * count
        * float(np.log(_fit(scaled, design, one, is_log=False, usual_growth=fast).residual))
        - float(np.log(np.diag(one.lower)).sum())
        for scaled in scales
        for one in factored(design)
    )


def _fit(
    scaled: Floats, design: Design, factors: Factored, *, is_log: bool, usual_growth: float
) -> Fit:
    white = solve_triangular(factors.lower, scaled, lower=True, check_finite=False)
    inverse, log_volume = factors.inverse, factors.log_volume
    estimate = inverse @ (factors.white.T @ white)
    freedom = len(scaled) - factors.white.shape[1]
    rest = white - factors.white @ estimate
    residual = max(float(rest @ rest), freedom * _LEAST_NOISE**2)
    if design.has_drift:
        # The growth's prior is one more observation, of weight 1 / variance in days' noise.
        weight = residual / freedom / usual_growth**2
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
