"""A table of machines with the prices of each row: its own columns first, in their order."""

from collections.abc import Iterator

from netplan_planner.model import PriceTable
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Column, Para, Table, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.tables.writing import csv_cell

SCHEMA = "netplan.price-batch/1"


def record(answer: PriceTable) -> object:
    """Return a record a row, by column."""
    age: dict[str, object] = {"price_age": answer.price_age} if answer.price_age else {}
    listed = tuple(dict(zip(answer.columns, row, strict=True)) for row in answer.rows)
    return age | {"prices": listed}


def table(answer: PriceTable) -> DataTable:
    """Return the rows as they are."""
    return DataTable(answer.columns, answer.rows)


def asides(answer: PriceTable) -> Iterator[str]:
    """Yield what of a contract was not used."""
    for warning in answer.warnings:
        yield f"netplan: {warning}"


def blocks(answer: PriceTable, options: RenderOptions) -> Iterator[Block]:
    """Yield the whole table."""
    if answer.price_age:
        yield Para(line=line(say(answer.price_age)))
    columns = tuple(Column(title=name, stacked=f"{name} {{}}") for name in answer.columns)
    rows = tuple(tuple(line(csv_cell(cell)) for cell in row) for row in answer.rows)
    yield Table(columns=columns, rows=rows)
