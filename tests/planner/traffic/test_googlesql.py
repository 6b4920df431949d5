"""Statements and whole matrices by GoogleSQL's reference implementation, against DuckDB's."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
from google.cloud import bigquery
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.google.bigquery.engine import BigQueryEngine
from netplan_planner.google.bigquery.jobs import Jobs
from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.read import read_bigquery
from netplan_planner.model import Inventory, Reporter, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.traffic.embedded import EmbeddedEngine, open_engine
from support.flows import exports
from support.flows.cases import LOGGING, as_entry, project, records
from support.flows.kinds import BAD, KNOWN, WHY, of_all_kinds
from support.flows.oracle import Record
from support.flows.records import Json
from support.flows.tables import all_statements, fill
from support.servers.bigquery import schema_of
from support.servers.googlesql import ABSENT, PROJECT, Judge, JudgedClient, judge

STATEMENTS = all_statements()
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    with judge(tmp_path_factory.mktemp("googlesql")) as started:
        yield started


@pytest.fixture(scope="module")
def client(asked: Judge) -> JudgedClient:
    return JudgedClient(asked)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedEngine]:
    folder = tmp_path_factory.mktemp("duckdb")
    with open_engine(TrafficOptions(temp_directory=folder, threads=1)) as opened:
        fill(opened)
        yield opened


@pytest.fixture(scope="module")
def in_googlesql(client: JudgedClient) -> BigQueryEngine:
    engine = BigQueryEngine(Jobs(cast("bigquery.Client", client), None, "googlesql"))
    fill(engine)
    return engine


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_gives_the_same(
    name: str, embedded: EmbeddedEngine, in_googlesql: BigQueryEngine
) -> None:
    expected = sorted(embedded.rows(STATEMENTS[name]), key=repr)
    assert expected
    assert sorted(in_googlesql.rows(STATEMENTS[name]), key=repr) == expected


FILES = count(1)
SINCE = datetime(2000, 1, 2, tzinfo=UTC)
SINK = "compute_googleapis_com_vpc_flows"


def both(
    client: JudgedClient,
    folder: Path,
    rows: Sequence[Json],
    known: Inventory,
    options: TrafficOptions,
) -> tuple[TrafficMatrix, TrafficMatrix]:
    """Return the matrix of entries by DuckDB from a file, and by GoogleSQL from a sink's table."""
    file = folder / f"{next(FILES)}.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    options = replace(options, since=SINCE, max_table_minutes=60)
    by_file = read_traffic([file], known, options)
    place = Place(project=PROJECT, dataset=client.load({SINK: (schema_of(rows), rows)}))
    by_query = read_bigquery(cast("bigquery.Client", client), place, known, options)
    coverage = replace(by_query.coverage, notes=by_file.coverage.notes)
    return by_file, replace(by_query, coverage=coverage)


@pytest.mark.parametrize("reporter", list(Reporter))
def test_all_kinds_of_ends(client: JudgedClient, tmp_path: Path, reporter: Reporter) -> None:
    options = TrafficOptions(reporter=reporter, by_hour=True, log_volume_from_gbps=0.0)
    by_file, by_query = both(client, tmp_path, of_all_kinds(), KNOWN, options)
    assert by_query == by_file


@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    rows=st.lists(records(), min_size=1, max_size=20),
    logging=st.sampled_from(sorted(LOGGING)),
    reporter=st.sampled_from(list(Reporter)),
)
def test_random_records(
    client: JudgedClient,
    tmp_path: Path,
    rows: list[Record],
    logging: str,
    reporter: Reporter,
) -> None:
    known = project(*LOGGING[logging])
    entries = [as_entry(record) for record in rows]
    by_file, by_query = both(client, tmp_path, entries, known, TrafficOptions(reporter=reporter))
    assert by_query == by_file
