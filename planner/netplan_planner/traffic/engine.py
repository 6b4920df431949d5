"""What the statements need of an engine: six verbs over the tables of `schema.py`.

DuckDB over files is the first implementation (`embedded.py`). Finding files, reading their layouts,
numbering their lines and reading a file again are its own business, and no part of this protocol.

What another engine provides, besides the verbs:

- The relation `flow_record`, a table or a view with the columns of `records.COLUMNS`, before
  `remote.read` is called. `records.flow_record` writes the query, of the engine's `Fields` in its
  `Spelling`; counts and times are read by one pattern each on all engines. `source_name` is the
  entry's `insertId`, by which a record that is left out is shown where lines have no numbers.
- Statements come as `statements` has them: DuckDB's dialect in the subset of docs/adr/0003. The
  engine translates each (`translation.py`) and runs it.
- What is handed to `run` is either `INSERT INTO table query`, or `CREATE OR REPLACE TABLE table AS
  query`, which may read the table that it replaces; what is handed to `rows`, `stream` and `value`
  is a query.
- Whole numbers come back as `int`, texts as `str`, NULL as `None`, whatever the engine calls them.
- Errors come as those of `netplan_planner.errors`; an interrupt stops what runs, and is raised on.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from typing import Any, Protocol, TypeVar

Row = tuple[Any, ...]
T = TypeVar("T")


class Engine(Protocol):
    """Holds the tables between the statements, and runs those on them."""

    @property
    def slice_rows(self) -> int | None:
        """How many rows are best grouped at a time; None where the engine cuts them itself."""

    def create(self, *tables: str) -> None:
        """Make tables of the schema, empty, whether they exist or not."""

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Append rows to a table of the schema, their values in the order of its columns.

        Raises:
            ValueError: If a row has not as many values as the table has columns.
        """

    def run(self, statement: str) -> None:
        """Run a statement whose result is not wanted."""

    def rows(self, statement: str) -> list[Row]:
        """Return all rows of a small result."""

    def stream(self, statement: str) -> Iterator[list[Row]]:
        """Yield the rows of a result that may be large, some thousand at a time."""

    def value(self, statement: str) -> Any:
        """Return the one value of a result."""

    def in_background(self, work: "Callable[[Engine], T]") -> "AbstractContextManager[Future[T]]":
        """Do some work beside the caller's; an engine of one thread does it at once (`at_once`)."""


@contextmanager
def at_once(engine: Engine, work: Callable[[Engine], T]) -> Iterator["Future[T]"]:
    """Do work for an engine that runs one statement at a time."""
    done: Future[T] = Future()
    done.set_result(work(engine))
    yield done


def slices(engine: Engine, table: str, minute: str) -> list[tuple[int, int]]:
    """Return stretches of time (first minute, minute after) of about `slice_rows` rows each.

    Groups by minute then fit the processor's cache, which makes them three times faster; rows
    come in order of time as a rule, so that a slice reads little more than its own.
    """
    first, last, count = engine.rows(
        f"SELECT MIN({minute}) AS first, MAX({minute}) AS last, COUNT(*) AS records FROM {table}"
    )[0]
    if first is None:
        return []
    parts = 1
    if engine.slice_rows is not None:
        parts = max(1, min(round(count / engine.slice_rows), last - first + 1))
    edges = [first + (last + 1 - first) * part // parts for part in range(parts + 1)]
    return list(pairwise(edges))
