"""Sampling and intervals at least cost, against trying all of them."""

import random
from itertools import product

import pytest

from netplan_planner.verbs.flow_logs.settings import (
    SamplingChoice,
    SamplingOption,
    cheapest_settings,
)
from support.listed import listed

GRID = [step / 20 for step in range(1, 21)]


def option(
    interval_s: int = 60, usd: float = 100.0, square: float = 50.0, least: float = 0.01
) -> SamplingOption:
    return SamplingOption(interval_s, usd, square, least)


def cost(choices: tuple[SamplingChoice, ...]) -> float:
    return sum(one.usd_per_month for one in choices)


def variance(choices: tuple[SamplingChoice, ...]) -> float:
    return sum(one.variance_usd2 for one in choices)


def brute_force(sources: list[list[SamplingOption]], most: float) -> float:
    """Return the least cost over all options and a coarser grid of ratios."""
    choices = [
        [SamplingChoice(o, ratio) for o in options for ratio in GRID if ratio >= o.least_ratio]
        for options in sources
    ]
    return min(cost(found) for found in product(*choices) if variance(found) <= most)


def made(chance: random.Random) -> tuple[list[list[SamplingOption]], float]:
    sources = []
    for _ in range(3):
        usd, square = chance.uniform(1, 1000), chance.uniform(0, 500)
        longer = chance.uniform(0.3, 1)
        sources.append(
            [
                option(5, usd, square, chance.choice([0.05, 0.2, 0.6])),
                option(60, usd * longer, square * chance.uniform(1, 3), chance.choice([0.05, 1.0])),
            ]
        )
    return sources, chance.uniform(0, 3000)


@listed("seed", range(40))
def test_nothing_on_a_grid_is_cheaper_by_more_than_the_grid_can_tell(seed: int) -> None:
    sources, most = made(random.Random(seed))
    found = cheapest_settings(sources, most)
    assert variance(found) <= most
    assert all(one.ratio >= one.option.least_ratio - 1e-9 for one in found)
    assert cost(found) <= brute_force(sources, most) * 1.01


def test_ratios_go_with_the_root_of_variance_over_cost() -> None:
    sources = [[option(usd=100, square=40)], [option(usd=400, square=40)], [option(square=90)]]
    first, second, third = cheapest_settings(sources, 300.0)
    assert first.ratio / second.ratio == pytest.approx(2, rel=0.08)
    assert third.ratio / first.ratio == pytest.approx(1.5, rel=0.08)


def test_without_room_for_an_error_all_is_kept_at_the_cheapest_interval() -> None:
    (found,) = cheapest_settings([[option(5, 100), option(300, 60)]], 0.0)
    assert (found.option.interval_s, found.ratio) == (300, 1.0)


def test_what_tells_no_dollars_is_thinned_to_its_own_bound() -> None:
    (found,) = cheapest_settings([[option(square=0.0, least=0.3)]], 0.0)
    assert found.ratio == 0.3


def test_a_wider_bound_never_costs_more() -> None:
    sources, _ = made(random.Random(5))
    costs = [cost(cheapest_settings(sources, most)) for most in (0, 1, 10, 100, 1000, 10_000)]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[-1]


@pytest.mark.parametrize(("sources", "most"), [([[]], 1.0), ([[option()]], -1.0)])
def test_what_cannot_be_is_refused(sources: list[list[SamplingOption]], most: float) -> None:
    with pytest.raises(ValueError, match="at least 0"):
        cheapest_settings(sources, most)
