"""Reads log entries by the two looks of remote engines, in DuckDB, which then has no files."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.tables.sql import quoted
from netplan_planner.traffic import TrafficOptions, day_sums, remote
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.engine import RemoteEngine, Row
from netplan_planner.traffic.files.embedded import EmbeddedEngine, open_engine
from netplan_planner.traffic.files.entries import ENTRY, NO_NUMBER, Fields, is_entry, struct_type
from netplan_planner.traffic.files.records import flow_record
from netplan_planner.traffic.statements.keys import US_PER_DAY
from netplan_planner.traffic.translation import Dialect, Statement, taken_apart


@cache
def forms(statement: str) -> tuple[Statement, ...]:
    """Return what a statement is to other engines."""
    return tuple(taken_apart(statement, dialect) for dialect in Dialect)


class BareEngine(RemoteEngine):
    """DuckDB with the verbs of the protocol alone, which takes only what others can translate."""

    def __init__(self, engine: EmbeddedEngine) -> None:
        self._engine = engine

    def create(self, *tables: str) -> None:
        self._engine.create(*tables)

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        self._engine.insert(table, rows)

    def run(self, statement: str) -> None:
        assert all(form.table is not None for form in forms(statement))
        self._engine.run(statement)

    def stream(self, statement: str) -> Iterator[list[Row]]:
        assert all(form.table is None for form in forms(statement))
        yield from self._engine.stream(statement)


def read_by_looks(
    paths: Sequence[Path], known: Inventory, options: TrafficOptions
) -> TrafficMatrix:
    """Return the matrix of files of JSON lines."""
    with open_engine(options) as engine:
        engine.run(f"CREATE OR REPLACE VIEW flow_record AS {records_of(paths)}")
        inputs = Inputs(files=len(paths))
        return remote.read(BareEngine(engine), known, options, shown="records", inputs=inputs)


def read_by_days(
    path: Path,
    known: Inventory,
    options: TrafficOptions,
    *,
    days: Sequence[int],
    tables: Sequence[int] = (),
) -> TrafficMatrix:
    """Return the matrix of a file of JSON lines by the sums of each day of its entries' time.

    Args:
        path: The file.
        known: What the ends are looked up in.
        options: Choices.
        days: All days, since 1970, in the order in which they are summed.
        tables: Those whose entries are taken for a table of its own, which is read whole.
    """
    since, until = day_sums.days_of(options)
    time_us = Fields.of_text(ENTRY).time_us("timestamp")
    with open_engine(options) as engine:
        bare = BareEngine(engine)
        bare.create("rolled")
        summed = day_sums.DaySums(bare, options)
        for day in days:
            part = (
                day_sums.part_of_table(day, time_us) if day in tables else day_sums.part_of(time_us)
            )
            engine.run(
                f"CREATE OR REPLACE VIEW flow_record AS {records_of([path], part)}"
                f" WHERE ({time_us}) // {US_PER_DAY} = {day}"
            )
            summed.fill(f"state{day}")
            seen = day_sums.rows_seen(day_sums.parts_seen(day, since, until))
            bare.run(f"INSERT INTO rolled SELECT *, {day} AS log_day FROM day_sum WHERE {seen}")
        inputs = Inputs(files=1)
        return day_sums.read(bare, known, options, shown="records", inputs=inputs)


def records_of(paths: Sequence[Path], day_part: str = NO_NUMBER) -> str:
    """Return the query of the typed records of JSON lines."""
    fields = Fields.of_text(ENTRY)
    columns = ", ".join(f"{quoted(n)}: {quoted(struct_type(f))}" for n, f in ENTRY.items())
    files = ", ".join(quoted(str(path)) for path in paths)
    return flow_record(
        fields,
        f"read_json([{files}], format = 'newline_delimited', ignore_errors = true,"
        f" columns = {{{columns}}})",
        source_name=fields.text("insertId"),
        is_entry=is_entry(fields),
        with_details=True,
        day_part=day_part,
    )
