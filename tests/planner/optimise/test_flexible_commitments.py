"""What changes of machines do to flexible commitments, held against a bill of each hour."""

from collections.abc import Sequence
from copy import copy
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.model import CoverLedger, FlexibleCommitments, MachineChange, Usage
from netplan_planner.optimise.commitment_changes import Commitments
from netplan_pricing import open_prices
from netplan_pricing.book import SnapshotPriceBook
from support.prices.commitments import commitment
from support.rules.facts import facts_of, machine

BASE = facts_of()
TYPES = ("n2-standard-2", "n2-standard-8", "e2-standard-4", "n1-standard-4")
NONE = Decimal(0)
AMOUNTS = ("usd_per_month", *(f"{of}_usd_per_month" for of in ("covered", "unused", "uncovered")))


@cache
def opened() -> SnapshotPriceBook:
    return open_prices()


@cache
def eligible() -> frozenset[str]:
    return opened().flexible_skus()


def seen(*usd_by_hour: str, doubt: str = "", net_ratio: str = "1") -> FlexibleCommitments:
    month = datetime(2026, 10, 1, tzinfo=UTC)
    return FlexibleCommitments(
        use=model.FlexibleUse(
            plans=("1 year",),
            source="billing export made",
            start=month,
            end=month,
            **dict.fromkeys(AMOUNTS, NONE),  # type: ignore[arg-type]
            hour_count=len(usd_by_hour),
            doubt=doubt,
        ),
        uncovered_usd_by_hour=tuple(map(Decimal, usd_by_hour)),
        sku_ids=eligible(),
        net_ratio=Decimal(net_ratio),
    )


def book(found: FlexibleCommitments | None) -> SnapshotPriceBook:
    prices = copy(opened())
    prices.flexible = found
    return prices


def ledger_of(found: FlexibleCommitments, facts: model.Facts = BASE) -> CoverLedger:
    return Commitments(book(found), model.CommitmentScope.UNKNOWN).ledger(
        facts.inventory, facts.today
    )


def price(machine_type: str | None, usage: Usage) -> Decimal:
    if machine_type is None:
        return NONE
    return BASE.prices.machine("us-central1", machine_type, usage).usd


def hourly(machine_type: str | None) -> Decimal:
    return price(machine_type, Usage.SUSTAINED_USE)


def listed(machine_type: str | None) -> Decimal:
    return price(machine_type, Usage.ON_DEMAND)


def changed(old: str, new: str | None = None, name: str = "a") -> MachineChange:
    return MachineChange(instance=machine(name, machine_type=old), machine_type=new)


def bill(usd_by_hour: Sequence[Decimal], moved: Decimal, net_ratio: str) -> Decimal:
    """Return a month's spend above what is covered, hour by hour, less sustained-use discounts."""
    hours = [max(NONE, above + moved) for above in usd_by_hour]
    return sum(hours, NONE) / len(hours) * 730 * Decimal(net_ratio)


def saving(ledger: CoverLedger, old: str, new: str | None) -> Decimal:
    found = ledger.change(changed(old, new))
    assert found.unknown == ""
    return (hourly(old) - hourly(new)) * 730 + model.total_usd(found.items)


amounts = st.lists(st.integers(-3000, 3000).map(lambda n: Decimal(n) / 1000), min_size=1)
changes = st.lists(st.tuples(st.sampled_from(TYPES), st.sampled_from((*TYPES, None))), max_size=4)


@given(amounts, changes, st.sampled_from(["1", "0.8", "0.7"]))
def test_changes_save_what_the_bill_of_each_hour_falls_by(
    usd_by_hour: list[Decimal], asked: list[tuple[str, str | None]], net_ratio: str
) -> None:
    ledger, moved = ledger_of(seen(*map(str, usd_by_hour), net_ratio=net_ratio)), NONE
    for old, new in asked:
        if old == new:
            continue
        then = moved + listed(new) - listed(old)
        expected = bill(usd_by_hour, moved, net_ratio) - bill(usd_by_hour, then, net_ratio)
        # Where nothing binds, discounts for sustained use that are all but alike count as alike.
        assert float(saving(ledger, old, new)) == pytest.approx(float(expected), rel=0.02, abs=1e-4)
        ledger.take(changed(old, new))
        moved = then


def test_spend_that_is_covered_in_every_hour_saves_nothing() -> None:
    ledger = ledger_of(seen("0", "-0.5"))
    found = ledger.change(changed("n2-standard-8"))
    assert saving(ledger, "n2-standard-8", None) == 0
    assert "spend that flexible commitments (1 year) cover, billed in any case" in found.note
    assert "billing export made" in found.note


def test_spend_well_above_what_is_covered_saves_all_of_it() -> None:
    ledger = ledger_of(seen("100", net_ratio="0.8"))
    assert saving(ledger, "n2-standard-8", "n2-standard-2") == (
        (hourly("n2-standard-8") - hourly("n2-standard-2")) * 730
    )


def test_unused_cover_takes_spend_at_the_price_on_demand() -> None:
    """Sustained-use discounts are on what no commitment covers."""
    ledger = ledger_of(seen("-0.1", net_ratio="0.7"))
    added = listed("n1-standard-4") - listed("n1-standard-2")
    assert added < Decimal("0.1")
    assert saving(ledger, "n1-standard-2", "n1-standard-4") == 0
    half = saving(
        ledger_of(seen(f"-{added / 2}", net_ratio="0.7")), "n1-standard-2", "n1-standard-4"
    )
    assert float(half) == pytest.approx(float(-added / 2 * Decimal("0.7") * 730))


def test_what_leaves_the_bill_has_the_discounts_of_what_is_not_covered() -> None:
    """N2 goes, which is covered: E2 takes its cover, which has no sustained-use discount."""
    ledger = ledger_of(seen("100", net_ratio="1"))
    expected = (listed("n2-standard-8") - listed("n2-standard-2")) * 730
    assert float(saving(ledger, "n2-standard-8", "n2-standard-2")) == pytest.approx(float(expected))


def test_resource_based_commitments_go_first() -> None:
    resource = commitment(8, 32)
    inventory = model.Inventory(
        instances=(machine("a", machine_type="n2-standard-8"),), commitments=(resource,)
    )
    ledger = ledger_of(seen("0"), replace(BASE, inventory=inventory))
    # All of it is covered by the resource-based one: the flexible one does not see it go.
    found = ledger.change(MachineChange(instance=inventory.instances[0], machine_type=None))
    assert not any("flexible" in item.name for item in found.items)
    assert hourly("n2-standard-8") * 730 + model.total_usd(found.items) == pytest.approx(NONE)


@pytest.mark.parametrize(
    ("doubt", "machine_type", "why"),
    [
        ("what an hour holds", "n2-standard-2", "what an hour holds"),
        ("", "c3-standard-4", "whether flexible commitments (1 year) cover all of c3"),
        ("", "e2-medium", "cover shared-core types"),
    ],
)
def test_what_is_not_known_of_cover_makes_no_line(doubt: str, machine_type: str, why: str) -> None:
    cover = ledger_of(seen("1", doubt=doubt)).change(changed(machine_type))
    assert why in cover.unknown
    assert cover.items == ()


def test_after_a_change_that_is_not_known_only_ample_spend_is_sure() -> None:
    unknown, known = changed("e2-medium"), changed("n2-standard-8", name="b")
    scarce, ample = ledger_of(seen("0")), ledger_of(seen("100"))
    for ledger in (scarce, ample):
        assert ledger.change(known).unknown == ""
        ledger.take(unknown)
    assert "after the changes before it" in scarce.change(known).unknown
    assert ample.change(known).unknown == ""


def test_spot_and_stopped_machines_are_none_of_their_spend() -> None:
    spot = replace(machine("a", machine_type="n2-standard-8"), is_spot=True)
    ledger = ledger_of(seen("0"))
    change = MachineChange(instance=spot, machine_type=None)
    assert ledger.change(change).items == ()
    ledger.take(change)
    assert saving(ledger, "n2-standard-8", None) == pytest.approx(0, abs=Decimal("1e-5"))
