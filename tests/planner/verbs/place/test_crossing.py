"""Placements that are crossed give one that is no dearer, and what each has of the best."""

import numpy as np

from netplan_planner.verbs.place.solve.annealing import anneal
from netplan_planner.verbs.place.solve.crossing import cross
from netplan_planner.verbs.place.solve.feasible import Shortfalls, nearest
from netplan_planner.verbs.place.solve.problem import Floats
from netplan_planner.verbs.place.solve.program import Effort
from support.examples import sized
from support.listed import listed
from support.places.problems import ONE_REGION, TWO_REGIONS, chains, made


@listed("usd", [ONE_REGION, TWO_REGIONS])
@listed("seed", range(sized(1, 4)))
def test_what_is_crossed_is_never_dearer(usd: Floats, seed: int) -> None:
    problem = made(seed, 24, usd, pinned=3)
    start = nearest(problem)
    assert not isinstance(start, Shortfalls)
    found = [anneal(problem, start, 5, number) for number in range(5)]
    assert not any(problem.faults(zones) for zones in found)
    crossed = cross(problem, found, rounds=30, seed=seed, effort=Effort())
    assert problem.faults(crossed) == 0
    assert problem.usd(crossed) < min(map(problem.usd, found)) - 1e-6


def test_the_good_halves_of_two_make_a_whole() -> None:
    # Four chains of three; each placement keeps two of them whole, under other names of zones.
    problem = chains(4)
    whole = np.array([0, 0, 0, 1, 1, 1, 2, 0, 1, 2, 0, 1])
    other = np.array([1, 2, 0, 1, 2, 0, 2, 2, 2, 0, 0, 0])
    crossed = cross(problem, [whole, other], rounds=4, seed=1, effort=Effort())
    assert problem.usd(whole) == problem.usd(other) == 4.0
    assert problem.usd(crossed) == 0.0


def test_one_placement_stays_as_it_is() -> None:
    problem = made(1, 12, ONE_REGION)
    start = nearest(problem)
    assert not isinstance(start, Shortfalls)
    assert cross(problem, [start], rounds=5, seed=1, effort=Effort()) is start
