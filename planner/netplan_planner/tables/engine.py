"""DuckDB for user tables: one connection in memory, and its errors as one line of text."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# Batches free a table and fill another: with the memory at hand that takes a twentieth less time
# than with memory that went back to the system between. Read when the library is loaded, so that
# whoever needs it takes it from here.
os.environ.setdefault("DUCKDB_JE_MALLOC_CONF", "dirty_decay_ms:60000,muzzy_decay_ms:60000")

import duckdb as duckdb

from netplan_planner.inert import inert_line

Row = tuple[Any, ...]

_FETCHED_ROWS = 2000
_LINES = 3
_LONGEST = 300
"""Of an error: the lines and characters that say where and what, before its advice on options."""


class EngineError(Exception):
    """What the engine refuses; the text is its own, inert and on one line."""


def why(error: Exception) -> str:
    """Return the part of an engine's error that tells where and what, on one line."""
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    return inert_line("; ".join(lines[:_LINES]))[:_LONGEST]


class TableEngine:
    """A connection to an empty database in memory. Rows keep the order in which they are read."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "preserve_insertion_order": "true",
                # Nothing is fetched: the extensions that are used are part of the package.
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            },
        )

    def run(self, statement: str) -> None:
        """Run a statement whose result is not wanted.

        Raises:
            EngineError: If the engine refuses it, here as in the others.
        """
        with _translated():
            self._connection.execute(statement)

    def rows(self, query: str) -> list[Row]:
        """Return all rows of a result."""
        with _translated():
            return self._connection.execute(query).fetchall()

    def stream(self, query: str) -> Iterator[Row]:
        """Yield the rows of a result that may be large, some thousand in memory at a time."""
        with _translated():
            cursor = self._connection.cursor().execute(query)
            while rows := cursor.fetchmany(_FETCHED_ROWS):
                yield from rows

    def value(self, query: str) -> Any:
        """Return the one value of a result."""
        return self.rows(query)[0][0]

    def arrays(self, query: str) -> dict[str, Any]:
        """Return the columns of a result as NumPy arrays; one with empty cells is masked."""
        with _translated():
            return self._connection.execute(query).fetchnumpy()

    def types(self, relation: str) -> dict[str, str]:
        """Return the columns of a relation with the names of their types."""
        described = self.rows(f"describe select * from {relation}")
        return {str(row[0]): str(row[1]) for row in described}

    def register(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Let statements know arrays of equal length as a relation."""
        self._connection.register(name, arrays)

    def close(self) -> None:
        """Let go of the database and of all files."""
        self._connection.close()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (duckdb.Error, RuntimeError) as exc:
        # What the engine makes of a signal that came while a query ran.
        if "interrupted" in str(exc).casefold():
            raise KeyboardInterrupt from exc
        if isinstance(exc, duckdb.Error):
            raise EngineError(why(exc)) from exc
        raise
    except UnicodeDecodeError as exc:
        raise EngineError("a text is not UTF-8") from exc
