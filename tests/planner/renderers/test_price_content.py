"""Prices as text: within the width of the terminal, and honest about secondary lists."""

from decimal import Decimal

import pytest

from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.output import render
from netplan_planner.verbs.price import show as price
from netplan_planner.verbs.price.answer import PriceAnswer
from netplan_pricing import open_snapshot, schema
from support.commands.run import run_verbs

LONG = "AAAA-BBBB-CCCC + DDDD-EEEE-FFFF + 0000-1111-2222"
WIDTH = 100


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    row: dict[str, object] = {
        "usage": "on-demand",
        "usd": Decimal(1),
        "sku_id": LONG,
        "as_of": "2026-04-30",
        "source": "Cloud Billing Catalog API, 2026-04-30",
        "note": "one " * 60,
    }
    columns = ("usage", "usd", "as_of", "sku_id")
    answer = PriceAnswer(title="a title " * 10, columns=columns, rows=(row, dict(row)))
    text = render(answer, "text", RenderOptions(width=width))
    assert max(map(len, text.split("\n"))) <= width
    for sku in LONG.split(" + "):
        assert text.count(sku) == 2


def test_a_price_of_a_secondary_list_says_so_in_its_row() -> None:
    done = run_verbs(
        arguments=["price", "machine", "n2-standard-8", "--region", "us-central1", "--usage", "all"]
    )
    rows = {line.split()[0]: line for line in done.stdout.splitlines() if line}
    assert rows["spot"].endswith("secondary list")
    assert "secondary" not in rows["on-demand"]
    assert max(map(len, done.stdout.splitlines())) <= WIDTH


def test_which_sources_of_the_snapshot_are_secondary() -> None:
    file = open_snapshot().file
    tables = [
        file.table(name)
        for name in (schema.LISTED_PRICES, schema.COMPONENT_PRICES, schema.NETWORK_PRICES)
    ]
    sources = {table["source"][row] for table in tables for row in range(table.row_count)}
    by_kind = {source: price.is_secondary(source) for source in sources}
    assert any(by_kind.values())
    assert not any(flag for source, flag in by_kind.items() if source.startswith("Cloud Billing"))
    assert all(flag for source, flag in by_kind.items() if "Cyclenerd/" in source)
