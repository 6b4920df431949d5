"""What holds of any transfer: more of it, fewer ways and tighter bounds never cost less."""

from decimal import Decimal
from itertools import pairwise

import pytest
from msgspec.structs import replace

from netplan_planner.verbs.transfer.ask import TransferGoal
from netplan_planner.verbs.transfer.hops import Tables
from netplan_planner.verbs.transfer.plan import plan_transfer
from support.known import known
from support.nightly import every
from support.transfers.linear import Case
from support.transfers.made import CAPS, PRICES, case_of, need_of, planned, tables_of

CENT = Decimal("0.01")
TREE = Decimal("1.0011")
"""To several targets one tree is taken that costs a thousandth more at most."""
SEEDS = range(10)


def slack_of(case: Case) -> Decimal:
    return TREE if len(case.targets) > 1 else Decimal(1)


@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("seed", every(3, SEEDS))
def test_what_is_harder_never_costs_less(seed: int, targets: int) -> None:
    case = case_of(seed, targets=targets)
    easy, slack = planned(case), slack_of(case)
    dear = {edge: round(usd * 1.2, 4) for edge, usd in case.usd_per_gib.items()}
    some = case.places[1:2]
    harder = {
        "more bytes": (easy, planned(case._replace(gib=case.gib * 1.3))),
        "a dearer network": (easy, planned(case._replace(usd_per_gib=dear))),
        "fewer machines": (planned(case._replace(most=3)), easy),
        "fewer relays": (easy, few := planned(case, relays=some)),
        "no relays": (few, planned(case, relays=())),
    }
    if easy.plan is not None:
        late_s = easy.plan.duration_s * 0.7
        harder["a tighter deadline"] = (easy, planned(case, deadline_s=late_s))
    for name, (one, other) in harder.items():
        # What is paid by the second and compared by the cent.
        assert other.plan is None or (
            known(one.plan).usd_total <= other.plan.usd_total * slack + 2 * CENT
        ), name


@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("seed", every(3, SEEDS))
def test_prices_times_k_are_costs_times_k(seed: int, targets: int) -> None:
    case = case_of(seed, targets=targets)._replace(deadline_s=None)
    one, ten = planned(case), planned(times_ten(case))
    assert one.plan is not None
    allowed = one.plan.usd_total * (slack_of(case) - 1) + 2 * CENT
    assert abs(known(ten.plan).usd_total / 10 - one.plan.usd_total) <= allowed
    if one.bound_usd is not None and ten.bound_usd is not None:
        assert float(ten.bound_usd) == pytest.approx(10 * float(one.bound_usd), rel=1e-4)


def times_ten(case: Case) -> Case:
    dear = {edge: round(usd * 10, 4) for edge, usd in case.usd_per_gib.items()}
    usd = None if case.usd_per_hour is None else round(case.usd_per_hour * 10, 3)
    return case._replace(usd_per_gib=dear, usd_per_hour=usd)


@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("seed", every(3, SEEDS))
def test_the_order_of_rows_changes_nothing(seed: int, targets: int) -> None:
    case = case_of(seed, targets=targets)
    need, tables = need_of(case), tables_of(case)
    turned = Tables(known(tables.grid)[::-1], known(tables.prices)[::-1])
    one = plan_transfer(need, PRICES, CAPS, tables)
    assert plan_transfer(need, PRICES, CAPS, turned) == one


def test_the_order_of_targets_changes_no_cost() -> None:
    for seed in SEEDS:
        case = case_of(seed, targets=2)
        need = need_of(case)
        one, two = (
            plan_transfer(replace(need, targets=told), PRICES, CAPS, tables_of(case))
            for told in (case.targets, case.targets[::-1])
        )
        assert (one.plan is None) == (two.plan is None)
        if one.plan is not None and two.plan is not None:
            assert abs(one.plan.usd_total - two.plan.usd_total) <= CENT


@pytest.mark.parametrize("seed", every(3, SEEDS))
def test_nothing_of_the_front_beats_another(seed: int) -> None:
    front = planned(case_of(seed, targets=1 + seed % 2)).front
    for slow, fast in pairwise(front):
        assert slow.usd_total.quantize(CENT) < fast.usd_total.quantize(CENT)
        assert slow.duration_s > fast.duration_s


def test_what_is_infeasible_says_what_is_enough() -> None:
    for seed in range(6):
        case = case_of(seed)
        fast = known(planned(case._replace(deadline_s=None), goal=TransferGoal.TIME).plan)
        late = known(planned(case, deadline_s=fast.duration_s * 0.9).infeasible)
        assert late.shortfall_s == pytest.approx(fast.duration_s * 0.1, rel=1e-3)
        changes = [str(one) for one in late.changes]
        deadline = next(x for x in changes if "--deadline " in x)
        seconds = float(deadline.partition("--deadline ")[2].removesuffix("s)"))
        assert planned(case, deadline_s=seconds).plan is not None
        count = known(next((x for x in changes if "--max-count " in x), None))
        most = int(count.partition("--max-count ")[2].partition(")")[0])
        assert planned(case._replace(most=most), deadline_s=fast.duration_s * 0.9).plan is not None
        # One fewer is not enough.
        fewer = case._replace(most=most - 1)
        assert planned(fewer, deadline_s=fast.duration_s * 0.9).plan is None
    # A budget that is too small says by how much.
    case = case_of(2)._replace(deadline_s=None)
    cheap = known(planned(case).plan)
    poor = planned(case, budget_usd=cheap.usd_total - 5)
    assert poor.infeasible is not None
    assert abs(known(poor.infeasible.shortfall_usd) - 5) <= CENT
