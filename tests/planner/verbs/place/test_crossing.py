"""Placements that are crossed give one that is no dearer, and what each has of the best."""

from itertools import pairwise
from time import monotonic

import numpy as np
import pytest

from netplan_planner.verbs.place.solve.feasible import Shortfalls, nearest
from netplan_planner.verbs.place.solve.problem import Floats, Layer, PlacementProblem, sparse_rows
from netplan_planner.verbs.place.solve.walk import HOT, USUAL, Cooling, cross, walk
from support.examples import sized
from support.listed import listed
from support.places.problems import ONE_REGION, TWO_REGIONS, made


@listed("usd", [ONE_REGION, TWO_REGIONS])
@listed("seed", range(sized(1, 4)))
def test_what_is_crossed_is_never_dearer(usd: Floats, seed: int) -> None:
    problem = made(seed, 24, usd, pinned=3)
    start = nearest(problem)
    assert not isinstance(start, Shortfalls)
    found = [walk(problem, start, 200, number, HOT) for number in range(5)]
    assert not any(problem.faults(zones) for zones in found)
    crossed = cross(problem, found, rounds=30, seed=seed, until=monotonic() + 60.0)
    assert problem.faults(crossed) == 0
    assert problem.usd(crossed) < min(map(problem.usd, found)) - 1e-6


def test_the_good_halves_of_two_make_a_whole() -> None:
    # Four chains of three; each placement keeps two of them whole, under other names of zones.
    problem = _chains(4)
    whole = np.array([0, 0, 0, 1, 1, 1, 2, 0, 1, 2, 0, 1])
    other = np.array([1, 2, 0, 1, 2, 0, 2, 2, 2, 0, 0, 0])
    crossed = cross(problem, [whole, other], rounds=4, seed=1, until=monotonic() + 60.0)
    assert problem.usd(whole) == problem.usd(other) == 4.0
    assert problem.usd(crossed) == 0.0


def test_one_placement_stays_as_it_is() -> None:
    problem = made(1, 12, ONE_REGION)
    start = nearest(problem)
    assert not isinstance(start, Shortfalls)
    assert cross(problem, [start], rounds=5, seed=1, until=monotonic() + 60.0) is start


@pytest.mark.parametrize("cooling", [USUAL, HOT])
def test_a_walk_keeps_constraints_and_is_the_same_twice(cooling: Cooling) -> None:
    problem = made(3, 30, TWO_REGIONS, pinned=4)
    start = nearest(problem)
    assert not isinstance(start, Shortfalls)
    once, again = (walk(problem, start, 5_000, 7, cooling) for _ in range(2))
    assert (once == again).all()
    assert problem.faults(once) == 0
    assert problem.usd(once) < problem.usd(start)


def _chains(count: int) -> PlacementProblem:
    size = 3 * count
    links = [pair for first in range(0, size, 3) for pair in pairwise(range(first, first + 3))]
    one, other = np.array(links).T
    ends = np.concatenate([one, other]), np.concatenate([other, one])
    return PlacementProblem(
        vcpus=np.ones(size),
        capacity=np.full(3, 6.0),
        allowed=np.ones((size, 3), dtype=bool),
        unary_usd=np.zeros((size, 3)),
        layers=(Layer(sparse_rows(np.ones(2 * len(one)), ends, size), ONE_REGION),),
        groups=(),
        rtt_limits=(),
        today=np.arange(size) % 3,
    )
