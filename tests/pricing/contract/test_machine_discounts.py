"""Machines under a contract: what is assumed of series that the bill does not name."""

from datetime import date
from decimal import Decimal

import pytest

from netplan_planner.model import Price, Usage
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.contract.terms import EffectivePrice, Terms
from netplan_pricing.opening import open_snapshot

N2_CORE, N2_RAM = "BB77-5FDA-69D9", "5B01-D157-A097"
"""On demand, in the Americas."""
LIST = open_snapshot()


def of(book: SnapshotPriceBook, machine_type: str, usage: Usage = Usage.ON_DEMAND) -> Price:
    return book.machine("us-central1", machine_type, usage)


def book(**ratios: str) -> SnapshotPriceBook:
    """Return prices under a contract that leaves so much of the two SKUs' list prices."""
    skus = {"core": (N2_CORE, 0), "ram": (N2_RAM, 1)}
    effective = {}
    for name, ratio in ratios.items():
        sku_id, at = skus[name]
        usd = of(LIST, "n2-standard-8").parts[at].unit_price_usd * Decimal(ratio)
        own = EffectivePrice(usd=usd, as_of=date(2026, 11, 1), source="the bill, 2026-11-01")
        effective[sku_id] = {Decimal(0): own}
    return open_snapshot(terms=Terms(effective=effective))


def test_a_series_that_is_not_billed_has_the_discount_that_all_billed_ones_have() -> None:
    found = book(core="0.8", ram="0.8")
    assert of(found, "n2-standard-8").usd == of(LIST, "n2-standard-8").usd * Decimal("0.8")
    e2 = of(found, "e2-standard-8")
    assert e2.usd == of(LIST, "e2-standard-8").usd * Decimal("0.8")
    assert "20.0 % less than the list assumed, as for all vCPUs and memory on demand" in e2.note


@pytest.mark.parametrize("ratios", [{"core": "0.8", "ram": "0.7"}, {"core": "1", "ram": "1"}])
def test_where_the_bill_has_no_one_discount_the_list_stands(ratios: dict[str, str]) -> None:
    assert of(book(**ratios), "e2-standard-8").usd == of(LIST, "e2-standard-8").usd


def test_spot_and_commitments_have_their_own() -> None:
    found = book(core="0.8", ram="0.8")
    for usage in (Usage.SPOT, Usage.CUD_1Y):
        assert of(found, "e2-standard-8", usage).usd == of(LIST, "e2-standard-8", usage).usd
