"""`netplan price machine --batch`: the prices of a table of machines, its rows and order kept."""

import csv
import io
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from netplan_planner.engine.prices.source import PriceSource, currency_of
from netplan_planner.errors import InputError, UsageError
from netplan_planner.model import CurrencyRate, PriceTable
from netplan_planner.model.price_age import age_of
from netplan_pricing import ListedMachine

_ASKED = ("region", "machine_type")
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
        InputError: If the file is no CSV with the two columns.
        UsageError: If it already has one of the columns that are added.
    """
    book = source.book()
    rate = currency_of(book, source.currency)
    columns, rows = _read(file)
    added: tuple[str, ...] = (*_ADDED, "spot_as_of")
    if rate is not None:
        added += tuple(name.replace("usd", rate.code.lower()) for name in _PRICES)
    taken = [name for name in added if name in columns]
    if taken:
        raise UsageError(f"{file}: it has a column {taken[0]} already")
    pairs = ((row["region"].strip(), row["machine_type"].strip()) for row in rows)
    found = list(book.machine_batch(pairs))
    return PriceTable(
        columns=(*columns, *added),
        rows=tuple(
            (*(row[name] for name in columns), *_cells(one, rate))
            for row, one in zip(rows, found, strict=True)
        ),
        price_age=age_of(
            min((one.as_of for one in found if one.as_of), default=None),
            min((one.spot_as_of for one in found if one.spot_as_of), default=None),
            source.today,
            source.folder,
        ),
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


def _read(file: Path) -> tuple[list[str], list[dict[str, str]]]:
    try:
        text = sys.stdin.read() if file == _STDIN else file.read_text("utf-8-sig")
    except OSError as exc:
        raise InputError(f"{file}: cannot be read: {exc.strerror or exc}") from exc
    except UnicodeDecodeError as exc:
        raise InputError(f"{file}: not UTF-8: {exc}") from exc
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = list(reader.fieldnames or ())
        lacking = [name for name in _ASKED if name not in columns]
        if lacking:
            raise InputError(
                f"{file}: no column {' and no column '.join(lacking)}; it has"
                f" {', '.join(columns[:10]) or 'none'}"
            )
        return columns, list(_whole(file, reader))
    except csv.Error as exc:
        raise InputError(f"{file}:{reader.line_num}: not CSV: {exc}") from exc


def _whole(file: Path, reader: "csv.DictReader[str]") -> Iterator[dict[str, str]]:
    for row in reader:
        if None in row or None in row.values():
            raise InputError(f"{file}:{reader.line_num}: more or fewer cells than the header has")
        yield row
