"""The cheapest sampling and intervals of flow logs whose errors together stay within a bound.

What a source of records costs grows with its ratio, and the variance that it brings falls with it:
`cost * ratio` and `variance * (1 - ratio) / ratio`. Errors of sources are independent, so that
their variances add up. With one price of variance for all (Lagrange), each source is solved by
itself: `ratio = sqrt(price * variance / cost)`, within its bounds.
"""

from collections.abc import Sequence
from itertools import product
from math import ceil, floor, inf, sqrt
from typing import NamedTuple

from netplan_planner.verbs.flow_logs.sampling_error import RATIO_STEPS, variance_of_sum

_HALVINGS = 100
_DEAREST = 1e30
"""Dollars for a squared dollar of variance, more than any answer needs."""
_ROUNDING = 1e-9
_MOST_MIXED = 6
"""Sources of which both intervals are tried with those of the others."""


class SamplingOption(NamedTuple):
    """An interval of aggregation of one source, and what it means."""

    interval_s: int
    usd_per_month: float
    """Of all its records, at ratio 1."""
    square_usd2: float
    """The sum of the squares of what each record stands for, in dollars a month."""
    least_ratio: float
    """Above 0; below it another promise would be broken."""


class SamplingChoice(NamedTuple):
    """An option, and the ratio of records that are kept."""

    option: SamplingOption
    ratio: float

    @property
    def usd_per_month(self) -> float:
        """What the records that are kept cost."""
        return self.option.usd_per_month * self.ratio

    @property
    def variance_usd2(self) -> float:
        """What is added to the variance of the dollars."""
        return variance_of_sum(self.option.square_usd2, self.ratio)


def cheapest_settings(
    sources: Sequence[Sequence[SamplingOption]], most_variance_usd2: float
) -> tuple[SamplingChoice, ...]:
    """Return an option and a ratio in hundredths for each source, at least cost in all.

    There is always an answer: a ratio of 1 brings no variance.

    Args:
        sources: The options of each source, at least one.
        most_variance_usd2: What the variances may add up to; at least 0.

    Raises:
        ValueError: If a source has no option, or the bound is negative.
    """
    if most_variance_usd2 < 0 or not all(sources):
        raise ValueError("every source needs an option, and the variance a bound of at least 0")
    dear, cheap = _around(sources, most_variance_usd2)
    # At the price that meets the bound a few sources change their interval, so that one side is
    # too dear and the other too rough: each mixture of the two is solved for itself.
    mixed = [
        number
        for number, (one, other) in enumerate(zip(dear, cheap, strict=True))
        if one.option.interval_s != other.option.interval_s
    ][:_MOST_MIXED]
    found = []
    for picked in product((dear, cheap), repeat=len(mixed)):
        options = [(one.option,) for one in dear]
        for number, side in zip(mixed, picked, strict=True):
            options[number] = (side[number].option,)
        solved, _ = _around(options, most_variance_usd2)
        found.append(_lowered([_rounded(one) for one in solved], most_variance_usd2))
    return tuple(min(found, key=lambda choices: sum(one.usd_per_month for one in choices)))


Options = Sequence[SamplingOption]


def _around(
    sources: Sequence[Options], most: float
) -> tuple[list[SamplingChoice], list[SamplingChoice]]:
    """Return the choices at the least price of variance that keeps the bound, and just below it."""
    cheap = [_cheapest(options, 0.0) for options in sources]
    if _variance(cheap) <= most:
        return cheap, cheap
    dear = [_whole(options) for options in sources]
    low, high = 0.0, _DEAREST
    for _ in range(_HALVINGS):
        middle = sqrt(max(low, 1 / _DEAREST) * high)
        choices = [_cheapest(options, middle) for options in sources]
        if _variance(choices) > most:
            low, cheap = middle, choices
        else:
            high, dear = middle, choices
        if high - low < _ROUNDING * high:
            break
    return dear, cheap


def _variance(choices: Sequence[SamplingChoice]) -> float:
    return sum(one.variance_usd2 for one in choices)


def _cheapest(options: Sequence[SamplingOption], price: float) -> SamplingChoice:
    """Return the choice of one source at a price of variance, in dollars per squared dollar."""
    chosen = (SamplingChoice(one, _ratio(one, price)) for one in options)
    return min(chosen, key=lambda one: one.usd_per_month + price * one.variance_usd2)


def _ratio(option: SamplingOption, price: float) -> float:
    if option.usd_per_month <= 0:
        return 1.0
    wanted = sqrt(price * option.square_usd2 / option.usd_per_month)
    return min(1.0, max(option.least_ratio, wanted))


def _whole(options: Sequence[SamplingOption]) -> SamplingChoice:
    return SamplingChoice(min(options, key=lambda one: one.usd_per_month), 1.0)


def _rounded(choice: SamplingChoice) -> SamplingChoice:
    """Return a choice with the ratio rounded up, which brings less variance."""
    step = ceil(choice.ratio * RATIO_STEPS - _ROUNDING)
    return choice._replace(ratio=max(step, 1) / RATIO_STEPS)


def _lowered(choices: list[SamplingChoice], most: float) -> list[SamplingChoice]:
    """Return choices with ratios lowered as far as the bound allows, the best saving first."""
    left = most - _variance(choices)
    while True:
        best, best_worth = None, 0.0
        for number, one in enumerate(choices):
            lower = _one_less(one)
            if lower is None:
                continue
            more = lower.variance_usd2 - one.variance_usd2
            if more > left:
                continue
            worth = inf if more <= 0 else one.option.usd_per_month / more
            if worth > best_worth:
                best, best_worth = (number, lower, more), worth
        if best is None:
            return choices
        number, lower, more = best
        choices[number] = lower
        left -= more


def _one_less(choice: SamplingChoice) -> SamplingChoice | None:
    step = floor(choice.ratio * RATIO_STEPS + _ROUNDING) - 1
    ratio = step / RATIO_STEPS
    if step < 1 or ratio < choice.option.least_ratio - _ROUNDING:
        return None
    return choice._replace(ratio=ratio)
