"""Transfers between given places: against another program for every choice of machines."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from netplan_planner.verbs.transfer.ask import TransferGoal
from netplan_planner.verbs.transfer.solve import packing
from support.known import known
from support.nightly import NIGHTLY, every
from support.transfers import linear, reckoned
from support.transfers.made import case_of, mesh_of, need_of, planned

CENT = Decimal("0.01")
SECOND = 1 / 3600
"""In hours: machines are paid in whole ones."""


@dataclass
class Compared:
    planner: float
    oracle: float
    slack: float


def compared(seed: int, *, targets: int, is_priced: bool) -> Compared | None:
    """Return the costs of both; None: both say that nothing keeps the deadline."""
    case = case_of(seed, targets=targets, is_priced=is_priced)
    best, plan = linear.best(case), planned(case)
    assert (best is None) == (plan.plan is None), (seed, best, plan.infeasible)
    if best is None or plan.plan is None:
        assert plan.infeasible is not None
        return None
    assert reckoned.wrong(plan.need, plan.plan, case.gbps) == ""
    # A second that is begun is paid, and a plan that is a cent dearer may be the faster one.
    slack = sum(best.counts.values()) * (case.usd_per_hour or 0) * SECOND + 0.011
    return Compared(float(plan.plan.usd_total), best.usd, slack)


@pytest.mark.parametrize("seed", every(3, range(25)))
@pytest.mark.parametrize("is_priced", [True, False])
def test_to_one_place_nothing_is_cheaper(seed: int, is_priced: bool) -> None:
    found = compared(seed, targets=1, is_priced=is_priced)
    if found is not None:
        least = found.oracle * (1 - 1e-6) - 0.01
        assert least <= found.planner <= found.oracle * (1 + 1e-5) + found.slack


@pytest.mark.parametrize("seed", every(3, range(15)))
@pytest.mark.parametrize("is_priced", [True, False])
def test_to_two_places_a_byte_crosses_once(seed: int, is_priced: bool) -> None:
    """Of priced machines one tree is taken that costs a thousandth more at most."""
    found = compared(seed, targets=2, is_priced=is_priced)
    if found is not None:
        most = found.oracle * (1 + (1.1e-3 if is_priced else 1e-5)) + found.slack
        assert found.oracle * (1 - 1e-6) - 0.01 <= found.planner <= most


@pytest.mark.parametrize("seed", every(3, range(15)))
@pytest.mark.parametrize("most_trees", [1, 2])
def test_where_the_search_for_trees_ends_early_a_plan_is_found_and_proven(
    seed: int, most_trees: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends only with trees that carry all bytes: a deadline that can be kept is kept."""
    monkeypatch.setattr(packing, "_ROUNDS", most_trees)
    found = compared(seed, targets=2, is_priced=False)
    if found is not None:
        assert found.oracle * (1 - 1e-6) - 0.01 <= found.planner


@NIGHTLY
@pytest.mark.parametrize("goal", TransferGoal)
def test_many_trees_are_a_plan(goal: TransferGoal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each edge is narrow and machines send on all of them, so that the best has many trees."""
    case = mesh_of(9, targets=4)
    wide: dict[str, Any] = {"machine_egress_gbps": 1000.0, "machine_ingress_gbps": 1000.0}
    fastest = known(planned(case, **wide, goal=TransferGoal.TIME).plan)
    deadline_s = 1.05 * fastest.duration_s
    asked: dict[str, Any] = {**wide, "goal": goal, "deadline_s": deadline_s}
    best = known(planned(case, **asked).plan)
    assert len(best.routes) > 8
    for most_trees in (2, 8, 16):
        monkeypatch.setattr(packing, "_ROUNDS", most_trees)
        found = planned(case, **asked)
        assert found.plan is not None
        assert reckoned.wrong(found.need, found.plan, case.gbps) == ""
        assert found.plan.duration_s <= deadline_s * (1 + 1e-6)
        if goal is TransferGoal.TIME:
            assert found.plan.duration_s >= best.duration_s * (1 - 1e-4)
        else:
            assert found.plan.usd_total >= best.usd_total - CENT


def test_some_of_the_cases_have_relays_and_some_no_plan() -> None:
    plans = [
        planned(case_of(seed, is_priced=is_on)) for seed in range(25) for is_on in (False, True)
    ]
    assert any(one.plan and one.plan.relays for one in plans)
    assert any(one.plan and not one.plan.relays for one in plans)
    assert any(one.infeasible for one in plans)


@pytest.mark.parametrize("seed", every(3, range(12)))
@pytest.mark.parametrize("targets", [1, 2])
def test_the_bill_is_that_of_another_reckoning_to_the_cent(seed: int, targets: int) -> None:
    for is_priced in (True, False):
        case = case_of(seed, targets=targets, is_priced=is_priced)
        plan = planned(case)
        prices = {edge: Decimal(str(usd)) for edge, usd in case.usd_per_gib.items()}
        usd = None if case.usd_per_hour is None else Decimal(str(case.usd_per_hour))
        for option in (plan.plan, plan.direct, *plan.front):
            if option is not None:
                own = reckoned.table_usd(plan.need, option, prices, usd)
                assert own.quantize(CENT) == option.usd_total.quantize(CENT)
                if option in plan.front:
                    continue
                summed = sum(x.usd_per_month for x in option.line_items)
                assert round(summed, 12) == round(option.usd_total, 12)


@pytest.mark.parametrize("seed", every(3, range(15)))
def test_it_is_never_dearer_than_the_direct_way_at_the_same_rate(seed: int) -> None:
    for targets in (1, 2):
        case = case_of(seed, targets=targets)
        straight = planned(case, relays=()).plan
        if straight is None:
            continue
        plan = known(planned(case, deadline_s=straight.duration_s * (1 + 1e-6)).plan)
        assert plan.usd_total <= straight.usd_total + CENT


@pytest.mark.parametrize("seed", every(3, range(8)))
def test_the_bound_is_below_and_a_budget_s_fastest_no_slower(seed: int) -> None:
    case = case_of(seed)
    plan, best = planned(case), linear.best(case)
    if plan.plan is not None and best is not None and plan.bound_usd is not None:
        assert plan.bound_usd <= plan.plan.usd_total
        assert float(plan.bound_usd) <= best.usd * (1 + 1e-6)
    # The fastest within a budget takes no longer than the cheapest.
    cheap = planned(case).plan
    if cheap is None:
        return
    budget = cheap.usd_total * Decimal("1.05")
    fast = known(planned(case, goal=TransferGoal.TIME, budget_usd=budget).plan)
    assert fast.usd_total <= budget
    assert fast.duration_s <= cheap.duration_s * (1 + 1e-4)
    unbound = known(planned(case, goal=TransferGoal.TIME).plan)
    assert unbound.duration_s <= fast.duration_s * (1 + 1e-4)


def test_the_cheapest_of_no_deadline_is_as_cheap_as_that_of_a_long_one() -> None:
    case = case_of(3)._replace(deadline_s=None)
    one, two = planned(case).plan, planned(case, deadline_s=1e7).plan
    assert one is not None
    assert two is not None
    assert abs(one.usd_total - two.usd_total) <= CENT
    assert need_of(case).deadline_s is None
