"""Data transfer under a contract: the SKU that is billed, and what is assumed of the others."""

from datetime import date
from decimal import Decimal

import pytest

from netplan_planner.model import NOT_IN_BILL, AddressUse, PathClass, PriceTier, line_item
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.contract.terms import EffectivePrice, Terms
from netplan_pricing.opening import open_snapshot

WEST = "D4B4-719D-EBAB"
"""Data transfer from the Americas to Western Europe, of the internet by Premium Tier."""
BETWEEN_ZONES = "DE9E-AFBC-A15A"
TO_AMERICA = "F274-1692-F213"
ADDRESS = (AddressUse.STANDARD_VM, "us-central1")
STEPS = {0: "0", 1: "0.12", 1024: "0.11", 10240: "0.085"}


def billed(usd: str, ratio: str = "1") -> EffectivePrice:
    paid = Decimal(usd) * Decimal(ratio)
    return EffectivePrice(usd=paid, as_of=date(2026, 11, 1), source="the bill, 2026-11-01")


def own(steps: dict[int, str], ratio: str) -> dict[Decimal, EffectivePrice]:
    return {Decimal(start): billed(usd, ratio) for start, usd in steps.items() if Decimal(usd)}


def book(**prices: tuple[dict[int, str], str]) -> SnapshotPriceBook:
    """Return prices under a contract that names these SKUs: steps and what is left of them."""
    skus = {"west": WEST, "zones": BETWEEN_ZONES, "america": TO_AMERICA}
    return open_snapshot(terms=Terms(effective={skus[k]: own(*v) for k, v in prices.items()}))


def paid(tiers: tuple[PriceTier, ...]) -> list[Decimal]:
    return [tier.price.usd for tier in tiers if tier.price.usd]


@pytest.mark.parametrize("country", ["deu", "fra", "ita"])
def test_the_sku_that_the_bill_names_decides_the_area(country: str) -> None:
    """At list prices both areas cost the same; the bill has a price of one of them."""
    found = book(west=(STEPS, "0.9")).traffic(
        PathClass.INTERNET, src_region="us-central1", area=f"Europe/{country}"
    )
    assert {tier.price.sku_id for tier in found} == {WEST}
    assert paid(found) == [Decimal("0.108"), Decimal("0.099"), Decimal("0.0765")]


def test_what_is_not_billed_has_the_discount_that_all_of_the_bill_has() -> None:
    """Standard Tier beside Premium Tier of a contract: both a tenth below the list."""
    prices = book(west=(STEPS, "0.9"), zones=({0: "0.01"}, "0.9"))
    found = prices.traffic(PathClass.INTERNET, src_region="us-central1", network_tier="STANDARD")
    assert paid(found) == [Decimal("0.0765"), Decimal("0.0585"), Decimal("0.0405")]
    assert "assumed 10.0 % less than the list" in found[-1].price.source
    # What is no data transfer has none of it.
    assert prices.external_address(*ADDRESS) == open_snapshot().external_address(*ADDRESS)


def test_a_step_that_the_bill_did_not_reach_says_nothing_against_its_discount() -> None:
    """A usage table names the steps that were reached; the next one is no list price of its own."""
    reached = {start: usd for start, usd in STEPS.items() if start < 10240}
    prices = book(west=(reached, "0.9"), zones=({0: "0.01"}, "0.9"))
    found = prices.traffic(PathClass.INTERNET, src_region="us-central1", network_tier="STANDARD")
    assert paid(found) == [Decimal("0.0765"), Decimal("0.0585"), Decimal("0.0405")]
    assert line_item("data", Decimal(1), found[-1].price).caveat == (
        "not in the bill: assumed 10.0 % less than the list, as for all data transfer in the bill"
    )
    # The step above those that were reached has the discount too, and says so.
    own = prices.traffic(PathClass.INTERNET, src_region="us-central1", area="Europe/deu")
    assert paid(own) == [Decimal("0.108"), Decimal("0.099"), Decimal("0.0765")]
    assert [NOT_IN_BILL in step.price.source for step in own] == [False, False, False, True]


def test_where_the_bill_has_no_one_discount_the_list_stands() -> None:
    prices = book(west=(STEPS, "0.9"), zones=({0: "0.01"}, "0.7"))
    found = prices.traffic(PathClass.INTERNET, src_region="us-central1", network_tier="STANDARD")
    assert paid(found) == [Decimal("0.085"), Decimal("0.065"), Decimal("0.045")]


def test_what_rounding_of_a_currency_leaves_is_no_discount() -> None:
    """Of EUR at 0.9234567, to six digits: 0.12 is 0.1200002 then, and 0.01 is 0.0100005."""
    noise = {"west": (STEPS, "1.0000018"), "zones": ({0: "0.01"}, "1.00005")}
    found = book(**noise).traffic(
        PathClass.INTERNET, src_region="us-central1", network_tier="STANDARD"
    )
    assert paid(found) == [Decimal("0.085"), Decimal("0.065"), Decimal("0.045")]
    assert not any(NOT_IN_BILL in step.price.source for step in found)
    alone = book(west=noise["west"])
    assert alone.even is alone
    # A discount of one percent is one.
    prices = book(west=(STEPS, "0.99"), zones=({0: "0.01"}, "0.99"))
    found = prices.traffic(PathClass.INTERNET, src_region="us-central1", network_tier="STANDARD")
    assert paid(found)[0] == Decimal("0.08415")


def to_america(prices: SnapshotPriceBook) -> list[tuple[Decimal, Decimal]]:
    """Return the steps from Iowa to the internet of America, as starts and prices."""
    found = prices.traffic(PathClass.INTERNET, src_region="us-central1", area="usa")
    return [(tier.start, tier.price.usd) for tier in found]


def decimals(**prices: str) -> list[tuple[Decimal, Decimal]]:
    return [(Decimal(start.removeprefix("from_")), Decimal(usd)) for start, usd in prices.items()]


LISTED = decimals(from_0="0", from_1="0.12", from_1024="0.11", from_10240="0.08")


@pytest.mark.parametrize("start", [1, 1024])
@pytest.mark.parametrize("usd", ["0.13", "0"])
def test_a_sku_with_a_price_of_its_own_has_no_discount_of_others(start: int, usd: str) -> None:
    """More than the list, or free: each is no discount that others have too."""
    prices = book(west=(STEPS, "0.8"), zones=({0: "0.01"}, "0.8"))
    assert to_america(prices)[1:] == decimals(from_1="0.096", from_1024="0.088", from_10240="0.064")
    named = dict(prices.terms.effective) | {TO_AMERICA: {Decimal(start): billed(usd)}}
    found = to_america(open_snapshot(terms=Terms(effective=named)))
    assert found == [(at, Decimal(usd) if at == start else listed) for at, listed in LISTED]


def test_where_only_the_free_step_was_reached_the_others_are_at_list() -> None:
    prices = book(west=(STEPS, "0.8"), zones=({0: "0.01"}, "0.8"))
    named = dict(prices.terms.effective) | {TO_AMERICA: {Decimal(0): billed("0")}}
    assert to_america(open_snapshot(terms=Terms(effective=named))) == LISTED


def test_a_step_of_its_own_holds_from_where_it_begins() -> None:
    """The list has no step at 5,000 GiB: from there on the contract's stand, below the list's."""
    prices = book(west=(STEPS, "0.8"), zones=({0: "0.01"}, "0.8"), america=({5000: "0.13"}, "1"))
    assert to_america(prices) == [*LISTED[:3], *decimals(from_5000="0.13")]
