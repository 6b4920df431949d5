"""Statements and whole matrices through BigQuery's API, on an emulator, against DuckDB over files.

The emulator is DuckDB inside: it judges sessions, temporary tables, parameters and pages, and not
what BigQuery makes of a function.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

ABSENT = "BigQuery's client and emulator are not installed here; .ci/bigquery.sh installs them"
pytest.importorskip("bqemulator", reason=ABSENT)
pytest.importorskip("google.cloud.bigquery", reason=ABSENT)

from google.cloud import bigquery  # noqa: E402

from netplan_planner.traffic import TrafficOptions  # noqa: E402
from netplan_planner.traffic.bigquery.engine import BigQueryEngine  # noqa: E402
from netplan_planner.traffic.bigquery.jobs import Jobs  # noqa: E402
from netplan_planner.traffic.embedded import EmbeddedEngine, open_engine  # noqa: E402
from support.flows.tables import all_statements, fill  # noqa: E402
from support.servers.bigquery import emulator  # noqa: E402

STATEMENTS = all_statements()
pytestmark = [pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bigquery.Client]:
    with emulator(tmp_path_factory.mktemp("bigquery")) as made:
        yield made


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedEngine]:
    folder = tmp_path_factory.mktemp("duckdb")
    with open_engine(TrafficOptions(temp_directory=folder, threads=1)) as opened:
        fill(opened)
        yield opened


@pytest.fixture(scope="module")
def in_bigquery(client: bigquery.Client) -> Iterator[BigQueryEngine]:
    jobs = Jobs(client, None, "bigquery://demo-project.logs")
    engine = BigQueryEngine(jobs)
    fill(engine)
    yield engine
    jobs.close()


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_gives_the_same(
    name: str, embedded: EmbeddedEngine, in_bigquery: BigQueryEngine
) -> None:
    expected = sorted(embedded.rows(STATEMENTS[name]), key=repr)
    assert expected
    assert sorted(in_bigquery.rows(STATEMENTS[name]), key=repr) == expected
