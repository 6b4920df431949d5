"""netperf: every output format, both directions, and tests that measure no throughput."""

import json

import pytest

from netplan_planner.measuring.outputs import read_text
from netplan_planner.model import CountedBy, Measurement
from support.listed import listed

SENDER, RECEIVER = CountedBy.SENDER, CountedBy.RECEIVER
ENDS = "from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.128.0.3 () port 20001 AF_INET"
STREAM = f"MIGRATED TCP STREAM TEST {ENDS} : demo\n"
MAERTS = f"MIGRATED TCP MAERTS TEST {ENDS}\n"
TABLE = """\
Recv   Send    Send
Socket Socket  Message  Elapsed
Size   Size    Size     Time     Throughput
bytes  bytes   bytes    secs.    10^6bits/sec

 87380  16384  16384    10.02      9412.34
"""
TABLE_WITH_CPU = """\
Recv   Send    Send                          Utilization       Service Demand
Socket Socket  Message  Elapsed              Send     Recv     Send    Recv
Size   Size    Size     Time     Throughput  local    remote   local   remote
bytes  bytes   bytes    secs.    10^9bits/s  % S      % S      us/KB   us/KB

 87380  16384  16384    10.02         9.41   12.30    20.10    0.857   1.400
"""
UDP_TABLE = """\
Socket  Message  Elapsed      Messages
Size    Size     Time         Okay Errors   Throughput
bytes   bytes    secs            #      #   10^6bits/sec

212992   65507   10.00      123456      0    6469.50
212992           10.00      123400           6466.00
"""
CSV = """\
catcher: timer popped with times_up != 0
Throughput,Throughput Units,Elapsed Time (sec),Local Transport Retransmissions,\
Remote Transport Retransmissions,Transport MSS bytes,Confidence Iterations Run
9412.34,10^6bits/s,10.02,17,-1,1408,1
"""
COLUMNS = """\
Throughput Throughput  Elapsed Local           Local
           Units       Time    Transport       CPU
                       (sec)   Retransmissions Util
                                               %
9412.34    10^6bits/s  10.02   17              30.31
"""
KEYS = """\
THROUGHPUT=9412.34
THROUGHPUT_UNITS=10^6bits/s
ELAPSED_TIME=10.02
DIRECTION=Send
PROTOCOL=TCP
TRANSPORT_MSS=1408
LOCAL_TRANSPORT_RETRANS=17
REMOTE_TRANSPORT_RETRANS=-1
LOCAL_CONG_CONTROL="cubic"
LOCAL_SYSNAME=Linux
LOCAL_RELEASE=6.1.0-18-cloud-amd64
LOCAL_CPU_UTIL=12.50
LOCAL_CPU_COUNT=16
COMMAND_LINE="netperf -H 10.128.0.3 -t omni -- -k all"
"""


def read(text: str) -> list[Measurement]:
    found, refused = read_text(text, source="run.txt")
    assert refused == []
    return found


def only(text: str) -> Measurement:
    (one,) = read(text)
    return one


@pytest.mark.parametrize("table", [TABLE, CSV, COLUMNS, KEYS])
def test_every_format_says_the_same(table: str) -> None:
    one = only(STREAM + table)
    assert one.gbps == pytest.approx(9.41234)
    assert one.counted_by is SENDER
    assert (one.duration_s, one.streams, one.protocol) == (10.02, 1, "tcp")
    assert (one.src.address, one.dst.address) == (None, "10.128.0.3")
    assert one.retransmit_count == (None if table is TABLE else 17)
    assert not one.is_reverse
    # The table with processor time.
    assert only(STREAM + TABLE_WITH_CPU).gbps == 9.41


@pytest.mark.parametrize("table", [TABLE, CSV, COLUMNS, KEYS.replace("Send", "Recv")])
def test_backwards_the_other_end_sends_and_this_one_counts(table: str) -> None:
    one = only(MAERTS + table)
    assert (one.src.address, one.dst.address) == ("10.128.0.3", None)
    assert (one.counted_by, one.is_reverse) == (RECEIVER, True)
    # The other end's retransmissions are not known: netperf writes -1.
    assert one.retransmit_count is None


def test_keys_need_no_banner() -> None:
    one = only(KEYS)
    assert (one.mss_bytes, one.src.congestion_control) == (1408, "cubic")
    assert one.src.kernel == "Linux 6.1.0-18-cloud-amd64"
    assert one.command == "netperf -H 10.128.0.3 -t omni -- -k all"
    # An eighth of 16 processors.
    assert one.src.cpu_ratio == 2.0


def test_several_results_of_keys_are_several_runs() -> None:
    first, second = read(KEYS + KEYS.replace("9412.34", "1000.00"))
    assert [round(first.gbps, 5), second.gbps] == [9.41234, 1.0]
    assert (first.place, second.place) == ("1", "15")
    # Keys belong to the result that they stand with.
    lines = KEYS.splitlines(keepends=True)
    text = "".join((lines[3], *lines[:3]))
    assert [one.is_reverse for one in read(text + text.replace("Send", "Recv"))] == [False, True]


def test_the_receivers_count_is_taken_where_it_was_asked_for() -> None:
    there = only(f"{KEYS}REMOTE_RECV_THROUGHPUT=9400.00\n")
    back = only(f"{KEYS.replace('Send', 'Recv')}REMOTE_SEND_THROUGHPUT=9500.00\n")
    assert (there.gbps, there.counted_by) == (9.4, RECEIVER)
    assert there.sender_gbps == pytest.approx(9.41234)
    assert back.gbps == pytest.approx(9.41234)
    assert back.sender_gbps == 9.5


def test_udp_counts_what_arrived() -> None:
    one = only(STREAM.replace("TCP", "UDP") + UDP_TABLE)
    assert (one.gbps, one.sender_gbps) == (6.466, 6.4695)
    assert (one.counted_by, one.protocol, one.duration_s) == (RECEIVER, "udp", 10.0)


@listed(
    "units, gbps",
    [
        ("10^3bits/s", 941.234e-6),
        ("10^6bits/sec", 941.234e-3),
        ("10^9bits/s", 941.234),
        ("MBytes/s", 941.234 * 2**20 * 8 / 1e9),
        ("GBytes/s", 941.234 * 2**30 * 8 / 1e9),
        ("KBytes/sec", 941.234 * 2**10 * 8 / 1e9),
    ],
)
def test_units_of_the_output_are_taken(units: str, gbps: float) -> None:
    text = KEYS.replace("9412.34", "941.234").replace("10^6bits/s", units)
    assert only(text).gbps == pytest.approx(gbps, rel=1e-12)


@listed(
    ("text", "told"),
    [
        (STREAM, "ends before its result"),
        (STREAM + TABLE.rpartition("\n\n")[0], "ends before its result"),
        (STREAM.replace("STREAM", "REQUEST/RESPONSE") + TABLE, "request/response"),
        (STREAM.replace("STREAM", "Connect/Request/Response") + TABLE, "request/response"),
        (KEYS.replace("10^6bits/s", "Trans/s"), "request/response"),
        (KEYS.replace("10^6bits/s", "furlongs"), "'furlongs', which is not a rate"),
        (KEYS.replace("9412.34", "many"), "'many' is not a number"),
        (KEYS.replace("9412.34", "nan"), "'nan' is not a number"),
        (KEYS.replace("9412.34", "0.00"), "no data arrived, or none was counted"),
        (KEYS.replace("9412.34", "1e30"), "Gbit/s, more than any VM can send"),
        (KEYS.replace("Send", "Send|Recv"), "one value for both directions"),
        (
            "THROUGHPUT=1\nTHROUGHPUT_UNITS=10^6bits/s\n",
            "the sender is unknown: no banner, no DIRECTION",
        ),
    ],
)
def test_an_output_that_cannot_be_used_says_why(text: str, told: str) -> None:
    found, (why,) = read_text(text, source="run.txt")
    assert found == []
    assert told in why.reason
    assert why.place == "run.txt:1"
    # A run after one that failed is read.
    (one,), (why,) = read_text(STREAM + MAERTS + TABLE, source="run.txt")
    assert (why.place, one.place, one.is_reverse) == ("run.txt:1", "2", True)


def entry(*texts: str, began_s: float) -> list[object]:
    """Return outputs of processes that ran at once, as PerfKitBenchmarker keeps them."""
    return [list(texts), [""] * len(texts), [0] * len(texts), began_s, began_s + 0.01]


def test_processes_that_ran_at_once_add_up() -> None:
    document = [
        entry(STREAM + CSV, STREAM + CSV.replace("9412.34", "500.00"), began_s=1.7e9),
        entry(MAERTS + CSV, began_s=1.7e9 + 1),
    ]
    there, back = read(json.dumps(document))
    assert there.gbps == pytest.approx(9.91234)
    assert (there.streams, there.retransmit_count) == (2, 34)
    assert (there.place, back.place) == ("/0/0", "/1/0")
    assert there.is_bidirectional
    assert back.is_bidirectional
    assert there.started_at == "2023-11-14T22:13:20Z"
    assert there.note == "2 processes at once"
    # Entries of other hours did not run together.
    document = [entry(STREAM + CSV, began_s=1.7e9), entry(MAERTS + CSV, began_s=1.7e9 + 3600)]
    assert [one.is_bidirectional for one in read(json.dumps(document))] == [False, False]


def test_an_output_may_be_a_list_of_its_lines() -> None:
    lines = (STREAM + CSV).splitlines()
    (one,) = read(json.dumps({"results": [{"a/b": lines}]}))
    assert one.gbps == pytest.approx(9.41234)
    assert one.place == "/results/0/a~1b"


def test_an_entry_of_which_one_text_is_no_output_is_refused_whole() -> None:
    """The rates of an entry are added: of fewer connections they would be too small a sum."""
    entry = [[STREAM + TABLE, ""], ["", ""], [0, 0], 1.6e9, 1.6e9]
    found, refused = read_text(json.dumps([entry]), source="made")
    assert found == []
    assert [one.reason for one in refused] == ["one of its texts is not the output of netperf"]
