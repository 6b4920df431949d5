"""How many threads of a tool carried a run: one of iperf3 before 3.16, whatever its streams.

Source:
    esnet/iperf release notes: 3.16 gives each stream a thread.
"""

import re

from netplan_planner.model import Measurement

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
