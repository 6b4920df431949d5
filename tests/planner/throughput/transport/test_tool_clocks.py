"""How late the first byte of a tool is."""

import pytest

from netplan_planner.model import CountedBy
from netplan_planner.throughput.transport.tools import late_rtts
from support.probes.measurements import measured


@pytest.mark.parametrize(
    ("version", "by_receiver", "by_sender"),
    [
        ("3.1.3", 0, 1),
        ("3.2", 1, 1),
        ("3.9", 1, 1),
        ("3.10", 0, 0),
        ("3.18", 0, 0),
        ("", 0, 0),
    ],
)
def test_a_client_that_sends_waits_for_its_second_word(
    version: str, by_receiver: int, by_sender: int
) -> None:
    found = [
        late_rtts(measured(tool="iperf3", tool_version=version, counted_by=count))
        for count in (CountedBy.RECEIVER, CountedBy.SENDER)
    ]
    assert found == [by_receiver, by_sender]


@pytest.mark.parametrize("version", ["3.1.3", "3.9", "3.18"])
@pytest.mark.parametrize(("count", "late"), [(CountedBy.RECEIVER, -1), (CountedBy.SENDER, 0)])
def test_a_server_that_sends_waits_for_nobody(version: str, count: CountedBy, late: int) -> None:
    one = measured(tool="iperf3", tool_version=version, counted_by=count, is_reverse=True)
    assert late_rtts(one) == late


@pytest.mark.parametrize("tool", ["iperf2", "netperf"])
@pytest.mark.parametrize("is_reverse", [False, True])
def test_of_other_tools_nothing_is_said(tool: str, is_reverse: bool) -> None:
    assert late_rtts(measured(tool=tool, tool_version="3.9", is_reverse=is_reverse)) == 0
