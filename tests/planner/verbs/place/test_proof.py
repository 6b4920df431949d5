"""What is called proven is what a look at every placement finds."""

from itertools import product

import numpy as np
import pytest

from netplan_planner.verbs.place.solve.bounds import circles_of, saved_by_circle
from netplan_planner.verbs.place.solve.exact import Exact, prove, solve_exactly
from netplan_planner.verbs.place.solve.feasible import Shortfalls, nearest
from netplan_planner.verbs.place.solve.problem import Floats, PlacementProblem
from netplan_planner.verbs.place.solve.program import Effort
from netplan_planner.verbs.place.solve.reduced import reduced
from support.examples import sized
from support.known import known
from support.nightly import every
from support.places.problems import ONE_REGION, THREE_ZONES_APART, TWO_REGIONS, made


def proof(problem: PlacementProblem) -> tuple[Exact, float]:
    """Return what is proven, and what its placement costs where it breaks nothing."""
    start = nearest(problem)
    assert not isinstance(start, Shortfalls)
    part = reduced(problem, start, problem.movable)
    vcpus = problem.vcpus[part.machines]
    found = prove(part, vcpus, start[part.machines], Effort())
    zones = start.copy()
    zones[part.machines] = known(found.zones)
    assert problem.faults(zones) == 0
    return found, problem.usd(zones)


def least_usd(problem: PlacementProblem) -> float:
    """Return the least cost of all placements, looked at one after the other."""
    choices = [np.flatnonzero(row).tolist() for row in problem.allowed]
    least = np.inf
    for zones in map(np.array, product(*choices)):
        usd = problem.usd(zones) if (problem.used(zones) <= problem.capacity).all() else np.inf
        if usd < least and not problem.faults(zones):
            least = usd
    return float(least)


@pytest.mark.parametrize("seed", every(4, range(4)))
@pytest.mark.parametrize("pinned", [0, 2])
@pytest.mark.parametrize(
    ("usd", "count", "slack", "far"),
    [
        (ONE_REGION, 8, 1.05, 0),
        (ONE_REGION, 8, 1.5, 1),
        (TWO_REGIONS, 6, 1.3, 1),
        (THREE_ZONES_APART, 6, 1.3, 0),
    ],
)
def test_it_is_the_least_of_all_placements(
    seed: int, pinned: int, usd: Floats, count: int, slack: float, far: int
) -> None:
    problem = made(seed, count, usd, slack=slack, pinned=pinned, far=far)
    if isinstance(nearest(problem), Shortfalls):
        assert least_usd(problem) == np.inf
        return
    found, own = proof(problem)
    least = least_usd(problem)
    assert own == pytest.approx(least, rel=1e-7)
    assert least * (1.0 - 1e-7) <= found.bound_usd <= least * (1.0 + 1e-12) + 1e-9


@pytest.mark.parametrize("usd", [ONE_REGION, TWO_REGIONS], ids=["one", "two"])
@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_the_program_that_highs_solves_alone(seed: int, usd: Floats) -> None:
    problem = made(seed, 14, usd)
    found, own = proof(problem)
    start = nearest(problem)
    assert not isinstance(start, Shortfalls)
    part = reduced(problem, start, problem.movable)
    alone = solve_exactly(part, problem.vcpus, start, effort=Effort(), node_limit=100_000)
    assert found.bound_usd == pytest.approx(alone.bound_usd, rel=1e-6)
    assert own == pytest.approx(found.bound_usd, rel=1e-6)


@pytest.mark.parametrize("slack", [1.05, 1.5])
def test_three_partners_each_and_little_room_are_proven(slack: float) -> None:
    found, own = proof(made(1, sized(40, 60), ONE_REGION, slack=slack, partners=2))
    assert own - found.bound_usd <= 1e-6 * own


def test_the_same_is_found_again() -> None:
    problem = made(5, sized(16, 30), TWO_REGIONS)
    first, again = proof(problem)[0], proof(problem)[0]
    assert known(first.zones).tolist() == known(again.zones).tolist()
    assert first.bound_usd == again.bound_usd


def test_regions_are_circles_where_prices_nest() -> None:
    circles = circles_of(TWO_REGIONS)
    assert [np.flatnonzero(one).tolist() for one in circles.holds] == [
        *([0], [1], [2], [3]),
        *([0, 1], [2, 3]),
    ]
    assert circles.levels == ((0, 1, 2, 3), (4, 5))
    assert circles.parent == (4, 4, 5, 5, -1, -1)
    found = known(saved_by_circle(3.0 * TWO_REGIONS, circles))
    assert found[0] == 6.0
    assert found[1].tolist() == [3.0] * 6
    # Prices that do not nest have no circles.
    assert saved_by_circle(THREE_ZONES_APART, circles_of(THREE_ZONES_APART)) is None
    one_way = TWO_REGIONS.copy()
    one_way[0, 2] = 3.0
    assert saved_by_circle(one_way, circles_of(one_way)) is None
