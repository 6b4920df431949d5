"""What was logged twice counts once: equal entries, and flows of two configurations."""

import gzip
import json
from datetime import timedelta
from pathlib import Path

import pytest

from netplan_planner.model import TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from support.flows.project import host, inventory, subnet
from support.flows.records import START, Json, entry, lines, only_edge

WEB = host("web", "10.0.1.1", subnetwork="front")
WEB2 = host("web2", "10.0.1.2", subnetwork="front")
DB = host("db", "10.0.2.1", subnetwork="back")
KNOWN = inventory(WEB, WEB2, DB, subnet("front", logs=True), subnet("back", logs=False))

REPEATED = "equal to a counted record"
SUPERSEDED = "of flows that another flow-log configuration also reports"


def numbered(count: int, first: int = 0) -> list[Json]:
    """Return entries of a second each, with ids of their own."""
    return [
        entry("10.0.1.1", "10.0.2.1", 1000, start=i, end=i + 1, packets=1, insert_id=f"id{i}")
        for i in range(first, first + count)
    ]


def read_files(folder: Path, files: dict[str, bytes], **options: int) -> TrafficMatrix:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return read_traffic([folder], KNOWN, TrafficOptions(**options))  # type: ignore[arg-type]


def test_a_packed_copy_beside_the_plain_file_counts_once(tmp_path: Path) -> None:
    text = lines(numbered(300)).encode()
    matrix = read_files(tmp_path, {"a.json": text, "a.json.gz": gzip.compress(text)})
    assert only_edge(matrix).payload_bytes == 300_000
    assert matrix.coverage.excluded == ((REPEATED, 300),)
    assert (matrix.coverage.record_count, matrix.coverage.used_count) == (600, 300)
    assert matrix.coverage.incomplete == ()


def test_windows_that_overlap_count_their_common_entries_once(tmp_path: Path) -> None:
    files = {
        "first.json": json.dumps(numbered(200)).encode(),
        "second.json": lines(numbered(200, first=150)).encode(),
    }
    matrix = read_files(tmp_path, files)
    assert only_edge(matrix).payload_bytes == 350_000
    assert matrix.coverage.excluded == ((REPEATED, 50),)


@pytest.mark.parametrize("batch_records", [1, 70, 1_000_000])
def test_the_size_of_a_batch_does_not_matter(tmp_path: Path, batch_records: int) -> None:
    text = lines(numbered(100) + numbered(100)).encode()
    files = {"a": text, "b": text, "c": lines(numbered(10, first=300)).encode()}
    matrix = read_files(tmp_path, files, batch_records=batch_records)
    edge = only_edge(matrix)
    assert (edge.payload_bytes, edge.record_count) == (110_000, 110)
    assert matrix.coverage.excluded == ((REPEATED, 300),)
    assert edge.series.byte_count == 110 * 1052


def both(minute: int, payload: int = 1000, of: str = "10.0.1.1") -> list[Json]:
    """Return what a subnetwork's own setting and another configuration say of one flow."""
    at = {"start": minute * 60, "end": minute * 60 + 59, "packets": 1}
    return [
        entry(of, "10.0.2.1", payload, insert_id=f"c{minute}{of}", **at),  # type: ignore[arg-type]
        entry(of, "10.0.2.1", payload + 9, insert_id=f"n{minute}{of}", configuration="all", **at),  # type: ignore[arg-type]
    ]


def test_copies_and_configurations_together(tmp_path: Path) -> None:
    logged = [e for minute in range(60) for e in both(minute)]
    text = lines(logged).encode()
    matrix = read_files(tmp_path, {"a": text, "b": text})
    assert only_edge(matrix).payload_bytes == 60_000
    assert matrix.coverage.excluded == ((REPEATED, 120), (SUPERSEDED, 60))
    assert matrix.coverage.overlaps[0].record_count == 60
    assert matrix.end == START + timedelta(hours=1)


@pytest.mark.parametrize("batch_records", [1, 1_000_000])
def test_a_configuration_that_comes_late_is_told_by_hour_from_the_beginning(
    tmp_path: Path, batch_records: int
) -> None:
    own, other = zip(*(both(minute) for minute in range(150)), strict=True)
    files = {
        "a": lines(own[:90]).encode(),
        "b": lines(own[90:]).encode(),
        "c": lines(other[60:120]).encode(),
    }
    matrix = read_files(tmp_path, files, batch_records=batch_records)
    assert only_edge(matrix).payload_bytes == 150_000
    assert matrix.coverage.excluded == ((SUPERSEDED, 60),)
    (overlap,) = matrix.coverage.overlaps
    assert (overlap.record_count, overlap.payload_bytes) == (60, 60 * 1009)
    assert [o.record_count for o in matrix.coverage.logged] == [150, 60]
    assert matrix.coverage.record_count == 210


@pytest.mark.parametrize("batch_records", [1, 1_000_000])
def test_records_of_one_configuration_are_counted_by_place(
    tmp_path: Path, batch_records: int
) -> None:
    files = {
        name: lines(numbered(count, first=7 * count)).encode()
        for name, count in (("a", 40), ("b", 50))
    }
    matrix = read_files(tmp_path, files, batch_records=batch_records)
    (logged,) = matrix.coverage.logged
    assert (logged.place, logged.record_count) == (subnet("front", logs=True).ref.self_link, 90)
