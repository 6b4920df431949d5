"""CSV tables as rows with their place in the file, and the checks that every builder shares."""

import csv
import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_planner.input_files import unpacked, unreadable, whole
from netplan_pricing.container import is_amount
from netplan_pricing.schema import COLUMNS

Columns = dict[str, list[str]]


class Row:
    """One row of a CSV table: `row["column"]`, and `row.where` for messages."""

    __slots__ = ("_cells", "where")

    def __init__(self, cells: dict[str, str], where: str) -> None:
        self._cells = cells
        self.where = where

    def __getitem__(self, column: str) -> str:
        return self._cells[column]

    def amount(self, column: str) -> str:
        """Return a cell that holds a number of at least 0, or nothing, as it is written.

        Raises:
            InputError: If it is anything else.
        """
        text = self._cells[column]
        if text and not is_amount(text):
            raise InputError(f"{self.where}: {column}: {text[:40]!r} is not an amount")
        return text

    def price(self, column: str) -> str:
        """Return a cell that holds a price above 0, or nothing.

        Raises:
            InputError: If it is 0: whoever minimises cost would find it first.
        """
        text = self.amount(column)
        if text and not Decimal(text):
            raise InputError(f"{self.where}: {column}: a price of 0; leave unknown prices empty")
        return text

    def count(self, column: str) -> str:
        """Return a cell that holds a whole number of at least 0, or nothing.

        Raises:
            InputError: If it is anything else.
        """
        text = self._cells[column]
        if text and not (text.isascii() and text.isdigit()):
            raise InputError(f"{self.where}: {column}: {text[:40]!r} is not a whole number")
        return text

    def day(self, column: str) -> str:
        """Return a cell that holds a date.

        Raises:
            InputError: If it does not.
        """
        try:
            return date.fromisoformat(self._cells[column]).isoformat()
        except ValueError as exc:
            raise InputError(f"{self.where}: {column}: no date: {exc}") from exc


def header_of(path: Path) -> frozenset[str]:
    """Return the column names of a CSV file.

    Raises:
        InputError: If it is missing or not CSV in UTF-8.
    """
    return frozenset(_reader(path).fieldnames or ())


def _reader(path: Path) -> "csv.DictReader[str]":
    try:
        text = (unpacked(path) if path.suffix == ".gz" else whole(path)).decode("utf-8")
    except OSError as exc:
        raise unreadable(path, exc) from exc
    except (EOFError, zlib.error, UnicodeDecodeError) as exc:
        raise InputError(f"{path}: cannot be read: {exc}") from exc
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        _ = reader.fieldnames
    except csv.Error as exc:
        raise InputError(f"{path}: not CSV: {exc}") from exc
    return reader


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of a CSV file (gzip when its name ends so) that must have `columns`.

    Raises:
        InputError: If it is missing, not CSV in UTF-8, cut, or lacks a column.
    """
    reader = _reader(path)
    lacking = [name for name in columns if name not in (reader.fieldnames or ())]
    if lacking:
        raise InputError(f"{path}: no column {', '.join(lacking)}")
    try:
        for cells in reader:
            where = f"{path.name}:{reader.line_num}"
            if None in cells or None in cells.values():
                raise InputError(f"{where}: the row has more or fewer cells than the header")
            yield Row(cells, where)
    except csv.Error as exc:
        raise InputError(f"{path}:{reader.line_num}: not CSV: {exc}") from exc


def as_columns(table: str, rows: Iterable[tuple[str, ...]]) -> Columns:
    """Return rows as the columns of `table`, in the order in which they come."""
    listed = list(rows)
    names = COLUMNS[table]
    if not listed:
        return {name: [] for name in names}
    return {name: list(cells) for name, cells in zip(names, zip(*listed, strict=True), strict=True)}


class Sources:
    """The names, and for tables without a date the dates, of the sources (facts/sources.csv)."""

    def __init__(self, path: Path) -> None:
        self._by_label = {
            row["label"]: (row["source"], row["as_of"])
            for row in read_rows(path, ("label", "source", "as_of"))
        }
        self._path = path

    def of_label(self, table: str, label: str) -> str:
        """Return the full name of a source that a row of `table` names, else the name itself."""
        return self._by_label.get(f"{table}:{label}", (label, ""))[0]

    def dated_or(self, label: str, source: str, as_of: str) -> tuple[str, str]:
        """Return name and date of a table's source, or those given where none is listed."""
        name, dated = self._by_label.get(label, (source, as_of))
        return name, dated or as_of
