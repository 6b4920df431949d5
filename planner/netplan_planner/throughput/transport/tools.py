"""How many threads of a tool carried a run: one of iperf3 before 3.16, whatever its streams.

Source:
    esnet/iperf release notes: 3.16 gives each stream a thread.

When the clock of a tool starts, beside the first byte of the data that it times.

iperf3's server says "start" and "running" on the control connection, one byte each. Both ends start
their clocks at the first of them, and a client sends data at the second. Before 3.10 the kernel of
the server keeps the second back until the first is acknowledged (Nagle, RFC 896): the first flight
leaves one round trip late. At the end the client says so, and the server stops its clock a round
trip after the client's time is over, at which 3.1 and before divided both counts.

    iperf3       first byte leaves  divided by    lost in all, by the receiver's count
    to 3.1       1 RTT              time          1 RTT
    3.2 to 3.9   1 RTT              time + 1 RTT  2 RTT
    from 3.10    at once            time + 1 RTT  1 RTT (`transfer.START_RTTS`)

A server that sends (`-R`) does so at once, and its first flight comes with the word "start". In 394
of 399 single streams of iperf3 3.9 over 260 to 310 ms the congestion window after one second was
40 segments, two doublings, or just below; without the wait it would have been 80.

Source:
    esnet/iperf: iperf_client_api.c and iperf_server_api.c of 3.7; release notes of 3.2 ("correct
    test durations") and 3.10 (control connections, #1063: TCP_NODELAY).
"""

import re

from netplan_planner.model import CountedBy, Measurement
from netplan_planner.throughput.transport.transfer import START_RTTS

Version = tuple[int, int]

IPERF3 = "iperf3"
THREADED: Version = (3, 16)
"""The first iperf3 with a thread for each stream; before, one core carries them all."""
THREADED_TEXT = f"{THREADED[0]}.{THREADED[1]}"
_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})")
_PROCESSES = re.compile(r"(\d{1,4}) processes at once")
"""As merged measurements say it in their notes."""


def tool_version_of(one: Measurement) -> Version | None:
    """Return the first two numbers of the tool's version, None where it does not begin so."""
    found = _VERSION.match(one.tool_version)
    return (int(found[1]), int(found[2])) if found is not None else None


def thread_count(one: Measurement) -> int:
    """Return how many threads of the tool moved data at one end, at least 1."""
    streams = (one.streams or 1) * (2 if one.is_bidirectional else 1)
    return _process_count(one) if _is_thread_a_process(one) else streams


def is_one_thread(one: Measurement) -> bool:
    """Return whether all streams are known to have shared one thread, however many they were."""
    return _is_thread_a_process(one) and _process_count(one) == 1


def _is_thread_a_process(one: Measurement) -> bool:
    version = tool_version_of(one)
    return one.tool == IPERF3 and version is not None and version < THREADED


def _process_count(one: Measurement) -> int:
    found = _PROCESSES.match(one.note)
    return max(int(found[1]), 1) if found is not None else 1


OWN_DURATION: Version = (3, 2)
"""The first iperf3 that divides what arrived by the receiver's own time."""
PROMPT: Version = (3, 10)
"""The first that keeps no word of its control connection back."""
CONTROL_RTTS = 1.0
"""What an earlier one waits for before it sends."""


def late_rtts(one: Measurement) -> float:
    """Return by how many round trips a run starts later than `transfer.START_RTTS`; -1: sooner.

    By a sender's count: later than its clock. A version that is not known is taken for a new one.
    """
    if one.tool != IPERF3:
        return 0.0
    is_by_sender = one.counted_by is CountedBy.SENDER
    if one.is_reverse:
        return 0.0 if is_by_sender else -START_RTTS
    version = tool_version_of(one) or PROMPT
    is_late = version < PROMPT and (is_by_sender or version >= OWN_DURATION)
    return CONTROL_RTTS if is_late else 0.0
