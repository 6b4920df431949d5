"""How many bytes BigQuery bills a record for, by the product's own statements on generated logs.

On demand a query is billed for the columns that it names, whole: a number or a time 8 bytes, a text
its UTF-8 and 2, a truth 1, NULL nothing (cloud.google.com/bigquery/pricing, data size calculation).
A table that a statement names twice is counted twice here.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.pushdown_projections import pushdown_projections
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope

from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.tables import LogTable, query_of
from netplan_planner.model import Inventory
from netplan_planner.traffic import TrafficOptions, day_sums, remote
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.engine import TABLES, Row
from netplan_planner.traffic.files.embedded import EmbeddedEngine, open_engine
from netplan_planner.traffic.files.entries import ENTRY, Fields
from netplan_planner.traffic.files.records import TYPES
from netplan_planner.traffic.statements import day_sums as statements_of_days
from support.flows.looks import BareEngine, records_of
from support.flows.records import Json
from support.servers.bigquery import schema_of

NUMBER_BYTES = 8
TEXT_BYTES = 2
_SINK = "compute_googleapis_com_vpc_flows"
_PATH = re.compile(r"\be(?:\.`\w+`)+")
RECORD_TABLES = ("flow_record", "staged")
"""What has a row for every record."""


def value_bytes(value: Any, *, is_time: bool = False) -> int:
    """Return what a value is billed for, groups with all that is in them."""
    if value is None:
        return 0
    if isinstance(value, dict):
        return sum(value_bytes(inner) for inner in value.values())
    if isinstance(value, str) and not is_time:
        return TEXT_BYTES + len(value.encode())
    return NUMBER_BYTES


def raw_bytes(rows: Sequence[Json]) -> dict[str, float]:
    """Return the bytes a record of every column of a sink's table that the product reads."""
    table = LogTable(
        name=_SINK,
        schema=tuple(schema_of(rows)),
        is_linked=False,
        day=None,
        time_column="timestamp",
        received_column=None,
        has_partitions=True,
        row_count=None,
        modified=None,
        buffered_count=0,
    )
    place = Place(project="demo-project", dataset="logs")
    query = query_of(
        table, place, datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC)
    )
    paths = sorted({found.replace("`", "").removeprefix("e.") for found in _PATH.findall(query)})
    return {
        path: sum(value_bytes(_at(row, path), is_time=path == "timestamp") for row in rows)
        / len(rows)
        for path in paths
    }


def _at(row: Json, path: str) -> Any:
    found: Any = row
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def payload_bytes(rows: Sequence[Json]) -> float:
    """Return the bytes a record of `json_payload`, which Log Analytics holds as one value."""
    texts = (json.dumps(row["jsonPayload"], separators=(",", ":")) for row in rows)
    return sum(len(text.encode()) for text in texts) / len(rows)


class BilledEngine(BareEngine):
    """Writes down which columns of which tables every statement names."""

    def __init__(self, engine: EmbeddedEngine) -> None:
        super().__init__(engine)
        self.named: list[Mapping[str, Sequence[str]]] = []

    def run(self, statement: str) -> None:
        self.named.append(columns_named(statement))
        super().run(statement)

    def stream(self, statement: str) -> Iterator[list[Row]]:
        self.named.append(columns_named(statement))
        yield from super().stream(statement)


def columns_named(statement: str) -> dict[str, list[str]]:
    """Return the columns that a statement needs of each table, once for every time it is named."""
    tree = sqlglot.parse_one(statement, read="duckdb")
    query = tree.expression if isinstance(tree, exp.Insert | exp.Create) else tree
    schema: dict[str, object] = {
        name: dict(columns) for name, columns in (*TABLES.items(), ("flow_record", TYPES))
    }
    whole = pushdown_projections(qualify(query.copy(), schema=schema, dialect="duckdb"))
    found: dict[str, list[str]] = {}
    for scope in traverse_scope(whole):
        for alias, source in scope.sources.items():
            if isinstance(source, exp.Table):
                names = sorted({column.name for column in scope.source_columns(alias)})
                found.setdefault(source.name, []).extend(names)
    return found


@contextmanager
def read_in_two_looks(
    files: Sequence[Path], known: Inventory, folder: Path
) -> Iterator[tuple[EmbeddedEngine, BilledEngine]]:
    """Yield the engine that has read JSON lines as remote engines do, and what was named there."""
    with open_engine(TrafficOptions(temp_directory=folder, threads=1)) as engine:
        engine.run(f"CREATE OR REPLACE TABLE flow_record AS {records_of(files)}")
        billed = BilledEngine(engine)
        remote.read(billed, known, TrafficOptions(), shown="records", inputs=Inputs(files=1))
        yield engine, billed


class BilledDay(NamedTuple):
    """Bytes of a day whose sums are kept (`--rollup`)."""

    record_bytes: float
    """Billed for each record, once, besides the log's own columns."""
    kept_bytes: float
    """Of the rows that are kept, for each report and minute."""
    read_bytes: float
    """Billed for each report and minute by whoever reads them."""


def kept_by_day(file: Path, known: Inventory, folder: Path, day: int) -> BilledDay:
    """Return what it takes to keep the sums of a day, and to read them again."""
    options = TrafficOptions(temp_directory=folder, threads=1)
    time_us = Fields.of_text(ENTRY).time_us("timestamp")
    with open_engine(options) as engine:
        part = day_sums.part_of(time_us)
        engine.run(f"CREATE OR REPLACE TABLE flow_record AS {records_of([file], part)}")
        keeping, reading = BilledEngine(engine), BilledEngine(engine)
        day_sums.DaySums(keeping, options).fill("state")
        records = int(engine.value("SELECT COUNT(*) FROM flow_record"))
        record_bytes = named_bytes(engine, keeping, RECORD_TABLES) / records
        reading.create("rolled")
        reading.run(f"INSERT INTO rolled SELECT *, {day} AS log_day FROM day_sum")
        day_sums.read(reading, known, options, shown="records", inputs=Inputs(files=1))
        minutes = int(
            engine.value(
                "SELECT COUNT(*) FROM (SELECT DISTINCT report, start_minute FROM rolled"
                f" WHERE kind = {statements_of_days.SUM})"
            )
        )
        rows = int(engine.value("SELECT COUNT(*) FROM day_sum"))
        return BilledDay(
            record_bytes=record_bytes,
            kept_bytes=sum(column_bytes(engine, "day_sum").values()) * rows / minutes,
            read_bytes=named_bytes(engine, reading, ("day_sum", "rolled", "summed")) / minutes,
        )


def named_bytes(engine: EmbeddedEngine, billed: BilledEngine, tables: Sequence[str]) -> float:
    """Return the bytes of all columns of some tables that were named, as they are filled now."""
    whole = 0.0
    for table in tables:
        sizes = column_bytes(engine, table)
        rows = int(engine.value(f"SELECT COUNT(*) FROM {table}"))
        names = [name for one in billed.named for name in one.get(table, ())]
        whole += sum(sizes[name] for name in names) * rows
    return whole


def column_bytes(engine: EmbeddedEngine, table: str) -> dict[str, float]:
    """Return the bytes a row of each column of a table."""
    kinds = TYPES if table == "flow_record" else TABLES[table]
    sizes = {
        name: f"{TEXT_BYTES} + strlen({name})" if kind == "VARCHAR" else _size(kind)
        for name, kind in kinds.items()
    }
    sums = ", ".join(
        f"SUM(CASE WHEN {name} IS NULL THEN 0 ELSE {size} END) / COUNT(*)"
        for name, size in sizes.items()
    )
    (row,) = engine.rows(f"SELECT {sums} FROM {table}")
    return dict(zip(kinds, row, strict=True))


def _size(kind: str) -> str:
    return "1" if kind == "BOOLEAN" else str(NUMBER_BYTES)
