"""`netplan price machine --batch`: the prices of a table of machines, its rows and order kept."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from netplan_planner.cli.app import state
from netplan_planner.cli.price_answers import Form
from netplan_planner.inert import escaped_json, inert_line
from netplan_planner.tables.columns import Column
from netplan_planner.tables.writing import write_rows

if TYPE_CHECKING:
    from netplan_planner.cli.price_source import Currency
    from netplan_planner.tables.reading import Table
    from netplan_pricing import ListedMachine, SnapshotPriceBook

SCHEMA = "netplan.price-batch/1"
ASKED = (
    Column(name="region", meaning="where the machine runs", is_required=True),
    Column(name="machine_type", meaning="what is priced", is_required=True),
)
_PRICES = (
    *("on_demand_usd_per_hour", "spot_usd_per_hour", "cud_1y_usd_per_hour"),
    *("cud_3y_usd_per_hour", "sud_full_month_usd_per_hour"),
)
_ADDED: tuple[str, ...] = (*_PRICES, "as_of", "reason")
_STDIN = Path("-")


def write(
    file: Path, book: "SnapshotPriceBook", form: Form, currency: "Currency | None" = None
) -> None:
    """Write the table with the prices of each row; unknown is empty, and `reason` says why.

    Spot has a date of its own in the last column, because it moves within weeks.

    Raises:
        InputError: If the file is no table with the two columns.
        UsageError: If it already has one of the columns that are added.
    """
    if form is Form.TEXT:
        form = Form.CSV
    added: tuple[str, ...] = (*_ADDED, "spot_as_of")
    if currency is not None:
        code = currency.code.lower()
        added += tuple(name.replace("usd", code) for name in _PRICES)
    with _opened(file) as table:
        table.check_free(added)
        columns, rows = table.columns, list(table.head(table.row_count))
        region, machine_type = (table.own_name(column.name) for column in ASKED)
    pairs = ((row[region].strip(), row[machine_type].strip()) for row in rows)
    from netplan_planner.model.price_age import age_of

    found = list(book.machine_batch(pairs))
    age = age_of(
        min((one.as_of for one in found if one.as_of), default=None),
        min((one.spot_as_of for one in found if one.spot_as_of), default=None),
        date.today(),
        state.price_folder,
    )
    answers = (_cells(one, currency) for one in found)
    if form is Form.JSON:
        import msgspec

        listed = [
            {**row, **dict(zip(added, cells, strict=True))}
            for row, cells in zip(rows, answers, strict=True)
        ]
        encoder = msgspec.json.Encoder(decimal_format="number")
        head = {"schema": SCHEMA, **({"price_age": age} if age else {})}
        body = encoder.encode({**head, "prices": listed})
        typer.echo(escaped_json(msgspec.json.format(body, indent=1).decode()))
        return
    if age and not state.quiet:
        # A table has no place for it.
        typer.echo(inert_line(age), err=True)
    priced = zip(rows, answers, strict=True)
    write_rows(sys.stdout, (*columns, *added), ((*row.values(), *cells) for row, cells in priced))


def _cells(one: "ListedMachine", currency: "Currency | None") -> tuple[object, ...]:
    found = (
        *(one.on_demand_usd_per_hour, one.spot_usd_per_hour, one.cud_1y_usd_per_hour),
        *(one.cud_3y_usd_per_hour, one.sustained_use_usd_per_hour),
    )
    prices = tuple(None if usd is None else usd.normalize() for usd in found)
    as_of = one.as_of.isoformat() if one.as_of else None
    spot_as_of = one.spot_as_of.isoformat() if one.spot_as_of else None
    cells = (*prices, as_of, one.reason, spot_as_of)
    if currency is None:
        return cells
    rate = currency.per_usd
    return (*cells, *(None if usd is None else (usd * rate).normalize() for usd in prices))


@contextmanager
def _opened(file: Path) -> "Iterator[Table]":
    """Open a table, which may come from the standard input or a pipe."""
    from netplan_planner.tables.reading import Table

    with ExitStack() as stack:
        stream = None
        if file == _STDIN:
            stream = sys.stdin.buffer
        elif file.is_fifo():
            stream = stack.enter_context(file.open("rb"))
        yield stack.enter_context(Table(file, ASKED, stream=stream))
