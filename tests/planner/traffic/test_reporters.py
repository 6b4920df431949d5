"""Whose report of a flow counts, chosen once for every sender and never by the record."""

import random
from datetime import timedelta
from pathlib import Path

import pytest

from netplan_planner.model import Certainty, Inventory, PathClass, Reporter
from netplan_planner.traffic import TrafficOptions, read_traffic
from support.flows.project import host, inventory, subnet
from support.flows.records import START, Json, edge_between, entry, lines, only_edge, read

WEB = host("web", "10.0.1.1", external="34.1.1.1", subnetwork="front")
WEB2 = host("web2", "10.0.1.2", subnetwork="front")
DB = host("db", "10.0.2.1", external="34.1.1.2", subnetwork="back")
LONE = host("lone", "10.0.3.1")

BOTH_LOG = inventory(WEB, WEB2, DB, subnet("front", logs=True), subnet("back", logs=True))
FRONT_LOGS = inventory(WEB, WEB2, DB, subnet("front", logs=True), subnet("back", logs=False))
BACK_LOGS = inventory(WEB, WEB2, DB, subnet("front", logs=False), subnet("back", logs=True))
NOT_STATED = inventory(WEB, WEB2, DB, LONE, subnet("front", logs=None), subnet("back", logs=None))

BY_SRC = entry("10.0.1.1", "10.0.2.1", 1000, packets=10)
BY_DEST = entry("10.0.1.1", "10.0.2.1", 1301, packets=12, by="DEST")


@pytest.mark.parametrize("known", [BOTH_LOG, FRONT_LOGS, BACK_LOGS, NOT_STATED])
def test_of_two_reports_the_source_counts(tmp_path: Path, known: Inventory) -> None:
    matrix = read(tmp_path, [BY_SRC, BY_DEST], known)
    edge = only_edge(matrix)
    assert (edge.payload_bytes, edge.packet_count, edge.record_count) == (1000, 10, 1)
    assert (edge.by_destination_bytes, edge.other_side_bytes) == (0, 1301)
    assert edge.series.byte_count == 1520
    coverage = matrix.coverage
    assert (coverage.source_reported_bytes, coverage.destination_reported_bytes) == (1000, 0)
    assert coverage.other_side_bytes == 1301
    assert (coverage.record_count, coverage.used_count) == (2, 2)


@pytest.mark.parametrize("known", [BOTH_LOG, FRONT_LOGS, BACK_LOGS, NOT_STATED])
def test_the_destination_can_be_chosen(tmp_path: Path, known: Inventory) -> None:
    matrix = read(tmp_path, [BY_SRC, BY_DEST], known, reporter=Reporter.DESTINATION)
    edge = only_edge(matrix)
    assert (edge.payload_bytes, edge.packet_count, edge.record_count) == (1301, 12, 1)
    assert (edge.by_destination_bytes, edge.other_side_bytes) == (1301, 1000)
    assert edge.series.byte_count == 1301 + 12 * 52
    assert matrix.reporter is Reporter.DESTINATION
    assert matrix.coverage.destination_reported_bytes == 1301


@pytest.mark.parametrize("known", [BOTH_LOG, FRONT_LOGS, BACK_LOGS, NOT_STATED])
def test_the_average_is_half_of_each(tmp_path: Path, known: Inventory) -> None:
    matrix = read(tmp_path, [BY_SRC, BY_DEST], known, reporter=Reporter.AVERAGE)
    edge = only_edge(matrix)
    # 2301 / 2 is 1150.5 and rounds down; headers are what the whole has beyond the payload.
    assert edge.payload_bytes == 1150
    assert edge.wire_bytes == (1000 + 520 + 1301 + 624) // 2 == 1722
    assert edge.series.byte_count == 1722
    assert (edge.packet_count, edge.by_destination_bytes) == (11, 650)
    assert edge.other_side_bytes == 1301
    assert edge.series.max_gbps * 7_500_000_000 == pytest.approx(1722.5)


@pytest.mark.parametrize("reporter", Reporter)
def test_the_only_report_of_an_unlogged_pair_counts(tmp_path: Path, reporter: Reporter) -> None:
    for record, by_destination in ((BY_SRC, 0), (BY_DEST, 1301)):
        edge = only_edge(read(tmp_path, [record], NOT_STATED, reporter=reporter))
        assert edge.payload_bytes == (by_destination or 1000)
        assert edge.by_destination_bytes == by_destination
        assert edge.other_side_bytes is None


def test_a_source_that_logs_by_the_inventory_but_is_silent_counts_nothing_and_is_named(
    tmp_path: Path,
) -> None:
    matrix = read(tmp_path, [BY_DEST], BOTH_LOG)
    assert matrix.edges == ()
    assert matrix.coverage.other_side_bytes == 1301
    assert matrix.coverage.payload_bytes == 0
    (note,) = matrix.coverage.notes
    assert "front keeps flow logs by the inventory" in note
    assert "1,301 bytes that only the other end reports are not counted" in note
    assert only_edge(read(tmp_path, [BY_DEST], BOTH_LOG, reporter=Reporter.DESTINATION))


def test_a_destination_that_is_silent_is_named_when_it_was_chosen(tmp_path: Path) -> None:
    matrix = read(tmp_path, [BY_SRC], BOTH_LOG, reporter=Reporter.DESTINATION)
    assert matrix.edges == ()
    assert "back keeps flow logs by the inventory" in matrix.coverage.notes[0]
    assert read(tmp_path, [BY_SRC], BOTH_LOG).coverage.notes == ()


def test_a_subnetwork_that_reports_something_is_not_silent(tmp_path: Path) -> None:
    elsewhere = entry("10.0.1.1", "198.51.100.7", 5, packets=1)
    matrix = read(tmp_path, [BY_DEST, elsewhere], BOTH_LOG)
    # Its own sampling lost the flow to db: nothing is taken from the other end.
    assert only_edge(matrix).payload_bytes == 5
    assert matrix.coverage.other_side_bytes == 1301
    assert matrix.coverage.notes == ()


def test_any_report_of_its_own_makes_a_subnetwork_log(tmp_path: Path) -> None:
    of_a_neighbour = entry("10.0.1.2", "10.0.2.1", 5, packets=1)
    edge = only_edge(read(tmp_path, [BY_DEST, of_a_neighbour], NOT_STATED))
    assert edge.payload_bytes == 5
    dropped = entry("10.0.1.2", "10.0.2.1", 5, packets=1, is_dropped=True)
    assert read(tmp_path, [BY_DEST, dropped], NOT_STATED).edges == ()


def test_a_report_outside_the_window_makes_nobody_log(tmp_path: Path) -> None:
    early = entry("10.0.1.2", "10.0.2.1", 5, start=-600, end=-590)
    matrix = read(tmp_path, [early, BY_DEST], NOT_STATED, since=START)
    assert only_edge(matrix).payload_bytes == 1301


def test_a_machine_without_a_known_subnetwork_logs_for_itself_alone(tmp_path: Path) -> None:
    second = host("second", "10.0.3.2")
    known = inventory(LONE, second, DB)
    records = [
        entry("10.0.3.1", "10.0.2.1", 5),
        entry("10.0.3.1", "10.0.2.1", 7, by="DEST"),
        entry("10.0.3.2", "10.0.2.1", 70, by="DEST"),
    ]
    matrix = read(tmp_path, records, known)
    assert edge_between(matrix, "lone", "db").payload_bytes == 5
    assert edge_between(matrix, "second", "db").payload_bytes == 70


def test_the_internet_is_reported_by_the_machine_it_talks_to(tmp_path: Path) -> None:
    records = [
        entry("198.51.100.7", "10.0.1.1", 300, by="DEST"),
        entry("10.0.1.1", "198.51.100.7", 4),
    ]
    for reporter in Reporter:
        matrix = read(tmp_path, records, BOTH_LOG, reporter=reporter)
        arriving = edge_between(matrix, "internet", "web")
        assert (arriving.payload_bytes, arriving.by_destination_bytes) == (300, 300)
        assert arriving.path_class is PathClass.INTERNET
        leaving = edge_between(matrix, "web", "internet")
        assert (leaving.payload_bytes, leaving.by_destination_bytes) == (4, 0)
        assert matrix.coverage.notes == (
            "2 records have no packet count, so no headers were added to their bytes",
        )


def test_the_choice_is_never_made_by_the_record(tmp_path: Path) -> None:
    # Both ends sample 300 five-tuples on their own: each misses some and overstates others.
    chance = random.Random(7)
    records, by_source, by_destination = [], 0, 0
    for port in range(300):
        sent, received = chance.randrange(1000, 9000), chance.randrange(1000, 9000)
        if chance.random() < 0.6:
            records.append(entry("10.0.1.1", "10.0.2.1", sent, ports=(port, 80)))
            by_source += sent
        if chance.random() < 0.6:
            records.append(entry("10.0.1.1", "10.0.2.1", received, ports=(port, 80), by="DEST"))
            by_destination += received
    expected = {
        Reporter.SOURCE: by_source,
        Reporter.DESTINATION: by_destination,
        Reporter.AVERAGE: (by_source + by_destination) // 2,
    }
    for reporter, byte_count in expected.items():
        edge = only_edge(read(tmp_path, records, BOTH_LOG, reporter=reporter))
        assert edge.payload_bytes == edge.series.byte_count == byte_count


def test_a_report_that_comes_in_a_later_batch_still_decides(tmp_path: Path) -> None:
    records = [
        BY_DEST,
        entry("10.0.1.1", "10.0.2.1", 9, start=120, end=130, by="DEST"),
        entry("10.0.1.1", "10.0.2.1", 1000, start=60, end=70, packets=10),
    ]
    for name, record in zip("abc", records, strict=True):
        (tmp_path / name).write_text(lines([record]))
    small = read_traffic([tmp_path], NOT_STATED, TrafficOptions(batch_records=1))
    edge = only_edge(small)
    assert (edge.payload_bytes, edge.other_side_bytes) == (1000, 1310)
    assert (edge.series.byte_count, edge.series.active_minutes) == (1520, 1)
    assert small.observed_minutes == 3


def test_reports_over_external_addresses_meet_on_one_edge(tmp_path: Path) -> None:
    # Each end sees its own internal address and the other's external one.
    records = [
        entry("10.0.1.1", "34.1.1.2", 1000),
        entry("34.1.1.1", "10.0.2.1", 1300, by="DEST"),
    ]
    for annotate in (False, True):
        if annotate:
            records = [
                entry("10.0.1.1", "34.1.1.2", 1000, src_vm=WEB, dst_vm=DB),
                entry("34.1.1.1", "10.0.2.1", 1300, by="DEST", src_vm=WEB, dst_vm=DB),
            ]
        edge = only_edge(read(tmp_path, records, NOT_STATED))
        assert edge.path_class is PathClass.SAME_ZONE_EXTERNAL
        assert edge.dst_address == "34.1.1.2"
        assert (edge.payload_bytes, edge.other_side_bytes) == (1000, 1300)
        chosen = only_edge(read(tmp_path, records, NOT_STATED, reporter=Reporter.DESTINATION))
        assert (chosen.payload_bytes, chosen.other_side_bytes) == (1300, 1000)


def test_an_external_flow_that_only_the_receiver_reports_counts(tmp_path: Path) -> None:
    record = entry("34.1.1.1", "10.0.2.1", 1300, by="DEST")
    edge = only_edge(read(tmp_path, [record], BACK_LOGS))
    assert (edge.payload_bytes, edge.path_class) == (1300, PathClass.SAME_ZONE_EXTERNAL)
    assert read(tmp_path, [record], BOTH_LOG).edges == ()


def test_a_gateways_report_is_not_added_to_a_machines(tmp_path: Path) -> None:
    gateway: Json = {
        "dest_gateway": {"project_id": "p", "location": "us-central1", "name": "tunnel-1"}
    }
    records = [
        entry("10.0.1.1", "192.168.5.5", 1000, **gateway),
        entry("10.0.1.1", "192.168.5.5", 990, by="DEST_GATEWAY", **gateway),
    ]
    for known, reporter in zip((BOTH_LOG, NOT_STATED, BOTH_LOG), Reporter, strict=True):
        edge = only_edge(read(tmp_path, records, known, reporter=reporter))
        assert edge.path_class is PathClass.HYBRID
        assert (edge.payload_bytes, edge.other_side_bytes) == (1000, 990)


def test_a_gateways_report_counts_where_nobody_else_reports(tmp_path: Path) -> None:
    gateway: Json = {
        "src_gateway": {"project_id": "p", "location": "us-central1", "name": "tunnel-1"}
    }
    record = entry("192.168.5.5", "10.0.9.9", 990, by="SRC_GATEWAY", **gateway)
    for reporter in Reporter:
        edge = only_edge(read(tmp_path, [record], NOT_STATED, reporter=reporter))
        assert (edge.payload_bytes, edge.series.byte_count) == (990, 990)


@pytest.mark.parametrize("batch_records", [1, 1000])
def test_an_address_that_changed_hands_is_counted_for_both_holders(
    tmp_path: Path, batch_records: int
) -> None:
    # web was made at minute 10, in a subnetwork that logs; who had its address before is unknown,
    # and what that one sent is known from the receiver only.
    late = host("web", "10.0.1.1", subnetwork="front", created=START + timedelta(minutes=10))
    known = inventory(late, DB, subnet("front", logs=True), subnet("back", logs=True))
    records = [
        entry("10.0.1.1", "10.0.2.1", 900, start=660, end=719, by="DEST"),
        entry("10.0.1.1", "10.0.2.1", 800, start=660, end=719),
        entry("10.0.1.1", "10.0.2.1", 70, start=60, end=119, by="DEST"),
    ]
    for name, record in zip("abc", records, strict=True):
        (tmp_path / name).write_text(lines([record]))
    matrix = read_traffic([tmp_path], known, TrafficOptions(batch_records=batch_records))
    before = edge_between(matrix, "10.0.1.1", "db")
    assert before.path_class is PathClass.UNKNOWN
    assert (before.payload_bytes, before.by_destination_bytes) == (70, 70)
    assert (before.series.byte_count, before.series.active_minutes) == (70, 1)
    after = edge_between(matrix, "web", "db")
    assert (after.payload_bytes, after.series.byte_count) == (800, 800)
    assert after.other_side_bytes == 900
    assert after.certainty is Certainty.HELD


@pytest.mark.parametrize("batch_records", [1, 1000])
def test_round_trip_times_are_those_of_the_reports_that_count(
    tmp_path: Path, batch_records: int
) -> None:
    records = [
        entry("10.0.1.1", "10.0.2.1", 5, by="DEST", rtt_ms=70),
        entry("10.0.1.1", "10.0.2.1", 5, rtt_ms=1),
        entry("10.0.1.1", "10.0.2.1", 5, by="DEST", rtt_ms=90),
    ]
    for name, record in zip("abc", records, strict=True):
        (tmp_path / name).write_text(lines([record]))
    expected = {Reporter.SOURCE: 1, Reporter.DESTINATION: 80, Reporter.AVERAGE: 70}
    for reporter, rtt_ms in expected.items():
        options = TrafficOptions(reporter=reporter, batch_records=batch_records)
        assert only_edge(read_traffic([tmp_path], NOT_STATED, options)).rtt_ms == rtt_ms
