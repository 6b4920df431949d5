"""Reads log entries by the two looks of remote engines, in DuckDB, which then has no files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any

from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.tables.sql import quoted
from netplan_planner.traffic import TrafficOptions, remote
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.embedded import EmbeddedEngine, open_engine
from netplan_planner.traffic.engine import Engine, Row, T, at_once
from netplan_planner.traffic.entry_fields import ENTRY, Fields, is_entry, struct_type
from netplan_planner.traffic.records import flow_record
from netplan_planner.traffic.translation import Dialect, Statement, taken_apart


@cache
def forms(statement: str) -> tuple[Statement, ...]:
    """Return what a statement is to other engines."""
    return tuple(taken_apart(statement, dialect) for dialect in Dialect)


class BareEngine:
    """DuckDB with the verbs of the protocol alone, which takes only what others can translate."""

    slice_rows: int | None = None

    def __init__(self, engine: EmbeddedEngine) -> None:
        self._engine = engine

    def create(self, *tables: str) -> None:
        self._engine.create(*tables)

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        self._engine.insert(table, rows)

    def run(self, statement: str) -> None:
        assert all(form.table is not None for form in forms(statement))
        self._engine.run(statement)

    def rows(self, statement: str) -> list[Row]:
        return [row for rows in self.stream(statement) for row in rows]

    def stream(self, statement: str) -> Iterator[list[Row]]:
        assert all(form.table is None for form in forms(statement))
        yield from self._engine.stream(statement)

    def value(self, statement: str) -> Any:
        return self.rows(statement)[0][0]

    def in_background(self, work: Callable[[Engine], T]) -> AbstractContextManager[Future[T]]:
        return at_once(self, work)


def read_by_looks(
    paths: Sequence[Path], known: Inventory, options: TrafficOptions
) -> TrafficMatrix:
    """Return the matrix of files of JSON lines."""
    fields = Fields.of_text(ENTRY)
    columns = ", ".join(f"{quoted(n)}: {quoted(struct_type(f))}" for n, f in ENTRY.items())
    files = ", ".join(quoted(str(path)) for path in paths)
    query = flow_record(
        fields,
        f"read_json([{files}], format = 'newline_delimited', ignore_errors = true,"
        f" columns = {{{columns}}})",
        source_name=fields.text("insertId"),
        is_entry=is_entry(fields),
        with_details=True,
    )
    with open_engine(options) as engine:
        engine.run(f"CREATE OR REPLACE VIEW flow_record AS {query}")
        inputs = Inputs(count=len(paths))
        return remote.read(BareEngine(engine), known, options, shown="records", inputs=inputs)
