"""What is annealed keeps every constraint, and what belongs together comes together."""

import numpy as np
import pytest

from netplan_planner.verbs.place.solve.annealing import anneal
from netplan_planner.verbs.place.solve.feasible import Shortfalls, nearest
from netplan_planner.verbs.place.solve.problem import Floats, Group
from support.listed import listed
from support.places.problems import ONE_REGION, THREE_ZONES_APART, TWO_REGIONS, chains, made

SIX_ZONES = np.kron(1.0 - np.eye(2), np.ones((3, 3))) + 1.0 - np.eye(6)
"""More orders of zones than a group looks at in one round."""


@listed("usd", [ONE_REGION, TWO_REGIONS, THREE_ZONES_APART, SIX_ZONES])
@listed("slack", [1.2, np.inf])
@listed("far", [0, 1])
def test_it_keeps_constraints_and_costs_less(usd: Floats, slack: float, far: int) -> None:
    problem = made(3, 30, usd, slack=slack, pinned=4, far=far)
    start = nearest(problem)
    assert not isinstance(start, Shortfalls)
    once, again = (anneal(problem, start, 60, 7) for _ in range(2))
    assert (once == again).all()
    assert problem.faults(once) == 0
    assert problem.usd(once) < problem.usd(start)


@pytest.mark.parametrize("seed", range(3))
def test_what_belongs_together_comes_together(seed: int) -> None:
    # Six chains of three, each over all zones today: whole ones cost nothing.
    problem = chains(6)
    assert problem.usd(problem.today) == 12.0
    assert problem.usd(anneal(problem, problem.today, 300, seed)) == 0.0


def test_a_group_that_is_spread_over_two_of_three_zones_stays_so() -> None:
    members = np.array([0, 3, 6, 9])
    problem = chains(4, (Group(members, 2),))
    for seed in range(5):
        zones = anneal(problem, problem.today, 200, seed)
        assert problem.faults(zones) == 0
        assert len(np.unique(zones[members])) >= 2


def test_work_ends_it_as_sweeps_do() -> None:
    problem = made(3, 30, ONE_REGION)
    assert not problem.faults(problem.today)
    few = anneal(problem, problem.today, 1, 7)
    assert (anneal(problem, problem.today, 10_000, 7, most_work=1.0) == few).all()
