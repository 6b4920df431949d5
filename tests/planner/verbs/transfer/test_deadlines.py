"""Deadlines around what plans take: the start of a plan's own connections is in its time."""

from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.model import Usage
from netplan_planner.verbs.transfer.answer import TransferOption, TransferPlan
from netplan_planner.verbs.transfer.ask import (
    AddressKind,
    NetworkTier,
    TransferGoal,
    TransferNeed,
)
from netplan_planner.verbs.transfer.plan import plan_transfer
from support.examples import sized
from support.known import known
from support.nightly import every
from support.transfers.made import CAPS, PRICES, UNBOUND

CENT = Decimal("0.01")
TEN_TB = 10**13
N2 = ("n2-standard-4", "n2-standard-8", "n2-standard-16")
TO_INTERNET: dict[str, Any] = {
    "targets": ("internet",),
    "area": "EMEA",
    "machine_types": ("n2-standard-4", "n2-standard-16"),
    "relays": ("us-east1", "us-west1"),
}
ASKED: dict[str, dict[str, Any]] = {
    "over relays to the internet": TO_INTERNET,
    "between regions": {"targets": ("europe-west4",), "machine_types": N2},
    "to several regions": {"targets": ("europe-west4", "europe-west1"), "machine_types": N2[1:]},
    "by external addresses, with a start-up": {
        "targets": ("europe-west4",),
        "machine_types": N2,
        "address": AddressKind.EXTERNAL,
        "startup_s": 40.0,
    },
    "on Spot machines that nobody interrupts": {
        **TO_INTERNET,
        "relays": ("us-east1",),
        "usage": Usage.SPOT,
        "interruptions_per_day": 0.0,
    },
}
LATER_S = (0.01, 0.15, 0.3)[: sized(1, 3)]
"""Some less than what the connections' start takes, some more."""


def plan(asked: dict[str, Any], **more: Any) -> TransferPlan:
    told = {"source": "us-central1", "volume_bytes": TEN_TB, "max_count": 4, **UNBOUND}
    told |= {"network_tier": NetworkTier.PREMIUM, **asked, **more}
    return plan_transfer(TransferNeed(**told), PRICES, CAPS)


@pytest.mark.parametrize("name", every(5, sorted(ASKED)))
def test_around_the_sizes_no_plan_in_time_costs_less_than_the_answer(name: str) -> None:
    """Nor less than is proven, be it of the answer's own front or of another deadline's."""
    asked = ASKED[name]
    times = [one.duration_s for one in plan(asked).front][-sized(2, 3) :]
    deadlines = [time + later for time in times for later in (0.0, *LATER_S)]
    found = [plan(asked, deadline_s=one) for one in (*deadlines, round(times[0] * 0.97))]
    every = [option for one in found for option in one.front]
    assert any(one.plan for one in found)
    for one in found:
        in_time = cheapest_in_time(every, one)
        assert (one.plan is None) == (in_time is None)
        if one.plan is None or in_time is None:
            continue
        assert one.need.is_in_time(one.plan.duration_s)
        assert replace(one.plan, line_items=()) in one.front
        # What is paid by the second and compared by the cent.
        assert one.plan.usd_total <= in_time.usd_total + CENT
        assert known(one.bound_usd) <= in_time.usd_total + CENT


def cheapest_in_time(every: list[TransferOption], plan: TransferPlan) -> TransferOption | None:
    deadline_s = known(plan.need.deadline_s)
    in_time = [one for one in every if one.duration_s <= deadline_s]
    return min(in_time, key=lambda one: one.usd_total, default=None)


def test_the_start_of_a_relays_connections_leaves_less_time_for_the_bytes() -> None:
    """Relays carry a little more, so that 0.15 s of two starts are won: no other machines."""
    found = known(plan(TO_INTERNET, deadline_s=2_316.0).plan)
    assert found.ramp_s > 0.1
    assert found.transfer_s + found.ramp_s == pytest.approx(2_316, abs=0.05)
    longer = plan(TO_INTERNET, deadline_s=2_316.0 + found.ramp_s)
    assert Decimal(0) <= found.usd_total - known(longer.plan).usd_total < Decimal("0.10")


def test_with_a_budget_too_the_shortfall_is_the_cheapest_plans() -> None:
    cheapest = known(plan(TO_INTERNET, deadline_s=2_316.0).plan)
    poor = known(
        plan(TO_INTERNET, deadline_s=2_316.0, budget_usd=cheapest.usd_total - 2).infeasible
    )
    assert abs(known(poor.shortfall_usd) - 2) <= CENT


def test_nothing_passes_a_region_that_offers_none_of_the_machines() -> None:
    """E2 machines are not offered in asia-southeast3."""
    asked = {"series": ("e2",), "volume_bytes": 10**12}
    none = plan(asked, targets=("asia-southeast3",))
    assert "no suitable machine type is offered in asia-southeast3" in str(
        known(none.infeasible).binding
    )
    fast = plan(
        asked,
        targets=("internet",),
        area="EMEA",
        relays=("asia-southeast3", "us-east1"),
        goal=TransferGoal.TIME,
    )
    assert fast.plan is not None
    for one in fast.front:
        places = {machines.place for machines in one.machines}
        assert {flow.src for flow in one.flows} <= places


class TestHowLikelyItIsInTime:
    ASKED = ASKED["between regions"]

    def test_it_follows_the_interval(self) -> None:
        told = {**self.ASKED, "machine_types": ("n2-standard-16",), "max_count": 2}
        found = known(plan(told).plan)
        assert found.high_duration_s is not None
        assert found.low_duration_s < found.duration_s < found.high_duration_s
        ends = (found.duration_s, found.duration_s * 1.01, found.high_duration_s, 10**6)
        odds = [plan(told, deadline_s=one).deadline_probability for one in ends]
        assert None not in odds
        assert odds == sorted(odds, key=lambda one: one or 0.0)
        assert 0.25 < known(odds[0]) < 0.9
        assert known(odds[2]) >= 0.95
        assert odds[3] == 0.995
        # Without a deadline there is none.
        assert plan(self.ASKED).deadline_probability is None

    def test_spot_machines_must_not_be_interrupted(self) -> None:
        told = {**self.ASKED, "usage": Usage.SPOT, "lost_work_s": 60.0, "deadline_s": 7_200.0}
        seldom = plan(told, interruptions_per_day=0.1)
        often = plan(told, interruptions_per_day=2.0)
        assert known(often.deadline_probability) < known(seldom.deadline_probability) < 1
