"""Campaigns carried out by the iperf3 that is installed, over loopback."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from netplan_planner.errors import InputError
from netplan_planner.measuring.campaign import (
    Campaign,
    Configuration,
    Direction,
    ProbeLimits,
    StopRule,
)
from netplan_planner.measuring.ends import read_facts
from netplan_planner.measuring.progress import Outcome, RunKey, RunMeasured, RunsLeftOut
from netplan_planner.measuring.protocol import round_order
from netplan_planner.measuring.runner import run_campaign
from netplan_planner.measuring.store import read_store
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement, PathClass
from netplan_planner.throughput.transport.tools import THREADED
from support.testbed.campaigns import BOTH, FORWARD, IMPATIENT, REVERSE, TWO_RUNS, campaign, pair
from support.testbed.processes import assert_none_left, marked

pytestmark = pytest.mark.skipif(
    shutil.which("iperf3") is None, reason="iperf3 is not installed: apt-get install iperf3"
)

STREAMS = 4
MANY = tuple(Configuration(streams=STREAMS, direction=direction) for direction in Direction)
MIB = 2**20


@pytest.fixture
def mark() -> Iterator[str]:
    with marked() as mark:
        yield mark
        assert_none_left(mark)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "measurements.jsonl"


def stored(path: Path) -> tuple[Measurement, ...]:
    found = read_store(path)
    assert found.faults == ()
    return found.measurements


def keys(asked: Campaign) -> list[RunKey]:
    """Return two rounds of runs in their order."""
    return [
        RunKey(pair=one.name, configuration=configuration.name, number=number)
        for number in (1, 2)
        for one, configuration in round_order(asked, number)
    ]


def failures(outcome: Outcome) -> list[object]:
    return [event for event in outcome.events if not isinstance(event, RunMeasured)]


@pytest.mark.alone
def test_one_stream_both_ways_and_at_once(mark: str, store: Path) -> None:
    described = MeasuredEnd(name="vm-a", machine_type="n2-standard-4", is_tier1=False)
    only = pair(path_class=PathClass.SAME_ZONE_INTERNAL)
    only = msgspec.structs.replace(
        only, client=msgspec.structs.replace(only.client, described=described)
    )
    asked = campaign(only, configurations=(FORWARD, REVERSE, BOTH), seed=7)
    heard: list[object] = []
    outcome = run_campaign(asked, store=store, tell=heard.append)
    assert failures(outcome) == []
    assert outcome.is_complete
    assert tuple(heard) == outcome.events
    assert outcome.measured_count == 6
    order = keys(asked)
    assert list(outcome.order) == order
    found = stored(store)
    assert len(found) == 8
    for one in found:
        vm, peer = (one.dst, one.src) if one.is_reverse else (one.src, one.dst)
        assert (vm.name, vm.machine_type) == ("vm-a", "n2-standard-4")
        assert one.source == asked.id
        assert one.counted_by is CountedBy.RECEIVER
        assert one.path_class is PathClass.SAME_ZONE_INTERNAL
        assert one.bitrate_limit_gbps == pytest.approx(0.2)
        assert one.gbps == pytest.approx(0.2, rel=0.15)
        assert (one.omit_s, one.tool, one.protocol) == (0, "iperf3", "tcp")
        assert one.started_at
        assert one.tool_version
        assert one.command.startswith("iperf3 -c 127.0.0.1")
        known = (one.retransmit_count, one.rtt_ms, one.min_rtt_ms, one.max_window_bytes)
        assert None not in (*known, one.mss_bytes)
        assert one.mtu_bytes == 65536
        for end in (vm, peer):
            assert end.cpu_ratio is not None
            assert end.receive_ceiling_bytes == ceiling("tcp_rmem")
            assert end.send_ceiling_bytes == ceiling("tcp_wmem")
            assert end.kernel is not None
            assert end.kernel.startswith("Linux ")
            assert end.congestion_control
            assert end.vcpus
    places = [f"{key.place}" for key in order]
    assert list(dict.fromkeys(one.place for one in found)) == places
    assert next(one.note for one in found if one.place == places[2]).startswith(
        "run 3 in the order of seed 7"
    )
    assert [one.is_reverse for one in found if "1-both" in one.place] == [False, True] * 2


def ceiling(name: str) -> int:
    return int(Path(f"/proc/sys/net/ipv4/{name}").read_text().split()[-1])


@pytest.mark.alone
def test_many_streams_are_processes_or_threads_as_the_version_demands(
    mark: str, store: Path
) -> None:
    only = pair()
    version = read_facts(
        only.client, address=only.address, wants_ping=False, patience=IMPATIENT
    ).version
    outcome = run_campaign(campaign(only, configurations=MANY), store=store)
    assert failures(outcome) == []
    for one in stored(store):
        assert one.streams == STREAMS
        assert one.gbps == pytest.approx(0.2, rel=0.15)
        assert (f"{STREAMS} processes at once" in one.note) == (version < THREADED)
        assert f"-P {1 if version < THREADED else STREAMS} " in one.command


def test_a_campaign_goes_on_where_it_was_broken_off(mark: str, store: Path) -> None:
    pairs = pair("a-b"), pair("c-d")
    asked = campaign(*pairs, configurations=(BOTH,))
    whole = keys(asked)
    seen: list[object] = []

    def stop_after_one(event: object) -> None:
        seen.append(event)
        if len(seen) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_campaign(asked, store=store, tell=stop_after_one)
    first = stored(store)
    assert_none_left(mark)
    outcome = run_campaign(asked, store=store)
    assert outcome.resumed_count == 1
    assert list(outcome.order) == whole[1:]
    assert stored(store)[: len(first)] == first
    assert list(dict.fromkeys(one.place for one in stored(store))) == [key.place for key in whole]
    again = run_campaign(asked, store=store)
    assert (again.resumed_count, again.order, again.is_complete) == (len(whole), (), True)


def test_steady_runs_end_at_the_least_number(mark: str, store: Path) -> None:
    outcome = run_campaign(campaign(stop=StopRule()), store=store)
    assert outcome.is_complete
    assert 3 <= outcome.measured_count < 10


def test_no_run_begins_that_could_exceed_the_bytes(mark: str, store: Path) -> None:
    # A run at 0.2 Gbit/s for a second sends 25 MB: two fit, a third does not.
    limits = ProbeLimits(bitrate_gbps=0.2, max_gib=70 / 1024)
    asked = campaign(configurations=(FORWARD,), stop=StopRule(min_runs=5), limits=limits)
    outcome = run_campaign(asked, store=store)
    assert outcome.measured_count == 2
    assert not outcome.is_complete
    (left_out,) = failures(outcome)
    assert isinstance(left_out, RunsLeftOut)
    assert "could exceed the limit of 0.0683594 GiB" in left_out.reason
    sent = sum(one.byte_count or 0 for one in stored(store))
    assert sent < outcome.moved_bytes <= 70 * MIB
    # The bytes of the first part count in the second one too.
    again = run_campaign(asked, store=store)
    assert again.order == ()
    assert not again.is_complete


def test_bytes_of_an_unknown_rate_are_kept_by_a_rate(mark: str, store: Path) -> None:
    asked = campaign(limits=ProbeLimits(max_gib=40 / 1024))
    outcome = run_campaign(asked, store=store)
    assert outcome.measured_count == 1
    assert outcome.moved_bytes <= 40 * MIB
    (one,) = stored(store)
    assert one.bitrate_limit_gbps is not None
    assert one.gbps <= one.bitrate_limit_gbps * 1.05


def test_no_run_begins_that_could_end_too_late(mark: str, store: Path) -> None:
    asked = campaign(stop=StopRule(), limits=ProbeLimits(bitrate_gbps=0.1, max_seconds=5.0))
    outcome = run_campaign(asked, store=store)
    assert 1 <= outcome.measured_count <= 3
    assert outcome.elapsed_s <= 5.0
    (left_out,) = failures(outcome)
    assert left_out == RunsLeftOut(reason="the limit of 5 s leaves no time for another run")


def test_a_run_on_a_busy_core_is_marked(mark: str, store: Path) -> None:
    # Nothing but the processor limits one stream over loopback.
    asked = campaign(stop=TWO_RUNS, limits=ProbeLimits())
    assert run_campaign(asked, store=store).is_complete
    for one in stored(store):
        busiest = max(one.src.cpu_ratio or 0, one.dst.cpu_ratio or 0)
        assert ("CPU-bound" in one.note) == (busiest > 0.9)


PING_SAYS = "rtt min/avg/max/mdev = 800.000/801.250/860.000/1.000 ms"


@pytest.mark.parametrize(
    ("ping", "low_ms", "high_ms"),
    [(f"echo '{PING_SAYS}'", 800.0, 800.0), ("exit 2", 0.001, 20.0)],
    ids=["ping", "no ping: of a connection"],
)
def test_the_round_trip_is_read_before_the_runs(
    mark: str,
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ping: str,
    low_ms: float,
    high_ms: float,
) -> None:
    script = tmp_path / "ping"
    script.write_text(f"#!/bin/sh\n{ping}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert run_campaign(campaign(), store=store).is_complete
    for one in stored(store):
        assert one.min_rtt_ms is not None
        assert low_ms <= one.min_rtt_ms <= high_ms
        # 60 round trips of 800 ms, at a twentieth of the time.
        assert ("-t 3 " if low_ms == 800 else "-t 1 ") in one.command


def test_a_store_that_cannot_be_written_stops_everything_before_it_begins(
    mark: str, tmp_path: Path
) -> None:
    heard: list[object] = []
    with pytest.raises(InputError, match="store of measurements cannot be"):
        run_campaign(campaign(), store=tmp_path / "no" / "folder", tell=heard.append)
    assert heard == []
