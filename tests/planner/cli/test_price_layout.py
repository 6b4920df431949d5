"""Price tables as text: within the width of the terminal, and honest about secondary lists."""

import pytest

from netplan_planner.cli import price_layout
from netplan_planner.cli.price_answers import Answer, Form, render
from netplan_pricing import open_snapshot, schema
from support.command import run_verbs

LONG = "AAAA-BBBB-CCCC + DDDD-EEEE-FFFF + 0000-1111-2222"


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(price_layout, "terminal_width", lambda: width)
    row: dict[str, object] = {
        "usage": "on-demand",
        "usd": "1.00",
        "sku_id": LONG,
        "as_of": "2026-04-30",
        "source": "Cloud Billing Catalog API, 2026-04-30",
        "note": "one " * 60,
    }
    answer = Answer("a title " * 10, ("usage", "usd", "as_of", "sku_id"), "USD", [row, dict(row)])
    text = render(answer, Form.TEXT)
    assert max(map(len, text.split("\n"))) <= width
    assert " ".join(text.split()).count(LONG) in {0, 2}
    for sku in LONG.split(" + "):
        assert text.count(sku) == 2


def test_a_table_that_fits_is_not_changed() -> None:
    lines = price_layout.table(["a", "USD"], [["x", "1"], ["yy", "10"]], {1}, 100)
    assert lines == ["a   USD", "x     1", "yy   10"]


def test_names_and_skus_wrap_before_a_table_becomes_lists() -> None:
    cells = [["a long name of a line", "1", LONG]]
    lines = price_layout.table(["line", "USD", "SKU"], cells, {1}, 60)
    assert lines[0].split() == ["line", "USD", "SKU"]
    assert max(map(len, lines)) <= 60
    assert lines[1].startswith("a long name")
    assert price_layout.table(["line", "USD", "SKU"], cells, {1}, 30)[0].startswith("line  a long")


def test_what_follows_a_label_goes_on_below_its_text() -> None:
    first, second = price_layout.wrapped("source   " + "word " * 12, 50)
    assert first.startswith("source   word")
    assert second.startswith(" " * 9 + "word")
    assert price_layout.wrapped("internet from " + "word " * 12, 50)[1].startswith("word")


def test_a_price_of_a_secondary_list_says_so_in_its_row() -> None:
    done = run_verbs(
        arguments=["price", "machine", "n2-standard-8", "--region", "us-central1", "--usage", "all"]
    )
    rows = {line.split()[0]: line for line in done.stdout.splitlines() if line}
    assert rows["spot"].endswith("secondary list")
    assert "secondary" not in rows["on-demand"]
    assert max(map(len, done.stdout.splitlines())) <= price_layout.WIDTH


def test_which_sources_of_the_snapshot_are_secondary() -> None:
    file = open_snapshot().file
    tables = [
        file.table(name)
        for name in (schema.LISTED_PRICES, schema.COMPONENT_PRICES, schema.NETWORK_PRICES)
    ]
    sources = {table["source"][row] for table in tables for row in range(table.row_count)}
    by_kind = {source: price_layout.is_secondary(source) for source in sources}
    assert any(by_kind.values())
    assert not any(flag for source, flag in by_kind.items() if source.startswith("Cloud Billing"))
    assert all(flag for source, flag in by_kind.items() if "Cyclenerd/" in source)


def test_a_sku_of_a_secondary_list_stays() -> None:
    assert price_layout.said_of_sku("X", "owner/list", "none") == "X (secondary list)"
    assert price_layout.said_of_sku("none", "Cloud Billing Catalog API", "none") == "none"
