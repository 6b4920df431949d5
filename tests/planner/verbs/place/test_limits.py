"""A plan does not depend on how fast a clock runs, and says when one ended it."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from itertools import count
from pathlib import Path
from time import process_time

import pytest
from msgspec.structs import replace

from netplan_planner.renderers.document import Block
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.place.ask import PlaceChoices
from netplan_planner.verbs.place.run import plan_places, says_something
from netplan_planner.verbs.place.show import blocks
from netplan_planner.verbs.place.solve.feasible import Shortfalls
from netplan_planner.verbs.place.solve.problem import PlacementProblem
from netplan_planner.verbs.place.solve.program import Effort
from netplan_planner.verbs.place.solve.search import Placed, best_placement
from netplan_planner.world.request import InputRequest
from support.examples import sized
from support.places.problems import ONE_REGION, TWO_REGIONS, chains, made
from support.places.tables import Case, Flow, Vm, written


def found(problem: PlacementProblem, clock: Callable[[], float]) -> Placed:
    answer = best_placement(problem, clock=clock)
    assert not isinstance(answer, Shortfalls)
    assert problem.faults(answer.zones) == 0
    return answer


@pytest.mark.parametrize(
    "problem",
    [made(1, sized(12, 60), TWO_REGIONS), made(2, sized(24, 132), ONE_REGION), chains(44)],
    ids=["proven or not", "one region", "too many for one proof"],
)
def test_a_clock_ten_times_as_fast_gives_the_same_answer(problem: PlacementProblem) -> None:
    # Time of this process alone: nothing else on the machine lets the last resort strike.
    usual, fast = found(problem, process_time), found(problem, lambda: 10.0 * process_time())
    assert not usual.is_cut_short
    assert usual.zones.tobytes() == fast.zones.tobytes()
    assert usual._replace(zones=fast.zones) == fast


def test_a_clock_that_leaps_ends_the_search_and_is_said() -> None:
    ticks = count(0, 1_000)
    answer = found(made(3, 30, ONE_REGION), lambda: float(next(ticks)))
    assert answer.is_cut_short
    effort = Effort(iter([0.0, 599.0, 601.0]).__next__)
    assert (effort.left_s(), effort.has_struck) == (1.0, False)
    assert (effort.left_s(), effort.has_struck) == (0.0, True)


def test_a_bound_below_half_of_the_plan_is_not_stated(tmp_path: Path) -> None:
    assert says_something(Decimal(100), Decimal(50))
    assert not says_something(Decimal(100), Decimal("49.99"))
    case = Case(
        vms=tuple(Vm(name=f"vm-{n}", zone=f"us-central1-{'ab'[n]}", vcpus=2) for n in range(2)),
        flows=(Flow(src="vm-0", dst="vm-1", gib=900),),
        capacity={"us-central1-a": 4, "us-central1-b": 4},
    )
    written(case, tmp_path)
    vms, edges, zones = (tmp_path / f"{name}.csv" for name in ("vms", "edges", "zones"))
    request = InputRequest(today=date(2026, 5, 1))
    answer = plan_places(request, PlaceChoices(vms=vms, edges=edges, zones=zones))
    assert "time limit" not in _text(tuple(blocks(answer, RenderOptions())))
    open_answer = replace(
        answer, is_proven=False, bound_usd_per_month=None, gap_ratio=None, is_cut_short=True
    )
    text = _text(tuple(blocks(open_answer, RenderOptions())))
    assert "The distance of this plan from the optimum is unknown" in text
    assert "The time limit stopped the search" in text


def _text(found: tuple[Block, ...]) -> str:
    return repr(found)
