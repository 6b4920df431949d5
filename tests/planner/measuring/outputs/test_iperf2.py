"""iperf 2's text: who sent, who counted, and which lines add up."""

import pytest

from netplan_planner.measuring.outputs import read_text
from netplan_planner.model import CountedBy, Measurement
from support.listed import listed
from support.probes import iperf2 as texts
from support.probes.iperf2 import CLIENT, SERVER

SENDER, RECEIVER = CountedBy.SENDER, CountedBy.RECEIVER


def read(text: str) -> list[Measurement]:
    found, refused = read_text(text, source="run.txt")
    assert refused == []
    return found


def way(one: Measurement) -> tuple[str | None, str | None, float, CountedBy, int | None]:
    return one.src.address, one.dst.address, round(one.gbps, 6), one.counted_by, one.streams


UP, DOWN = (CLIENT, SERVER), (SERVER, CLIENT)


@listed(
    ("text", "expected"),
    [
        (texts.PLAIN, [(*UP, 9.41, SENDER, 1)]),
        (texts.SERVER_SIDE, [(*UP, 9.38, RECEIVER, 1)]),
        (texts.PARALLEL, [(*UP, 0.501, SENDER, 2)]),
        (texts.ENHANCED, [(*UP, 0.3, SENDER, 1)]),
        (texts.REVERSE, [(*DOWN, 0.3, RECEIVER, 1)]),
        (texts.REVERSE_SERVER, [(*DOWN, 0.31, SENDER, 1)]),
        (texts.FULL_DUPLEX, [(*UP, 0.602, SENDER, 2), (*DOWN, 0.4, RECEIVER, 2)]),
        (texts.DUAL, [(*DOWN, 0.2, RECEIVER, 1), (*UP, 0.3, SENDER, 1)]),
        (texts.DUAL_SERVER, [(*UP, 0.3, RECEIVER, 1), (*DOWN, 0.198, SENDER, 1)]),
        (texts.TRADE_OFF, [(*UP, 0.3, SENDER, 1), (*DOWN, 0.2, RECEIVER, 1)]),
        (texts.UDP, [(*UP, 0.045, RECEIVER, 1)]),
        (texts.SUM_ONLY, [(None, SERVER, 0.601, SENDER, 2)]),
        (texts.OLD, [(*UP, 0.931, SENDER, 1)]),
        (texts.PLAIN + texts.REVERSE, [(*UP, 9.41, SENDER, 1), (*DOWN, 0.3, RECEIVER, 1)]),
    ],
)
def test_who_sent_and_who_counted(
    text: str, expected: list[tuple[str | None, str, float, CountedBy, int]]
) -> None:
    assert [way(one) for one in read(text)] == expected


@listed(
    "text, both, reverse",
    [
        (texts.PLAIN, [False], [False]),
        (texts.REVERSE, [False], [True]),
        (texts.REVERSE_SERVER, [False], [True]),
        (texts.FULL_DUPLEX, [True, True], [False, True]),
        (texts.DUAL, [True, True], [True, False]),
        (texts.DUAL_SERVER, [True, True], [False, True]),
        (texts.TRADE_OFF, [False, False], [False, False]),
    ],
)
def test_both_directions_at_once(text: str, both: list[bool], reverse: list[bool]) -> None:
    found = read(text)
    assert [one.is_bidirectional for one in found] == both
    assert [one.is_reverse for one in found] == reverse


@listed(
    ("rate", "gbps"),
    [
        ("941 Kbits/sec", 941e-6),
        ("9.41 Gbits/sec", 9.41),
        ("1.20 Tbits/sec", 1200.0),
        ("100459422 bits/sec", 0.100459422),
        ("71.6 MBytes/sec", 71.6 * 2**20 * 8 / 1e9),
        ("1.10 GBytes/sec", 1.1 * 2**30 * 8 / 1e9),
        ("12261 KBytes/sec", 12261 * 2**10 * 8 / 1e9),
        ("12714044 Bytes/sec", 12714044 * 8 / 1e9),
    ],
)
def test_bits_count_in_thousands_and_bytes_in_1024(rate: str, gbps: float) -> None:
    (one,) = read(texts.PLAIN.replace("9.41 Gbits/sec", rate))
    assert one.gbps == pytest.approx(gbps, rel=1e-12)


def test_the_enhanced_report_tells_of_the_senders_socket() -> None:
    (one,) = read(texts.ENHANCED)
    assert (one.retransmit_count, one.max_window_bytes, one.rtt_ms) == (5, 1151 * 1024, 8.0)
    assert (one.mss_bytes, one.min_rtt_ms) == (1408, 28.0)
    assert one.started_at == "2026-05-01T03:52:28Z"
    assert one.coefficient_of_variation == pytest.approx(2**0.5 / 300)
    assert (one.duration_s, one.place) == (2.0055, "9")


@listed(
    "text, fields",
    [
        # Bytes are kept only where they are exact; a date in another zone is not guessed.
        (texts.PLAIN, {"byte_count": None}),
        (texts.PLAIN.replace("71.8 MBytes", "12714044 Bytes"), {"byte_count": 12_714_044}),
        (texts.ENHANCED.replace("(UTC)", "(CST)"), {"started_at": ""}),
        (texts.OLD, {"mss_bytes": 1408}),
        (texts.UDP, {"gbps": 0.045, "sender_gbps": 0.05, "protocol": "udp"}),
        (texts.UDP, {"note": "850 of 8507 packets lost"}),
        # The variation of streams is that of their sum.
        (texts.PARALLEL, {"coefficient_of_variation": pytest.approx(0.2 / 2**0.5 / 0.5)}),
    ],
)
def test_what_else_a_report_tells(text: str, fields: dict[str, object]) -> None:
    (one,) = read(text)
    assert {name: getattr(one, name) for name in fields} == fields


def test_the_name_that_was_connected_to_is_kept() -> None:
    (one,) = read(texts.OLD)
    assert (one.dst.name, one.dst.address) == ("backend-1", SERVER)


def test_clients_of_a_server_are_measured_apart() -> None:
    other = texts.SERVER_SIDE.replace(CLIENT, "10.128.0.9").replace("9.38", "1.5")
    found = read(texts.SERVER_SIDE + other.replace(texts.SERVER_HEADER, ""))
    assert [(one.src.address, one.gbps) for one in found] == [(CLIENT, 9.38), ("10.128.0.9", 1.5)]


@listed(
    ("text", "place", "told"),
    [
        (texts.CLIENT_HEADER, "run.txt:1", "the output ends too early"),
        (f"{texts.CLIENT_HEADER}tcp connect failed: Connection refused\n", "run.txt:1", "refused"),
        (texts.PLAIN.rpartition("[  1]")[0], "run.txt:1", "the output ends too early"),
        (
            texts.PLAIN.replace("9.41 Gbits/sec", "0.00 bits/sec"),
            "run.txt:7",
            "no data arrived, or none was counted",
        ),
        (texts.PARALLEL.rpartition("[SUM]")[0], "run.txt:1", "before the total"),
        (texts.ENHANCED.rpartition("[  1]")[0], "run.txt:1", "before the total"),
        (
            texts.FULL_DUPLEX.replace("[  2] 0.0", "[  2] cut"),
            "run.txt:1",
            "before the total",
        ),
        (texts.PARALLEL.replace("[  1] local", "[  1] broken"), "run.txt:8", "no connection"),
        (
            texts.PLAIN + texts.connected(2, port=1) + texts.result(1, 0, 1, "1 bits/sec"),
            "run.txt:9",
            "no connection",
        ),
    ],
)
def test_a_text_that_cannot_be_used_says_where(text: str, place: str, told: str) -> None:
    one = read_text(text, source="run.txt")[1][0]
    assert one.place == place
    assert told in one.reason


def test_a_text_cut_anywhere_never_gives_another_rate() -> None:
    for text, gbps in ((texts.PLAIN, 9.41), (texts.PARALLEL, 0.501), (texts.ENHANCED, 0.3)):
        for length in range(len(text)):
            found, why = read_text(text[:length], source="run.txt")
            # The first interval of a text that ends there is all that a run of that length shows.
            is_first_interval = bool(found) and found[0].duration_s == 1.0
            assert is_first_interval or [one.gbps for one in found] in ([], [gbps])
            assert bool(found) != bool(why)
