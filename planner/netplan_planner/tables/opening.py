"""A file of a table that is open: its connection, and the private copies that it may need."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import BinaryIO, Self, TypeVar

from netplan_planner.inert import inert_line
from netplan_planner.input_files import now_reading
from netplan_planner.leftovers import private_folder
from netplan_planner.tables import refusals
from netplan_planner.tables.engine import EngineError, Row, TableEngine
from netplan_planner.tables.files import recognised, rewritten

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
            self.engine = TableEngine()
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
        except EngineError:
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
        except EngineError as exc:
            self.close()
            raise refusals.damaged(self.shown, "a table", exc) from exc
        except BaseException:
            self.close()
            raise

    def rows(self, query: str) -> list[Row]:
        """Return the rows of a query over the relation.

        Raises:
            InputError: If a row of the file is no CSV.
            EngineError: If the engine refuses the query.
        """

        def answered() -> list[Row]:
            self._viewed()
            return self.engine.rows(query)

        return self.read(answered)

    def _viewed(self) -> dict[str, str]:
        self.engine.run(
            f"create or replace temp view {self._name} as select * from {self.relation()}"
        )
        return self.engine.types(self._name)
