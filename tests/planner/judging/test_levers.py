"""What commitments would save beside the fixes, by hand and against the bill of a month."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.month import commitment_lever, committed, month_bill, tables_of
from netplan_planner.optimise.commitment_table import commitment_uses
from support.prices.commitments import commitment
from support.rules.facts import facts_of, holding, machine

NOT_KNOWN = model.CommitmentScope.UNKNOWN
MONTH_H = 730
CENT = Decimal("0.01")


def lever(facts: model.Facts, *changes: model.Change) -> model.CommitmentLever | None:
    return commitment_lever(facts, changes, NOT_KNOWN)


def hourly_usd(facts: model.Facts, machine_type: str, usage: model.Usage) -> Decimal:
    return facts.prices.machine("us-central1", machine_type, usage).usd


def retyped(one: model.Instance, machine_type: str) -> model.Change:
    return model.Change(
        kind=model.ChangeKind.MACHINE_TYPE, target=one.ref.self_link, to=machine_type
    )


def with_commitments(facts: model.Facts, *bought: model.Commitment) -> model.Facts:
    return holding(facts, commitments=bought)


def test_what_runs_is_committed_for_a_year_less_what_is_already() -> None:
    machines = [machine(name, "e2-standard-8") for name in ("ant", "bee", "cow")]
    facts = facts_of(*machines)
    each, small = (
        MONTH_H
        * (hourly_usd(facts, of, model.Usage.ON_DEMAND) - hourly_usd(facts, of, model.Usage.CUD_1Y))
        for of in ("e2-standard-8", "e2-standard-2")
    )
    found = lever(facts, retyped(machines[0], "e2-standard-2"))
    assert found is not None
    assert abs(found.usd_per_month - 3 * each) < CENT
    assert abs(found.after_plan_usd_per_month - 2 * each - small) < CENT
    assert found.usd_per_month <= found.most_usd_per_month < found.usd_per_month + CENT
    ((kind, family, vcpus, memory),) = [
        (one.kind, one.family, one.vcpus, one.memory_gib) for one in found.commitments
    ]
    assert (kind, family, vcpus, memory) == ("resource", "e2", 18, Decimal(72))
    assert (found.machine_count, found.unpriced_machine_count) == (3, 0)
    # What is committed already saves nothing once more.
    facts = facts_of(machine("ant", "e2-standard-8"), machine("bee", "e2-standard-8"))
    half = with_commitments(facts, commitment(8, 32, "GENERAL_PURPOSE_E2"))
    alone, rest = lever(facts), lever(half)
    assert alone is not None
    assert rest is not None
    assert abs(alone.usd_per_month - 2 * rest.usd_per_month) < CENT
    assert lever(with_commitments(facts, commitment(16, 64, "GENERAL_PURPOSE_E2"))) is None
    # Spot is not committed to and what has no price is counted.
    plain = machine("ant", "e2-standard-8")
    spot = replace(machine("bee", "e2-standard-8"), is_spot=True)
    tenant = replace(machine("cow", "n2-standard-8"), is_sole_tenant=True)
    stopped = replace(machine("dog", "e2-standard-8"), status="TERMINATED")
    found, one = lever(facts_of(plain, spot, tenant, stopped)), lever(facts_of(plain))
    assert found is not None
    assert one is not None
    assert found.usd_per_month == one.usd_per_month
    assert (found.machine_count, found.unpriced_machine_count) == (1, 1)
    assert lever(facts_of(spot)) is None


KINDS: tuple[Callable[[model.Instance], model.Instance], ...] = (
    lambda one: one,
    lambda one: replace(one, is_spot=True),
    lambda one: replace(one, bandwidth_tier=model.BandwidthTier.TIER_1),
    lambda one: replace(one, local_ssd_count=4),
    lambda one: replace(one, gpu_type="nvidia-tesla-t4", gpu_count=1),
    lambda one: replace(one, is_sole_tenant=True),
)
E2 = "GENERAL_PURPOSE_E2"
TYPES = ("e2-standard-8", "n2-standard-8", "n2d-standard-4", "c3-standard-44", "e2-micro")


@given(
    st.lists(st.tuples(st.sampled_from(TYPES), st.sampled_from(KINDS)), min_size=1, max_size=8),
    st.sampled_from((0, 4, 16)),
)
def test_what_is_paid_is_what_the_bill_of_a_month_says(
    drawn: list[tuple[str, Callable[[model.Instance], model.Instance]]], vcpus: int
) -> None:
    facts = facts_of(*(kind(machine(f"m{at}", of)) for at, (of, kind) in enumerate(drawn)))
    if vcpus:
        facts = with_commitments(facts, commitment(vcpus, vcpus * 4))
    uses = commitment_uses(facts.inventory, facts.prices, facts.today, NOT_KNOWN)
    bill = month_bill(tables_of(facts), committed(facts, uses))
    found = lever(facts)
    if found is None or bill.commitments_usd is None:
        return
    assert abs(found.paid_usd_per_month - bill.machines_usd - bill.commitments_usd) < CENT
    assert found.unpriced_machine_count == bill.unpriced_machine_count
    assert 0 <= found.after_plan_usd_per_month <= found.paid_usd_per_month


def test_what_begins_in_days_is_on_no_bill_yet() -> None:
    facts = with_commitments(facts_of(machine("ant", "e2-standard-8")), commitment(2, 8, E2))
    uses = commitment_uses(facts.inventory, facts.prices, facts.today, NOT_KNOWN)
    both = with_commitments(
        facts, *facts.inventory.commitments, commitment(8, 32, E2, status="CREATING")
    )
    more = commitment_uses(both.inventory, both.prices, both.today, NOT_KNOWN)
    assert committed(both, more) == committed(facts, uses)
    assert committed(both, more).usd is not None


@pytest.mark.parametrize("status", ["NOT_YET_ACTIVE", "CREATING", "ACTIVE"])
def test_nobody_buys_again_what_begins_in_days(status: str) -> None:
    facts = facts_of(machine("ant", "e2-standard-8"))
    assert lever(facts) is not None
    bought = commitment(8, 32, "GENERAL_PURPOSE_E2", status=status)
    assert lever(with_commitments(facts, bought)) is None


def test_where_a_commitment_is_not_known_no_other_is_planned() -> None:
    facts = facts_of(machine("ant", "e2-standard-8"))
    for one in (commitment(None, None, "GENERAL_PURPOSE_E2"), commitment(8, 32, "NEW_KIND")):
        assert lever(with_commitments(facts, one)) is None


def test_machines_of_which_no_commitment_is_sold_are_not_counted() -> None:
    plain, arm = machine("ant", "e2-standard-8"), machine("bee", "t2a-standard-8")
    found, alone = lever(facts_of(plain, arm)), lever(facts_of(plain))
    assert found is not None
    assert alone is not None
    assert found.machine_count == alone.machine_count == 1
    assert found.paid_usd_per_month > alone.paid_usd_per_month
