"""What changes of machines do to flexible commitments, held against a bill of each hour."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.model import (
    CommitmentScope,
    CoverLedger,
    Facts,
    FlexibleCommitments,
    FlexibleUse,
    Inventory,
    MachineChange,
    Usage,
    total_usd,
)
from netplan_planner.optimise.commitment_changes import Commitments
from netplan_pricing import open_prices
from netplan_pricing.book import SnapshotPriceBook
from support.prices.commitments import commitment
from support.rules.facts import facts_of, machine

BASE = facts_of()
TYPES = ("n2-standard-2", "n2-standard-8", "e2-standard-4", "n1-standard-4")
NONE = Decimal(0)


def seen(*usd_by_hour: str, doubt: str = "") -> FlexibleCommitments:
    month = datetime(2026, 10, 1, tzinfo=UTC)
    return FlexibleCommitments(
        use=FlexibleUse(
            plans=("1 year",),
            source="billing export made",
            start=month,
            end=month,
            usd_per_month=NONE,
            covered_usd_per_month=NONE,
            unused_usd_per_month=NONE,
            uncovered_usd_per_month=NONE,
        ),
        uncovered_usd_by_hour=tuple(map(Decimal, usd_by_hour)),
        sku_ids=frozenset(),
        series=frozenset({"n1", "n2", "e2"}),
        doubt=doubt,
    )


def book(found: FlexibleCommitments | None) -> SnapshotPriceBook:
    prices = open_prices()
    prices.__dict__["flexible"] = found
    return prices


def ledger_of(found: FlexibleCommitments, facts: Facts = BASE) -> CoverLedger:
    return Commitments(book(found), CommitmentScope.UNKNOWN).ledger(facts.inventory, facts.today)


def hourly(machine_type: str | None) -> Decimal:
    if machine_type is None:
        return NONE
    return BASE.prices.machine("us-central1", machine_type, Usage.SUSTAINED_USE).usd


def bill(usd_by_hour: Sequence[Decimal], moved: Decimal) -> Decimal:
    """Return a month's on-demand spend above what is covered, hour by hour."""
    hours = [max(NONE, above + moved) for above in usd_by_hour]
    return sum(hours, NONE) / len(hours) * 730


def saving(ledger: CoverLedger, old: str, new: str | None) -> Decimal:
    found = ledger.change(MachineChange(instance=machine("a", machine_type=old), machine_type=new))
    assert found.unknown == ""
    return (hourly(old) - hourly(new)) * 730 + total_usd(found.items)


amounts = st.lists(st.integers(-3000, 3000).map(lambda n: Decimal(n) / 1000), min_size=1)
changes = st.lists(st.tuples(st.sampled_from(TYPES), st.sampled_from((*TYPES, None))), max_size=4)


@given(amounts, changes)
def test_changes_save_what_the_bill_of_each_hour_falls_by(
    usd_by_hour: list[Decimal], asked: list[tuple[str, str | None]]
) -> None:
    ledger, moved = ledger_of(seen(*map(str, usd_by_hour))), NONE
    for old, new in asked:
        then = moved + hourly(new) - hourly(old)
        expected = bill(usd_by_hour, moved) - bill(usd_by_hour, then)
        if old == new:
            continue
        assert float(saving(ledger, old, new)) == pytest.approx(float(expected), abs=1e-4)
        ledger.take(MachineChange(instance=machine("a", machine_type=old), machine_type=new))
        moved = then


def test_spend_that_is_covered_in_every_hour_saves_nothing() -> None:
    ledger = ledger_of(seen("0", "-0.5"))
    found = ledger.change(
        MachineChange(instance=machine("a", machine_type="n2-standard-8"), machine_type=None)
    )
    assert saving(ledger, "n2-standard-8", None) == pytest.approx(0, abs=Decimal("1e-5"))
    assert "flexible commitments (1 year) cover, paid all the same" in found.note
    assert "billing export made" in found.note


def test_spend_well_above_what_is_covered_saves_all_of_it() -> None:
    ledger = ledger_of(seen("100"))
    assert saving(ledger, "n2-standard-8", "n2-standard-2") == (
        (hourly("n2-standard-8") - hourly("n2-standard-2")) * 730
    )


def test_resource_based_commitments_go_first() -> None:
    resource = commitment(8, 32)
    inventory = Inventory(
        instances=(machine("a", machine_type="n2-standard-8"),), commitments=(resource,)
    )
    ledger = ledger_of(seen("0"), replace(BASE, inventory=inventory))
    # All of it is covered by the resource-based one: the flexible one does not see it go.
    found = ledger.change(MachineChange(instance=inventory.instances[0], machine_type=None))
    assert not any("flexible" in item.name for item in found.items)
    assert hourly("n2-standard-8") * 730 + total_usd(found.items) == pytest.approx(NONE)


@pytest.mark.parametrize(
    ("found", "machine_type", "why"),
    [
        (seen("1", doubt="what an hour holds"), "n2-standard-2", "what an hour holds"),
        (seen("1"), "c3-standard-4", "whether flexible commitments (1 year) cover all of c3"),
        (seen("1"), "e2-medium", "cover shared-core types"),
    ],
)
def test_what_is_not_known_of_cover_makes_no_line(
    found: FlexibleCommitments, machine_type: str, why: str
) -> None:
    cover = ledger_of(found).change(
        MachineChange(instance=machine("a", machine_type=machine_type), machine_type=None)
    )
    assert why in cover.unknown
    assert cover.items == ()


def test_spot_and_stopped_machines_are_none_of_their_spend() -> None:
    spot = replace(machine("a", machine_type="n2-standard-8"), is_spot=True)
    ledger = ledger_of(seen("0"))
    change = MachineChange(instance=spot, machine_type=None)
    assert ledger.change(change).items == ()
    ledger.take(change)
    assert saving(ledger, "n2-standard-8", None) == pytest.approx(0, abs=Decimal("1e-5"))
