"""One set of flows in every layout that flow logs come in reads to one matrix."""

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.model import TrafficCoverage, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from support.flows.exports import CHANGES, DB, ENTRIES, KNOWN, WEB, rows, whole_numbers
from support.flows.project import host
from support.flows.records import Json, entry, lines
from support.nightly import every

TEXT = lines(ENTRIES)


def write(name: str, content: bytes) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return make


def several(folder: Path) -> None:
    for number, item in enumerate(ENTRIES):
        inside = folder / f"2026/03/{number % 2:02d}"
        inside.mkdir(parents=True, exist_ok=True)
        (inside / f"{number}.json").write_text(lines([item]))
    (folder / ".hidden").write_text("not read")
    (folder / "_SUCCESS").write_text("")


def pretty(entries: list[Json], end: str = "\n") -> bytes:
    return end.join(json.dumps(item, indent=2).replace("\n", end) for item in entries).encode()


def parquet(change: Callable[[Json], Json], **options: Any) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        pq.write_table(pa.Table.from_pylist(rows(change)), folder / "export", **options)

    return make


def two_schemas(folder: Path) -> None:
    pq.write_table(pa.Table.from_pylist(rows()[:4]), folder / "a.parquet")
    pq.write_table(pa.Table.from_pylist(rows(whole_numbers)[4:6]), folder / "b.parquet")
    (folder / "c.json").write_text(lines(ENTRIES[6:]))


LAYOUTS: Mapping[str, Callable[[Path], None]] = {
    "gzip": write("a", gzip.compress(TEXT.encode())),
    "zstd": write("a", pa.compress(TEXT.encode(), codec="zstd", asbytes=True)),
    "byte order mark": write("a", b"\xef\xbb\xbf" + TEXT.encode()),
    "utf-16": write("a", TEXT.encode("utf-16")),
    "utf-16 the other way, in gzip": write(
        "a", gzip.compress(b"\xfe\xff" + TEXT.encode("utf-16-be"))
    ),
    "dos lines": write("a", TEXT.replace("\n", "\r\n").encode()),
    "no last line end": write("a", TEXT.rstrip("\n").encode()),
    "blank lines": write("a", TEXT.replace("\n", "\n\n").encode()),
    "array": write("a", json.dumps(ENTRIES).encode()),
    "pretty array": write("a", json.dumps(ENTRIES, indent=2).encode()),
    "pretty array in zstd": write(
        "a", pa.compress(json.dumps(ENTRIES, indent=2).encode(), codec="zstd", asbytes=True)
    ),
    "array in utf-16": write("a", json.dumps(ENTRIES, indent=1).encode("utf-16")),
    "array with a byte order mark": write("a", b"\xef\xbb\xbf" + json.dumps(ENTRIES).encode()),
    "pretty entries": write("a", pretty(ENTRIES)),
    "pretty entries, dos lines, gzip": write("a", gzip.compress(pretty(ENTRIES, "\r\n"))),
    "folders": several,
    "parquet": parquet(CHANGES["as it is"]),
    "parquet of whole numbers": parquet(CHANGES["whole numbers"], compression="gzip"),
    "parquet of text": parquet(CHANGES["text"], row_group_size=2, compression="zstd"),
    "parquet with timestamps": parquet(CHANGES["timestamps"]),
    "parquet with timestamps without a zone": parquet(CHANGES["timestamps without a zone"]),
    "parquet with more columns": parquet(CHANGES["more columns"]),
    "parquet with fewer columns": parquet(CHANGES["fewer columns"], use_dictionary=False),
    "parquet with other names": parquet(CHANGES["other names"]),
    "files of several kinds": two_schemas,
}


WITHOUT_PLACES = {"parquet with fewer columns"}
"""Layouts that do not say which subnetwork or configuration wrote a record."""


def without_places(matrix: TrafficMatrix) -> TrafficMatrix:
    return replace(matrix, coverage=replace(matrix.coverage, logged=()))


def comparable(matrix: TrafficMatrix) -> bytes:
    """Return the matrix without the number of its files."""
    return msgspec.json.encode(replace(matrix, coverage=replace(matrix.coverage, files=0)))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> TrafficMatrix:
    path = tmp_path_factory.mktemp("plain") / "flows.json"
    path.write_text(TEXT)
    return read_traffic([path], KNOWN)


def test_the_matrix_itself_holds_what_the_entries_say(expected: TrafficMatrix) -> None:
    found = {
        (expected.owners[e.src].name, expected.owners[e.dst].name, str(e.path_class)): (
            e.payload_bytes,
            e.header_bytes,
            e.rtt_ms,
            e.dropped_packets,
        )
        for e in expected.edges
    }
    assert found == {
        ("web", "db", "inter-zone-internal"): (1001, 7 * 52, None, 0),
        ("web", "db", "inter-zone-external"): (10**10, 9 * 52, 3.0, 0),
        ("db", "internet", "internet"): (77, 28, None, 0),
        ("10.9.9.9", "web", "unknown"): (64, 0, None, 0),
        ("fd00::1", "web", "unknown"): (3, 2 * 72, None, 0),
    }
    assert expected.coverage.record_count == len(ENTRIES)
    assert expected.coverage.dropped_packets == 1
    assert expected.coverage.has_metadata
    external = next(e for e in expected.edges if "external" in e.path_class)
    assert external.top_flow is not None


@pytest.mark.parametrize("layout", every(3, LAYOUTS))
def test_every_layout_reads_to_the_same_matrix(
    tmp_path: Path, layout: str, expected: TrafficMatrix
) -> None:
    LAYOUTS[layout](tmp_path)
    matrix = read_traffic([tmp_path], KNOWN)
    if layout in WITHOUT_PLACES:
        assert sum(one.record_count for one in matrix.coverage.logged) == sum(
            one.record_count for one in expected.coverage.logged
        )
        matrix, expected = without_places(matrix), without_places(expected)
    assert comparable(matrix) == comparable(expected)
    assert matrix.coverage.files == sum(
        1 for p in tmp_path.rglob("*") if p.is_file() and p.name not in {".hidden", "_SUCCESS"}
    )


def test_parquet_in_slices_of_rows(tmp_path: Path, expected: TrafficMatrix) -> None:
    parquet(lambda row: row)(tmp_path)
    for batch_records in (1, 3):
        matrix = read_traffic([tmp_path], KNOWN, TrafficOptions(batch_records=batch_records))
        assert comparable(matrix) == comparable(expected)


ANNOTATIONS = ("_instance", "_vpc", "_location", "_gke_details")


def base_fields(item: Json) -> Json:
    body = {k: v for k, v in item["jsonPayload"].items() if not k.endswith(ANNOTATIONS)}
    return {**item, "jsonPayload": body}


def test_base_fields_alone_tell_the_same_where_addresses_decide(
    tmp_path: Path, expected: TrafficMatrix
) -> None:
    (tmp_path / "a.json").write_text(lines(map(base_fields, ENTRIES)))
    matrix = read_traffic([tmp_path], KNOWN)
    assert not matrix.coverage.has_metadata

    def without_certainty(one: TrafficMatrix) -> TrafficMatrix:
        # Without names an ephemeral address is only assumed to be the machine's.
        edges = tuple(replace(e, certainty=expected.edges[0].certainty) for e in one.edges)
        coverage = TrafficCoverage(files=0, record_count=0, used_count=0)
        return replace(one, edges=edges, coverage=coverage)

    assert without_certainty(matrix) == without_certainty(expected)
    assert matrix.coverage.payload_bytes == expected.coverage.payload_bytes


def test_names_tell_machines_that_no_inventory_has_in_every_layout(tmp_path: Path) -> None:
    # Parquet reads the details of an end only when they are wanted.
    gone = host("gone", "10.0.7.7", subnetwork="front", zone="us-central1-c")
    records = [entry("10.0.7.7", "10.0.2.1", 100 + i, src_vm=gone, dst_vm=DB) for i in range(3)]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a/a.json").write_text(lines(records))
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "b/b.parquet")
    as_json = read_traffic([tmp_path / "a"], KNOWN)
    as_parquet = read_traffic([tmp_path / "b"], KNOWN, TrafficOptions(batch_records=1))
    assert as_json == as_parquet
    owner = next(o for o in as_json.owners if o.name == "gone")
    assert (owner.zone, owner.region) == ("us-central1-c", "us-central1")
    assert owner.subnetwork == WEB.interfaces[0].subnetwork
    assert "1 VM of the records is not in the inventory (deleted since?): gone" in (
        as_json.coverage.notes
    )


def test_parquet_that_is_no_flow_log_or_holds_none_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), path)
    with pytest.raises(InputError, match=r"x\.parquet: unknown format. Give a BigQuery export"):
        read_traffic([path], KNOWN)
    pq.write_table(pa.Table.from_pylist(ENTRIES).slice(0, 0), path)
    with pytest.raises(InputError, match=r"x\.parquet: the file holds no records"):
        read_traffic([path], KNOWN)
    pq.write_table(pa.table({"jsonPayload": ["text", "text"]}), path)
    with pytest.raises(InputError, match=r"x\.parquet: the file has no readable flow record"):
        read_traffic([path], KNOWN)


@pytest.mark.parametrize("kept", [0.5, 0.99])
def test_parquet_that_is_cut_is_an_error_that_names_it(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "export.parquet"
    pq.write_table(pa.Table.from_pylist(ENTRIES), path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(InputError) as caught:
        read_traffic([path], KNOWN)
    assert str(caught.value).startswith(f"{path}: cannot be read")
    assert "netplan-" not in str(caught.value)


def test_parquet_that_is_broken_inside_is_an_error_that_names_it(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.parquet", tmp_path / "b.parquet"
    table = pa.Table.from_pylist(ENTRIES * 50)
    pq.write_table(table, good, compression="gzip")
    content = bytearray(good.read_bytes())
    content[100 : len(content) // 2] = bytes(len(content) // 2 - 100)
    bad.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_traffic([good, bad], KNOWN)
    assert "b.parquet" in str(caught.value)


def test_left_out_records_of_parquet_are_shown_with_their_row(tmp_path: Path) -> None:
    bad = json.loads(json.dumps(ENTRIES))
    bad[1]["jsonPayload"]["bytes_sent"] = "-1"
    bad[3]["jsonPayload"]["connection"]["src_ip"] = "10.0.0.256"
    pq.write_table(pa.Table.from_pylist(bad), tmp_path / "b.parquet")
    pq.write_table(pa.Table.from_pylist(ENTRIES), tmp_path / "a.parquet")
    coverage = read_traffic([tmp_path], KNOWN).coverage
    assert coverage.excluded == (("malformed", 1), ("with a negative count", 1))
    assert {(e.source, e.reason) for e in coverage.examples} == {
        (f"{tmp_path / 'b.parquet'}: row 2", "a negative byte or packet count"),
        (f"{tmp_path / 'b.parquet'}: row 4", "an address that is not an IP address"),
    }
