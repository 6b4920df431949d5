"""iperf3 -J: what becomes of each member, by version, direction and end."""

import json
import statistics
from collections.abc import Callable

import pytest

from netplan_planner.errors import InputError
from netplan_planner.measuring.outputs import parse_iperf3
from netplan_planner.model import CountedBy, Measurement
from support.probes import iperf3 as shapes
from support.probes.iperf3 import Json


def parsed(*documents: Json) -> tuple[Measurement, ...]:
    text = "\n".join(json.dumps(one, indent=1) for one in documents)
    return parse_iperf3(text, source="runs.json")


def only(*documents: Json) -> Measurement:
    (one,) = parsed(*documents)
    return one


def test_a_forward_run_is_the_receivers_count() -> None:
    one = only(shapes.forward())
    assert (one.gbps, one.sender_gbps, one.counted_by) == (9.4, 9.5, CountedBy.RECEIVER)
    assert one.byte_count == round(9.4e9 * 10.05 / 8)
    assert (one.duration_s, one.omit_s, one.streams) == (10.05, 0.0, 1)
    assert (one.tool, one.tool_version, one.protocol) == ("iperf3", "3.16", "tcp")
    assert (one.started_at, one.source) == ("2023-11-14T22:13:20Z", "runs.json")
    assert (one.rtt_ms, one.min_rtt_ms, one.mss_bytes) == (2.0, 1.0, 1408)
    assert (one.max_window_bytes, one.max_receive_window_bytes) == (3_000_000, 4_000_000)
    assert (one.retransmit_count, one.is_reverse, one.is_bidirectional) == (7, False, False)
    # Both ends are told apart.
    assert (one.src.name, one.src.address) == ("client-vm", shapes.CLIENT)
    assert (one.dst.name, one.dst.address) == ("", shapes.SERVER)
    assert (one.src.kernel, one.dst.kernel) == ("Linux 6.1.0-18-cloud-amd64", None)
    assert (one.src.cpu_ratio, one.dst.cpu_ratio) == (0.4, 0.655)
    assert (one.src.congestion_control, one.dst.congestion_control) == ("cubic", "bbr")


def test_in_reverse_the_server_is_the_sender() -> None:
    one = only(shapes.reverse())
    assert one.is_reverse
    assert (one.src.address, one.dst.address) == (shapes.SERVER, shapes.CLIENT)
    assert (one.src.cpu_ratio, one.dst.cpu_ratio) == (0.655, 0.4)
    assert (one.src.congestion_control, one.dst.congestion_control) == ("cubic", "bbr")
    assert one.dst.kernel == "Linux 6.1.0-18-cloud-amd64"
    # The client's sockets received: their window and RTT are not the sender's.
    assert (one.rtt_ms, one.min_rtt_ms, one.max_window_bytes) == (None, None, None)
    assert one.retransmit_count == 7
    # The server's output brings what only the sender knows.
    document = shapes.reverse()
    one = only(document | {"server_output_json": shapes.server_side(document)})
    assert (one.rtt_ms, one.max_window_bytes) == (3.0, 6_000_000)
    assert (one.src.name, one.src.kernel) == ("server-vm", "Linux 6.1.0-18-cloud-amd64")


def test_both_directions_are_two_measurements() -> None:
    there, back = parsed(shapes.bidirectional())
    assert (there.gbps, back.gbps) == (9.4, 6.0)
    assert (there.sender_gbps, back.sender_gbps) == (9.5, 6.1)
    assert there.is_bidirectional
    assert back.is_bidirectional
    assert (there.is_reverse, back.is_reverse) == (False, True)
    assert (there.src.address, there.dst.address) == (back.dst.address, back.src.address)
    assert (there.src.cpu_ratio, there.dst.cpu_ratio) == (back.dst.cpu_ratio, back.src.cpu_ratio)
    assert (there.rtt_ms, there.max_window_bytes) == (3.0, 5_000_000)
    assert (back.rtt_ms, back.max_window_bytes) == (None, None)
    assert (there.retransmit_count, back.retransmit_count) == (7, 3)
    assert there.streams == back.streams == 2
    assert there.run_id != back.run_id


@pytest.mark.parametrize("make", [shapes.forward, shapes.reverse])
def test_both_ends_documents_name_the_same_run(make: Callable[[], Json]) -> None:
    client = make()
    mine, theirs = only(client), only(shapes.server_side(client))
    assert mine.run_id == theirs.run_id
    assert (mine.src.address, mine.dst.address) == (theirs.src.address, theirs.dst.address)
    assert mine.is_reverse == theirs.is_reverse


def test_a_server_counts_what_it_received_and_no_more() -> None:
    one = only(shapes.server_side(shapes.forward()))
    assert (one.gbps, one.counted_by, one.sender_gbps) == (9.4, CountedBy.RECEIVER, None)
    assert (one.src.cpu_ratio, one.dst.cpu_ratio) == (None, 0.655)
    assert one.mss_bytes is None
    # Without the receiver's count the sender's is taken and said.
    one = only(shapes.server_side(shapes.reverse()))
    assert (one.gbps, one.counted_by, one.sender_gbps) == (9.5, CountedBy.SENDER, None)


@pytest.mark.parametrize(
    ("test", "streams", "limit"),
    [
        ({}, 1, None),
        ({"target_bitrate": 0, "fqrate": 0}, 1, None),
        ({"target_bitrate": 200_000_000}, 1, 0.2),
        ({"target_bitrate": 200_000_000}, 4, 0.8),
        ({"target_bitrate": 500_000_000, "fqrate": 100_000_000}, 2, 0.2),
    ],
)
def test_a_rate_cap_is_that_of_all_streams(
    test: dict[str, int], streams: int, limit: float | None
) -> None:
    assert only(shapes.forward(streams=streams, **test)).bitrate_limit_gbps == limit


def test_variation_is_of_the_whole_intervals_that_count() -> None:
    document = shapes.forward(omit=2)
    rates = [1.0, 5.0, 9.0, 11.0, 10.0, 3.0]
    document["intervals"] = shapes.intervals(rates, omitted=2, last_s=0.04)
    one = only(document)
    expected = statistics.stdev([9.0, 11.0, 10.0]) / 10.0
    assert one.coefficient_of_variation == pytest.approx(expected)
    assert (one.omit_s, one.mtu_bytes) == (2, 1460)


@pytest.mark.parametrize(("count", "kept"), [(0, 0), (12, 12), (-1, None), (None, None)])
def test_retransmissions_that_were_not_counted_are_unknown(
    count: int | None, kept: int | None
) -> None:
    document = shapes.forward()
    document["end"]["sum_sent"]["retransmits"] = count
    assert only(document).retransmit_count == kept


def test_udp_says_what_was_lost() -> None:
    document = shapes.forward(protocol="UDP")
    document["end"]["sum_received"] |= {"lost_packets": 12, "packets": 400}
    one = only(document)
    assert (one.protocol, one.counted_by) == ("udp", CountedBy.RECEIVER)
    assert one.note == "12 of 400 packets lost"
    # Old UDP has one sum, which is the sender's.
    document["end"] = {"streams": [{"udp": {}}], "sum": shapes.counted(1.0)}
    assert only(document).counted_by is CountedBy.SENDER


def old_document(*, is_sender: bool) -> Json:
    """Return a document in the shape of 3.0: neither `reverse` nor `sender`."""
    document = shapes.forward()
    del document["start"]["test_start"]["reverse"]
    document["start"]["version"] = "iperf 3.0.11"
    stream: Json = {"socket": 4, "bytes": 1}
    document["intervals"] = [{"streams": [stream | ({"retransmits": 0} if is_sender else {})]}]
    for one in document["end"]["streams"]:
        one["sender"] = {"bytes": 1}
    return document


def test_before_3_1_the_senders_counters_tell_the_direction() -> None:
    one = only(old_document(is_sender=True))
    assert (one.src.address, one.is_reverse, one.tool_version) == (shapes.CLIENT, False, "3.0.11")
    with pytest.raises(
        InputError, match=r"runs\.json:/start/test_start: .*so the sender is unknown"
    ):
        only(old_document(is_sender=False))


@pytest.mark.parametrize(
    ("stamp", "started_at"),
    [
        ({"timesecs": 1_700_000_000, "timemillisecs": 1_700_000_000_250}, "22:13:20.250Z"),
        ({"time": "Tue, 14 Nov 2023 22:13:20 GMT"}, "22:13:20Z"),
        ({"time": "yesterday"}, ""),
        ({"timesecs": 1e300}, ""),
        (None, ""),
    ],
)
def test_the_date_is_in_utc_or_unknown(stamp: Json | None, started_at: str) -> None:
    document = shapes.forward()
    document["start"]["timestamp"] = stamp
    assert only(document).started_at.removeprefix("2023-11-14T") == started_at


def test_a_name_that_was_connected_to_is_kept() -> None:
    document = shapes.forward()
    document["start"]["connecting_to"]["host"] = "backend-1"
    document["start"]["connected"][0]["remote_host"] = f"::ffff:{shapes.SERVER}"
    assert (only(document).dst.name, only(document).dst.address) == ("backend-1", shapes.SERVER)


def test_warnings_before_the_document_are_passed_over() -> None:
    text = f"warning: this system has no tcp_info\n[ ID] {{\n{json.dumps(shapes.forward())}\n"
    assert len(parse_iperf3(text, source="s")) == 1
    assert len(parse_iperf3(text.encode(), source="s")) == 1


def test_several_documents_tell_their_lines() -> None:
    first, second = parsed(shapes.forward(), shapes.reverse())
    assert (first.place, second.is_reverse) == ("1", True)
    assert int(second.place) == json.dumps(shapes.forward(), indent=1).count("\n") + 2


def test_a_stream_of_events_is_the_document_it_tells() -> None:
    document = shapes.forward()
    document["intervals"] = shapes.intervals([9.0, 11.0])
    twice = shapes.events_of(document) * 2
    events = parse_iperf3(twice, source="runs.json")
    assert len(events) == 2
    assert events[0].gbps == only(document).gbps
    assert events[0].coefficient_of_variation == only(document).coefficient_of_variation
    # Without its end it is refused.
    with pytest.raises(InputError, match="not the output of iperf3 -J"):
        parse_iperf3(shapes.events_of(document).rsplit("\n", 2)[0], source="s")
