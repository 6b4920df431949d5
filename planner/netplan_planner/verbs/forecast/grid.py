"""How a level can wander and noise can linger: the kinds that are weighed against each other.

Days of one pattern (which of them are known) share the factors of their covariances, so that a
fleet of series that were observed together costs one factorisation of each kind.
"""

from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

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
