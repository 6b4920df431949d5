"""Blocks in another currency: every amount of every kind of block follows it, nothing else."""

import ast
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_planner.model import Amount, CurrencyRate, worded
from netplan_planner.renderers import content, document, figures

EUROS = CurrencyRate(code="EUR", per_usd=Decimal("0.5"), as_of="2026-04-29")
SUM = document.line("$1 of ", document.fixed(Amount(usd=Decimal(8)), document.Role.GOOD))
COLUMNS = (document.Column(title="what"), document.Column(title="sum"))


@pytest.mark.parametrize(
    "block",
    [
        document.Title(line=SUM, basis=SUM),
        document.Section(line=SUM),
        document.Entry(line=SUM),
        document.Para(line=SUM, is_inner=True),
        document.Item(line=SUM),
        document.Field(label="saves", line=SUM, more=(SUM, SUM), is_source=True),
        document.Table(columns=COLUMNS, rows=((document.line("a"), SUM), (SUM, ())), is_inner=True),
    ],
    ids=lambda block: type(block).__name__,
)
def test_amounts_follow_the_currency_and_nothing_else_changes(block: document.Block) -> None:
    (same,) = document.blocks_in([block], None)
    assert same is block
    (euros,) = document.blocks_in([block], EUROS)
    assert [document.plain(text) for text in lines(euros)] == [
        document.plain(text).replace("$8.00", "EUR 4.00") for text in lines(block)
    ]
    roles = [[(span.role, span.is_glued) for span in text] for text in lines(euros)]
    assert roles == [[(span.role, span.is_glued) for span in text] for text in lines(block)]


def test_a_command_is_no_text_with_amounts() -> None:
    command = document.Command(text="echo $8.00")
    assert list(document.blocks_in([command], EUROS)) == [command]


def test_a_text_with_amounts_is_as_harmless_as_any_other() -> None:
    text = worded("a\x1b[31m", Amount(usd=Decimal(8)), "b" * 100)
    dollars = document.line(document.say(text, length=40))
    for said in (dollars, document.in_currency(dollars, EUROS)):
        (span,) = said
        assert span.text.startswith("a\\x1b[31m")
        assert len(span.text) <= 40
        assert "characters)" in span.text


def test_content_leaves_writing_amounts_to_the_currency() -> None:
    """What makes blocks says `Amount`: a string of dollars would follow no `--currency`."""
    strings = {"dollars", "saving", "unit_price"}
    found = [
        f"{path.name}:{getattr(node, 'lineno', 0)} {name}"
        for path in sorted(Path(content.__file__).parent.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in names_of_figures(node)
        if name in strings
    ]
    assert found == []


def names_of_figures(node: ast.AST) -> Iterator[str]:
    """Yield what a piece of code takes of `renderers.figures`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id == "figures":
            yield node.attr
    elif isinstance(node, ast.ImportFrom) and node.module == figures.__name__:
        yield from (alias.name for alias in node.names)


def lines(block: document.Block) -> list[document.Line]:
    """Return every line of a block."""
    match block:
        case document.Title():
            return [block.line, block.basis]
        case document.Field():
            return [block.line, *block.more]
        case document.Table():
            return [cell for row in block.rows for cell in row]
        case document.Section() | document.Entry() | document.Para() | document.Item():
            return [block.line]
        case document.Command():
            return []
