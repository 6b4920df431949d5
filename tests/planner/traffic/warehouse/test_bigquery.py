"""Statements and whole matrices through BigQuery's API, on an emulator, against DuckDB over files.

The emulator is DuckDB inside: it judges sessions, temporary tables, parameters and pages, and not
what BigQuery makes of a function.
"""

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import netplan_planner
from netplan_planner.errors import InputError, UsageError
from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.queries import BigQueryEngine, Jobs
from netplan_planner.google.bigquery.read import read_bigquery
from netplan_planner.google.bigquery.tables import ALL_LOGS
from netplan_planner.google.bigquery.wire import Column
from netplan_planner.model import Inventory, Reporter, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.world.remote_traffic import BIGQUERY_VARIABLE
from support.commands.run import run_verbs
from support.examples import examples
from support.flows import exports
from support.flows.cases import LOGGING, as_entry, project, records
from support.flows.kinds import BAD, KNOWN, WHY, of_all_kinds
from support.flows.of_files import as_of_files
from support.flows.oracle import Record
from support.flows.records import Json
from support.flows.tables import all_statements, fill
from support.nightly import every
from support.servers.bigquery import ABSENT, PROJECT, Emulated, emulator, linked, schema_of

STATEMENTS = all_statements()
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    with emulator(tmp_path_factory.mktemp("bigquery")) as made:
        yield made


@pytest.fixture(scope="module")
def in_bigquery(client: Emulated) -> Iterator[BigQueryEngine]:
    jobs = Jobs(client, None, "bigquery://demo-project.logs")
    engine = BigQueryEngine(jobs)
    fill(engine)
    yield engine
    jobs.close()


@pytest.mark.parametrize("name", every(8, STATEMENTS))
def test_a_statement_gives_the_same(
    name: str, embedded: EmbeddedEngine, in_bigquery: BigQueryEngine
) -> None:
    expected = sorted(embedded.rows(STATEMENTS[name]), key=repr)
    assert expected
    assert sorted(in_bigquery.rows(STATEMENTS[name]), key=repr) == expected


DATASETS = count(1)
SINCE = datetime(2000, 1, 2, tzinfo=UTC)
DEMO = Path(netplan_planner.__file__).parent / "demos" / "dobermanifesto"
SINK = "compute_googleapis_com_vpc_flows"
BOTH_SINKS = {name: f"{name}_googleapis_com_vpc_flows" for name in ("compute", "networkmanagement")}
COPIED = "copied_logs"
"""A table whose name does not say which log its entries are of."""
BILLED = r".*BigQuery billed.*\n( {12}\S.*\n)*"
"""The note of what was billed; the emulator does not say it of every query."""


def sink(client: Emulated, tables: Mapping[str, Sequence[Json]]) -> Place:
    """Return a dataset with tables as a log sink writes them."""
    place = client.create(Place(project=PROJECT, dataset=f"logs{next(DATASETS)}"))
    for name, rows in tables.items():
        client.load(place, name, rows)
    return place


def both(
    client: Emulated,
    folder: Path,
    rows: Sequence[Json],
    known: Inventory,
    options: TrafficOptions,
) -> tuple[TrafficMatrix, TrafficMatrix]:
    """Return the matrix of entries by DuckDB from a file, and by BigQuery from a table."""
    place = replace(sink(client, {COPIED: rows}), table=COPIED)
    return both_of(client, folder, place, rows, known, options)


def both_of(
    client: Emulated,
    folder: Path,
    place: Place,
    rows: Sequence[Json],
    known: Inventory,
    options: TrafficOptions,
) -> tuple[TrafficMatrix, TrafficMatrix]:
    """Return the matrix of entries by DuckDB from a file, and by BigQuery from where they are."""
    file = folder / f"{next(DATASETS)}.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    options = replace(options, since=SINCE)
    by_file = read_traffic([file], known, options)
    by_query = read_bigquery(client, place, known, options)
    assert any("BigQuery billed" in note for note in by_query.coverage.notes)
    return by_file, as_of_files(by_query, by_file)


@pytest.mark.parametrize("reporter", list(Reporter))
def test_all_kinds_of_ends(client: Emulated, tmp_path: Path, reporter: Reporter) -> None:
    options = TrafficOptions(reporter=reporter, by_hour=True, log_volume_from_gbps=0.0)
    by_file, by_query = both(client, tmp_path, of_all_kinds(), KNOWN, options)
    assert by_query == by_file


def test_tables_of_both_logs(client: Emulated, tmp_path: Path) -> None:
    """They are as a sink writes them: each of one log, which the table's name says."""
    rows = [one for one in of_all_kinds() if one.get("logName")]
    of_log = {
        table: [
            one for one in rows if one["logName"].endswith(f"/{service}.googleapis.com%2Fvpc_flows")
        ]
        for service, table in BOTH_SINKS.items()
    }
    rows = [one for of_table in of_log.values() for one in of_table]
    assert all(of_log.values())
    options = TrafficOptions(by_hour=True, log_volume_from_gbps=0.0)
    by_file, by_query = both_of(client, tmp_path, sink(client, of_log), rows, KNOWN, options)
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
    client: Emulated,
    tmp_path: Path,
    rows: list[Record],
    logging: str,
    reporter: Reporter,
) -> None:
    known = project(*LOGGING[logging])
    entries = [as_entry(record) for record in rows]
    by_file, by_query = both(client, tmp_path, entries, known, TrafficOptions(reporter=reporter))
    assert by_query == by_file


@pytest.mark.parametrize("name", ["as it is", "whole numbers", "text", "fewer columns"])
def test_columns_of_other_types(client: Emulated, tmp_path: Path, name: str) -> None:
    rows = exports.rows(exports.CHANGES[name])
    by_file, by_query = both(client, tmp_path, rows, exports.KNOWN, TrafficOptions())
    assert by_query == by_file
    assert by_file.coverage.used_count == len(rows)


def test_times_of_a_copy_may_be_texts(client: Emulated, tmp_path: Path) -> None:
    """They choose no entries then, and tell no days."""
    rows = [{**one, "receiveTimestamp": one["timestamp"]} for one in exports.rows()]
    place = client.create(Place(project=PROJECT, dataset=f"logs{next(DATASETS)}", table="copy"))
    rollup = client.create(Place(project=PROJECT, dataset=f"sums{next(DATASETS)}"))

    def write(*texts: str) -> None:
        schema = [
            Column(field.name, "STRING") if field.name in texts else field
            for field in schema_of(rows)
        ]
        client.load(place, "copy", rows, schema)

    def sum_up() -> None:
        options = TrafficOptions(since=SINCE)
        read_bigquery(client, place, exports.KNOWN, options, rollup=rollup)

    write("receiveTimestamp")
    with pytest.raises(
        UsageError, match=r"is not partitioned by day of timestamp and has no receiveTimestamp"
    ):
        sum_up()
    client.drop(place, "copy")
    write("receiveTimestamp", "timestamp")
    with pytest.raises(
        UsageError, match="has no column timestamp of type TIMESTAMP, which tells the day"
    ):
        sum_up()
    by_file, by_query = both_of(client, tmp_path, place, rows, exports.KNOWN, TrafficOptions())
    assert by_query == by_file
    assert by_file.coverage.used_count == len(rows)


def test_examples_are_told_by_their_ids(client: Emulated) -> None:
    place = sink(client, {SINK: [*of_all_kinds(), *BAD.values()]})
    found = read_bigquery(client, place, KNOWN, TrafficOptions(since=SINCE, example_count=9))
    told = {one.source: one.reason for one in found.coverage.examples}
    assert told == {f"insertId {name}": why for name, why in WHY.items()}


def test_daily_tables_are_read_by_their_own_columns_and_missing_days_are_told(
    client: Emulated,
) -> None:
    rows = [one for one in of_all_kinds() if "timestamp" in one]
    day = datetime.fromisoformat(rows[0]["timestamp"]).astimezone(UTC).date()
    fewer = [exports.fewer_columns(one) for one in rows[:3]]
    tables = {f"{SINK}_{day:%Y%m%d}": rows[3:], f"{SINK}_20000103": fewer, "requests": rows[:1]}
    place = sink(client, tables)
    since = datetime(day.year, day.month, day.day, tzinfo=UTC)
    options = TrafficOptions(since=since, until=since.replace(day=since.day + 2))
    found = read_bigquery(client, place, KNOWN, options).coverage
    assert found.tables == 1
    assert any(
        f"has no table for {since.replace(day=since.day + 1):%Y-%m-%d}" in one
        for one in found.incomplete
    )
    assert any("without flow logs were skipped: requests" in one for one in found.notes)


def test_a_dataset_of_log_analytics(client: Emulated, tmp_path: Path) -> None:
    rows = [one for one in of_all_kinds() if "timestamp" in one]
    rows = [one for one in rows if "insertId" in one and "resource" in one]
    assert len(rows) > 30
    schema, entries = linked(rows)
    place = client.create(Place(project=PROJECT, dataset=f"logs{next(DATASETS)}"))
    client.load(place, ALL_LOGS, entries, schema)
    options = TrafficOptions(since=SINCE)
    by_query = read_bigquery(client, place, KNOWN, options)
    file = tmp_path / "logs.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    by_file = read_traffic([file], KNOWN, options)
    assert as_of_files(by_query, by_file) == by_file


def test_a_dataset_without_flow_logs_says_what_it_holds(client: Emulated) -> None:
    place = sink(client, {"requests": of_all_kinds()[:2]})
    with pytest.raises(InputError, match="it has requests"):
        read_bigquery(client, place, KNOWN, TrafficOptions(since=SINCE))
    with pytest.raises(InputError, match="not found"):
        read_bigquery(client, replace(place, dataset="nowhere"), KNOWN, TrafficOptions(since=SINCE))


def test_an_audit_gives_the_same_report(
    client: Emulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the lines that say what was billed, and a table where there was a file."""
    with gzip.open(DEMO / "flows.json.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    place = sink(client, {SINK: rows})
    monkeypatch.setenv(BIGQUERY_VARIABLE, client.address)
    common = ["--inventory", str(DEMO / "inventory"), "--since", "2001-01-01", "--fail-on", "never"]
    told = []
    for source in (str(DEMO / "flows.json.gz"), str(place)):
        done = run_verbs(arguments=["audit", "--full", "--anonymous", *common, "--traffic", source])
        assert done.returncode == 0, done.stderr
        told.append(re.sub(BILLED, "", done.stdout).splitlines())
    of_table = [
        line.replace("flow records in 1 table", "flow records in 1 file") for line in told[1]
    ]
    assert of_table == told[0] != told[1]
    assert len(told[0]) > 30
