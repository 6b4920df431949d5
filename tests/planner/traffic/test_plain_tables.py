"""Plain tables: steady rates and byte counts, and how their rows name machines."""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import BadRecord, Edge, OwnerKind, PathClass, TrafficMatrix
from netplan_planner.traffic import read_traffic
from support.flows.project import host, inventory
from support.flows.records import edge_between, entry, lines, only_edge, top_bytes

WEB = host("web", "10.0.0.1", external="34.1.1.1")
DB = host("db", "10.0.0.2", external="34.1.1.2", zone="us-central1-b")
TWIN_A = host("twin", "10.0.0.5")
TWIN_B = host("twin", "10.0.0.6", zone="us-central1-c")
KNOWN = inventory(WEB, DB, TWIN_A, TWIN_B)

BYTES = "src,dst,bytes,start,end\n"
STEADY = "src,dst,gbps\n"


def read_table(folder: Path, text: str | bytes) -> TrafficMatrix:
    path = folder / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_traffic([path], KNOWN)


def percentiles(edge: Edge) -> set[float]:
    series = edge.series
    return {series.p50_gbps, series.p95_gbps, series.p99_gbps, series.max_gbps, *series.top_gbps}


def test_bytes_are_spread_over_the_time_of_the_row(tmp_path: Path) -> None:
    matrix = read_table(
        tmp_path, BYTES + "web,db,5400,2026-03-02T10:00:30Z,2026-03-02T11:00:30+00:00\n"
    )
    edge = only_edge(matrix)
    # An hour from second 30 touches 61 minutes: 90 bytes a minute, 45 in the first and last.
    assert (matrix.observed_minutes, edge.series.active_minutes) == (61, 61)
    assert top_bytes(edge.series) == [90] * 10
    assert (edge.payload_bytes, edge.series.byte_count, edge.coarse_bytes) == (5400, 5400, 5400)
    assert (edge.header_bytes, edge.packet_count) == (0, 0)
    assert not matrix.is_steady
    assert matrix.start == datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
    assert edge.path_class is PathClass.INTER_ZONE_INTERNAL


def test_a_row_may_hold_the_total_of_days(tmp_path: Path) -> None:
    matrix = read_table(tmp_path, BYTES + "web,db,1440000,2026-03-02,2026-03-12\n")
    assert matrix.observed_minutes == 10 * 1440
    assert top_bytes(only_edge(matrix).series) == [100] * 10
    with pytest.raises(InputError, match="it covers an absurdly long time"):
        read_table(tmp_path, BYTES + "web,db,1440000,2026-03-02,2026-04-02\n")


@pytest.mark.parametrize("gbps", [1.5, 0.1, 1 / 3, 0.123456789123, 1e-9, 3600.0])
def test_a_steady_rate_is_every_percentile(tmp_path: Path, gbps: float) -> None:
    matrix = read_table(tmp_path, f"{STEADY}web,db,{gbps!r}\n")
    (found,) = percentiles(only_edge(matrix))
    # A minute holds whole bytes, which are 1.3e-10 Gbit/s.
    assert found == pytest.approx(gbps, abs=1e-10)
    assert matrix.is_steady
    assert matrix.vms[0].egress.p50_gbps in {0, found}


def test_the_rates_of_a_pair_add_up(tmp_path: Path) -> None:
    matrix = read_table(tmp_path, STEADY + "web,db,1.5\nweb,db,2\n10.0.0.1,10.0.0.2,0.5\n")
    assert percentiles(only_edge(matrix)) == {4.0}
    assert only_edge(matrix).record_count == 3


def test_a_stated_percentile_raises_the_upper_ones(tmp_path: Path) -> None:
    text = "src,dst,gbps,p95_gbps\nweb,db,1,3\nweb,twin-x,2,\nweb,203.0.113.9,2,1\n"
    matrix = read_table(tmp_path, text)
    stated = edge_between(matrix, "web", "db").series
    assert (stated.p50_gbps, stated.p95_gbps, stated.p99_gbps, stated.max_gbps) == (1, 3, 3, 3)
    assert stated.top_gbps == (3.0,) * 10
    assert stated.byte_count == 1 * 7_500_000_000 * 60
    # Without one, or with one below the rate, the rate stands for it.
    assert percentiles(edge_between(matrix, "web", "twin-x")) == {2.0}
    assert percentiles(edge_between(matrix, "web", "internet")) == {2.0}
    vm = next(v for v in matrix.vms if matrix.owners[v.owner].name == "web")
    assert (vm.egress.p50_gbps, vm.egress.p95_gbps) == (5, 7)
    assert (vm.egress_outside_vpc.p50_gbps, vm.egress_outside_vpc.p95_gbps) == (2, 2)
    assert "the table states 95th percentiles by pair" in matrix.coverage.notes[-1]


@pytest.mark.parametrize("bad", ["99999", "-3", "x", "nan", "1e300"])
def test_a_row_with_a_bad_percentile_is_left_out_and_shifts_nothing(
    tmp_path: Path, bad: str
) -> None:
    text = f"src,dst,gbps,p95_gbps\n10.0.0.1,10.0.0.5,1,{bad}\nweb,db,2,3\n10.0.0.5,web,4,5\n"
    matrix = read_table(tmp_path, text)
    assert len(matrix.edges) == 2
    assert edge_between(matrix, "web", "db").series.p95_gbps == 3
    assert edge_between(matrix, "twin", "web").series.p95_gbps == 5
    assert [e.source for e in matrix.coverage.examples] == [f"{tmp_path / 'table.csv'}:2"]


def test_a_bad_rate_is_not_saved_by_its_percentile(tmp_path: Path) -> None:
    matrix = read_table(tmp_path, "src,dst,gbps,p95_gbps\nweb,db,x,1\nweb,db,-1,5\nweb,db,2,4\n")
    edge = only_edge(matrix)
    assert (edge.record_count, edge.series.p50_gbps, edge.series.p95_gbps) == (1, 2, 4)
    assert matrix.coverage.used_count == 1


def test_a_machine_goes_by_any_of_its_names(tmp_path: Path) -> None:
    link = "projects/p/zones/us-central1-a/instances/web"
    names = [
        "web",
        "  web ",
        "p/us-central1-a/web",
        link,
        f"https://www.googleapis.com/compute/v1/{link}",
        f"//compute.googleapis.com/{link}",
        "10.0.0.1",
    ]
    matrix = read_table(tmp_path, STEADY + "".join(f"{name},db,1\n" for name in names))
    assert only_edge(matrix).series.p50_gbps == len(names)
    assert matrix.owners[only_edge(matrix).src].link == link


def test_an_ambiguous_name_is_an_error_that_names_the_candidates(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_table(tmp_path, STEADY + "twin,db,1\n")
    text = str(caught.value)
    assert "several machines are named 'twin'" in text
    for zone in "ac":
        assert f"projects/p/zones/us-central1-{zone}/instances/twin" in text
    assert "project/zone/name" in text
    precise = read_table(tmp_path, STEADY + "p/us-central1-c/twin,db,1\n")
    assert precise.owners[only_edge(precise).src].zone == "us-central1-c"


@pytest.mark.parametrize("name", ["nobody", "p/us-central1-b/web", "=cmd()", "\x1b[31m", "a'b\"c"])
def test_an_unknown_name_is_an_unknown_owner(tmp_path: Path, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    matrix = read_table(tmp_path, f"{STEADY}{quoted},db,1\nweb,db,1\n")
    edge = edge_between(matrix, name, "db")
    assert edge.path_class is PathClass.UNKNOWN
    assert matrix.owners[edge.src].kind is OwnerKind.UNKNOWN
    assert matrix.coverage.unowned_bytes == edge.payload_bytes == 450_000_000_000


def test_the_address_kind_says_by_which_address_a_named_machine_is_met(tmp_path: Path) -> None:
    text = "src,dst,gbps,address_kind\nweb,db,1,external\nweb,db,2,internal\nweb,db,4, External\n"
    matrix = read_table(tmp_path, text + "web,db,8,\n")
    classes = {e.path_class: (e.series.p50_gbps, e.dst_address) for e in matrix.edges}
    assert classes == {
        PathClass.INTER_ZONE_EXTERNAL: (5.0, "34.1.1.2"),
        PathClass.INTER_ZONE_INTERNAL: (10.0, None),
    }
    # An address decides for itself.
    by_address = read_table(
        tmp_path, "src,dst,gbps,address_kind\nweb,34.1.1.2,1,internal\nweb,10.0.0.2,1,external\n"
    )
    assert {e.path_class for e in by_address.edges} == set(classes)


def test_a_row_whose_address_kind_is_none_is_left_out_and_named(tmp_path: Path) -> None:
    text = "src,dst,gbps,address_kind\nweb,db,1,internal\nweb,db,1,public\n"
    matrix = read_table(tmp_path, text)
    assert only_edge(matrix).path_class is PathClass.INTER_ZONE_INTERNAL
    (bad,) = matrix.coverage.examples
    assert bad.source.endswith(":3")
    assert bad.reason == "no reporter or address kind that is known"
    assert matrix.coverage.excluded == (("malformed", 1),)


def test_steady_rates_are_of_the_machines_that_there_are(tmp_path: Path) -> None:
    """A rate has no time: a machine made yesterday holds its addresses all the same."""
    made = datetime(2026, 11, 20, tzinfo=UTC)
    known = inventory(
        host("web", "10.0.0.1", external="34.1.1.1", created=made, started=made),
        host("db", "10.0.0.2", external="34.1.1.2", created=made, started=made),
    )
    path = tmp_path / "table.csv"
    path.write_text("src,dst,gbps\n10.0.0.1,10.0.0.2,1\nweb,34.1.1.2,2\n")
    matrix = read_traffic([path], known)
    assert {e.path_class for e in matrix.edges} == {
        PathClass.SAME_ZONE_INTERNAL,
        PathClass.SAME_ZONE_EXTERNAL,
    }
    assert matrix.coverage.unowned_bytes == 0


def test_protocols_go_by_name_or_number(tmp_path: Path) -> None:
    for text, number in (("TCP", 6), ("udp", 17), (" icmp", 1), ("132", 132), ("x", 0), ("999", 0)):
        table = f"src,dst,gbps,protocol\nweb,db,1,{text}\n"
        top = only_edge(read_table(tmp_path, table)).top_flow
        assert top is not None
        assert (top.protocol, top.dst_port) == (number, None)


def test_every_way_to_write_a_table_reads_to_the_same_matrix(tmp_path: Path) -> None:
    rows = [("web", "db", 1.5), ("db", "10.0.0.1", 0.25)]
    comma = STEADY + "".join(f"{s},{d},{g}\n" for s, d, g in rows)
    texts: dict[str, bytes] = {
        "crlf": comma.replace("\n", "\r\n").encode(),
        "no last line end": comma.rstrip("\n").encode(),
        "semicolons": comma.replace(",", ";").encode(),
        "tabs": comma.replace(",", "\t").encode(),
        "quotes": ("src,dst,gbps\n" + "".join(f'"{s}","{d}","{g}"\n' for s, d, g in rows)).encode(),
        "upper case": comma.replace("src,dst,gbps", "SRC,Dst,GBPS").encode(),
        "other order": b"note,gbps,dst,src\n,1.5,db,web\nx,0.25,10.0.0.1,db\n",
        "byte order mark": b"\xef\xbb\xbf" + comma.encode(),
        "utf-16": comma.encode("utf-16"),
        "gzip": gzip.compress(comma.encode()),
        "utf-16 in gzip": gzip.compress(comma.encode("utf-16")),
        "zstd": pa.compress(comma.encode(), codec="zstd", asbytes=True),
    }
    expected = msgspec.json.encode(read_table(tmp_path, comma))
    for name, content in texts.items():
        assert msgspec.json.encode(read_table(tmp_path, content)) == expected, name
    src, dst, gbps = zip(*rows, strict=True)
    for values in (gbps, [str(g) for g in gbps]):
        columns: dict[str, Any] = {"dst": dst, "src": src, "gbps": values}
        pq.write_table(pa.table(columns), tmp_path / "table.csv")
        found = read_traffic([tmp_path / "table.csv"], KNOWN)
        assert msgspec.json.encode(found) == expected


def test_a_table_and_a_log_of_the_same_flows_agree(tmp_path: Path) -> None:
    table = read_table(
        tmp_path, BYTES + "10.0.0.1,10.0.0.2,1001,2026-03-02T10:00:30Z,2026-03-02T10:01:45Z\n"
    )
    columns = {
        "src": ["10.0.0.1"],
        "dst": ["10.0.0.2"],
        "bytes": [1001],
        "start": [datetime(2026, 3, 2, 10, 0, 30, tzinfo=UTC)],
        "end": [datetime(2026, 3, 2, 10, 1, 45, tzinfo=UTC)],
    }
    pq.write_table(pa.table(columns), tmp_path / "table.parquet")
    parquet = read_traffic([tmp_path / "table.parquet"], KNOWN)
    (tmp_path / "log.json").write_text(
        lines([entry("10.0.0.1", "10.0.0.2", 1001, start=30, end=105)])
    )
    log = read_traffic([tmp_path / "log.json"], KNOWN)
    assert top_bytes(only_edge(log).series) == [601, 400]
    assert table == parquet
    assert only_edge(table) == only_edge(log)
    assert table.vms == log.vms


def test_left_out_rows_are_shown_with_the_line_at_which_they_start(tmp_path: Path) -> None:
    text = (
        STEADY + "web,db,1\n\n"  # Lines 2 and 3.
        "web,db,x\n"
        '"over\ntwo lines",db,1\n'  # Lines 5 and 6.
        "web,db,-1\n"
        "web,db\n"
        ",db,1\n"
        "web,db,99999,more,columns\n"
    )
    matrix = read_table(tmp_path, text)
    where = tmp_path / "table.csv"
    assert matrix.coverage.examples == (
        BadRecord(source=f"{where}:4", reason="no byte count that is a number"),
        BadRecord(source=f"{where}:7", reason="a negative byte or packet count"),
        BadRecord(source=f"{where}:8", reason="no byte count that is a number"),
        BadRecord(source=f"{where}:9", reason="no source or destination address"),
        BadRecord(source=f"{where}:10", reason="more bytes than any machine can send"),
    )
    assert matrix.coverage.used_count == 2
    assert edge_between(matrix, "over\ntwo lines", "db")


def test_a_table_that_is_no_utf8_loses_no_row(tmp_path: Path) -> None:
    matrix = read_table(tmp_path, (STEADY + "wéb,db,1\nweb,db,1\n").encode("latin-1"))
    assert matrix.coverage.record_count == 2
    assert edge_between(matrix, "w\ufffdb", "db").series.p50_gbps == 1


WRONG = {
    "rates and bytes": ("src,dst,gbps,bytes,start,end\n", "either the column gbps, or bytes"),
    "neither": ("src,dst\nweb,db\n", "either the column gbps, or bytes"),
    "no times": ("src,dst,bytes\nweb,db,1\n", "bytes need the columns start and end"),
    "no rows": (STEADY, "no flow record to use"),
    "only bad rows": (STEADY + "web,db,x\n", "no readable flow record"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_table_that_cannot_be_used_is_an_error(tmp_path: Path, name: str) -> None:
    text, expected = WRONG[name]
    with pytest.raises(InputError) as caught:
        read_table(tmp_path, text)
    assert expected in str(caught.value)
    assert str(tmp_path / "table.csv") in str(caught.value)


def test_rates_are_not_mixed_with_records_that_have_times(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(STEADY + "web,db,1\n")
    (tmp_path / "b.json").write_text(lines([entry("10.0.0.1", "10.0.0.2", 1)]))
    with pytest.raises(InputError, match=r"a\.csv: steady rates cannot be mixed"):
        read_traffic([tmp_path], KNOWN)


def test_a_cut_table_is_an_error_that_names_it(tmp_path: Path) -> None:
    content = gzip.compress((STEADY + "web,db,1\n" * 5000).encode())
    with pytest.raises(InputError, match=r"table\.csv: cannot be read"):
        read_table(tmp_path, content[:-20])
