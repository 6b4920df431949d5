"""Sums of days in a dataset of BigQuery, on the emulator: the raw reading's matrix, and few reads."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from google.cloud import bigquery
from msgspec.structs import replace

from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.read import read_bigquery
from netplan_planner.model import Reporter, TrafficMatrix
from netplan_planner.traffic import TrafficOptions
from support.flows.kinds import BAD, KNOWN
from support.flows.records import START, Json, entry
from support.servers.bigquery import ABSENT, PROJECT, emulator, load, schema_of

pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
SINK = "compute_googleapis_com_vpc_flows"
DATASETS = count(1)
MIDNIGHT = datetime(2026, 3, 3, tzinfo=UTC)
AT_MIDNIGHT = (MIDNIGHT - START).total_seconds()
LATER = MIDNIGHT + timedelta(days=9)
WINDOW = TrafficOptions(
    since=MIDNIGHT - timedelta(days=1), until=MIDNIGHT + timedelta(days=1), by_hour=True
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bigquery.Client]:
    with emulator(tmp_path_factory.mktemp("bigquery")) as made:
        yield made


def flows() -> list[Json]:
    """Return flows around three midnights, late entries, and repeated and faulty ones."""
    made = []
    for day in (-1, 0, 1):
        for number, at in enumerate(
            (-4000, -1201, -1199, -70, -30, -1, 0, 1, 59, 1199, 1201, 9999)
        ):
            start = AT_MIDNIGHT + day * 86_400 + at
            made.append(
                entry(
                    ("10.0.1.1", "198.51.100.7", "10.0.7.7")[number % 3],
                    "10.0.2.1",
                    10_000 + number,
                    start=start,
                    end=start + 25 * (number % 5),
                    packets=number,
                    by=("SRC", "DEST")[number % 2],
                    rtt_ms=1 + number,
                    insert_id=f"{day} {number}",
                    is_dropped=number == 4,
                    configuration="mine" if number == 7 else None,
                )
            )
    late = {**made[3], "insertId": "late", "timestamp": stamp(MIDNIGHT + timedelta(hours=7))}
    return [*made, *made[2:9], late, *BAD.values()]


def stamp(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def sink(client: bigquery.Client, tables: Mapping[str, Sequence[Json]]) -> Place:
    place = Place(project=PROJECT, dataset=f"logs{next(DATASETS)}")
    client.create_dataset(f"{PROJECT}.{place.dataset}")
    for name, rows in tables.items():
        table = bigquery.Table(f"{PROJECT}.{place.dataset}.{name}", schema=schema_of(rows))
        if name == SINK:
            table.time_partitioning = bigquery.TimePartitioning(type_="DAY", field="timestamp")
        load(client, table, rows)
    return place


def keeper(client: bigquery.Client) -> Place:
    place = Place(project=PROJECT, dataset=f"kept{next(DATASETS)}")
    client.create_dataset(f"{PROJECT}.{place.dataset}")
    return place


def kept_days(client: bigquery.Client, rollup: Place) -> list[str]:
    listed = client.list_tables(f"{PROJECT}.{rollup.dataset}")
    return sorted(one.table_id.rpartition("_")[2] for one in listed)


def read(
    client: bigquery.Client,
    place: Place,
    options: TrafficOptions,
    rollup: Place | None = None,
    now: datetime = LATER,
) -> tuple[TrafficMatrix, str]:
    """Return a matrix without the notes of its reading, and what they say of days."""
    found = read_bigquery(client, place, KNOWN, options, rollup=rollup, now=lambda: now)
    held = found.coverage
    told = next((note for note in held.notes if note.startswith("--rollup")), "")
    own = tuple(n for n in held.notes if not n.startswith(("--rollup", "BigQuery billed")))
    return replace(found, coverage=replace(held, notes=own)), told.partition(": ")[2]


@pytest.mark.parametrize("reporter", list(Reporter))
def test_a_rollup_gives_what_the_logs_give_and_reads_each_day_once(
    client: bigquery.Client, reporter: Reporter
) -> None:
    place, rollup = sink(client, {SINK: flows()}), keeper(client)
    options = replace(WINDOW, reporter=reporter)
    expected, nothing = read(client, place, options)
    assert nothing == ""
    assert dict(expected.coverage.excluded)["equal to one that counts"] > 0
    assert expected.coverage.examples
    first, told = read(client, place, options, rollup)
    assert told == "0 days kept before, 4 days kept now"
    assert first == expected
    assert kept_days(client, rollup) == ["20260301", "20260302", "20260303", "20260304"]
    again, told = read(client, place, options, rollup)
    assert told == "4 days kept before, 0 days kept now"
    assert again == expected
