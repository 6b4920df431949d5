"""Changes under a contract whose discounts are not one: what is compared with what."""

from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.ledger import ledger_of
from netplan_planner.ledger.compared import AT_LIST, is_paid_instead
from netplan_planner.model import Change, ChangeKind, Facts, Hit, Instance, Usage, total_usd
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField
from netplan_planner.verbs.whatif.run import answer
from netplan_planner.world.request import InputRequest
from netplan_pricing.contract.terms import EffectivePrice, Terms
from netplan_pricing.opening import open_snapshot
from netplan_rules.capacity.cheaper_series import check
from support.known import known
from support.rules.facts import facts_of, machine

HALF = Decimal("0.5")
LIST = open_snapshot()
ANT = machine("ant", "n2-standard-16")


def under_contract(*machines: Instance, ratio: Decimal = HALF) -> Facts:
    """Return facts whose bill has a share of the list price for N2, and the list price for C2."""
    effective = {
        part.sku_id or "": {
            Decimal(0): EffectivePrice(
                usd=part.unit_price_usd * left, as_of=date(2026, 11, 1), source="the bill"
            )
        }
        for machine_type, left in (("n2-standard-16", ratio), ("c2-standard-16", Decimal(1)))
        for part in LIST.machine("us-central1", machine_type, Usage.ON_DEMAND).parts
    }
    prices = open_snapshot(terms=Terms(effective=effective))
    facts = facts_of(*machines)
    return replace(facts, prices=prices, machines=Chooser(prices, facts.caps))


def usd(facts: Facts, machine_type: str) -> Decimal:
    found = replace(ANT, machine_type=machine_type)
    return total_usd(facts.machines.cost_today(found, Usage.SUSTAINED_USE))


def to(machine_type: str, of: Instance = ANT) -> Change:
    return Change(kind=ChangeKind.MACHINE_TYPE, target=of.ref.self_link, to=machine_type)


def test_each_name_is_compared_as_it_is_paid() -> None:
    listed, facts = facts_of(ANT), under_contract(ANT)
    assert usd(facts, "n2-standard-16") == HALF * usd(listed, "n2-standard-16")
    saving = ledger_of(facts).value(to("e2-standard-16")).saving
    assert saving.usd_per_month == usd(listed, "n2-standard-16") - usd(listed, "e2-standard-16")
    assert saving.note == AT_LIST
    # What the bill names on both sides is compared as it is paid.
    facts = under_contract(ANT)
    saving = ledger_of(facts).value(to("n2-standard-8")).saving
    assert saving.usd_per_month == usd(facts, "n2-standard-16") - usd(facts, "n2-standard-8")
    assert saving.note == ""
    # Changes that were made count on both sides.
    listed, facts = facts_of(ANT), under_contract(ANT)
    ledger = ledger_of(facts)
    made = ledger.make(to("n2-standard-8"))
    saving = ledger.value(to("e2-standard-8")).saving
    ledger.go_back(made)
    assert saving.usd_per_month == usd(listed, "n2-standard-8") - usd(listed, "e2-standard-8")
    again = ledger.value(to("e2-standard-16")).saving
    assert again.usd_per_month == usd(listed, "n2-standard-16") - usd(listed, "e2-standard-16")


def test_the_audit_names_the_type_that_the_list_prices_name() -> None:
    (by_list,), (hit,) = check(facts_of(ANT)), check(under_contract(ANT))
    assert isinstance(hit, Hit)
    assert isinstance(by_list, Hit)
    assert hit.change == by_list.change
    assert hit.saving.usd_per_month == by_list.saving.usd_per_month
    assert hit.saving.note == AT_LIST


@given(
    st.integers(1, 60),
    st.lists(
        st.sampled_from(("e2-standard-2", "e2-standard-16", "n2d-standard-8", "n2-standard-8")),
        min_size=1,
        max_size=2,
    ),
)
def test_no_verb_saves_more_than_what_is_paid(percent: int, types: list[str]) -> None:
    """At list prices E2 saves hundreds of dollars of a machine that costs a few."""
    machines = [ANT, machine("bee", "n2-standard-8")][: len(types)]
    facts = under_contract(*machines, ratio=Decimal(percent) / 100)
    changes = [to(name, one) for name, one in zip(types, machines, strict=True)]
    ledger = ledger_of(facts)
    saved = ledger.value(*changes).saving.usd_per_month
    aims = [
        WhatifChange(vms=one.name, field=WhatifField.MACHINE_TYPE, to=name, source="--vm")
        for name, one in zip(types, machines, strict=True)
    ]
    found = answer(InputRequest(today=date(2026, 11, 20)), facts, aims)
    paid = found.before.money.machines_usd
    assert saved <= paid
    total = found.before.money.least_usd_per_month - found.after.money.least_usd_per_month
    assert total <= paid
    assert found.after.money.machines_usd >= 0
    for step in found.steps:
        assert known(step.alone.saves_usd_per_month) <= paid
    marginal = sum(known(step.marginal.saves_usd_per_month) for step in found.steps)
    assert abs(total - marginal) < Decimal("1e-6")


def test_what_is_no_longer_paid_is_what_the_bill_has() -> None:
    """The list price of today's machine is twice what is paid: a line of its own holds that."""
    facts = under_contract(ANT)
    items = ledger_of(facts).value(to("e2-standard-16")).saving.items
    gone = total_usd([one for one in items if not is_paid_instead(one)])
    assert gone == usd(facts, "n2-standard-16")
    (less,) = (one for one in items if one.name.endswith(AT_LIST))
    assert less.usd_per_month == usd(facts_of(ANT), "n2-standard-16") - gone
    assert is_paid_instead(less)
