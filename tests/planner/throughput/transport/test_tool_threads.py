"""How many threads carried a run."""

import pytest

from netplan_planner.throughput.transport.tools import is_one_thread, thread_count
from support.probes.measurements import measured


@pytest.mark.parametrize(
    ("version", "note", "is_bidirectional", "count", "is_one"),
    [
        ("3.15", "", False, 1, True),
        ("3.16+", "", False, 8, False),
        ("3.16", "", True, 16, False),
        ("3.12", "8 processes at once", False, 8, False),
        ("", "", False, 8, False),
    ],
)
def test_threads(version: str, note: str, is_bidirectional: bool, count: int, is_one: bool) -> None:
    one = measured(
        tool="iperf3",
        tool_version=version,
        streams=8,
        note=note,
        is_bidirectional=is_bidirectional,
    )
    assert (thread_count(one), is_one_thread(one)) == (count, is_one)
