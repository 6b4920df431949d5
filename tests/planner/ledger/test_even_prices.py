"""Changes under a contract whose discounts are not one: what is compared with what."""

from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.ledger import ledger_of
from netplan_planner.ledger.compared import AT_LIST
from netplan_planner.model import Change, ChangeKind, Facts, Hit, Instance, Usage, total_usd
from netplan_planner.optimise.machine_type import Chooser
from netplan_pricing.contract.terms import EffectivePrice, Terms
from netplan_pricing.opening import open_snapshot
from netplan_rules.capacity.cheaper_series import check
from support.rules.facts import facts_of, machine

HALF = Decimal("0.5")
LIST = open_snapshot()
ANT = machine("ant", "n2-standard-16")


def under_contract(*machines: Instance) -> Facts:
    """Return facts whose bill has half of the list price for vCPUs and memory of N2 alone."""
    parts = LIST.machine("us-central1", "n2-standard-16", Usage.ON_DEMAND).parts
    effective = {
        part.sku_id or "": {
            Decimal(0): EffectivePrice(
                usd=part.unit_price_usd * HALF, as_of=date(2026, 11, 1), source="the bill"
            )
        }
        for part in parts
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
