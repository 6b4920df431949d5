"""Bytes of one record: headers by protocol, and how they are spread over minutes."""

from pathlib import Path

import pytest

from netplan_planner.traffic import HeaderBytes
from support.flows.project import host, inventory
from support.flows.records import entry, only_edge, read, top_bytes

A, B = "10.0.0.1", "10.0.0.2"

# Start and end in seconds, bytes, and the bytes of each minute from the greatest down. The bytes
# up to a moment are floor(bytes * elapsed / duration), so that no byte is lost or made.
SPREADS = {
    "within a minute": (10, 50, 1000, [1000]),
    "a whole minute": (0, 60, 1000, [1000]),
    "starts at a boundary": (60, 119, 777, [777]),
    "ends at a boundary": (30, 60, 777, [777]),
    "zero duration": (10, 10, 5, [5]),
    "zero duration at a boundary": (120, 120, 5, [5]),
    "half and half": (30, 90, 1000, [500, 500]),
    # 30 of 75 seconds: floor(1001 * 30 / 75) = 400, the rest of 601 in the next minute.
    "two fifths and three": (30, 105, 1001, [601, 400]),
    # 100 / 3 does not come out: floor(33.3) = 33, floor(66.6) = 66, 100, so 33, 33 and 34.
    "thirds": (0, 180, 100, [34, 33, 33]),
    # One byte over two minutes is whole only at the end.
    "one byte": (30, 90, 1, [1]),
    # 15 minutes from second 30 touch 16 minutes: half a minute, 14 whole ones, half a minute.
    # 900 s at 10 bytes/s are 300 + 14 * 600 + 300.
    "fifteen minutes": (30, 930, 9000, [600] * 10),
    "a millisecond over": (0, 60.001, 60_001, [60_000, 1]),
    # Positions are milliseconds: less than one past the boundary is nothing.
    "microseconds over": (0, 60.000_4, 60_000, [60_000]),
}


@pytest.mark.parametrize("name", SPREADS)
def test_bytes_are_spread_over_the_minutes_that_a_record_covers(tmp_path: Path, name: str) -> None:
    start, end, payload, expected = SPREADS[name]
    edge = only_edge(read(tmp_path, [entry(A, B, payload, start=start, end=end)]))
    assert [b for b in top_bytes(edge.series) if b] == expected
    assert edge.series.byte_count == edge.payload_bytes == payload


def test_a_record_of_fifteen_minutes_is_active_in_sixteen(tmp_path: Path) -> None:
    matrix = read(tmp_path, [entry(A, B, 9000, start=30, end=930)])
    series = only_edge(matrix).series
    assert (matrix.observed_minutes, series.active_minutes) == (16, 16)
    # In rising order 300, 300, 600, ...: rank 8 of 16 is 600 bytes, which is 80 bit/s.
    assert series.p50_gbps == pytest.approx(80 / 1e9)


def test_great_counts_are_spread_without_loss(tmp_path: Path) -> None:
    # 10,000 Gbit/s over 15 minutes: the product of bytes and milliseconds would not fit 64 bits
    # if it were taken at once (1.1e15 * 9e5 = 1e21).
    payload = 1_124_999_999_999_983
    edge = only_edge(read(tmp_path, [entry(A, B, payload, start=0, end=900)]))
    assert edge.series.byte_count == payload
    assert edge.series.active_minutes == 15
    # floor(payload * 14 / 15) is what came before the last minute.
    assert max(top_bytes(edge.series)) == payload - payload * 14 // 15


def test_records_of_one_minute_add_up(tmp_path: Path) -> None:
    records = [entry(A, B, 100 + i, start=i, end=i + 1, ports=(i, 80)) for i in range(50)]
    edge = only_edge(read(tmp_path, records))
    assert top_bytes(edge.series) == [50 * 100 + 49 * 50 // 2]
    assert (edge.record_count, edge.series.active_minutes) == (50, 1)


@pytest.mark.parametrize(
    ("protocol", "header"),
    [(6, 52), (17, 28), (1, 28), (58, 28), (47, 20), (50, 20), (0, 20)],
    ids=["tcp", "udp", "icmp", "icmpv6", "gre", "esp", "hop-by-hop"],
)
def test_headers_are_added_by_protocol(tmp_path: Path, protocol: int, header: int) -> None:
    edge = only_edge(read(tmp_path, [entry(A, B, 5000, packets=10, protocol=protocol)]))
    assert (edge.payload_bytes, edge.header_bytes) == (5000, 10 * header)
    assert edge.packet_count == 10
    assert edge.wire_bytes == edge.series.byte_count == 5000 + 10 * header


def test_headers_of_ipv6_are_twenty_bytes_longer(tmp_path: Path) -> None:
    # Between unknown machines, from one of the inventory, and to one: the sender's packets count.
    web = host("web", "10.0.0.9", ipv6="fd20:0:0:1::9")
    records = [
        entry("fd20:0:0:2::1", "fd20:0:0:3::2", 5000, packets=10),
        entry("fd20:0:0:1::9", "fd20:0:0:3::2", 5000, packets=10, protocol=17, src_vm=web),
        entry("fd20:0:0:4::3", "fd20:0:0:1::9", 5000, packets=10, protocol=47, by="DEST"),
    ]
    matrix = read(tmp_path, records, inventory(web))
    assert sorted(e.header_bytes for e in matrix.edges) == [400, 480, 720]
    # The same in a second batch, when the ends are known.
    second = [entry("fd20:0:0:2::1", "fd20:0:0:3::2", 5000, packets=10, start=60, end=61)]
    (tmp_path / "b").mkdir()
    again = read(tmp_path / "b", records[:1] + second, inventory(web), batch_records=1)
    assert only_edge(again).header_bytes == 2 * 720


def test_header_bytes_can_be_chosen(tmp_path: Path) -> None:
    records = [
        entry(A, B, 0, packets=1),
        entry(A, B, 0, packets=1, protocol=17),
        entry(A, B, 0, packets=1, protocol=1),
        entry(A, B, 0, packets=1, protocol=47),
        entry("fd00::1", "fd00::2", 0, packets=1),
    ]
    header = HeaderBytes(tcp=1, udp=10, icmp=100, other=1000, ipv6_extra=10_000)
    matrix = read(tmp_path, records, header_bytes=header)
    assert sorted(e.header_bytes for e in matrix.edges) == [1111, 10_001]


def test_without_a_packet_count_no_header_is_added_and_the_coverage_says_so(tmp_path: Path) -> None:
    records = [entry(A, B, 5000), entry(A, B, 700, packets=2), entry(A, B, 0, packets=0)]
    matrix = read(tmp_path, records)
    edge = only_edge(matrix)
    assert (edge.payload_bytes, edge.header_bytes, edge.packet_count) == (5700, 104, 2)
    assert matrix.coverage.notes == (
        "1 record has no packet count, so no headers were added to its bytes",
    )
    with_all = read(tmp_path, records[1:])
    assert not any("packet count" in note for note in with_all.coverage.notes)


def test_headers_are_spread_with_the_payload(tmp_path: Path) -> None:
    # 1000 + 10 * 52 = 1520 bytes, a quarter of them in the first minute.
    edge = only_edge(read(tmp_path, [entry(A, B, 1000, packets=10, start=45, end=105)]))
    assert top_bytes(edge.series) == [1140, 380]


def test_a_packet_count_without_payload_is_traffic_of_headers(tmp_path: Path) -> None:
    edge = only_edge(read(tmp_path, [entry(A, B, 0, packets=16)]))
    assert (edge.payload_bytes, edge.header_bytes, edge.series.byte_count) == (0, 832, 832)
