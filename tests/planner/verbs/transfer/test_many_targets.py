"""One to many at scale, beside the exact tree of another hand; plans are judged by carrying out."""

import math
import random
from collections.abc import Callable
from decimal import Decimal

import pytest

from netplan_planner.verbs.transfer.answer import TransferPlan
from netplan_planner.verbs.transfer.ask import TransferGoal
from netplan_planner.verbs.transfer.solve import solving
from netplan_planner.verbs.transfer.solve.packing import Packing
from netplan_planner.verbs.transfer.solve.program import Aim, Span
from support.examples import sized
from support.known import known
from support.nightly import every
from support.transfers import exact_trees, fluid, reckoned
from support.transfers.linear import Case
from support.transfers.made import planned


def complete(count: int, targets: int, seed: int, usd_per_hour: float | None = None) -> Case:
    """Return a network of so many places with an edge from every one to every other."""
    dice = random.Random(f"complete {count} {targets} {seed}")
    places = tuple(f"p{at:02}" for at in range(count))
    edges = [(src, dst) for src in places for dst in places if src != dst]
    return Case(
        places=places,
        gbps={edge: round(dice.uniform(0.3, 7), 2) for edge in edges},
        usd_per_gib={edge: dice.choice((0.02, 0.05, 0.08, 0.1, 0.12, 0.19)) for edge in edges},
        source=places[0],
        targets=places[-targets:],
        gib=9_000.0,
        most=8,
        usd_per_hour=usd_per_hour,
    )


def exact_usd(case: Case) -> float:
    return case.gib * exact_trees.least_usd(case.usd_per_gib, case.source, case.targets)


def carried_out(case: Case, plan: TransferPlan) -> None:
    """Hold a plan against its own words: what it claims to take is what it takes."""
    found = known(plan.plan)
    assert reckoned.wrong(plan.need, found, case.gbps) == ""
    # A hop passes on in the next step what arrived in this one.
    most_s = found.transfer_s * (1 + (len(case.targets) + 8) / fluid.STEPS)
    assert fluid.finished_s(plan.need, found, case.gbps) <= most_s


@pytest.mark.parametrize("seed", every(3, range(9)))
@pytest.mark.parametrize(("count", "targets"), [(12, 3), (30, 5)])
def test_no_plan_of_free_machines_is_dearer_than_the_exact_tree(
    count: int, targets: int, seed: int
) -> None:
    case = complete(count, targets, seed)
    plan = planned(case)
    least = exact_usd(case)
    assert float(known(plan.plan).usd_total) <= least * 1.005
    assert float(known(plan.bound_usd)) <= least + 0.01
    carried_out(case, plan)


@pytest.mark.parametrize("usd_per_hour", [None, 1.6])
def test_many_places_and_seven_targets_take_seconds(usd_per_hour: float | None) -> None:
    """How many, of 70 places, is in the benchmark: no test depends on time."""
    case = complete(sized(24, 70), 7, 1, usd_per_hour)
    plan = planned(case)
    found = known(plan.plan)
    assert float(found.traffic_usd) <= exact_usd(case) * 1.005
    assert float(found.usd_total / known(plan.bound_usd)) <= 1.005
    carried_out(case, plan)


def test_a_deadline_that_the_cheapest_tree_misses_is_kept_by_more_trees() -> None:
    case = complete(20, 4, 2)
    slow, fast = planned(case), planned(case, goal=TransferGoal.TIME)
    deadline_s = (known(slow.plan).duration_s + known(fast.plan).duration_s) / 2
    plan = planned(case._replace(deadline_s=deadline_s))
    found = known(plan.plan)
    assert found.duration_s <= deadline_s * (1 + 1e-6)
    assert known(slow.plan).usd_total <= found.usd_total <= known(fast.plan).usd_total
    carried_out(case, plan)


def test_many_targets_are_a_plan_too() -> None:
    """Above eight targets trees are joined by nearest paths; the bound is that of flows."""
    case = complete(14, 11, 3)
    plan = planned(case)
    found = known(plan.plan)
    assert found.usd_total <= known(plan.direct or plan.plan).usd_total
    assert Decimal(0) < known(plan.bound_usd) <= found.usd_total
    carried_out(case, plan)


@pytest.mark.parametrize("seed", range(2))
def test_whole_machines_are_searched_for_less_often_where_a_faster_plan_is_as_good(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    case = complete(12, 3, seed, usd_per_hour=1.6)
    counted = _counted(monkeypatch, "whole")
    usual, searches = planned(case), counted()
    best = solving._Part.best

    def without_faster(
        self: solving._Part, span: Span, aim: Aim, faster_usd: float = math.inf
    ) -> solving.Solution | None:
        return best(self, span, aim)

    monkeypatch.setattr(solving._Part, "best", without_faster)
    every_span = planned(case)
    assert searches < counted() - searches
    found, wanted = known(usual.plan), known(every_span.plan)
    assert (found.usd_total, found.duration_s) == (wanted.usd_total, wanted.duration_s)
    assert usual.bound_usd == every_span.bound_usd


def _counted(monkeypatch: pytest.MonkeyPatch, name: str) -> Callable[[], int]:
    """Count the calls of a method of `Packing` from here on; return what tells the number."""
    method, calls = getattr(Packing, name), [0]

    def counting(self: Packing, *args: object) -> object:
        calls[0] += 1
        return method(self, *args)

    monkeypatch.setattr(Packing, name, counting)
    return lambda: calls[0]
