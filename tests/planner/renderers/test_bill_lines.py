"""What the lines of a bill come to that a text has no room for."""

from datetime import date
from decimal import Decimal

import pytest

from netplan_planner.model import LineItem
from netplan_planner.renderers.content.phrases import bills
from netplan_planner.renderers.document import plain
from netplan_planner.renderers.figures import shown


def item(name: str, usd: int) -> LineItem:
    return LineItem(
        name=name,
        quantity=Decimal(1),
        unit="month",
        unit_price_usd=Decimal(usd),
        usd_per_month=Decimal(usd),
        as_of=date(2026, 1, 1),
        source="a page",
    )


GONE = [item("n2-standard-8: core", 900), item("n2-standard-8: memory", 500)]
INSTEAD = [item("e2-standard-8: core", -800), item("e2-standard-8: memory", -300)]


@pytest.mark.parametrize(
    ("items", "are_costs", "said"),
    [
        # The first line is shown: what is left brings less than nothing, and says of what.
        (
            [*GONE, *INSTEAD],
            False,
            "and 3 lines more: costs $600.00 net. No longer paid: $500.00 (n2-standard-8 $500.00)."
            " Paid instead: $1,100.00 (e2-standard-8 $1,100.00)",
        ),
        (
            [*GONE, item("sustained use", -100)],
            True,
            "and 2 lines more: costs $400.00 net. Paid: $500.00 (n2-standard-8 $500.00)."
            " Deducted: $100.00 (sustained use $100.00)",
        ),
        (GONE, False, "and 1 line more: saves $500.00 (n2-standard-8 $500.00)"),
        (INSTEAD, False, "and 1 line more: costs $300.00 (e2-standard-8 $300.00)"),
    ],
)
def test_lines_that_are_left_out_have_a_net(
    items: list[LineItem], are_costs: bool, said: str
) -> None:
    *_, last = bills(items, 1, are_costs=are_costs)
    assert shown(plain(last)) == f"{said}. All lines: --output json"


def test_all_lines_have_no_rest() -> None:
    assert len(bills([*GONE, *INSTEAD], 4)) == 4
    assert len(bills([*GONE, *INSTEAD], None)) == 4
