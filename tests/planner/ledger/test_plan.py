"""The plan of an audit, carried out: against the bill; each change alone against what-if."""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import NetplanError
from netplan_planner.judging.fixes import Answer, answer
from netplan_planner.judging.judged import judge
from netplan_planner.ledger import Ledger
from netplan_planner.model import ChangeKind, Facts, LineItem
from netplan_planner.verbs.whatif.answer import WhatifField
from netplan_rules.registry import all_rules
from planner.ledger.test_account import CENT, NAMES, bill, change_of, worlds, written
from support.whatif.projects import after
from support.whatif.projects import change as wish


def planned(facts: Facts) -> Answer:
    """Return what an audit of facts says to do, by all rules."""
    return answer(facts, [(check.rule, judge(check, facts).hits) for check in all_rules()])


@given(worlds())
def test_the_plan_saves_what_the_bill_falls_by_and_never_more_than_all_of_it(facts: Facts) -> None:
    found = planned(facts)
    made, said = [], Decimal(0)
    for fix in found.do_first:
        for one in fix.changes:
            if one.change is not None:
                made.append(one.change)
                said += one.saving_usd_per_month or Decimal(0)
    whole = bill(facts)
    assert said <= whole
    assert abs(whole - bill(written(facts, made)) - said) < CENT, made


@given(worlds())
def test_each_entry_is_the_sum_of_its_changes(facts: Facts) -> None:
    found = planned(facts)
    for fix in found.do_first:
        each = [one.saving_usd_per_month or Decimal(0) for one in fix.changes]
        assert sum(each, Decimal(0)) == (fix.saving_usd_per_month or Decimal(0))
    ranks = [fix.rank for fix in found.do_first]
    assert ranks == list(range(1, len(ranks) + 1))


def by_pool(lines: Iterable[LineItem]) -> dict[tuple[str, ...], Decimal]:
    """Return what lines of traffic come to, by the SKUs whose steps they share."""
    found: defaultdict[tuple[str, ...], Decimal] = defaultdict(Decimal)
    for line in lines:
        if line.name.startswith(("traffic ", "Cloud NAT, data")):
            found[line.sku_ids] += line.usd_per_month
    return found


@given(worlds())
def test_no_pool_of_traffic_is_saved_twice(facts: Facts) -> None:
    """What all changes say of a pool is what it falls by, and never more than is paid of it."""
    ledger = Ledger(facts)
    edges = facts.seen_traffic.edges
    left = by_pool(ledger.cost(edges).lines)
    for fix in planned(facts).do_first:
        for one in fix.changes:
            if one.change is None:
                continue
            for pool, usd in by_pool(ledger.value(one.change).saving.items).items():
                left[pool] = left.get(pool, Decimal(0)) - usd
                assert left[pool] > -CENT, (one.change, pool)
            ledger.make(one.change)
    then = by_pool(ledger.cost(edges).lines)
    for pool in {*left, *then}:
        assert abs(left.get(pool, Decimal(0)) - then.get(pool, Decimal(0))) < CENT, pool


_ASKED = {
    ChangeKind.ZONE: (WhatifField.ZONE, ("us-central1-a", "us-central1-f", "europe-west1-b")),
    ChangeKind.MACHINE_TYPE: (WhatifField.MACHINE_TYPE, ("e2-standard-8", "n2-standard-16")),
    ChangeKind.NETWORK_TIER: (WhatifField.NETWORK_TIER, ("STANDARD", "PREMIUM")),
}


@given(worlds(), st.sampled_from(sorted(_ASKED)), st.integers(0, 2), st.sampled_from(NAMES))
def test_one_alone_is_what_whatif_is(
    facts: Facts, kind: ChangeKind, number: int, name: str
) -> None:
    field, values = _ASKED[kind]
    to = values[number % len(values)]
    one = next(one for one in facts.inventory.instances if one.name == name)
    try:
        scenario = after(facts, wish(name, field, to.lower()))
    except NetplanError:
        return  # It has no address, or is in the zone already.
    change = change_of(facts, (kind, name, name, to))
    if change.members:
        change = type(change)(kind=kind, target=one.ref.self_link, to=to)
    worth = Ledger(facts).value(change)
    assert worth.usd is not None
    assert abs(bill(facts) - bill(scenario.facts) - worth.usd) < CENT


@given(worlds())
def test_whatif_of_all_of_a_plan_is_what_the_plan_says(facts: Facts) -> None:
    """Of all changes at once that what-if can be asked for, a machine by its name."""
    fixes = (one.change for fix in planned(facts).do_first for one in fix.changes)
    made = [one for one in fixes if one is not None and one.kind in _ASKED and not one.destination]
    names = {one.ref.self_link: one.name for one in facts.inventory.instances}
    ledger, said = Ledger(facts), Decimal(0)
    for change in made:
        said += ledger.value(change).usd or Decimal(0)
        ledger.make(change)
    wishes = [
        wish(names[link], _ASKED[one.kind][0], (one.to or "").lower())
        for one in made
        for link in one.targets
    ]
    then = after(facts, *wishes).facts if wishes else facts
    assert abs(bill(facts) - bill(then) - said) < CENT
