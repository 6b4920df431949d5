"""A query of BigQuery names no column that its answer can do without: each is billed."""

from datetime import UTC, datetime

import pytest

from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.tables import LogTable, query_of
from support.servers.bigquery import PROJECT, schema_of

ROW = {
    "insertId": "a1",
    "timestamp": "2026-11-01T00:00:00Z",
    "logName": "projects/p/logs/compute.googleapis.com%2Fvpc_flows",
    "resource": {"type": "gce_subnetwork", "labels": {"project_id": "p"}},
    "jsonPayload": {"bytes_sent": "5", "reporter": "SRC"},
    "severity": "DEFAULT",
}


def query(name: str) -> str:
    table = LogTable(
        name=name,
        schema=tuple(schema_of([ROW])),
        is_linked=False,
        day=None,
        time_column="timestamp",
        received_column=None,
        has_partitions=True,
        row_count=None,
        modified=None,
        buffered_count=0,
    )
    times = (datetime(2026, 11, day, tzinfo=UTC) for day in (1, 2))
    return query_of(table, Place(project=PROJECT, dataset="logs"), *times)


@pytest.mark.parametrize("service", ["compute", "networkmanagement"])
@pytest.mark.parametrize("day", ["", "_20261101"])
def test_the_table_of_a_sink_says_which_log_it_is_of(service: str, day: str) -> None:
    text = query(f"{service}_googleapis_com_vpc_flows{day}")
    assert "logName" not in text
    assert f"/logs/{service}.googleapis.com%2Fvpc_flows" in text
    assert "`project_id`" in text


def test_a_table_of_another_name_is_asked_for_the_log() -> None:
    assert "e.`logName`" in query("copied_logs")


def test_what_no_answer_takes_is_not_asked_for() -> None:
    text = query("compute_googleapis_com_vpc_flows")
    assert "severity" not in text
    assert "`type`" not in text


def test_a_day_that_there_is_not_is_no_day() -> None:
    text = query("compute_googleapis_com_vpc_flows_20260230")
    assert "logName" in text, "no log sink calls a table so"
