"""A table of paths or measurements, CSV or Parquet: what is asked of each row.

The rows stay in DuckDB; out come numbers as arrays, and the few distinct kinds of path as text. The
columns are those of published measurements (docs/predict.md); absent ones and empty cells are
unknown. A column `value` is read by nobody but the evaluation.
"""

import csv
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_cell, inert_line
from netplan_planner.input_files import now_reading
from netplan_planner.readers.path_refusals import MOST_NAMED, Refusals

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
    "plugin",
    "encapsulation",
    "encryption",
    "host_link_gbps",
    "vpn_tunnels",
    "nics",
    "quota_gbps",
    "proto",
    "pod_note",
)
"""Text that says which limits hold."""
PLACE_COLUMNS = ("src_location", "dst_location")
NUMBER_COLUMNS = ("streams", "rtt_ms", "duration_s", "omit_s", "bytes", "window_bytes")
VALUE_COLUMNS = ("value", "gbps")
_OTHER_COLUMNS = ("path", "metric", "note", "source", "src", "dst", "unit", "rtt_date")
"""Read where something is asked that needs them."""
_UNUSED_COLUMNS = ("nic", "n_samples", "network_tier", "tool")
"""Of published measurements; no limit depends on them."""
_RATE_UNITS = {
    **dict.fromkeys(("", "gbps", "gbit/s", "gb/s", "gbits/sec"), 1.0),
    **dict.fromkeys(("mbps", "mbit/s", "mb/s", "mbits/sec"), 1e-3),
    **dict.fromkeys(("kbps", "kbit/s", "kb/s", "kbits/sec"), 1e-6),
    **dict.fromkeys(("bps", "bit/s", "b/s", "bits/sec"), 1e-9),
}
"""Gbit/s in one of them; what has another unit is no rate."""
_RANGES: dict[str, tuple[float, float]] = {
    "streams": (1, 1e6),
    "rtt_ms": (0, 1e6),
    "duration_s": (1e-3, 1e9),
    "omit_s": (0, 1e9),
    "bytes": (1, 1e18),
    "window_bytes": (1, 1e12),
    "mtu": (68, 65535),
    "vcpus": (0, 1e4),
    "dst_vcpus": (0, 1e4),
    "host_link_gbps": (1e-3, 1e5),
    "vpn_tunnels": (1, 1e4),
    "nics": (1, 64),
    "quota_gbps": (1e-6, 1e6),
}
"""Least and most of numbers; a round-trip time of 0 is one that is not known."""
_WHOLE = frozenset({"streams", "mtu", "vpn_tunnels", "nics"})
"""Numbers that count something: half a connection is a slip of the hand."""
PARQUET = b"PAR1"
_NONE = "('', 'na', 'n/a', 'nan', 'null', 'none', '-', '?')"
_CEILING = re.compile(r"\brmem (\d{1,6}) ?([KMG])iB\b")
"""In a note: the receiver's greatest buffer, of which a window gets half."""
_CLUSTER = r"'(?i)(wireguard|ipsec|vxlan|geneve)'"
"""In a note on pods: what their network does."""
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}

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


class CodedTexts(NamedTuple):
    """A column of few distinct texts."""

    texts: Sequence[str]
    code: NDArray[np.integer]
    """Number of each row's text; -1: none."""


AddedColumn = NDArray[np.float64] | CodedTexts


class PathTable:
    """A table of paths that is open for reading and for writing it out with more columns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shown = inert_line(str(path))
        now_reading(self.shown)
        self._connection = duckdb.connect(":memory:")
        self._connection.execute("set preserve_insertion_order = true")
        self.columns, source = self._opened()
        """The names of the table's own columns, as the file spells them."""
        self._at = {name.casefold(): number for number, name in enumerate(self.columns)}
        self.value_column = next((name for name in VALUE_COLUMNS if self.has(name)), None)
        """What was measured, in Gbit/s; for the evaluation only."""
        if not any(map(self.has, (*KIND_COLUMNS, *PLACE_COLUMNS, *NUMBER_COLUMNS))):
            raise InputError(
                f"{self.shown}: none of its columns is known; expected some of"
                f" {', '.join(KIND_COLUMNS[:4])}, …; it has"
                f" {', '.join(map(inert_line, self.columns[:10]))}"
            )
        try:
            self._connection.execute(f"create table paths as select * from {source}")
        except duckdb.Error as exc:
            raise InputError(f"{self.shown}: cannot be read as a table: {_why(exc)}") from exc
        self.row_count = int(self._one("select count(*) from paths"))
        self.refused = Refusals(self.row_count)
        """Rows with a cell that makes no sense; they have no answer, the others do."""

    def has(self, name: str) -> bool:
        """Return whether the table has a column; upper and lower case are alike."""
        return name.casefold() in self._at

    @property
    def unread_columns(self) -> list[str]:
        """The columns of which nothing is known, perhaps because their names are misspelt."""
        known = {
            *KIND_COLUMNS,
            *PLACE_COLUMNS,
            *NUMBER_COLUMNS,
            *VALUE_COLUMNS,
            *_OTHER_COLUMNS,
            *_UNUSED_COLUMNS,
        }
        return [name for name in self.columns if name.casefold() not in known]

    def _opened(self) -> tuple[list[str], str]:
        """Return the names of the columns, and where rows with columns c0, c1, … come from.

        Inside they have numbers for names: `rowid`, or two that differ in case, would be taken
        for something else.
        """
        start = self._start_of_file()
        name = _quoted(str(self.path))
        if start == PARQUET:
            source = f"read_parquet({name})"
            try:
                described = self._connection.execute(f"describe select * from {source}").fetchall()
            except duckdb.Error as exc:
                raise InputError(f"{self.shown}: cannot be read as Parquet: {_why(exc)}") from exc
            names = [str(row[0]) for row in described]
            chosen = ", ".join(f"{_name(one)} as c{at}" for at, one in enumerate(names))
            return names, f"(select {chosen} from {source})"
        names = self._header()
        columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(len(names)))
        return names, (
            f"read_csv({name}, auto_detect = false, header = true, columns = {{{columns}}},"
            " delim = ',', quote = '\"', escape = '\"')"
        )

    def _start_of_file(self) -> bytes:
        try:
            mode = self.path.stat().st_mode
            if stat.S_ISDIR(mode):
                raise InputError(f"{self.shown}: a directory, not a file")
            if not stat.S_ISREG(mode):
                raise InputError(
                    f"{self.shown}: a pipe or device; a table is looked at more than once, so"
                    " write it to a file first"
                )
            with self.path.open("rb") as file:
                start = file.read(len(PARQUET))
        except OSError as exc:
            raise InputError(f"{self.shown}: {exc.strerror or exc}") from exc
        if not start:
            raise InputError(f"{self.shown}: the file is empty")
        return start

    def _header(self) -> list[str]:
        """Return the names in the first line of a CSV file."""
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                names = next(csv.reader(file, strict=True), [])
        except UnicodeDecodeError as exc:
            raise InputError(f"{self.shown}: not UTF-8: {exc.reason} at byte {exc.start}") from exc
        except csv.Error as exc:
            raise InputError(f"{self.shown}: line 1: not CSV: {exc}") from exc
        repeated = [one for one in names if [n.casefold() for n in names].count(one.casefold()) > 1]
        if repeated:
            raise InputError(f"{self.shown}: two columns are named {inert_line(repeated[0])!r}")
        return names

    def __enter__(self) -> "PathTable":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def rows(self) -> PathRows:
        """Return what the rows ask for; a row with a cell that makes no sense is refused.

        Raises:
            InputError: If every row is refused.
        """
        kinds, kind = self._coded(KIND_COLUMNS)
        places, place = self._coded(PLACE_COLUMNS)
        numbers = self._all_numbers(NUMBER_COLUMNS)
        for name, (least, most) in _RANGES.items():
            values = numbers.get(name)
            values = self.numbers(name) if values is None else values
            self._refuse(name, (values < least) | (values > most), f"not {_range(least, most)}")
            if name in _WHOLE:
                is_part = ~np.isnan(values) & (values != np.round(values))
                self._refuse(name, is_part, "not a whole number")
        self._check_refused()
        for values in numbers.values():
            values[self.refused.code >= 0] = np.nan
        numbers["rtt_ms"] = np.where(numbers["rtt_ms"] > 0, numbers["rtt_ms"], np.nan)
        numbers["window_of_note"] = self._windows_of_notes()
        metric = f"lower({self._sql('metric')})" if self.has("metric") else "''"
        counted = f"{metric} like 'tcp_throughput%'"
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

        A row whose cell holds something else is refused.
        """
        return self._all_numbers((name,))[name]

    def values_gbps(self) -> NDArray[np.float64]:
        """Return what was measured in Gbit/s, NaN where it is empty or no rate by its `unit`.

        Raises:
            InputError: If there is no such column.
        """
        if self.value_column is None:
            names = " or ".join(VALUE_COLUMNS)
            raise InputError(f"{self.shown}: no column {names}, the measured Gbit/s")
        values = self.numbers(self.value_column)
        if not self.has("unit") or self.value_column != VALUE_COLUMNS[0]:
            return values
        units, which = self.texts("unit")
        of_unit = [_RATE_UNITS.get(unit.strip().casefold(), np.nan) for unit in units]
        return np.asarray(values * np.array(of_unit, dtype=float)[which], dtype=float)

    def _windows_of_notes(self) -> NDArray[np.float64]:
        """Return half the receive ceiling that a note tells, NaN where it tells none."""
        if not self.has("note"):
            return np.full(self.row_count, np.nan)
        notes, which = self.texts("note")
        found = [_CEILING.search(note) for note in notes]
        windows = [int(one[1]) * _UNITS[one[2]] / 2 if one else np.nan for one in found]
        return np.array(windows, dtype=float)[which]

    def _all_numbers(self, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
        """Return columns of numbers by name, read in one pass."""
        present = [name for name in names if self.has(name)]
        if not present:
            return {name: np.full(self.row_count, np.nan) for name in names}
        cells = {name: self._sql(name) for name in present}
        lost = [
            f"count(*) filter (where not coalesce(isfinite(try_cast({cell} as double)), false)"
            f" and {cell}::varchar <> '')"
            for cell in cells.values()
        ]
        counts = self._connection.execute(f"select {', '.join(lost)} from paths").fetchall()[0]
        for name, count in zip(present, counts, strict=True):
            if count:
                self._refuse_text(name)
        values = [f"try_cast({cell} as double) as {_name(name)}" for name, cell in cells.items()]
        found = self._connection.execute(f"select {', '.join(values)} from paths").fetchnumpy()
        return {
            name: _filled(found[name]) if name in cells else np.full(self.row_count, np.nan)
            for name in names
        }

    def _refuse_text(self, name: str) -> None:
        """Refuse the rows whose cell is neither a number nor a word for none."""
        text = f"trim({self._sql(name)}::varchar)"
        bad = (
            f"from paths where {text} <> ''"
            f" and not coalesce(isfinite(try_cast({text} as double)), false)"
            f" and lower({text}) not in {_NONE} order by rowid"
        )
        rows = self._connection.execute(f"select rowid as at {bad}").fetchnumpy()["at"]
        cells = self._connection.execute(f"select {text} {bad} limit {MOST_NAMED}").fetchall()
        why = "not a finite number; leave the cell empty where it is not known"
        if len(rows):
            self.refused.add(np.asarray(rows, np.intp), name, why, [str(c[0]) for c in cells])

    def _check_refused(self) -> None:
        """Raise where nothing is left to answer."""
        if self.row_count and self.refused.count == self.row_count:
            raise InputError(f"{self.shown}: {'; '.join(self.refused.named)}")

    def texts(self, name: str) -> tuple[list[str], NDArray[np.intp]]:
        """Return the distinct texts of a column and the number of each row's."""
        found, which = self._coded((name,))
        return [cells[0] for cells in found], which

    def earlier_values(self) -> NDArray[np.float64]:
        """Return what the newest earlier campaign measured on the same pair, NaN where none did.

        A pair is sender, receiver, clouds and path class; a campaign is a `source`, as old as its
        oldest row, and gives the median of its values.
        """
        needed = ("source", "date", *PLACE_COLUMNS)
        if self.value_column is None or not all(map(self.has, needed)):
            return np.full(self.row_count, np.nan)
        key = [self._sql(n) for n in ("cloud", "path_class", *PLACE_COLUMNS) if self.has(n)]
        found = self._connection.execute(
            f"""
            with pairs as (
                select rowid as at, {self._sql("source")} as source,
                    concat_ws('|', {", ".join(key)}) as pair,
                    try_cast({self._sql(self.value_column)} as double) as value,
                    min({self._sql("date")}::varchar)
                        over (partition by {self._sql("source")}) as start
                from paths),
            known as (
                select pair, start, median(value) as value from pairs
                where value > 0 group by pair, source, start)
            select known.value as value from pairs
            asof left join known on pairs.pair = known.pair and pairs.start > known.start
            order by pairs.at
            """
        ).fetchnumpy()["value"]
        return _filled(found)

    def write_csv(self, added: Mapping[str, AddedColumn], target: Path) -> None:
        """Write the table with columns after its own, as CSV; texts stay inert in spreadsheets.

        Args:
            added: By name: numbers, NaN becoming an empty cell; or texts with the number of each
                row's, -1 for an empty one.
            target: The file.

        Raises:
            InputError: If the file cannot be written.
            UsageError: If the table has a column of that name already.
        """
        taken = [self.columns[self._at[name]] for name in added if self.has(name)]
        if taken:
            raise UsageError(f"{self.shown}: it has a column {taken[0]} already")
        arrays = {n: v if isinstance(v, np.ndarray) else v.code for n, v in added.items()}
        self._connection.register("given", arrays)
        # A table of its own: DuckDB joins tables by position several times faster than arrays.
        self._connection.execute("create or replace temp table added as select * from given")
        own = ", ".join(map(self._written, self.columns))
        new = ", ".join(f"{_cell_of(n, v)} as {_name(n)}" for n, v in added.items())
        try:
            self._connection.execute(
                f"copy (select {own}, {new} from paths positional join added)"
                f" to {_quoted(str(target))} (format csv, header, delimiter ',')"
            )
        except duckdb.IOException as exc:
            raise InputError(f"the table cannot be written: {_why(exc)}") from exc

    def _written(self, column: str) -> str:
        """Return a column as it is written: as it is, but where a cell could do harm."""
        # The engine takes no empty name, which the index of a data frame has; a space will do.
        cell, shown = self._sql(column), _name(inert_cell(column) or " ")
        harmful = self._one(
            f"select bool_or({cell} <> {_inert_cell(cell)}) from"
            f" (select distinct {cell}::varchar as {cell} from paths)"
        )
        return f"{_inert_cell(cell) if harmful else cell} as {shown}"

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
        cells = [f"{self._cell(name)} as {_name(name)}" for name in names]
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

    def _cell(self, name: str) -> str:
        """Return the expression of a cell as text."""
        if name == "pod_note" and self.has("note") and self.has("path_class"):
            said = f"coalesce(regexp_extract({self._sql('note')}, {_CLUSTER}), '')"
            return f"case when {self._sql('path_class')} like '%-pod%' then {said} else '' end"
        if name == "path_class" and not self.has(name):
            name = "path"
        return f"coalesce(trim({self._sql(name)}::varchar), '')" if self.has(name) else "''"

    def _sql(self, name: str) -> str:
        """Return the column of a name as statements call it."""
        return f"c{self._at[name.casefold()]}"

    def _column(self, expression: str) -> NDArray[np.float64]:
        return _filled(
            self._connection.execute(f"select {expression} as x from paths").fetchnumpy()["x"]
        )

    def _refuse(self, name: str, is_bad: NDArray[np.bool_], why: str) -> None:
        rows = np.flatnonzero(is_bad)
        if not len(rows):
            return
        first = ", ".join(str(row) for row in rows[:MOST_NAMED].tolist())
        cells = self._connection.execute(
            f"select trim({self._sql(name)}::varchar) from paths"
            f" where rowid in ({first}) order by rowid"
        ).fetchall()
        self.refused.add(rows, name, why, [str(cell[0]) for cell in cells])

    def _one(self, query: str) -> Any:
        return self._connection.execute(query).fetchall()[0][0]


def _filled(values: Any) -> NDArray[np.float64]:
    """Return a column of numbers with NaN where a cell is null."""
    return np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)


def _range(least: float, most: float) -> str:
    return f"{least:g} or more" if np.isinf(most) else f"between {least:g} and {most:g}"


def _cell_of(name: str, values: AddedColumn) -> str:
    """Return the expression of an added cell, null where it is empty."""
    if isinstance(values, np.ndarray):
        return f"nullif({_name(name)}, 'nan'::double)"
    texts = ", ".join(_quoted(inert_cell(text)) for text in values.texts)
    return f"([{texts}]::varchar[])[nullif({_name(name)}, -1) + 1]"


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


def _why(error: Exception) -> str:
    """Return the part of a DuckDB error that tells where and what, on one line."""
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    return inert_line("; ".join(lines[:3]))[:300]
