"""What edges add up, as tables over one value; single facts are in `data/traffic`."""

import random
from pathlib import Path

import pytest

from netplan_planner.model import Reporter
from support.flows.project import host, inventory, subnet
from support.flows.records import Json, edge_between, entry, only_edge, read, top_bytes
from support.listed import listed

A, B, C = "10.0.0.1", "10.0.0.2", "10.0.0.3"
GBPS = 7_500_000_000
"""Bytes of a minute at 1 Gbit/s."""


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


@listed("name", SPREADS)
def test_bytes_are_spread_over_the_minutes_that_a_record_covers(tmp_path: Path, name: str) -> None:
    start, end, payload, expected = SPREADS[name]
    edge = only_edge(read(tmp_path, [entry(A, B, payload, start=start, end=end)]))
    assert [b for b in top_bytes(edge.series) if b] == expected
    assert edge.series.byte_count == edge.payload_bytes == payload


def test_records_of_one_minute_add_up(tmp_path: Path) -> None:
    records = [entry(A, B, 100 + i, start=i, end=i + 1, ports=(i, 80)) for i in range(50)]
    edge = only_edge(read(tmp_path, records))
    assert top_bytes(edge.series) == [50 * 100 + 49 * 50 // 2]
    assert (edge.record_count, edge.series.active_minutes) == (50, 1)


@listed(
    ("protocol", "header"),
    [(6, 52), (17, 28), (1, 28), (58, 28), (47, 20), (50, 20), (0, 20)],
    ids=["tcp", "udp", "icmp", "icmpv6", "gre", "esp", "hop-by-hop"],
)
def test_headers_are_added_by_protocol(tmp_path: Path, protocol: int, header: int) -> None:
    edge = only_edge(read(tmp_path, [entry(A, B, 5000, packets=10, protocol=protocol)]))
    assert (edge.payload_bytes, edge.header_bytes) == (5000, 10 * header)
    assert edge.packet_count == 10
    assert edge.wire_bytes == edge.series.byte_count == 5000 + 10 * header


def at_minutes(minutes: dict[int, int], src: str = A, dst: str = B) -> list[Json]:
    """Return a record of each minute with its bytes."""
    return [
        entry(src, dst, count, start=60 * minute, end=60 * minute + 59)
        for minute, count in minutes.items()
    ]


def test_percentiles_are_of_all_minutes_by_nearest_rank(tmp_path: Path) -> None:
    # 100 minutes with 1 to 100 times 0.01 Gbit/s, in an order that is not theirs.
    minutes = {(37 * m) % 100: (m + 1) * GBPS // 100 for m in range(100)}
    series = only_edge(read(tmp_path, at_minutes(minutes))).series
    found = (series.p50_gbps, series.p95_gbps, series.p99_gbps, series.max_gbps)
    assert found == pytest.approx((0.50, 0.95, 0.99, 1.00))
    assert series.top_gbps == pytest.approx([1.0 - i / 100 for i in range(10)])
    assert series.active_minutes == 100


@listed(
    ("active", "p50", "p95", "p99"),
    # The rank of p95 of 60 minutes is ceil(57) = 57, the fourth greatest; of p99 the greatest.
    [(1, 0, 0, 1), (3, 0, 0, 1), (4, 0, 1, 1), (30, 0, 1, 1), (31, 1, 1, 1)],
)
def test_idle_minutes_count_as_zero(
    tmp_path: Path, active: int, p50: float, p95: float, p99: float
) -> None:
    # Another pair makes the window an hour.
    other = at_minutes({0: 1, 59: 1}, C, B)
    matrix = read(tmp_path, at_minutes(dict.fromkeys(range(active), GBPS)) + other)
    series = edge_between(matrix, A, B).series
    assert matrix.observed_minutes == 60
    assert (series.p50_gbps, series.p95_gbps, series.p99_gbps) == (p50, p95, p99)
    assert series.max_gbps == 1
    assert series.top_gbps == (1.0,) * min(active, 10) + (0.0,) * (10 - min(active, 10))
    assert series.minutes_at_least(0.5) == min(active, 10)


@listed(
    ("times_ms", "median_ms"),
    [
        ([22], 22),
        ([3, 1, 2], 2),
        ([4, 1, 2, 3], 2.5),
        ([1, 1, 1, 100], 1),
        ([1, 1, 100, 100], 50.5),
        ([0.25, 0.5, 0.75], 0.5),
        # 1.23, 1.24 and 1.26 share their first two digits: their mean stands for each.
        ([1.23, 1.24, 1.26], (1.23 + 1.24 + 1.26) / 3),
    ],
)
def test_the_round_trip_time_is_the_median(
    tmp_path: Path, times_ms: list[float], median_ms: float
) -> None:
    records = [entry(A, B, 1, rtt_ms=rtt, ports=(i, 80)) for i, rtt in enumerate(times_ms)]
    assert only_edge(read(tmp_path, records)).rtt_ms == pytest.approx(median_ms, rel=1e-3)


def test_whose_report_counts_is_never_chosen_by_the_record(tmp_path: Path) -> None:
    # Both ends sample 300 five-tuples on their own: each misses some and overstates others.
    chance, records = random.Random(7), []
    sums = {"SRC": 0, "DEST": 0}
    for port in range(300):
        for by in sums:
            payload = chance.randrange(1000, 9000)
            if chance.random() < 0.6:
                records.append(entry(A, B, payload, ports=(port, 80), by=by))
                sums[by] += payload
    expected = {
        Reporter.SOURCE: sums["SRC"],
        Reporter.DESTINATION: sums["DEST"],
        Reporter.AVERAGE: sum(sums.values()) // 2,
    }
    ends = (host("web", A, subnetwork="front"), host("db", B, subnetwork="back"))
    known = inventory(*ends, subnet("front", logs=True), subnet("back", logs=True))
    for reporter, byte_count in expected.items():
        edge = only_edge(read(tmp_path, records, known, reporter=reporter))
        assert edge.payload_bytes == edge.series.byte_count == byte_count
