"""A user table that is open for reading: its rows stay in DuckDB, out come arrays and few texts.

An absent column and an empty cell are unknown. A cell that makes no sense refuses its row and no
other (`Table.refused`); what cannot be read at all is an `InputError`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import now_reading
from netplan_planner.tables import columns as declared
from netplan_planner.tables import engine as db
from netplan_planner.tables import refusals
from netplan_planner.tables.columns import Column, ColumnKind
from netplan_planner.tables.files import recognised, rewritten
from netplan_planner.tables.refusals import MOST_NAMED, Refusals
from netplan_planner.tables.sql import identifier
from netplan_planner.writing import private_folder

_ABSENT = "''"
"""What a cell of a column that is not there is to statements."""

Coded = tuple[list[tuple[str, ...]], NDArray[np.intp]]
"""Distinct texts, and the number of each row's."""

# A file of a table that is open: its connection, and the private copies that it may need


T = TypeVar("T")


class OpenTable:
    """A file that has been recognised, and the connection that reads it."""

    def __init__(self, path: Path, *, stream: BinaryIO | None = None) -> None:
        """Look at a file; its rows are not read yet.

        Args:
            path: The file.
            stream: What is read instead of the file, which then only names it.

        Raises:
            InputError: If there is no such file, or it is empty, damaged or no table.
        """
        self.path = path
        self.shown = inert_line(str(path))
        now_reading(self.shown)
        with ExitStack() as stack:
            self.engine = db.TableEngine()
            stack.callback(self.engine.close)
            # Made when something has to be copied, which is seldom.
            self._folder = cache(lambda: self._open.enter_context(private_folder(None)))
            self._open = stack
            self._file = recognised(path, self.shown, self.engine, self._folder, stream)
            self._open = stack.pop_all()
        self._is_rewritten = False
        self.columns = list(self._file.names)
        """The names of the table's own columns, as the file spells them."""

    def close(self) -> None:
        """Let go of the file and remove the copies."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def relation(self, names: Sequence[str] | None = None) -> str:
        """Return what rows are selected from, the columns renamed where names are given."""
        return self._file.relation(self._file.names if names is None else names)

    def read(self, work: Callable[[], T]) -> T:
        """Do something that reads the rows; a CSV file that is refused is read in a plain copy.

        Raises:
            InputError: If a row is no CSV or does not fit under the header; the text names it.
            EngineError: If that is not the cause.
        """
        try:
            return work()
        except db.EngineError:
            if self._file.is_parquet or self._is_rewritten:
                raise
            self._file = rewritten(self._file, self._folder)
            self._is_rewritten = True
            return work()


class TableView(OpenTable):
    """A table that is queried where it lies, with its own columns: it may be larger than memory."""

    def __init__(self, path: Path, name: str) -> None:
        """Open a file as a relation of a name.

        Raises:
            InputError: If it is missing, damaged or no table.
        """
        super().__init__(path)
        self._name = name
        try:
            self.types = self.read(self._viewed)
            """The columns with the names of their types."""
        except db.EngineError as exc:
            self.close()
            raise refusals.damaged(self.shown, "a table", exc) from exc
        except BaseException:
            self.close()
            raise

    def rows(self, query: str) -> "list[db.Row]":
        """Return the rows of a query over the relation.

        Raises:
            InputError: If a row of the file is no CSV.
            EngineError: If the engine refuses the query.
        """

        def answered() -> "list[db.Row]":
            self._viewed()
            return self.engine.rows(query)

        return self.read(answered)

    def _viewed(self) -> dict[str, str]:
        self.engine.run(
            f"create or replace temp view {self._name} as select * from {self.relation()}"
        )
        return self.engine.types(self._name)


# A user table that is open for reading: its rows stay in DuckDB, out come arrays and few texts


_NONE = "('', 'na', 'n/a', 'nan', 'null', 'none', '-', '?')"
"""Words for a number that is not known."""


class Table(OpenTable):
    """The rows of a file, with the columns that a verb declares; upper and lower case are alike."""

    def __init__(
        self, path: Path, columns: Sequence[Column], *, stream: BinaryIO | None = None
    ) -> None:
        """Read a file.

        Args:
            path: The file.
            columns: What the verb reads.
            stream: What is read instead of the file, which then only names it.

        Raises:
            InputError: If it cannot be read, is no table, lacks a required column, or has none
                of the columns that say something.
        """
        super().__init__(path, stream=stream)
        self.declared = {column.name: column for column in columns}
        self._at = {name.casefold(): number for number, name in enumerate(self.columns)}
        self._coded: dict[tuple[str, ...], Coded] = {}
        try:
            self._check_columns()
            self._load()
        except BaseException:
            self.close()
            raise
        self.row_count = int(self.engine.value("select count(*) from held"))
        self.refused = Refusals(self.row_count)
        """Rows with a cell that makes no sense; they have no answer, the others do."""

    def _check_columns(self) -> None:
        lacking = [
            column.names
            for column in self.declared.values()
            if column.is_required and self.found_name(column.name) is None
        ]
        if lacking:
            raise refusals.lacking_columns(self.shown, lacking, self.columns)
        telling = [name for name, column in self.declared.items() if not column.is_aside]
        if all(self.found_name(name) is None for name in telling):
            raise refusals.unknown_columns(self.shown, telling, self.columns)

    def _load(self) -> None:
        """Read the rows into the table `held`, whose columns are c0, c1, ….

        Inside they have numbers for names: `rowid`, or two that differ in case, would be taken
        for something else.
        """
        names = [f"c{at}" for at in range(len(self.columns))]

        def loaded() -> None:
            self.engine.run(f"create or replace table held as select * from {self.relation(names)}")

        try:
            self.read(loaded)
        except db.EngineError as exc:
            raise refusals.damaged(self.shown, "a table", exc) from exc

    def has(self, name: str) -> bool:
        """Return whether the table has a column of just this name."""
        return name.casefold() in self._at

    def found_name(self, name: str) -> str | None:
        """Return the name by which a declared column is there, None where it is not."""
        return next((one for one in self.declared[name].names if self.has(one)), None)

    def own_name(self, name: str) -> str:
        """Return a column that is there as the file spells it.

        Raises:
            KeyError: If it is absent.
        """
        return self.columns[self._at[(self.found_name(name) or name).casefold()]]

    def check_free(self, added: Iterable[str]) -> None:
        """Refuse a table that has a column already which an answer would add.

        Raises:
            UsageError: If it has.
        """
        for name in added:
            if self.has(name):
                raise refusals.taken_column(self.shown, self.columns[self._at[name.casefold()]])

    @property
    def unread_columns(self) -> list[str]:
        """The columns of which nothing is known, perhaps because their names are misspelt."""
        return declared.unread(self.declared.values(), self.columns)

    def refuse_unread(self) -> None:
        """Refuse a table with a column that is not declared: a misspelt pin would pin nothing.

        Raises:
            InputError: If it has one; all are named, each with the nearest that is read.
        """
        if self.unread_columns:
            names = declared.names_of(self.declared.values())
            raise refusals.undeclared_columns(self.shown, self.unread_columns, names)

    def sql(self, name: str) -> str:
        """Return the column of a name as statements call it."""
        return f"c{self._at[name.casefold()]}"

    def text_sql(self, name: str) -> str:
        """Return the expression of a cell as trimmed text, empty where the column is absent."""
        found = self.found_name(name) if name in self.declared else name
        if found is None or not self.has(found):
            return _ABSENT
        return f"coalesce(trim({self.sql(found)}::varchar), '')"

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column of numbers, NaN where the cell is empty or the column is absent.

        A row whose cell holds something else is refused.
        """
        return self.all_numbers((name,))[name]

    def all_numbers(self, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
        """Return columns of numbers by name, read in one pass, as `numbers` does."""
        cells = {name: self.sql(name) for name in names if self.has(name)}
        found: dict[str, Any] = {}
        if cells:
            lost = [
                f"count(*) filter (where not coalesce(isfinite(try_cast({cell} as double)), false)"
                f" and {cell}::varchar <> '')"
                for cell in cells.values()
            ]
            (counts,) = self.engine.rows(f"select {', '.join(lost)} from held")
            for name, count in zip(cells, counts, strict=True):
                if count:
                    self._refuse_texts(name)
            values = [
                f"try_cast({cell} as double) as {identifier(name)}" for name, cell in cells.items()
            ]
            found = self.engine.arrays(f"select {', '.join(values)} from held")
        unknown = np.full(self.row_count, np.nan)
        return {name: _filled(found[name]) if name in cells else unknown.copy() for name in names}

    def checked_numbers(self) -> dict[str, NDArray[np.float64]]:
        """Return all declared numbers with a range; rows outside of it are refused, and are NaN.

        Raises:
            InputError: If every row is refused.
        """
        ranged = [
            column
            for column in self.declared.values()
            if column.is_number and (np.isfinite(column.least) or np.isfinite(column.most))
        ]
        found = self.all_numbers(declared.names_of(ranged))
        for column in ranged:
            values, least, most = found[column.name], column.least, column.most
            is_out = (values < least) | (values > most)
            self._refuse(column.name, is_out, refusals.outside(least, most))
            if column.kind is ColumnKind.WHOLE:
                is_part = ~np.isnan(values) & (values != np.round(values))
                self._refuse(column.name, is_part, refusals.NOT_WHOLE)
        if self.row_count and self.refused.count == self.row_count:
            raise InputError(f"{self.shown}: {'; '.join(self.refused.named)}")
        for values in found.values():
            values[self.refused.code >= 0] = np.nan
        return found

    def column(self, expression: str) -> NDArray[np.float64]:
        """Return an expression over each row as numbers, NaN where it is null."""
        return _filled(self.engine.arrays(f"select {expression} as x from held")["x"])

    def column_of(self, query: str) -> NDArray[np.float64]:
        """Return the column `value` of a query as numbers, NaN where it is null."""
        return _filled(self.engine.arrays(query)["value"])

    def texts(self, name: str) -> tuple[list[str], NDArray[np.intp]]:
        """Return the distinct texts of a column and the number of each row's."""
        found, which = self.coded((name,))
        return [cells[0] for cells in found], which

    def coded(self, names: Sequence[str]) -> Coded:
        """Return the distinct combinations of columns as text and the number of each row's."""
        # What is absent is the same text in each row: the engine need not group by it.
        given = tuple(name for name in names if self.text_sql(name) != _ABSENT)
        if given not in self._coded:
            self._coded[given] = self._coded_of(given)
        found, which = self._coded[given]
        at = [given.index(name) if name in given else -1 for name in names]
        return [tuple(row[n] if n >= 0 else "" for n in at) for row in found], which

    def _coded_of(self, names: Sequence[str]) -> Coded:
        if not names:
            return [()] * min(self.row_count, 1), np.zeros(self.row_count, dtype=np.intp)
        cells = [f"{self.text_sql(name)} as {identifier(name)}" for name in names]
        keys = ", ".join(map(identifier, names))
        self.engine.run(
            f"create or replace temp table cells as select {', '.join(cells)} from held"
        )
        self.engine.run(
            "create or replace temp table kinds as select *, row_number() over () - 1 as kind_id"
            f" from (select distinct {keys} from cells order by all)"
        )
        found = self.engine.rows(f"select {keys} from kinds order by kind_id")
        which = self.engine.arrays(
            f"select kind_id from cells join kinds using ({keys}) order by cells.rowid"
        )["kind_id"]
        number = np.asarray(which, dtype=np.intp)
        # It is handed out again where the same columns are asked for once more.
        number.flags.writeable = False
        return [tuple(map(str, row)) for row in found], number

    def head(self, count: int) -> Iterator[dict[str, str]]:
        """Yield the first rows as text by the table's own names, an empty cell as no text."""
        for cells in self.engine.rows(f"select * from held order by rowid limit {int(count)}"):
            yield {
                name: "" if cell is None else str(cell)
                for name, cell in zip(self.columns, cells, strict=True)
            }

    def _refuse_texts(self, name: str) -> None:
        """Refuse the rows whose cell is neither a number nor a word for none."""
        text = f"trim({self.sql(name)}::varchar)"
        bad = (
            f"from held where {text} <> ''"
            f" and not coalesce(isfinite(try_cast({text} as double)), false)"
            f" and lower({text}) not in {_NONE} order by rowid"
        )
        rows = np.asarray(self.engine.arrays(f"select rowid as at {bad}")["at"], np.intp)
        cells = self.engine.rows(f"select {text} {bad} limit {MOST_NAMED}")
        if len(rows):
            self.refused.add(rows, name, refusals.NO_NUMBER, [str(cell[0]) for cell in cells])

    def _refuse(self, name: str, is_bad: NDArray[np.bool_], why: str) -> None:
        rows = np.flatnonzero(is_bad)
        if not len(rows):
            return
        first = ", ".join(str(row) for row in rows[:MOST_NAMED].tolist())
        cells = self.engine.rows(
            f"select trim({self.sql(name)}::varchar) from held"
            f" where rowid in ({first}) order by rowid"
        )
        self.refused.add(rows, name, why, [str(cell[0]) for cell in cells])


def _filled(values: Any) -> NDArray[np.float64]:
    """Return a column of numbers with NaN where a cell is null."""
    return np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
