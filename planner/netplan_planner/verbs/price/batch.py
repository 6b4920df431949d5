"""`netplan price machine --batch`: the prices of a table of machines, its rows and order kept."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path

from netplan_planner.input_files import opened
from netplan_planner.model import CurrencyRate
from netplan_planner.model.money.price_age import age_of
from netplan_planner.planning.inputs import PriceSource, currency_of
from netplan_planner.tables.columns import Column
from netplan_planner.tables.reading import Table
from netplan_planner.verbs.price.table import PriceTable
from netplan_pricing import ListedMachine

ASKED = (
    Column(name="region", meaning="region of the VM", is_required=True),
    Column(name="machine_type", meaning="machine type to price", is_required=True),
)
_PRICES = (
    *("on_demand_usd_per_hour", "spot_usd_per_hour", "cud_1y_usd_per_hour"),
    *("cud_3y_usd_per_hour", "sud_full_month_usd_per_hour"),
)
_ADDED: tuple[str, ...] = (*_PRICES, "as_of", "reason")
_STDIN = Path("-")


def price_table(file: Path, source: PriceSource) -> PriceTable:
    """Return the table with the prices of each row; unknown is empty, and `reason` says why.

    Spot has a date of its own in the last column, because it moves within weeks.

    Raises:
        InputError: If the file is no table with the two columns.
        UsageError: If it already has one of the columns that are added.
    """
    book = source.book()
    rate = currency_of(book, source.currency)
    added: tuple[str, ...] = (*_ADDED, "spot_as_of")
    if rate is not None:
        added += tuple(name.replace("usd", rate.code.lower()) for name in _PRICES)
    with _table(file) as table:
        table.check_free(added)
        columns, rows = table.columns, list(table.head(table.row_count))
        region, machine_type = (table.own_name(column.name) for column in ASKED)
    pairs = ((row[region].strip(), row[machine_type].strip()) for row in rows)
    found = list(book.machine_batch(pairs))
    return PriceTable(
        columns=(*columns, *added),
        rows=tuple(
            (*row.values(), *_cells(one, rate)) for row, one in zip(rows, found, strict=True)
        ),
        price_age=age_of(
            min((one.as_of for one in found if one.as_of), default=None),
            min((one.spot_as_of for one in found if one.spot_as_of), default=None),
            source.today,
            source.folder,
        ),
        prices_sha256=book.info.sha256,
        warnings=book.terms.unread,
    )


def _cells(one: ListedMachine, rate: CurrencyRate | None) -> tuple[str | Decimal | None, ...]:
    found = (
        *(one.on_demand_usd_per_hour, one.spot_usd_per_hour, one.cud_1y_usd_per_hour),
        *(one.cud_3y_usd_per_hour, one.sustained_use_usd_per_hour),
    )
    prices = tuple(None if usd is None else usd.normalize() for usd in found)
    as_of = one.as_of.isoformat() if one.as_of else None
    spot_as_of = one.spot_as_of.isoformat() if one.spot_as_of else None
    cells = (*prices, as_of, one.reason, spot_as_of)
    if rate is None:
        return cells
    return (*cells, *(None if usd is None else (usd * rate.per_usd).normalize() for usd in prices))


@contextmanager
def _table(file: Path) -> Iterator[Table]:
    """Open a table, which may come from the standard input or a pipe."""
    with ExitStack() as stack:
        stream = None
        if file == _STDIN:
            stream = sys.stdin.buffer
        elif file.is_fifo():
            stream = stack.enter_context(opened(file))
        yield stack.enter_context(Table(file, ASKED, stream=stream))
