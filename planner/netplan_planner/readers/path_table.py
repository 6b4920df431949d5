"""A table of paths or measurements, CSV or Parquet: what is asked of each row.

The rows stay in DuckDB; out come numbers as arrays, and the few distinct kinds of path as text. The
columns are those of published measurements (docs/predict.md); absent ones and empty cells are
unknown. A column `value` is read by nobody but the evaluation.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line

os.environ.setdefault("DUCKDB_JE_MALLOC_CONF", "dirty_decay_ms:60000,muzzy_decay_ms:60000")

import duckdb

KIND_COLUMNS = (
    "path_class",
    "cloud",
    "machine_type",
    "vcpus",
    "dst_machine_type",
    "dst_vcpus",
    "mtu",
    "date",
    "tier1",
    "direction",
)
"""Text that says which limits hold."""
PLACE_COLUMNS = ("src_location", "dst_location")
NUMBER_COLUMNS = ("streams", "rtt_ms", "duration_s", "omit_s", "bytes", "window_bytes")
_NONE = "('', 'na', 'n/a', 'nan', 'null', 'none', '-', '?')"
_CEILING = r"'\brmem ([0-9]+) ?([KMG])iB\b'"
"""In a note: the receiver's greatest buffer, of which a window gets half."""

_STEERING = r"'[\x00-\x1f\x7f-\x{9f}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]'"
"""Characters that move a cursor or turn the direction of writing."""


class PathRows(NamedTuple):
    """The rows of a table. NaN: not given."""

    kinds: list[tuple[str, ...]]
    """Distinct kinds of path; cells in the order of `KIND_COLUMNS`."""
    kind: NDArray[np.intp]
    places: list[tuple[str, str]]
    place: NDArray[np.intp]
    numbers: dict[str, NDArray[np.float64]]
    """By name of `NUMBER_COLUMNS`, and `window_of_note`."""
    is_sender_count: NDArray[np.bool_]


class PathTable:
    """A table of paths that is open for reading and for writing it out with more columns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shown = inert_line(str(path))
        self._connection = duckdb.connect(":memory:")
        self._connection.execute("set preserve_insertion_order = true")
        source = _source(path)
        try:
            self._connection.execute(f"create table paths as select * from {source}")
        except duckdb.Error as exc:
            raise InputError(
                f"{self.shown}: cannot be read as a table: {_first_line(exc)}"
            ) from exc
        described = self._connection.execute("describe paths").fetchall()
        self.columns = [str(row[0]) for row in described]
        known = {*KIND_COLUMNS, *PLACE_COLUMNS, *NUMBER_COLUMNS}
        if not known & set(self.columns):
            raise InputError(
                f"{self.shown}: none of its columns is known; expected some of"
                f" {', '.join(KIND_COLUMNS[:4])}, …; it has"
                f" {', '.join(map(inert_line, self.columns[:10]))}"
            )
        self.row_count = int(self._one("select count(*) from paths"))

    def __enter__(self) -> "PathTable":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def rows(self) -> PathRows:
        """Return what the rows ask for.

        Raises:
            InputError: If a cell that must hold a number holds none, with its row.
        """
        kinds, kind = self._coded(KIND_COLUMNS)
        places, place = self._coded(PLACE_COLUMNS)
        numbers = {name: self.numbers(name) for name in NUMBER_COLUMNS}
        for name in ("streams", "duration_s", "bytes", "window_bytes"):
            self._refuse(name, numbers[name] <= 0, "is not above 0")
        numbers["rtt_ms"] = np.where(numbers["rtt_ms"] > 0, numbers["rtt_ms"], np.nan)
        numbers["window_of_note"] = self._column(
            f"try_cast(nullif(regexp_extract(note, {_CEILING}, 1), '') as double)"
            f" * case regexp_extract(note, {_CEILING}, 2) when 'K' then 1024.0"
            " when 'M' then 1048576.0 else 1073741824.0 end / 2"
            if "note" in self.columns
            else "null::double"
        )
        counted = "lower(metric) like 'tcp_throughput%'" if "metric" in self.columns else "false"
        is_sender = self._column(f"coalesce({counted}, false)::double")
        return PathRows(
            kinds=kinds,
            kind=kind,
            places=[(src, dst) for src, dst in places],
            place=place,
            numbers=numbers,
            is_sender_count=is_sender > 0,
        )

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column of numbers, NaN where the cell is empty or the column is absent.

        Raises:
            InputError: If a cell holds something else.
        """
        if name not in self.columns:
            return np.full(self.row_count, np.nan)
        text = f"trim({_name(name)}::varchar)"
        empty = f"({_name(name)} is null or lower({text}) in {_NONE})"
        bad = self._connection.execute(
            f"select rowid, {text} from paths where not {empty}"
            f" and try_cast({text} as double) is null order by rowid limit 1"
        ).fetchone()
        if bad is not None:
            raise InputError(
                f"{self.shown}: row {bad[0] + 1}: {name} is {inert_line(str(bad[1]))[:60]!r},"
                " not a number; leave the cell empty where it is not known"
            )
        return self._column(f"case when {empty} then null else try_cast({text} as double) end")

    def texts(self, name: str) -> tuple[list[str], NDArray[np.intp]]:
        """Return the distinct texts of a column and the number of each row's."""
        found, which = self._coded((name,))
        return [cells[0] for cells in found], which

    def write_csv(self, added: dict[str, NDArray[Any]], target: Path) -> None:
        """Write the table with columns after its own, as CSV; texts stay inert in spreadsheets.

        NaN and empty text become empty cells.

        Raises:
            UsageError: If the table has a column of that name already.
        """
        taken = [name for name in added if name in self.columns]
        if taken:
            raise UsageError(f"{self.shown}: it has a column {taken[0]} already")
        self._connection.register("added", added)
        own = ", ".join(f"{_inert_cell(_name(name))} as {_name(name)}" for name in self.columns)
        new = ", ".join(
            f"case when isnan({_name(name)}) then null else {_name(name)} end as {_name(name)}"
            if values.dtype.kind == "f"
            else f"nullif({_name(name)}, '') as {_name(name)}"
            for name, values in added.items()
        )
        self._connection.execute(
            f"copy (select {own}, {new} from paths positional join added)"
            f" to {_quoted(str(target))} (format csv, header, delimiter ',')"
        )

    def head(self, count: int) -> Iterator[dict[str, str]]:
        """Yield the first rows as text by column."""
        found = self._connection.execute(f"select * from paths order by rowid limit {int(count)}")
        for cells in found.fetchall():
            yield {
                name: "" if cell is None else str(cell)
                for name, cell in zip(self.columns, cells, strict=True)
            }

    def _coded(self, names: Sequence[str]) -> tuple[list[tuple[str, ...]], NDArray[np.intp]]:
        """Return the distinct combinations of columns and the number of each row's."""
        cells = [
            f"coalesce(trim({_name(name)}::varchar), '') as {_name(name)}"
            if name in self.columns
            else f"'' as {_name(name)}"
            for name in names
        ]
        keys = ", ".join(_name(name) for name in names)
        self._connection.execute(
            f"create or replace temp table cells as select {', '.join(cells)} from paths"
        )
        self._connection.execute(
            "create or replace temp table kinds as select *, row_number() over () - 1 as kind_id"
            f" from (select distinct {keys} from cells order by all)"
        )
        found = self._connection.execute(f"select {keys} from kinds order by kind_id").fetchall()
        which = self._connection.execute(
            f"select kind_id from cells join kinds using ({keys}) order by cells.rowid"
        ).fetchnumpy()["kind_id"]
        return [tuple(map(str, row)) for row in found], np.asarray(which, dtype=np.intp)

    def _column(self, expression: str) -> NDArray[np.float64]:
        found = self._connection.execute(f"select {expression} as x from paths").fetchnumpy()["x"]
        return np.ma.filled(np.ma.asarray(found, dtype=float), np.nan)

    def _refuse(self, name: str, is_bad: NDArray[np.bool_], why: str) -> None:
        if is_bad.any():
            raise InputError(f"{self.shown}: row {int(np.argmax(is_bad)) + 1}: {name} {why}")

    def _one(self, query: str) -> Any:
        row = self._connection.execute(query).fetchone()
        return row[0] if row else None


def _source(path: Path) -> str:
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as exc:
        raise InputError(f"{inert_line(str(path))}: {exc.strerror or exc}") from exc
    name = _quoted(str(path))
    if start == b"PAR1":
        return f"read_parquet({name})"
    return (
        f"read_csv({name}, header = true, all_varchar = true, delim = ',', quote = '\"',"
        " escape = '\"')"
    )


def _inert_cell(column: str) -> str:
    """Return a cell that steers no terminal and that no spreadsheet takes for a formula."""
    text = f"regexp_replace({column}::varchar, {_STEERING}, '�', 'g')"
    return (
        f"case when try_cast({column}::varchar as double) is null"
        f" and regexp_matches({column}::varchar, '^\\s*[=+@＝＋－＠-]')"
        f" then {_quoted(chr(39))} || {text} else {text} end"
    )


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return inert_line(str(error).split("\n", 1)[0])[:300]
