"""Figures as they are printed: an interval never excludes the value beside it."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import Amount, AmountKind, CurrencyRate, worded
from netplan_planner.renderers.figures import dollars, interval, rate, shown, unit_price
from netplan_planner.units import counted
from support.listed import listed

_NUMBER = re.compile(r"[\d.,]*\d")
_rates = st.floats(1e-9, 400.0)


def numbers(text: str) -> list[float]:
    """Return the numbers that a text shows."""
    return [float(one.replace(",", "")) for one in _NUMBER.findall(text)]


class TestInterval:
    @given(_rates, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
    def test_the_printed_hold_the_value(self, gbps: float, below: float, above: float) -> None:
        shown = interval(gbps, gbps * (1 - below), gbps * (1 + above))
        (value,) = numbers(rate(gbps).split()[0])
        low, high = numbers(shown)
        assert low <= value <= high

    @pytest.mark.parametrize(
        ("gbps", "low", "high", "expected"),
        [
            (0.8283, 0.8282, 0.8284, "[0.828 to 0.83]"),
            (0.69896, 0.466, 0.69896, "[0.466 to 0.7]"),
            (0.994, 0.994, 0.9942, "[0.99 to 0.994]"),
            (32.0, 15.4, 32.64, "[15.4 to 32.6]"),
        ],
    )
    def test_an_end_beyond_the_value_is_printed_as_the_value(
        self, gbps: float, low: float, high: float, expected: str
    ) -> None:
        assert interval(gbps, low, high) == expected

    def test_an_end_that_is_beyond_it_in_truth_is_not_hidden(self) -> None:
        assert interval(1.0, 2.0, 3.0) == "[2 to 3]"


@pytest.mark.parametrize(("count", "expected"), [(0, "0 rows"), (1, "1 row"), (1200, "1,200 rows")])
def test_one_is_singular(count: int, expected: str) -> None:
    assert counted(count, "row") == expected


EUROS = CurrencyRate(code="EUR", per_usd=Decimal("0.875"), as_of="2026-04-29")


class TestAmounts:
    @listed(
        ("kind", "usd", "in_dollars", "in_euros"),
        [
            (AmountKind.SUM, "200", "$200.00", "EUR 175.00"),
            (AmountKind.SUM, "12345.6", "$12,345.60", "EUR 10,802.40"),
            (AmountKind.SUM, "0.004", "under $0.01", "under EUR 0.01"),
            (AmountKind.SUM, "NaN", "an unknown amount", "an unknown amount"),
            (AmountKind.UNIT_PRICE, "0.0100000012", "$0.0100000012", "EUR 0.008750001"),
            (AmountKind.UNIT_PRICE, "NaN", "unknown price", "unknown price"),
        ],
    )
    def test_each_kind_is_written_in_any_currency(
        self, kind: AmountKind, usd: str, in_dollars: str, in_euros: str
    ) -> None:
        amount = Amount(usd=Decimal(usd), kind=kind)
        assert (shown(amount), shown(amount, EUROS)) == (in_dollars, in_euros)

    def test_only_amounts_of_a_text_follow_the_currency(self) -> None:
        text = worded("$5 is a name; it costs ", Amount(usd=Decimal(8)), " a month")
        assert shown(text) == "$5 is a name; it costs $8.00 a month"
        assert shown(text, EUROS) == "$5 is a name; it costs EUR 7.00 a month"
        assert shown("$5", EUROS) == "$5"

    def test_one_currency_leaves_nothing_behind_for_the_next(self) -> None:
        usd = Decimal("0.01")
        assert (dollars(usd, EUROS), unit_price(usd, EUROS)) == ("EUR 0.01", "EUR 0.00875")
        assert (dollars(usd), unit_price(usd)) == ("$0.01", "$0.01")
