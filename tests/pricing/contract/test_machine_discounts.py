"""Machines under a contract: what is assumed of series that the bill does not name."""

from datetime import date
from decimal import Decimal

import pytest

from netplan_planner.model import Price, Usage
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.contract.terms import EffectivePrice, Terms
from netplan_pricing.opening import open_snapshot

TYPES = ("n2-standard-8", "n1-standard-8")
"""Of series that a bill names; e2 it does not."""
LIST = open_snapshot()


def of(book: SnapshotPriceBook, machine_type: str, usage: Usage = Usage.ON_DEMAND) -> Price:
    return book.machine("us-central1", machine_type, usage)


def book(*ratios: tuple[str, str]) -> SnapshotPriceBook:
    """Return prices under a contract: what it leaves of vCPUs and memory, by series."""
    effective = {}
    for machine_type, each in zip(TYPES, ratios, strict=False):
        for part, ratio in zip(of(LIST, machine_type).parts, each, strict=True):
            usd = part.unit_price_usd * Decimal(ratio)
            own = EffectivePrice(usd=usd, as_of=date(2026, 11, 1), source="the bill, 2026-11-01")
            effective[part.sku_id or ""] = {Decimal(0): own}
    return open_snapshot(terms=Terms(effective=effective))


def test_a_series_that_is_not_billed_has_the_discount_that_all_billed_ones_have() -> None:
    found = book(("0.8", "0.8"), ("0.8", "0.8"))
    assert of(found, "n2-standard-8").usd == of(LIST, "n2-standard-8").usd * Decimal("0.8")
    e2 = of(found, "e2-standard-8")
    assert e2.usd == of(LIST, "e2-standard-8").usd * Decimal("0.8")
    assert "assumed 20.0 % less than the list, as for all vCPUs and memory on demand" in e2.source


@pytest.mark.parametrize(
    "ratios",
    [
        (("0.8", "0.7"), ("0.8", "0.8")),
        (("0.8", "0.8"), ("0.6", "0.6")),
        (("1", "1"), ("1", "1")),
        (("0.8", "0.7"),),
    ],
    ids=["differ", "differ by series", "list", "differ in one series"],
)
def test_where_the_bill_has_no_one_discount_the_list_stands(
    ratios: tuple[tuple[str, str], ...],
) -> None:
    assert of(book(*ratios), "e2-standard-8").usd == of(LIST, "e2-standard-8").usd


def test_one_series_may_be_all_of_the_bill() -> None:
    found = book(("0.6", "0.6"))
    e2 = of(found, "e2-standard-8")
    assert e2.usd == of(LIST, "e2-standard-8").usd * Decimal("0.6")
    assert "assumed 40.0 % less than the list" in e2.source


def test_spot_and_commitments_have_their_own() -> None:
    found = book(("0.8", "0.8"), ("0.8", "0.8"))
    for usage in (Usage.SPOT, Usage.CUD_1Y):
        assert of(found, "e2-standard-8", usage).usd == of(LIST, "e2-standard-8", usage).usd


def test_what_is_compared_is_at_list_where_the_bill_has_no_one_discount() -> None:
    def skus(*machine_types: str) -> list[str]:
        return [part.sku_id or "" for one in machine_types for part in of(LIST, one).parts]

    for uneven in (book(("0.8", "0.7")), book(("0.8", "0.8"), ("0.6", "0.6"))):
        assert of(uneven.even, "n2-standard-8") == of(LIST, "n2-standard-8")
        assert uneven.is_mixed(skus("n2-standard-8", "e2-standard-8"))
        assert not uneven.is_mixed(skus("n2-standard-8", "n2-standard-4"))
        assert not uneven.is_mixed(skus("e2-standard-8", "n2d-standard-8"))
    for even in (LIST, book(("0.8", "0.8"), ("0.8", "0.8")), book(("1", "1"))):
        assert even.even is even
        assert not even.is_mixed(skus("n2-standard-8", "e2-standard-8"))
