"""iperf 2's CSV in its generations: who sent, who counted, and which rows ran together."""

import pytest

from netplan_planner.measuring.outputs import read_text
from netplan_planner.model import CountedBy, Measurement
from support.listed import listed
from support.probes import iperf2 as texts
from support.probes.iperf2 import CLIENT, SERVER

SENDER, RECEIVER = CountedBy.SENDER, CountedBy.RECEIVER
UP, DOWN = (CLIENT, SERVER), (SERVER, CLIENT)


def read(text: str) -> list[Measurement]:
    found, refused = read_text(text, source="run.csv")
    assert refused == []
    return found


def way(one: Measurement) -> tuple[str | None, str | None, float, CountedBy, int | None]:
    return one.src.address, one.dst.address, round(one.gbps, 6), one.counted_by, one.streams


NEW = "20260501120010.368,10.128.0.3,58996,10.128.0.2,5001,1,0.0-10.0,11765000000,9412000000\n"
PLAIN_TIME = NEW.replace(".368", "")
NEVER = NEW.replace("20260501120010.368", "19700101000000")
HEADER = (
    "time,srcaddress,srcport,dstaddr,dstport,transferid,istart,iend,bytes,speed,writecnt,writeerr,"
    "tcpretry,tcpcwnd,tcppcwnd,tcprtt,tcprttvar\n"
)
HEADED = (
    f"{HEADER}+0200:20260501140010.500,10.128.0.3,58996,10.128.0.2,5001,1,0.0,10.0,11765000000,"
    "9412000000,90000,0,17,-1,4294967295,0,0\n"
)


def stream(number: int, *, rate: int, time: str = "20260501120010", port: int = 50_000) -> str:
    ends = f"10.128.0.3,{port + number},10.128.0.2,5001"
    return f"{time},{ends},{number},0.0-10.0,{rate * 10 // 8},{rate}\n"


@pytest.mark.parametrize(
    ("text", "started_at"),
    [
        (NEW, "2026-05-01T12:00:00.368Z"),
        (PLAIN_TIME, "2026-05-01T12:00:00Z"),
        (NEVER, ""),
        (HEADED, "2026-05-01T12:00:00.500Z"),
        (f"+0000:{NEW}", "2026-05-01T12:00:00.368Z"),
        (f"{texts.CLIENT_HEADER}{NEW}", "2026-05-01T12:00:00.368Z"),
    ],
)
def test_a_row_of_every_generation(text: str, started_at: str) -> None:
    (one,) = read(text)
    assert way(one) == (*UP, 9.412, SENDER, 1)
    assert (one.started_at, one.duration_s, one.byte_count) == (started_at, 10.0, 11_765_000_000)


def test_a_header_tells_whose_count_it_is() -> None:
    (sent,) = read(HEADED)
    (received,) = read(HEADED.replace("writecnt", "readcnt"))
    assert (sent.counted_by, sent.retransmit_count, sent.note) == (SENDER, 17, "")
    assert received.counted_by is RECEIVER
    (unsaid,) = read(PLAIN_TIME)
    assert unsaid.note == "the row does not tell which end counted; time read as UTC"


FIRST, SECOND = stream(1, rate=3 * 10**9), stream(2, rate=2 * 10**9)
LATER = stream(2, rate=2 * 10**9, time="20260501120025", port=51_000)
OTHER_PORT = NEVER.replace("58996", "59000").replace("9412000000", "9400000000")


@listed(
    "text, runs",
    [
        # Streams that end together add up, unless there is a sum of them.
        (FIRST + SECOND, [(5.0, 2)]),
        (FIRST + SECOND + stream(-1, rate=5_100_000_000, port=1), [(5.1, 2)]),
        # Those that end apart, and a number that comes again, are runs of their own.
        (FIRST + LATER, [(3.0, 1), (2.0, 1)]),
        (NEVER + OTHER_PORT, [(9.412, 1), (9.4, 1)]),
    ],
)
def test_which_rows_are_one_run(text: str, runs: list[tuple[float, int]]) -> None:
    assert [(one.gbps, one.streams) for one in read(text)] == runs


def test_intervals_give_the_variation_and_the_total_the_rate() -> None:
    text = "".join(
        f"20260501120001,10.128.0.3,5900,10.128.0.2,5001,1,{span},125000000,{rate}\n"
        for span, rate in (("0.0-1.0", 900), ("1.0-2.0", 1100), ("0.0-2.0", 500_000_000))
    )
    (one,) = read(text)
    assert one.gbps == 0.5
    assert one.coefficient_of_variation == pytest.approx(200**0.5 * 10 / 1000)


def test_both_directions_with_times() -> None:
    back = PLAIN_TIME.replace(
        "10.128.0.3,58996,10.128.0.2,5001,1", "10.128.0.2,58990,10.128.0.3,5001,2"
    )
    found = read(PLAIN_TIME + back)
    assert [way(one)[:2] for one in found] == [UP, DOWN]
    assert all(one.is_bidirectional for one in found)


def test_a_new_reverse_row_has_the_sender_first() -> None:
    (one,) = read(
        NEW.replace("10.128.0.3,58996,10.128.0.2,5001", "10.128.0.2,5001,10.128.0.3,58996")
    )
    assert (way(one)[:2], one.is_reverse) == (DOWN, True)


def test_udp_rows_tell_the_receivers_count_by_its_datagrams() -> None:
    row = NEW.strip()
    (received,) = read(f"{row},0.022,850,8507,10.0,0\n")
    (sent,) = read(f"{row},0.000,0,-1,-0.000,0\n")
    assert (received.counted_by, received.note) == (
        RECEIVER,
        "850 of 8507 packets lost; time read as UTC",
    )
    assert (sent.counted_by, sent.protocol) == (SENDER, "udp")


@listed(
    ("text", "told"),
    [
        (NEVER + NEVER.replace("5001,1", "5001,2").replace("58996", "58998"), "without times"),
        (
            PLAIN_TIME.replace(
                "10.128.0.3,58996,10.128.0.2,5001", "10.128.0.2,5001,10.128.0.3,5999"
            ),
            "the row does not tell which",
        ),
        (NEW.replace("11765000000", "1765000000"), "Gbit/s, but bytes and seconds give"),
        (NEW.replace("0.0-10.0", "1.0-10.0"), "before the total"),
        (NEW + "20260501120011.368,10.128.0.3,58996,10.128.0.2,5001\n", "not a row of iperf 2"),
        (NEW + "2026050", "not a row of iperf 2"),
        (NEW.replace("20260501120010", "20269901120010"), "not a row of iperf 2"),
        (NEW.replace("9412000000", "9" * 30), "Gbit/s, more than any VM can send"),
        (NEW.replace("9412000000", "9" * 400), "not finite"),
        (NEW.replace("11765000000", "9" * 400), "more bytes than any run"),
    ],
)
def test_rows_that_cannot_be_used_are_refused(text: str, told: str) -> None:
    found, why = read_text(text, source="run.csv")
    assert len(found) == text.startswith(NEW)
    assert told in why[0].reason
    assert why[0].place.startswith("run.csv:")
