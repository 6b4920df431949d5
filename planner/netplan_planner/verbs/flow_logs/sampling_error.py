"""What sampling of flow-log records does to sums and percentiles, from sampling theory.

Each record is kept with one probability, the sampling ratio, by itself, and what is kept is scaled
up by it: a Horvitz-Thompson estimate. Of a sum of records `b` the estimate is right on average, and
its variance is `(1 - ratio) / ratio * sum(b * b)`.

Source: Horvitz and Thompson, "A generalization of sampling without replacement from a finite
universe", 1952. That kept records are scaled up: cloud.google.com/vpc/docs/flow-logs, "Log sampling
and processing".
"""

from collections.abc import Sequence
from math import comb, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RATIO_STEPS = 100
"""Ratios are told in hundredths."""

_FEW_RECORDS = 8
"""Blocks of fewer records are told by how many of them are kept."""
_DECIDES = 0.5
"""From so much of the standard error on a record makes the error's distribution its own."""
_SURE = 1e-6
"""Blocks with less doubt than this are above or below without any."""
_MANY_BLOCKS = 400
"""So many blocks in doubt and more have a number above that is normal enough."""

Floats = NDArray[np.float64]


class Blocks(NamedTuple):
    """What a machine sent in stretches of one length over a window, idle stretches left out."""

    byte_counts: Floats
    square_bytes: Floats
    """Sums of the squares of their records' bytes."""
    record_counts: Floats
    most_bytes: Floats
    """The greatest record of each."""
    minutes: int
    """Of each of them."""


class Percentile(NamedTuple):
    """A percentile by nearest rank, over all minutes of a window."""

    bytes_per_minute: float
    rank: int
    """From the greatest minute, which is 1."""


def normal_multiplier(confidence: float) -> float:
    """Return how many standard errors hold a normal error with so much probability, both ways.

    >>> round(normal_multiplier(0.95), 3)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


def safe_multiplier(confidence: float, weight_ratio: float) -> float:
    """Return how many standard errors hold the error of a sum, which few records may decide.

    The first correction of Cornish and Fisher, with the most skewness that the greatest record
    allows: third cumulants are at most it times the variances. Where that record decides most of
    the error, it is as wide as Chebyshev's inequality asks for, which holds for every distribution.

    Args:
        confidence: The probability, 0 to 1.
        weight_ratio: What the greatest record can move the sum by, over the standard error.

    Source: Cornish and Fisher, "Moments and cumulants in the specification of distributions", 1938.
    """
    every = 1 / sqrt(1 - confidence)
    if weight_ratio > _DECIDES:
        return every
    z = normal_multiplier(confidence)
    return min(z + max(z * z - 1, 0.0) / 6 * weight_ratio, every)


def move_of_record(most: float, ratio: float) -> float:
    """Return the most that keeping or losing one record moves an estimate by, at a ratio above 0.

    >>> move_of_record(10.0, 0.25), move_of_record(10.0, 0.75), move_of_record(10.0, 1.0)
    (30.0, 10.0, 0.0)
    """
    return 0.0 if ratio >= 1 else most * max(1.0, (1 - ratio) / ratio)


def variance_of_sum(square: float, ratio: float) -> float:
    """Return the variance of a sum whose records' squares add up to `square`, at a ratio above 0.

    >>> variance_of_sum(100.0, 0.5), variance_of_sum(100.0, 1.0)
    (100.0, 0.0)
    """
    return square * (1 - ratio) / ratio


def unthinned_ratio(square: float, square_now: float, ratio: float) -> float:
    """Return which part of a sum of squares is the one of all records, of those that were kept.

    Kept records are scaled up, so that a sum of their squares is too great: by the variance that
    sampling has brought, `(1 - ratio)` times the sum over the records as they are.

    Args:
        square: The sum over records as a longer interval puts them together; or as they are.
        square_now: The sum over records as they are.
        ratio: At which they were kept.

    >>> unthinned_ratio(10.0, 10.0, 0.25), unthinned_ratio(40.0, 10.0, 0.5)
    (0.25, 0.875)
    """
    return 1 - (1 - ratio) * min(square_now / square, 1.0) if square else 1.0


def p95_of(blocks: Blocks, minute_count: int) -> Percentile:
    """Return the 95th percentile of the minutes of a window."""
    rank = minute_count - -(-95 * minute_count // 100) + 1
    first = -(-rank // blocks.minutes)
    values = np.sort(blocks.byte_counts)[::-1]
    found = float(values[first - 1]) / blocks.minutes if first <= len(values) else 0.0
    return Percentile(found, rank)


def least_ratio(
    blocks: Blocks, p95: Percentile, *, error_ratio: float, confidence: float
) -> float | None:
    """Return the least sampling ratio at which a percentile stays within an error.

    None: not even all records keep it, because the blocks are too long to show it.

    Args:
        blocks: Minutes, or longer stretches over which a record's bytes are taken as even.
        p95: What the percentile is.
        error_ratio: Of it, either way; above 0.
        confidence: The probability with which it is to stay within, 0 to 1.
    """

    def holds(step: int) -> bool:
        risk = miss_probability(blocks, p95, error_ratio=error_ratio, ratio=step / RATIO_STEPS)
        return risk <= 1 - confidence

    if not holds(RATIO_STEPS):
        return None
    low, high = 0, RATIO_STEPS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high / RATIO_STEPS


def miss_probability(blocks: Blocks, p95: Percentile, *, error_ratio: float, ratio: float) -> float:
    """Return the probability that sampling moves a percentile by more than an error.

    It is too high where enough blocks come out above its upper bound, and too low where not enough
    stay above its lower one; each block comes out by itself.
    """
    needed = -(-p95.rank // blocks.minutes)
    high = p95.bytes_per_minute * (1 + error_ratio) * blocks.minutes
    low = p95.bytes_per_minute * (1 - error_ratio) * blocks.minutes
    too_high = _at_least(_above(blocks, high, ratio), needed)
    too_low = 1 - _at_least(_above(blocks, low, ratio), needed)
    return min(1.0, too_high + too_low)


def _above(blocks: Blocks, threshold: float, ratio: float) -> Floats:
    """Return the probability of each block to come out above a threshold.

    The greatest record decides most of it, and is kept or not; the rest is a sum.
    """
    if ratio >= 1:
        return (blocks.byte_counts > threshold).astype(np.float64)
    most = blocks.most_bytes
    rest = Blocks(
        blocks.byte_counts - most,
        _squares_of_rest(blocks),
        blocks.record_counts - 1,
        most,
        blocks.minutes,
    )
    with_it = _rest_above(rest, threshold - most / ratio, ratio)
    without = _rest_above(rest, np.full(len(most), threshold), ratio)
    return ratio * with_it + (1 - ratio) * without


def _squares_of_rest(blocks: Blocks) -> Floats:
    """Return the sums of squares without the greatest record; records of one size make the least.

    Sums that are estimated, or rounded, can be less.
    """
    rest = blocks.byte_counts - blocks.most_bytes
    least = rest * rest / np.maximum(blocks.record_counts - 1, 1.0)
    return np.maximum(blocks.square_bytes - blocks.most_bytes**2, least)


def _rest_above(blocks: Blocks, thresholds: Floats, ratio: float) -> Floats:
    """Return the probability of the rest of each block to come out above a threshold.

    Few records count: of one size, as many as make the same variance. Of more the sum is skewed, as
    much as if their sizes were lognormal: a shifted gamma distribution of the same mean, variance
    and third cumulant.
    """
    found = (thresholds < 0).astype(np.float64)
    some = (blocks.record_counts > 0) & (blocks.byte_counts > 0) & (blocks.square_bytes > 0)
    sent, squares, counts = (column[some] for column in blocks[:3])
    threshold = thresholds[some]
    alike = np.maximum(sent * sent / squares, 1.0)
    deviation = np.sqrt(variance_of_sum(1.0, ratio) * squares)
    # Of lognormal sizes the mean cube is the cube of the mean times that of mean square over
    # squared mean.
    unevenness = np.maximum(counts / alike, 1.0)
    cubes = sent**3 / counts**2 * unevenness**3
    skewness = cubes * (1 - ratio) * (1 - 2 * ratio) / ratio**2 / deviation**3
    above = _skewed_above((threshold - sent) / deviation, skewness)
    is_few = alike < _FEW_RECORDS
    if is_few.any():
        count = np.rint(alike[is_few]).astype(np.int64)
        kept = np.floor(threshold[is_few] * ratio * count / sent[is_few]).astype(np.int64)
        chances = _binomial_above(ratio)[count, np.clip(kept, 0, count)]
        above[is_few] = np.where(kept < 0, 1.0, chances)
    found[some] = above
    return found


def _binomial_above(ratio: float) -> Floats:
    """Return, by number of records and `k`, the probability that more than `k` of them are kept."""
    table = np.zeros((_FEW_RECORDS + 1, _FEW_RECORDS + 1))
    for n in range(1, _FEW_RECORDS + 1):
        chances = [comb(n, k) * ratio**k * (1 - ratio) ** (n - k) for k in range(n + 1)]
        table[n, : n + 1] = 1 - np.cumsum(chances)
    return np.clip(table, 0.0, 1.0)


def _skewed_above(z: Floats, skewness: Floats) -> Floats:
    """Return the upper tail of a shifted gamma distribution of mean 0 and variance 1.

    By the cube root, which is nearly normal. A negative skewness is the mirror of a positive one.

    Source: Wilson and Hilferty, "The distribution of chi-square", 1931.
    """
    sign = np.where(skewness < 0, -1.0, 1.0)
    # Below a skewness of a thousandth it is the normal distribution to every digit that counts.
    shape = 4 / np.maximum(np.abs(skewness), 1e-3) ** 2
    relative = np.maximum(1 + sign * z / np.sqrt(shape), 0.0)
    root = 3 * np.sqrt(shape) * (np.cbrt(relative) - 1 + 1 / (9 * shape))
    above = np.where(relative > 0, _normal_above(root), 1.0)
    return np.where(sign > 0, above, 1 - above)


def _normal_above(z: Floats) -> Floats:
    """Return the upper tail of the standard normal distribution, to 1e-7.

    Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, 26.2.17.
    """
    size = np.abs(z)
    t = 1 / (1 + 0.2316419 * size)
    terms = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
    series = sum(factor * t**power for power, factor in enumerate(terms, 1))
    tail: Floats = np.exp(-size * size / 2) / np.sqrt(2 * np.pi) * series
    return np.where(z >= 0, tail, 1 - tail)


def _at_least(chances: Floats, needed: int) -> float:
    """Return the probability that at least so many of independent events happen."""
    sure = int((chances > 1 - _SURE).sum())
    doubtful = chances[(chances >= _SURE) & (chances <= 1 - _SURE)]
    missing = needed - sure
    if missing <= 0:
        return 1.0
    if missing > len(doubtful):
        return 0.0
    if len(doubtful) > _MANY_BLOCKS:
        spread = float(np.sqrt((doubtful * (1 - doubtful)).sum()))
        return 1 - NormalDist().cdf((missing - 0.5 - float(doubtful.sum())) / spread)
    return _poisson_binomial_at_least(doubtful, missing)


def _poisson_binomial_at_least(chances: Sequence[float] | Floats, needed: int) -> float:
    """Return the same exactly, by adding one event after the other."""
    numbers = np.zeros(needed + 1)
    numbers[0] = 1.0
    for chance in chances:
        # The last entry holds all that have enough already.
        numbers[needed] += numbers[needed - 1] * chance
        numbers[1:needed] = numbers[1:needed] * (1 - chance) + numbers[: needed - 1] * chance
        numbers[0] *= 1 - chance
    return float(numbers[needed])
