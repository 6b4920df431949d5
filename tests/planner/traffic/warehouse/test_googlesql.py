"""Statements and whole matrices by GoogleSQL's reference implementation, against DuckDB's."""

import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.queries import BigQueryEngine, Jobs
from netplan_planner.google.bigquery.read import read_bigquery
from netplan_planner.google.bigquery.tables import ALL_LOGS
from netplan_planner.google.bigquery.wire import Column
from netplan_planner.google.refusals import Refusal
from netplan_planner.model import Inventory, Reporter, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.traffic.engine import TABLES
from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.traffic.spelling import BIGQUERY, DUCKDB
from netplan_planner.traffic.translation import Dialect, translate
from support.examples import examples
from support.flows import exports
from support.flows.cases import LOGGING, as_entry, project, records
from support.flows.hostile import hostile
from support.flows.kinds import BAD, KNOWN, WHY, of_all_kinds
from support.flows.of_files import as_of_files
from support.flows.oracle import Record
from support.flows.records import Json
from support.flows.tables import all_statements, fill
from support.flows.written import DECIMALS, TIMES, WHOLE, damaged
from support.nightly import every
from support.servers.bigquery import linked, schema_of
from support.servers.googlesql import ABSENT, PROJECT, Judge, Judged, judge

STATEMENTS = all_statements()
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    with judge(tmp_path_factory.mktemp("googlesql")) as started:
        yield started


@pytest.fixture(scope="module")
def client(asked: Judge) -> Judged:
    return Judged(asked)


@pytest.fixture(scope="module")
def in_googlesql(client: Judged) -> BigQueryEngine:
    engine = BigQueryEngine(Jobs(client, None, "googlesql"))
    fill(engine)
    return engine


TOO_LONG = {"by_nodes": "summed"}
"""Statements with more rows than a message holds, and the table that they are for."""


@pytest.mark.parametrize("name", every(8, STATEMENTS))
def test_a_statement_gives_the_same(
    name: str, embedded: EmbeddedEngine, in_googlesql: BigQueryEngine
) -> None:
    statement = STATEMENTS[name]
    expected = sorted(embedded.rows(statement), key=repr)
    if name in TOO_LONG:
        statement = in_groups(statement, TOO_LONG[name])
        expected = sorted(embedded.rows(statement), key=repr)
    assert expected
    assert sorted(in_googlesql.rows(statement), key=repr) == expected


def in_groups(statement: str, table: str) -> str:
    """Return the sums of a statement's rows for a table, of which there are too many to send."""
    keys = ("kind", "fault", "start_minute")
    named = ", ".join(f"w.{key} AS {key}" for key in keys)
    sums = ", ".join(f"SUM(w.{name}) AS {name}" for name in TABLES[table] if name not in keys)
    by = ", ".join(f"w.{key}" for key in keys)
    return f"SELECT {named}, COUNT(*) AS n, {sums} FROM ({statement}) AS w GROUP BY {by}"


FILES = count(1)
SINCE = datetime(2000, 1, 2, tzinfo=UTC)
COPIED = "copied_logs"
"""A table whose name does not say which log its entries are of."""


def both(
    client: Judged,
    folder: Path,
    rows: Sequence[Json],
    known: Inventory,
    options: TrafficOptions,
    *,
    is_linked: bool = False,
    schema: Sequence[Column] = (),
) -> tuple[TrafficMatrix, TrafficMatrix]:
    """Return the matrix of entries by DuckDB from a file, and by GoogleSQL from a table."""
    file = folder / f"{next(FILES)}.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    options = replace(options, since=SINCE)
    by_file = read_traffic([file], known, options)
    name = ALL_LOGS if is_linked else COPIED
    table = linked(rows) if is_linked else (schema or schema_of(rows), rows)
    place = Place(project=PROJECT, dataset=client.load({name: table}), table=name)
    by_query = read_bigquery(client, place, known, options)
    return by_file, as_of_files(by_query, by_file)


@pytest.mark.parametrize("reporter", list(Reporter))
def test_all_kinds_of_ends(client: Judged, tmp_path: Path, reporter: Reporter) -> None:
    options = TrafficOptions(reporter=reporter, by_hour=True, log_volume_from_gbps=0.0)
    by_file, by_query = both(client, tmp_path, of_all_kinds(), KNOWN, options)
    assert by_query == by_file


@settings(
    max_examples=examples(0.2),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    rows=st.lists(records(), min_size=1, max_size=20),
    logging=st.sampled_from(sorted(LOGGING)),
    reporter=st.sampled_from(list(Reporter)),
)
def test_random_records(
    client: Judged,
    tmp_path: Path,
    rows: list[Record],
    logging: str,
    reporter: Reporter,
) -> None:
    known = project(*LOGGING[logging])
    entries = [as_entry(record) for record in rows]
    by_file, by_query = both(client, tmp_path, entries, known, TrafficOptions(reporter=reporter))
    assert by_query == by_file


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_linked", [False, True], ids=["of a sink", "of Log Analytics"])
def test_hostile_records(client: Judged, tmp_path: Path, seed: int, is_linked: bool) -> None:
    options = TrafficOptions(by_hour=True, log_volume_from_gbps=0.0, example_count=0)
    rows = hostile(seed, 300)
    if is_linked:
        # What is of other logs is not asked for.
        rows = [row for row in rows if str(row["logName"]).endswith("vpc_flows")]
    by_file, by_query = both(client, tmp_path, rows, KNOWN, options, is_linked=is_linked)
    assert by_query == by_file
    assert len(by_file.coverage.excluded) > 4
    assert by_file.coverage.used_count > 100


@pytest.mark.parametrize("name", ["as it is", "whole numbers", "text", "fewer columns"])
def test_columns_of_other_types(client: Judged, tmp_path: Path, name: str) -> None:
    rows = exports.rows(exports.CHANGES[name])
    by_file, by_query = both(client, tmp_path, rows, exports.KNOWN, TrafficOptions())
    assert by_query == by_file
    assert by_file.coverage.used_count == len(rows)


def test_columns_that_nobody_knows(client: Judged, tmp_path: Path) -> None:
    """Lists with NULLs among their values: no table of BigQuery holds them, a view may."""
    rows = [{**row, "labels": [1.0, None]} for row in exports.rows()]
    schema = [*schema_of(exports.rows()), Column("labels", "FLOAT", mode="REPEATED")]
    by_file, by_query = both(client, tmp_path, rows, exports.KNOWN, TrafficOptions(), schema=schema)
    assert by_query == by_file


def test_examples_are_told_by_their_ids(client: Judged, tmp_path: Path) -> None:
    rows = [*of_all_kinds(), *BAD.values()]
    _, found = both(client, tmp_path, rows, KNOWN, TrafficOptions(example_count=9))
    told = {one.source: one.reason for one in found.coverage.examples}
    assert told == {f"insertId {name}": why for name, why in WHY.items()}


def values(asked: Judge, expression: str, texts: Sequence[str | None]) -> list[Any]:
    """Return an expression over the texts, in their order."""
    given = {
        "name": "given",
        "parameterType": {"type": "ARRAY", "arrayType": {"type": "STRING"}},
        "parameterValue": {"arrayValues": [{"value": text} for text in texts]},
    }
    query = translate(f"SELECT {expression} AS y FROM g", Dialect.BIGQUERY)
    query = query.replace("FROM g", "FROM UNNEST(@given) AS x WITH OFFSET AS place ORDER BY place")
    return [row[0] for row in asked.ask(run=query, parameters=[given])["rows"]]


def test_whole_numbers(asked: Judge) -> None:
    assert values(asked, BIGQUERY.whole_number("x"), list(WHOLE)) == list(WHOLE.values())
    texts = ["-1", "0", "65535", "65535.0", "65536", "65536.0"]
    found = values(asked, BIGQUERY.whole_number("x", (0, 65535)), texts)
    assert found == [None, 0, 65535, 65535, None, None]


def test_decimals(asked: Judge) -> None:
    assert values(asked, BIGQUERY.decimal("x"), list(DECIMALS)) == list(DECIMALS.values())


def test_times(asked: Judge) -> None:
    assert values(asked, BIGQUERY.time_us("x"), list(TIMES)) == list(TIMES.values())


def test_damaged_times(asked: Judge) -> None:
    chance = random.Random(7)
    texts = sorted({damaged(chance) for _ in range(20_000)})
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        query = f"SELECT {DUCKDB.time_us('x')} FROM (SELECT unnest(?::VARCHAR[]) AS x)"
        expected = [row[0] for row in connection.execute(query, [texts]).fetchall()]
    assert values(asked, BIGQUERY.time_us("x"), texts) == expected
    assert sum(one is not None for one in expected) > 300


def test_what_bigquery_refuses_is_refused(asked: Judge) -> None:
    """It tells one from what takes anything: nanoseconds, and products beyond all numbers."""
    cut = "SELECT SAFE_CAST('2026-03-01T10:00:00.123456789Z' AS TIMESTAMP) IS NULL"
    assert asked.ask(run=cut, parameters=[])["rows"] == [[True]]
    with pytest.raises(Refusal, match="double overflow"):
        asked.ask(run="SELECT CAST('1.7e308' AS FLOAT64) * 1000", parameters=[])
    with pytest.raises(Refusal, match="no table nowhere"):
        asked.ask(analyze="SELECT * FROM nowhere")
    asked.ask(run="CREATE OR REPLACE TEMP TABLE one (a INT64)", parameters=[])
    with pytest.raises(Refusal, match="fill a with its own type"):
        asked.ask(run="INSERT INTO one (a) SELECT 'b'", parameters=[])
