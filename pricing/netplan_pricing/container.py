"""The snapshot file: named tables of dictionary-coded columns, one file, read without a database.

    line 1   netplan.prices/2                    name and version of the schema
    line 2   SHA-256 of everything after this line, in hexadecimal
    line 3   the header as JSON: dates, source, and each table's rows, place and length
    rest     the tables, each a MessagePack list of columns

A column is a sorted list of its distinct values as text and one code per row (1, 2 or 4 bytes,
little-endian). Prices stay the decimal text of their source, so nothing is rounded, and an empty
text is absence. The bytes depend on the content alone (docs/adr/0005-price-snapshot.md).

What the cells of a snapshot's columns may hold, looked at once per distinct value.

Whoever uses a cell need not wonder then whether it is a number or a date.
"""

import hashlib
import re
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError
from netplan_planner.input_files import decode_json, reading, unreadable, whole
from netplan_pricing import schema
from netplan_pricing.schema import COLUMNS

_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,40})?", re.ASCII)
"""A plain decimal number; a negative one is for `netplan prices verify` to name."""
_COUNT = re.compile(r"[0-9]{1,7}", re.ASCII)
_STEP = re.compile(rf"{_NUMBER.pattern}={_NUMBER.pattern}", re.ASCII)

_NUMBERS = frozenset(
    {
        *("usd", "on_demand", "spot", "cud_1y", "cud_3y", "tier_start", "size_gbps", "per_usd"),
        *("memory_gib", "billed_vcpus", "gpu_count", "full_month_percent", "max_gib_per_vcpu"),
        "slices",
    }
)
_COUNTS = frozenset({"vcpus", "local_ssd_gib"})
_LISTS = {"steps": _STEP, "multipliers": _NUMBER}
"""Columns of lists joined by a bar."""
_DATE = "as_of"
_NEVER_EMPTY = frozenset(
    {
        *((schema.MACHINE_TYPES, "vcpus"), (schema.MACHINE_TYPES, "memory_gib")),
        *((schema.SERVICE_PRICES, "usd"), (schema.SERVICE_PRICES, "tier_start")),
        *((schema.SUSTAINED_USE, "multipliers"), (schema.SUSTAINED_USE, "full_month_percent")),
        *((schema.CUSTOM_LIMITS, "max_gib_per_vcpu"), (schema.CURRENCY_RATES, "per_usd")),
        (schema.MACHINE_SLICES, "slices"),
    }
)
_SHOWN = 40


def cell_fault(table: str, column: str, values: Iterable[str]) -> str:
    """Return what is wrong with the distinct values of a column, an empty text if nothing is.

    >>> cell_fault("network_prices", "usd", ["", "0.01"])
    ''
    >>> cell_fault("network_prices", "usd", ["0.01", "free"])
    "usd: 'free' is not a number"
    """
    kind, fits = _kind_of(column)
    if not kind:
        return ""
    may_be_empty = column != _DATE and (table, column) not in _NEVER_EMPTY
    for value in values:
        if not (fits(value) or (may_be_empty and not value)):
            return f"{column}: {value[:_SHOWN]!r} is not a {kind}"
    return ""


def _kind_of(column: str) -> tuple[str, Callable[[str], object]]:
    """Return what the cells of a column are, and what tells whether one is; texts are any."""
    if column in _NUMBERS:
        return "number", _NUMBER.fullmatch
    if column in _COUNTS:
        return "whole number", _COUNT.fullmatch
    if column == _DATE:
        return "date", _is_date
    if column in _LISTS:
        fits = _LISTS[column].fullmatch
        return "list of numbers", lambda value: all(map(fits, value.split("|")))
    return "", str


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


SCHEMA_NAME = "netplan.prices"
SCHEMA_VERSION = 2
SCHEMA = f"{SCHEMA_NAME}/{SCHEMA_VERSION}"
FILE_NAME = "prices.snapshot"

EMBEDDED = Path(__file__).parent / "data"
"""The folder of the snapshot that ships with the package."""

_CODES = {1: "B", 2: "H", 4: "I"}
_REBUILD = "get another with `netplan prices refresh`, or build one with `netplan prices build`"


class TablePlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a table stands in the file, in bytes from the end of the header."""

    name: str
    rows: int
    offset: int
    length: int


class SourceNote(msgspec.Struct, frozen=True, kw_only=True):
    """One source of a table, its date, and how many rows came from it."""

    table: str
    source: str
    as_of: str
    rows: int


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says of itself."""

    as_of: date
    """Of the catalogue that the machine prices are from; a price of another source has its own."""
    network_as_of: date
    source: str
    sku_count: int
    """SKUs of the dumps that it was built from, all kinds."""
    unread_count: int
    """Of these, SKUs that netplan needs and could not use."""
    tables: tuple[TablePlace, ...]
    sources: tuple[SourceNote, ...]

    @property
    def row_count(self) -> int:
        """Rows of all tables."""
        return sum(table.rows for table in self.tables)


class _StoredColumn(msgspec.Struct, frozen=True, array_like=True):
    name: str
    values: list[str]
    width: int
    codes: bytes


class Column:
    """One column: `column[row]` is the text of a row, empty where there is none."""

    __slots__ = ("codes", "values")

    def __init__(self, values: list[str], codes: Sequence[int]) -> None:
        self.values = values
        """Distinct values, sorted; `codes` index them."""
        self.codes = codes

    def __getitem__(self, row: int) -> str:
        return self.values[self.codes[row]]

    def __len__(self) -> int:
        return len(self.codes)

    def decimal(self, row: int) -> Decimal | None:
        """Return the number of a row, exactly as its source wrote it; None where there is none."""
        text = self.values[self.codes[row]]
        return Decimal(text) if text else None

    def texts(self) -> list[str]:
        """Return the value of every row."""
        values = self.values
        return [values[code] for code in self.codes]


class Table:
    """One table: equally long columns by name."""

    __slots__ = ("columns", "name", "row_count")

    def __init__(self, name: str, columns: dict[str, Column], row_count: int) -> None:
        self.name = name
        self.columns = columns
        self.row_count = row_count

    def __getitem__(self, column: str) -> Column:
        return self.columns[column]

    def ranges(self, column: str) -> dict[str, range]:
        """Return the rows of each value of `column`, by which the table must be sorted."""
        found: dict[str, range] = {}
        codes, values = self.columns[column].codes, self.columns[column].values
        start = 0
        for row in range(1, self.row_count + 1):
            if row == self.row_count or codes[row] != codes[start]:
                found[values[codes[start]]] = range(start, row)
                start = row
        return found


class SnapshotFile:
    """An open snapshot: header checked, hash checked, tables decoded when first asked for."""

    def __init__(self, path: Path, content: bytes | None = None) -> None:
        """Read a file, or take the content that it is going to have.

        Raises:
            InputError: If it is missing, cut, altered, or of another schema version.
        """
        self.path = path
        if content is None:
            try:
                content = whole(path)
            except OSError as exc:
                raise unreadable(path, exc, _REBUILD) from exc
        schema, _, rest = content.partition(b"\n")
        self._check_schema(schema)
        digest, _, sealed = rest.partition(b"\n")
        self.sha256 = hashlib.sha256(sealed).hexdigest()
        if digest != self.sha256.encode():
            raise InputError(f"{path}: incomplete or changed: its hash does not match; {_REBUILD}")
        header, _, body = sealed.partition(b"\n")
        try:
            self.header = decode_json(header, Header)
        except msgspec.DecodeError as exc:
            raise InputError(f"{path}: its header cannot be read: {exc}; {_REBUILD}") from exc
        self._head, self._body = header, body
        self._tables: dict[str, Table] = {}

    @property
    def content(self) -> bytes:
        """The bytes of the whole file."""
        return b"\n".join((SCHEMA.encode(), self.sha256.encode(), self._head, self._body))

    def _check_schema(self, found: bytes) -> None:
        if found == SCHEMA.encode():
            return
        name, slash, version = found[:80].decode("ascii", "replace").partition("/")
        if name == SCHEMA_NAME and slash:
            raise InputError(
                f"{self.path}: the price snapshot has schema version {version!r}; this netplan"
                f" reads version {SCHEMA_VERSION}; {_REBUILD}"
            )
        raise InputError(f"{self.path}: not a price snapshot; {_REBUILD}")

    def has_table(self, name: str) -> bool:
        """Return whether the file has a table; one built by an older version may lack a new one."""
        return any(table.name == name for table in self.header.tables)

    def table(self, name: str) -> Table:
        """Return a table.

        Raises:
            InputError: If the file lacks it or its content does not hold together.
        """
        found = self._tables.get(name)
        if found is None:
            found = self._tables[name] = self._decode(name)
        return found

    def _decode(self, name: str) -> Table:
        place = next((table for table in self.header.tables if table.name == name), None)
        if place is None:
            raise InputError(f"{self.path}: no table {name!r}; {_REBUILD}")
        content = self._body[place.offset : place.offset + place.length]
        try:
            with reading(f"{self.path}: table {name!r}"):
                stored = msgspec.msgpack.decode(content, type=list[_StoredColumn])
                columns = {one.name: _column(name, one, place.rows) for one in stored}
        except (msgspec.DecodeError, RecursionError, KeyError, ValueError) as exc:
            raise InputError(f"{self.path}: table {name!r} is damaged: {exc}; {_REBUILD}") from exc
        lacking = [column for column in COLUMNS.get(name, ()) if column not in columns]
        if lacking:
            raise InputError(f"{self.path}: table {name!r} lacks {', '.join(lacking)}; {_REBUILD}")
        return Table(name, columns, place.rows)


def _column(table: str, stored: _StoredColumn, rows: int) -> Column:
    """Return a decoded column after checking that every code has its value, and each its form."""
    codes: Sequence[int]
    if stored.width == 1:
        codes = stored.codes
    else:
        wide = array(_CODES[stored.width])
        wide.frombytes(stored.codes)
        if sys.byteorder == "big":
            wide.byteswap()
        codes = wide
    if len(codes) != rows or (rows and max(codes) >= len(stored.values)):
        raise ValueError(f"column {stored.name!r} does not match its table")
    fault = cell_fault(table, stored.name, stored.values)
    if fault:
        raise ValueError(fault)
    return Column(stored.values, codes)


def encode_table(columns: Mapping[str, Sequence[str]]) -> bytes:
    """Return the stored form of equally long columns.

    >>> len(encode_table({"region": ["us-west1", "us-west1"], "usd": ["0.01", ""]})) < 60
    True
    """
    stored = []
    for name, texts in columns.items():
        values = sorted(set(texts))
        code_by_value = {value: code for code, value in enumerate(values)}
        width = 1 if len(values) <= 2**8 else 2 if len(values) <= 2**16 else 4
        codes = array(_CODES[width], (code_by_value[text] for text in texts))
        if sys.byteorder == "big":
            codes.byteswap()
        stored.append(_StoredColumn(name, values, width, codes.tobytes()))
    return msgspec.msgpack.encode(stored)


def encode_snapshot(
    tables: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    as_of: date,
    network_as_of: date,
    source: str,
    sources: Sequence[SourceNote],
    sku_count: int,
    unread_count: int,
) -> bytes:
    """Return the bytes of a snapshot file; equal tables give equal bytes."""
    places, bodies, offset = [], [], 0
    for name, columns in tables.items():
        body = encode_table(columns)
        rows = len(next(iter(columns.values())))
        places.append(TablePlace(name=name, rows=rows, offset=offset, length=len(body)))
        bodies.append(body)
        offset += len(body)
    header = Header(
        as_of=as_of,
        network_as_of=network_as_of,
        source=source,
        sku_count=sku_count,
        unread_count=unread_count,
        tables=tuple(places),
        sources=tuple(sources),
    )
    sealed = msgspec.json.encode(header) + b"\n" + b"".join(bodies)
    digest = hashlib.sha256(sealed).hexdigest().encode()
    return b"\n".join([SCHEMA.encode(), digest, sealed])


def is_amount(text: str) -> bool:
    """Return whether `text` is a plain decimal number that is not negative.

    >>> is_amount("0.031611"), is_amount("-1"), is_amount("1e400"), is_amount("free")
    (True, False, False, False)
    """
    if "e" in text.lower():
        return False
    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    return number.is_finite() and number >= 0
