"""Bounds of a volume whose price is one of several, over the steps of each."""

from datetime import date
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import Price, PriceTier, bill
from netplan_planner.paths.spans import Tiers, span

DAY = date(2026, 4, 30)


def tiers(*steps: tuple[int, str]) -> Tiers:
    told = {"unit": "GiB", "description": str(steps), "as_of": DAY, "source": "made up"}
    return tuple(
        PriceTier(start=Decimal(start), price=msgspec.convert({"usd": usd, **told}, Price))
        for start, usd in steps
    )


AMERICA = tiers((0, "0"), (1, "0.12"), (1024, "0.11"), (10240, "0.08"))
CHINA = tiers((0, "0"), (1, "0.23"), (1024, "0.22"), (10240, "0.2"))


def usd(price: Tiers, gib: Decimal, after: Decimal = Decimal(0)) -> Decimal:
    return sum((line.usd_per_month for line in bill("t", gib, price, after)), Decimal(0))


def test_bounds_use_the_steps_of_each_price() -> None:
    """100,000 GiB at 0.12 would be more than all of it to America can cost."""
    gib = Decimal(100_000)
    low, high = span((AMERICA, CHINA), gib)
    # All to America, but for the GiB that China gives free.
    assert low == usd(AMERICA, gib - 1)
    assert low < gib * Decimal("0.09")
    # The first steps of both, dearest first, and the rest at China's last.
    assert usd(CHINA, gib) < high < gib * Decimal("0.23")


def test_what_is_known_to_use_a_price_comes_first() -> None:
    gib = Decimal(10)
    low, high = span((AMERICA,), gib, lambda _: Decimal(20_000))
    assert low == high == gib * Decimal("0.08")
    # A free price makes the least nothing.
    assert span((tiers((0, "0")), CHINA), Decimal(100))[0] == 0


def test_no_prices_and_no_volume() -> None:
    assert span((AMERICA,), Decimal(0)) == (Decimal(0), Decimal(0))
    with pytest.raises(ValueError, match="needs prices"):
        span((), Decimal(1))
    with pytest.raises(ValueError, match="at least 0"):
        span((AMERICA,), Decimal(-1))


@given(
    to_america=st.integers(0, 40_000),
    to_china=st.integers(0, 40_000),
    known=st.integers(0, 20_000),
)
def test_every_division_of_a_volume_lies_between(
    to_america: int, to_china: int, known: int
) -> None:
    used = {AMERICA: Decimal(known), CHINA: Decimal(0)}
    low, high = span((AMERICA, CHINA), Decimal(to_america + to_china), used.__getitem__)
    parts = ((AMERICA, to_america), (CHINA, to_china))
    cost = sum((usd(price, Decimal(gib), used[price]) for price, gib in parts), Decimal(0))
    assert low <= cost <= high
