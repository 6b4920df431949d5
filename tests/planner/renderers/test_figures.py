"""Figures as they are printed: an interval never excludes the value beside it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.renderers.figures import interval, rate
from netplan_planner.units import counted

_NUMBER = re.compile(r"[\d.,]*\d")
_rates = st.floats(1e-9, 400.0)


def numbers(text: str) -> list[float]:
    """Return the numbers that a text shows."""
    return [float(one.replace(",", "")) for one in _NUMBER.findall(text)]


class TestInterval:
    @given(_rates, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
    def test_what_is_printed_holds_the_printed_value(
        self, gbps: float, below: float, above: float
    ) -> None:
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
