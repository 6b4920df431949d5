"""Plain tables in every writing; what their rows say is in `data/traffic/tables.toml`."""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import TrafficMatrix
from netplan_planner.traffic import read_traffic
from support.flows.project import host, inventory
from support.flows.records import edge_between, entry, lines, only_edge, top_bytes
from support.listed import listed

WEB = host("web", "10.0.0.1", external="34.1.1.1")
DB = host("db", "10.0.0.2", external="34.1.1.2", zone="us-central1-b")
KNOWN = inventory(WEB, DB)
STEADY = "src,dst,gbps\n"


def read_table(folder: Path, text: str | bytes) -> TrafficMatrix:
    path = folder / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_traffic([path], KNOWN)


@listed("gbps", [1.5, 0.1, 1 / 3, 0.123456789123, 1e-9, 3600.0])
def test_a_steady_rate_is_every_percentile(tmp_path: Path, gbps: float) -> None:
    matrix = read_table(tmp_path, f"{STEADY}web,db,{gbps!r}\n")
    series = only_edge(matrix).series
    rates = {series.p50_gbps, series.p95_gbps, series.p99_gbps, series.max_gbps, *series.top_gbps}
    (found,) = rates
    # A minute holds whole bytes, which are 1.3e-10 Gbit/s.
    assert found == pytest.approx(gbps, abs=1e-10)
    assert matrix.is_steady
    assert matrix.vms[0].egress.p50_gbps in {0, found}


@listed(
    ("protocol", "number"),
    [("TCP", 6), ("udp", 17), (" icmp", 1), ("132", 132), ("x", 0), ("999", 0)],
)
def test_protocols_go_by_name_or_number(tmp_path: Path, protocol: str, number: int) -> None:
    table = f"src,dst,gbps,protocol\nweb,db,1,{protocol}\n"
    top = only_edge(read_table(tmp_path, table)).top_flow
    assert top is not None
    assert (top.protocol, top.dst_port) == (number, None)


ROWS = [("web", "db", 1.5), ("db", "10.0.0.1", 0.25)]
COMMA = STEADY + "".join(f"{src},{dst},{gbps}\n" for src, dst, gbps in ROWS)
WRITINGS: dict[str, bytes] = {
    "crlf": COMMA.replace("\n", "\r\n").encode(),
    "no last line end": COMMA.rstrip("\n").encode(),
    "semicolons": COMMA.replace(",", ";").encode(),
    "tabs": COMMA.replace(",", "\t").encode(),
    "quotes": (STEADY + "".join(f'"{s}","{d}","{g}"\n' for s, d, g in ROWS)).encode(),
    "upper case": COMMA.replace("src,dst,gbps", "SRC,Dst,GBPS").encode(),
    "other order": b"note,gbps,dst,src\n,1.5,db,web\nx,0.25,10.0.0.1,db\n",
    "byte order mark": b"\xef\xbb\xbf" + COMMA.encode(),
    "utf-16": COMMA.encode("utf-16"),
    "gzip": gzip.compress(COMMA.encode()),
    "utf-16 in gzip": gzip.compress(COMMA.encode("utf-16")),
    "zstd": pa.compress(COMMA.encode(), codec="zstd", asbytes=True),
}


def test_every_way_to_write_a_table_reads_to_the_same_matrix(tmp_path: Path) -> None:
    expected = read_table(tmp_path, COMMA)
    for name, content in WRITINGS.items():
        assert read_table(tmp_path, content) == expected, name
    src, dst, gbps = zip(*ROWS, strict=True)
    for values in (gbps, [str(g) for g in gbps]):
        columns: dict[str, Any] = {"dst": dst, "src": src, "gbps": values}
        pq.write_table(pa.table(columns), tmp_path / "table.csv")
        assert read_traffic([tmp_path / "table.csv"], KNOWN) == expected


def test_a_table_and_a_log_of_the_same_flows_agree(tmp_path: Path) -> None:
    text = "10.0.0.1,10.0.0.2,1001,2026-03-02T10:00:30Z,2026-03-02T10:01:45Z\n"
    table = read_table(tmp_path, f"src,dst,bytes,start,end\n{text}")
    columns: dict[str, Any] = {"src": ["10.0.0.1"], "dst": ["10.0.0.2"], "bytes": [1001]}
    columns["start"] = [datetime(2026, 3, 2, 10, 0, 30, tzinfo=UTC)]
    columns["end"] = [datetime(2026, 3, 2, 10, 1, 45, tzinfo=UTC)]
    pq.write_table(pa.table(columns), tmp_path / "table.parquet")
    log = tmp_path / "log.json"
    log.write_text(lines([entry("10.0.0.1", "10.0.0.2", 1001, start=30, end=105)]))
    parquet, logged = (read_traffic([p], KNOWN) for p in (tmp_path / "table.parquet", log))
    assert top_bytes(only_edge(logged).series) == [601, 400]
    assert table == parquet
    assert only_edge(table) == only_edge(logged)
    assert table.vms == logged.vms


def test_a_table_that_is_no_utf8_loses_no_row(tmp_path: Path) -> None:
    matrix = read_table(tmp_path, (STEADY + "wéb,db,1\nweb,db,1\n").encode("latin-1"))
    assert matrix.coverage.record_count == 2
    assert edge_between(matrix, "w\ufffdb", "db").series.p50_gbps == 1


def test_a_cut_table_is_an_error_that_names_it(tmp_path: Path) -> None:
    content = gzip.compress((STEADY + "web,db,1\n" * 5000).encode())
    with pytest.raises(InputError, match=r"table\.csv: cannot be read"):
        read_table(tmp_path, content[:-20])
