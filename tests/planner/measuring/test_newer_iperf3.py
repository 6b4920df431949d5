"""The path of iperf3 3.16 and newer: one process with a thread for each stream.

`NETPLAN_TEST_IPERF3_NEW` names such a program where the installed one is older.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from netplan_planner.measuring.campaign import (
    Campaign,
    Configuration,
    Direction,
    ProbeEnd,
    ProbeLimits,
    ProbePair,
)
from netplan_planner.measuring.guard import READY, Lead, serve_command
from netplan_planner.measuring.runner import run_campaign
from netplan_planner.measuring.store import read_store
from netplan_planner.measuring.transports import LocalTransport
from netplan_planner.model import Measurement
from netplan_planner.throughput.transport.tools import THREADED
from support.testbed import bed as testbed
from support.testbed.bed import Host, bed_of
from support.testbed.campaigns import ONE_SECOND, campaign, pair
from support.testbed.processes import assert_none_left, free_ports, iperf3_servers, marked

NEWER = os.environ.get("NETPLAN_TEST_IPERF3_NEW", "")
pytestmark = pytest.mark.skipif(
    not NEWER, reason="NETPLAN_TEST_IPERF3_NEW names no iperf3 of 3.16 or newer"
)

FOUR, FOUR_REVERSE, FOUR_BOTH = (
    Configuration(streams=4, direction=direction) for direction in Direction
)


@pytest.fixture
def mark() -> Iterator[str]:
    with marked() as mark:
        yield mark
        assert_none_left(mark)


def measured(asked: Campaign, folder: Path) -> tuple[Measurement, ...]:
    store = folder / "measurements.jsonl"
    outcome = run_campaign(asked, store=store)
    assert outcome.is_complete, outcome.events
    return read_store(store).measurements


def test_the_program_is_new_enough() -> None:
    told = subprocess.run([NEWER, "--version"], capture_output=True, text=True, check=True).stdout
    major, minor = told.split()[1].split(".")[:2]
    assert (int(major), int(minor)) >= THREADED


@pytest.mark.alone
def test_streams_are_threads_of_one_process(mark: str, tmp_path: Path) -> None:
    asked = campaign(pair(iperf3=NEWER), configurations=(FOUR, FOUR_REVERSE, FOUR_BOTH))
    found = measured(asked, tmp_path)
    assert len(found) == 8
    for one in found:
        assert one.streams == 4
        assert " -P 4 " in one.command
        assert "processes" not in one.note
        assert one.gbps == pytest.approx(0.2, rel=0.15)
        assert one.retransmit_count is not None
        assert one.rtt_ms is not None
        assert one.max_window_bytes is not None


@pytest.mark.alone
@pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3 is not installed")
@pytest.mark.parametrize("newer", ["client", "server"])
def test_an_older_end_makes_streams_processes(mark: str, tmp_path: Path, newer: str) -> None:
    only = (
        pair(iperf3=NEWER, server_iperf3="iperf3")
        if newer == "client"
        else pair(iperf3="iperf3", server_iperf3=NEWER)
    )
    told = subprocess.run(["iperf3", "--version"], capture_output=True, text=True, check=True)
    major, minor = told.stdout.split()[1].split(".")[:2]
    is_older = (int(major), int(minor)) < THREADED
    for one in measured(campaign(only, configurations=(FOUR_BOTH,)), tmp_path):
        assert one.streams == 4
        assert ("4 processes at once" in one.note) == is_older
        assert one.gbps == pytest.approx(0.2, rel=0.15)


def test_the_end_of_the_input_ends_a_newer_server(mark: str) -> None:
    lead = Lead(life_s=60, silence_s=60)
    process = subprocess.Popen(
        serve_command(program=NEWER, ports=free_ports(2), count=2, lead=lead),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().decode().split()[0] == READY
    assert len(iperf3_servers(mark)) == 2
    process.communicate(timeout=20)


@pytest.mark.alone
def test_a_cap_of_a_flow_is_not_shared_by_threads(mark: str, tmp_path: Path) -> None:
    why_not = testbed.missing()
    if why_not:
        pytest.skip(why_not)
    with bed_of(Host(name="flows", flow_mbps=40), Host(name="plain")) as bed:
        ends = [
            ProbeEnd(transport=LocalTransport(prefix=bed.prefix(name)), iperf3=NEWER)
            for name in ("flows", "plain")
        ]
        asked = campaign(
            ProbePair(
                name="flows-plain", client=ends[0], server=ends[1], address=bed.internal("plain")
            ),
            configurations=(Configuration(streams=1, direction=Direction.FORWARD), FOUR),
            limits=ProbeLimits(),
            time_scale=2 * ONE_SECOND,
        )
        found = measured(asked, tmp_path)
    one, four = (sum(run.gbps for run in found if run.streams == streams) for streams in (1, 4))
    assert four == pytest.approx(4 * one, rel=0.15)
