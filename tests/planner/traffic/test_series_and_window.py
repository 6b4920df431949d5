"""Percentiles over all observed minutes, the window they rest on, and what else edges add up."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from netplan_planner.model import OwnerKind, TrafficMatrix
from support.flows.project import host, inventory
from support.flows.records import START, Json, edge_between, entry, only_edge, read

A, B, C = "10.0.0.1", "10.0.0.2", "10.0.0.3"
GBPS = 7_500_000_000
"""Bytes of a minute at 1 Gbit/s."""


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
    assert series.p50_gbps == pytest.approx(0.50)
    assert series.p95_gbps == pytest.approx(0.95)
    assert series.p99_gbps == pytest.approx(0.99)
    assert series.max_gbps == pytest.approx(1.00)
    assert series.top_gbps == pytest.approx([1.0 - i / 100 for i in range(10)])
    assert series.active_minutes == 100


@pytest.mark.parametrize(
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


def test_one_minute_is_every_percentile(tmp_path: Path) -> None:
    matrix = read(tmp_path, at_minutes({0: 3 * GBPS}))
    series = only_edge(matrix).series
    assert {series.p50_gbps, series.p95_gbps, series.p99_gbps, series.max_gbps} == {3.0}
    assert series.top_gbps == (3.0,)
    assert (matrix.start, matrix.end) == (START, START + timedelta(minutes=1))


def test_a_machines_series_is_of_its_minutes_and_not_of_its_edges(tmp_path: Path) -> None:
    # Two peers, busy one after the other: the sum never exceeds 1 Gbit/s, but is always 1.
    web = host("web", A)
    first = at_minutes(dict.fromkeys(range(10), GBPS), A, B)
    second = at_minutes(dict.fromkeys(range(10, 20), GBPS), A, C)
    third = at_minutes(dict.fromkeys(range(5), 2 * GBPS), B, A)
    matrix = read(tmp_path, first + second + third, inventory(web))
    (vm,) = matrix.vms
    assert matrix.owners[vm.owner].kind is OwnerKind.VM
    assert (vm.egress.p50_gbps, vm.egress.max_gbps, vm.egress.active_minutes) == (1, 1, 20)
    assert vm.egress.byte_count == 20 * GBPS
    assert edge_between(matrix, "web", B).series.p95_gbps == 1
    # Rank 10 of 20 minutes, ten of which are idle.
    assert edge_between(matrix, "web", B).series.p50_gbps == 0
    assert edge_between(matrix, "web", C).series.active_minutes == 10
    assert (vm.ingress.p50_gbps, vm.ingress.p95_gbps, vm.ingress.active_minutes) == (0, 2, 5)
    assert vm.egress_outside_vpc.byte_count == 0


def test_a_machines_egress_outside_the_vpc_is_kept_apart(tmp_path: Path) -> None:
    web, db = host("web", A), host("db", B, external="34.1.2.3")
    records = [
        entry(A, B, 100, src_vm=web, dst_vm=db),
        entry(A, "34.1.2.3", 20, src_vm=web, dst_vm=db),
        entry(A, "203.0.113.5", 3, src_vm=web, dest_location={"continent": "America"}),
        entry("198.51.100.9", A, 4000, by="DEST", dst_vm=web, src_location={"continent": "Europe"}),
    ]
    matrix = read(tmp_path, records, inventory(web, db))
    by_name = {matrix.owners[vm.owner].name: vm for vm in matrix.vms}
    vm = by_name["web"]
    assert (vm.egress.byte_count, vm.egress_outside_vpc.byte_count) == (123, 23)
    assert (vm.sent_to_internet_bytes, vm.received_from_internet_bytes) == (3, 4000)
    assert vm.ingress.byte_count == 4000
    assert by_name["db"].ingress.byte_count == 120
    assert by_name["db"].egress.byte_count == 0


def test_a_silence_that_is_longer_than_the_gap_is_left_out_of_the_window(tmp_path: Path) -> None:
    # Minutes 0 and 1 and 12: ten silent minutes between.
    records = at_minutes({0: GBPS, 1: GBPS, 12: GBPS})
    kept = read(tmp_path, records, gap_minutes=10)
    assert (kept.observed_minutes, only_edge(kept).series.p50_gbps) == (13, 0)
    assert not any("gap" in note for note in kept.coverage.notes)
    left_out = read(tmp_path, records, gap_minutes=9)
    assert (left_out.observed_minutes, only_edge(left_out).series.p50_gbps) == (3, 1)
    assert left_out.end - left_out.start == timedelta(minutes=13)
    assert left_out.observed_seconds == 180
    assert "a gap of 10 minutes without any record" in left_out.coverage.notes[0]


def test_gaps_are_of_the_whole_input_and_not_of_a_pair(tmp_path: Path) -> None:
    records = at_minutes({0: GBPS, 99: GBPS}) + at_minutes({50: 1}, C, B)
    matrix = read(tmp_path, records, gap_minutes=47)
    assert matrix.observed_minutes == 3
    assert "2 gaps of 97 minutes without any record" in matrix.coverage.notes[0]


def test_a_gap_of_weeks_is_told_in_days(tmp_path: Path) -> None:
    records = at_minutes({0: GBPS, 41 * 24 * 60: GBPS})
    kept = read(tmp_path, records, gap_minutes=60)
    assert "a gap of 41 days without any" in kept.coverage.notes[0]


def test_a_long_record_is_no_gap(tmp_path: Path) -> None:
    records = [entry(A, B, 900, start=0, end=900), *at_minutes({20: 1})]
    assert read(tmp_path, records, gap_minutes=5).observed_minutes == 21
    assert read(tmp_path, records, gap_minutes=4).observed_minutes == 16


def test_the_window_is_of_whole_minutes_in_utc(tmp_path: Path) -> None:
    record = entry(A, B, 1)
    record["jsonPayload"] |= {
        "start_time": "2026-03-02T12:00:59.5+02:00",
        "end_time": "2026-03-02T12:01:00.5+02:00",
    }
    matrix = read(tmp_path, [record])
    assert (matrix.start, matrix.end) == (START, START + timedelta(minutes=2))
    assert matrix.start.tzinfo is UTC


def test_since_and_until_take_records_by_their_start(tmp_path: Path) -> None:
    records = [entry(A, B, 10**i, start=60 * i, end=60 * i + 90) for i in range(5)]

    def between(first: int | None, last: int | None) -> TrafficMatrix:
        return read(
            tmp_path,
            records,
            since=None if first is None else START + timedelta(minutes=first),
            # Without a zone a time is UTC.
            until=None if last is None else datetime(2026, 3, 2, 10, last),
        )

    middle = between(1, 3)
    assert only_edge(middle).payload_bytes == 110
    assert middle.coverage.excluded == (("outside the window asked for", 3),)
    assert middle.coverage.examples == ()
    assert middle.observed_minutes == 3
    assert middle.start == START + timedelta(minutes=1)
    assert only_edge(between(None, 1)).payload_bytes == 1
    assert only_edge(between(4, None)).payload_bytes == 10_000
    assert only_edge(between(None, None)).payload_bytes == 11_111


def test_dropped_packets_are_counted_apart(tmp_path: Path) -> None:
    records = [
        entry(A, B, 1000, packets=10),
        entry(A, B, 500, packets=5, is_dropped=True),
        entry(A, B, 70, packets=1, is_dropped=True, by="DEST"),
        entry(A, B, 1, start=600, end=601, packets=1, is_dropped=True),
    ]
    matrix = read(tmp_path, records)
    edge = only_edge(matrix)
    assert (edge.payload_bytes, edge.header_bytes, edge.record_count) == (1000, 520, 1)
    assert (edge.dropped_bytes, edge.dropped_packets) == (571, 7)
    assert edge.series.byte_count == 1520
    assert matrix.coverage.dropped_packets == 7
    assert matrix.coverage.excluded == ()
    assert matrix.coverage.used_count == 4
    # They show that the input covers the time.
    assert matrix.observed_minutes == 11


def test_a_pair_that_only_drops_is_no_edge_but_its_packets_are_counted(tmp_path: Path) -> None:
    records = [entry(A, B, 1000), entry(A, C, 500, packets=5, is_dropped=True)]
    matrix = read(tmp_path, records)
    assert only_edge(matrix).payload_bytes == 1000
    assert matrix.coverage.dropped_packets == 5


@pytest.mark.parametrize(
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


def test_no_round_trip_time_is_none_and_zero_is_none(tmp_path: Path) -> None:
    assert only_edge(read(tmp_path, [entry(A, B, 1)])).rtt_ms is None
    assert only_edge(read(tmp_path, [entry(A, B, 1, rtt_ms=0)])).rtt_ms is None
    # The older field holds whole milliseconds as text; the finer one comes first.
    assert only_edge(read(tmp_path, [entry(A, B, 1, rtt_msec="22")])).rtt_ms == 22
    both = entry(A, B, 1, rtt_ms=21.5, rtt_msec="22")
    assert only_edge(read(tmp_path, [both])).rtt_ms == 21.5


def test_bytes_from_records_of_more_than_a_minute_are_coarse(tmp_path: Path) -> None:
    web = host("web", A)
    records = [
        entry(A, B, 700, start=0, end=60),
        entry(A, B, 200, start=0, end=60.001),
        entry(A, C, 100, start=0, end=900),
    ]
    matrix = read(tmp_path, records, inventory(web))
    assert edge_between(matrix, "web", B).coarse_bytes == 200
    assert edge_between(matrix, "web", C).coarse_bytes == 100
    assert matrix.vms[0].coarse_ratio == 0.3
