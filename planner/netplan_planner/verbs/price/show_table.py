"""A table of machines with the prices of each row: its own columns first, in their order."""

from collections.abc import Iterator
from typing import NotRequired, TypedDict

from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Column, Table, line
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.tables.writing import csv_cell
from netplan_planner.verbs.price.table import PriceTable

SCHEMA = "netplan.price-batch/1"


class Record(TypedDict):
    """A table of machine types with the prices of each row."""

    price_age: NotRequired[str]
    """That prices are old, and the command for newer ones."""
    prices_sha256: str
    """Of the snapshot."""
    prices: tuple[dict[str, object], ...]
    """The columns of the table that was given, then those that were added; null is not known."""


def record(answer: PriceTable) -> Record:
    """Return a record a row, by column."""
    listed: tuple[dict[str, object], ...] = tuple(
        dict(zip(answer.columns, row, strict=True)) for row in answer.rows
    )
    found: Record = {"prices_sha256": answer.prices_sha256, "prices": listed}
    return {"price_age": answer.price_age, **found} if answer.price_age else found


def table(answer: PriceTable) -> DataTable:
    """Return the rows as they are."""
    return DataTable(answer.columns, answer.rows)


def asides(answer: PriceTable) -> Iterator[str]:
    """Yield what of a contract was not used."""
    for warning in answer.warnings:
        yield f"netplan: {warning}"


def blocks(answer: PriceTable, options: RenderOptions) -> Iterator[Block]:
    """Yield the whole table."""
    columns = tuple(Column(title=name, stacked=f"{name} {{}}") for name in answer.columns)
    rows = tuple(tuple(line(csv_cell(cell)) for cell in row) for row in answer.rows)
    yield Table(columns=columns, rows=rows)
