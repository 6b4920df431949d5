"""Outputs that nobody's tool wrote: each is read or refused, and nothing of it does harm."""

import json
import math

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from netplan_planner.measuring.outputs import read_text
from netplan_planner.model import MeasuredEnd, Measurement
from support.listed import listed
from support.probes import iperf2 as probe_iperf2
from support.probes import iperf3 as probe_iperf3

ROWS = "".join(
    f"20260501120010{zone},10.128.0.3,{port},10.128.0.2,5001,{port % 10},0.0-10.0,1250000000,"
    f"1000000000,0.01,3,400,0.1,0\n"
    for port, zone in ((50_001, ""), (50_002, ".250"))
)
NETPERF = """\
MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.128.0.3 () port 1 AF_INET
Recv   Send    Send
Socket Socket  Message  Elapsed
Size   Size    Size     Time     Throughput
bytes  bytes   bytes    secs.    10^6bits/sec

 87380  16384  16384    10.02      9412.34
OMNI Send TEST from 0.0.0.0 () port 0 AF_INET to 10.128.0.3 () port 0 AF_INET
Throughput,Throughput Units,Elapsed Time (sec),Local Transport Retransmissions
9412.34,10^6bits/s,10.02,17
OMNI Send TEST from 0.0.0.0 () port 0 AF_INET to 10.128.0.3 () port 0 AF_INET
Throughput Throughput  Elapsed Transport
           Units       Time    MSS
                       (sec)   bytes
9412.34    10^6bits/s  10.02   1408
OMNI Receive TEST from 0.0.0.0 () port 0 AF_INET to 10.128.0.3 () port 0 AF_INET
THROUGHPUT=9412.34
THROUGHPUT_UNITS=10^6bits/s
LOCAL_CPU_UTIL=10
LOCAL_CPU_COUNT=4
LOCAL_TRANSPORT_RETRANS=3
"""
REPORT = """\
bandwidth_direction,bandwidth_mean,bandwidth_stdev,iperf_cmd,iperf_time,cpu_client,test_started
up,4000.0,400,iperf3 -c 10.128.0.3,10,40.0,2020-10-30 00:33:51
"""
SERVER3 = """\
Accepted connection from 10.128.0.3, port 40000
[  5] local 10.128.0.2 port 5201 connected to 10.128.0.3 port 40001
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-1.00   sec  1.10 GBytes  9.42 Gbits/sec
[  5]   1.00-2.00   sec  1.10 GBytes  9.40 Gbits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-2.00   sec  2.20 GBytes  9.41 Gbits/sec    4             sender
[  5]   0.00-2.00   sec  2.20 GBytes  9.40 Gbits/sec                  receiver
"""
ENTRY = json.dumps([[[NETPERF, NETPERF], ["", ""], [0, 0], 1.7e9, 1.7e9], NETPERF.splitlines()])
TEXTS = [
    *(text for name, text in vars(probe_iperf2).items() if name.isupper() and len(text) > 20),
    json.dumps(probe_iperf3.bidirectional(), indent=1),
    probe_iperf3.events_of(probe_iperf3.forward()),
    ROWS,
    NETPERF,
    REPORT,
    SERVER3,
    ENTRY,
]
ODD = st.text(
    alphabet="0123456789.-+eE,:;/*%[](){}\"'\\ \n\t\0\x1b\u202e٣²ÿ\ud800", max_size=12
) | (
    st.sampled_from(
        ["nan", "inf", "-1", "1e999", "9" * 400, "9" * 5000, "(reverse)", "SUM", "Bytes"]
    )
)
EDIT = st.tuples(st.floats(min_value=0, max_value=1), st.integers(0, 30), ODD)


def assert_harmless(text: str) -> None:
    found, refused = read_text(text, source="s")
    assert found or refused
    for one in found:
        assert msgspec.convert(msgspec.to_builtins(one), Measurement) == one
        ends = (*msgspec.structs.astuple(one.src), *msgspec.structs.astuple(one.dst))
        for figure in (*msgspec.structs.astuple(one), *ends):
            if isinstance(figure, float | int):
                assert math.isfinite(figure)
                assert figure >= 0
            elif isinstance(figure, str):
                assert len(figure) <= 1000
                assert figure.encode().decode() == figure  # no half characters
            else:
                assert figure is None or isinstance(figure, MeasuredEnd)
    for why in refused:
        assert 0 < len(why.reason) <= 1000
        assert f"{why}".encode()


@given(text=st.sampled_from(TEXTS), edits=st.lists(EDIT, min_size=1, max_size=3))
@example(text=ROWS, edits=[(0.0, 4, "9999")])
@example(text=ROWS, edits=[(0.0, 4, "0001")])
def test_an_output_with_other_bytes_in_it(text: str, edits: list[tuple[float, int, str]]) -> None:
    for share, length, odd in edits:
        at = round(share * len(text))
        text = text[:at] + odd + text[at + length :]
    assert_harmless(text)


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    assert_harmless(text)


@listed(
    "text",
    [
        "{\n" * 200_000,
        "[[" * 5_000,
        '[{"a":' * 300 + "1" + "}]" * 300,
        '{"start": {"\\ud800": 1}, "end": {}}',
        '{"a\\ud800b/~": "OMNI Send TEST from a () port 0 AF_INET to b () port 0 AF_INET\\n'
        'THROUGHPUT=1\\nTHROUGHPUT_UNITS=10^6bits/s"}',
        "[  1] local " + "1" * 2_000_000,
        "[  1] 0.0-1.0 sec 1 Bytes 1 bits/sec " + "1" * 2_000_000,
        "THROUGHPUT=" + "9" * 2_000_000,
        "MIGRATED " + "A" * 2_000_000,
        "a TEST from " * 100_000,
        "THROUGHPUT=1\n" * 20_000,
        "Throughput,Throughput Units," + "x" * 2_000_000 + "\nTHROUGHPUT=\n",
        "benchmark_version," * 100_000,
        "iperf_cmd,bandwidth_direction,bandwidth_mean\n" + '"' + "x" * 2_000_000,
        "20260501120010,10.0.0.1,1,10.0.0.2,5001,1,0.0-1.0," + "9" * 2_000_000,
        "Client connecting to a, TCP port " + "5" * 5_000,
        REPORT.rpartition(",iperf3")[0],
    ],
    ids=lambda text: text[:20].strip(),
)
def test_a_large_text_of_nothing_is_read_through_once(text: str) -> None:
    # A reader that looked at every place from every other would be at it for hours.
    assert_harmless(text)
