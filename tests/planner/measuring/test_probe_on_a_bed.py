"""The prober on a bed of network namespaces: it finds the caps that the bed was given.

Caps are of packets with headers, rates are of payload: a cap shows as 0.955 of itself at an MTU
of 1460. Every test compares within a tenth, or looks at the structure.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from netplan_planner.measuring.campaign import (
    Configuration,
    Direction,
    ProbeEnd,
    ProbeLimits,
    ProbePair,
)
from netplan_planner.measuring.progress import RunMeasured
from netplan_planner.measuring.runner import run_campaign
from netplan_planner.measuring.transports import LocalTransport
from netplan_planner.model import Measurement
from netplan_planner.throughput.transport import transfer
from support.commands.run import ROOTS
from support.testbed import bed as beds
from support.testbed.bed import Bed, Host, bed_of
from support.testbed.campaigns import FORWARD, ONE_SECOND, REVERSE, campaign
from support.testbed.processes import wait_for
from support.testbed.quiet import undisturbed

WHY_NOT = beds.missing()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

PAYLOAD_RATIO = 1408 / 1474
"""Of a packet of 1460 bytes on Ethernet: time stamps and both headers are no payload."""
THREE_SECONDS = 0.3
FOUR = Configuration(streams=4, direction=Direction.FORWARD)
FOUR_BOTH = Configuration(streams=4, direction=Direction.BOTH)
HOSTS = (
    Host(name="small", egress_mbps=100, external_mbps=30),
    Host(name="flows", egress_mbps=400, flow_mbps=40),
    Host(name="plain", egress_mbps=200),
    Host(name="slow", ingress_mbps=50),
    Host(name="jumbo", egress_mbps=100, mtu_bytes=8896),
    Host(name="jumbo2", mtu_bytes=8896),
    Host(name="far", delay_ms=10, receive_ceiling_bytes=256 * 1024, egress_mbps=500),
)
Results = dict[tuple[str, str], list[Measurement]]
"""Measurements by pair and configuration."""


def between(bed: Bed, client: str, server: str, address: str = "", name: str = "") -> ProbePair:
    ends = [
        ProbeEnd(transport=LocalTransport(prefix=bed.prefix(host))) for host in (client, server)
    ]
    return ProbePair(
        name=name or f"{client}-{server}",
        client=ends[0],
        server=ends[1],
        address=address or bed.internal(server),
    )


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with bed_of(*HOSTS) as built:
        yield built
        assert built.processes() == {}


@pytest.fixture(scope="module")
def results(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """All that the tests look at, measured once."""
    store = tmp_path_factory.mktemp("bed") / "measurements.jsonl"
    external = between(bed, "small", "plain", bed.external("plain"), "small-plain-external")
    asked = [
        (between(bed, "small", "plain"), (FORWARD, FOUR), ONE_SECOND),
        (between(bed, "small", "plain"), (FOUR_BOTH, REVERSE), ONE_SECOND),
        (external, (FORWARD,), ONE_SECOND),
        (between(bed, "plain", "slow"), (FORWARD,), ONE_SECOND),
        (between(bed, "jumbo", "jumbo2"), (FORWARD,), ONE_SECOND),
        (between(bed, "jumbo", "plain"), (FORWARD,), ONE_SECOND),
        (between(bed, "flows", "plain"), (FORWARD, FOUR), ONE_SECOND),
        (between(bed, "plain", "far"), (FORWARD, FOUR), THREE_SECONDS),
    ]
    found: Results = {}
    for pair, configurations, scale in asked:
        found |= undisturbed(measured, store, pair, configurations, scale)
    return found


def measured(
    store: Path, pair: ProbePair, configurations: tuple[Configuration, ...], scale: float
) -> Results:
    """Return what a campaign of one pair measured."""
    wanted = campaign(
        pair,
        id=str(uuid4()),
        configurations=configurations,
        time_scale=scale,
        limits=ProbeLimits(),
    )
    outcome = run_campaign(wanted, store=store)
    assert outcome.is_complete, outcome.events
    found: Results = {}
    for event in outcome.events:
        assert isinstance(event, RunMeasured), event
        which = (event.key.pair, event.key.configuration)
        found.setdefault(which, []).extend(event.measurements)
    return found


def mbps(measurements: list[Measurement], *, is_reverse: bool = False) -> float:
    rates = [one.gbps * 1000 for one in measurements if one.is_reverse is is_reverse]
    assert len(rates) == 2
    return sum(rates) / 2


def test_a_cap_of_a_machine_is_shared_by_its_streams(results: Results) -> None:
    expected = pytest.approx(100 * PAYLOAD_RATIO, rel=0.1)
    assert mbps(results["small-plain", "1-forward"]) == expected
    assert mbps(results["small-plain", "4-forward"]) == expected


def test_each_direction_has_the_cap_of_its_sender(results: Results) -> None:
    plain = pytest.approx(200 * PAYLOAD_RATIO, rel=0.1)
    assert mbps(results["small-plain", "1-reverse"], is_reverse=True) == plain
    both = results["small-plain", "4-both"]
    assert mbps(both) == pytest.approx(100 * PAYLOAD_RATIO, rel=0.1)
    assert mbps(both, is_reverse=True) == plain
    assert all(one.is_bidirectional for one in both)


def test_a_cap_of_a_flow_is_not_shared(results: Results) -> None:
    one, four = (mbps(results["flows-plain", name]) for name in ("1-forward", "4-forward"))
    assert one == pytest.approx(40 * PAYLOAD_RATIO, rel=0.1)
    assert four == pytest.approx(4 * one, rel=0.1)


def test_the_external_address_is_slower(results: Results) -> None:
    found = results["small-plain-external", "1-forward"]
    assert mbps(found) == pytest.approx(30 * PAYLOAD_RATIO, rel=0.1)
    assert {one.dst.address for one in found} != {
        one.dst.address for one in results["small-plain", "1-forward"]
    }


def test_the_receiver_may_bind(results: Results) -> None:
    assert mbps(results["plain-slow", "1-forward"]) == pytest.approx(50 * PAYLOAD_RATIO, rel=0.1)


def test_a_small_window_binds_over_a_long_path(results: Results) -> None:
    one = results["plain-far", "1-forward"]
    four = results["plain-far", "4-forward"]
    rtt_ms = one[0].min_rtt_ms
    assert rtt_ms is not None
    # Two delays of 10 ms, read before the run, when no queue was there.
    assert 20.0 <= rtt_ms < 22.0
    windows = [run.max_receive_window_bytes or 0 for run in one]
    assert 256 * 1024 / 4 < max(windows) <= 256 * 1024
    limit_mbps = float(transfer.window_gbps(window_bytes=max(windows), rtt_ms=rtt_ms)) * 1000
    assert mbps(one) == pytest.approx(limit_mbps, rel=0.15)
    assert mbps(one) < 200 * PAYLOAD_RATIO / 1.5
    assert mbps(four) == pytest.approx(min(4 * mbps(one), 200 * PAYLOAD_RATIO), rel=0.15)


def test_a_great_mtu_carries_more_payload(results: Results) -> None:
    jumbo, mixed = (results[name, "1-forward"] for name in ("jumbo-jumbo2", "jumbo-plain"))
    assert {one.mtu_bytes for one in jumbo} == {8896}
    assert {one.mss_bytes for one in jumbo} == {8844}
    # The smaller of the two ends counts.
    assert {one.mtu_bytes for one in mixed} == {1460}
    assert {one.mss_bytes for one in mixed} == {1408}
    assert mbps(jumbo) > mbps(mixed) * 1.02


def test_what_was_read_on_the_ends_is_stored(results: Results) -> None:
    for (pair, _), found in results.items():
        for one in found:
            client, server = (one.dst, one.src) if one.is_reverse else (one.src, one.dst)
            assert client.congestion_control == "cubic"
            is_far = pair == "plain-far"
            assert server.receive_ceiling_bytes == (256 * 1024 if is_far else 6 * 2**20)
            assert one.min_rtt_ms is not None
            assert (one.min_rtt_ms > 15) == is_far
            assert "CPU-bound" not in one.note


SCRIPT = """
import os, signal, subprocess
from support.testbed.bed import Host, bed_of
with bed_of(Host(name="a"), Host(name="b", delay_ms=1)) as bed:
    subprocess.Popen([*bed.prefix("a"), "iperf3", "-s", "-p", "5201"], stdout=subprocess.DEVNULL)
    print("built", flush=True)
    signal.pause()
"""


def test_the_bed_of_a_process_that_was_killed_is_swept() -> None:
    roots = [*map(str, ROOTS), str(Path(__file__).parents[2])]
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(roots)},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"built\n"
    folder = Path("/run/netns")
    left = f"{beds.PREFIX}{process.pid}-"
    assert len(list(folder.glob(f"{left}*"))) == 4
    beds.sweep()
    assert len(list(folder.glob(f"{left}*"))) == 4, "the bed of a living process stays"
    process.kill()
    process.communicate()
    beds.sweep()
    wait_for(lambda: not list(folder.glob(f"{left}*")), "the end of the bed")
