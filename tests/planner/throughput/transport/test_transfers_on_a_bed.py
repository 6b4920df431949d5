"""Finite transfers on a bed of network namespaces: within a tenth or half an RTT.

The prediction knows what a user would give: bytes, streams, round-trip time, the receiver's window
and the sender's link. Time runs from `connect` to the last byte at the receiver, so that the
handshake is in it, or by the receiver's clock of iperf3, which the prediction means and which
starts half a round trip after `connect`. The relay that makes the delay holds packets and ends no
connection: slow start goes over the whole round trip. In truth a window comes as a burst, in the
model as a stream, which is half of a round trip's difference at most.

One limit decides each case, the link or the window: the bed's links are shapers with a queue, not
policers, so nothing of the model's loss behind the start, and of its soft minimum, shows there.
"""

import statistics
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest

from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.units import MS_PER_SECOND, gbps_from_bytes
from netplan_planner.verbs.predict.table_file import TableAnswer, predict_table
from support.paths.tables import written
from support.testbed import bed as beds
from support.testbed import transfers
from support.testbed.bed import Bed, Host, bed_of

WHY_NOT = beds.missing()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

SMALL, GREAT = 65_535 * 2**2, 65_535 * 2**4
"""Windows of 0.26 and 1.05 MB."""
LINKS_MBPS = {"fast": 400.0, "slow": 100.0, "bucket": 100.0}
MTU_BYTES = 1460
FRAME_RATIO = (MTU_BYTES + 38) / (MTU_BYTES + 14)
"""A link's rate holds all 38 bytes around a packet, a qdisc's the 14 of the Ethernet header."""
HOSTS = (
    Host(name="fast", egress_mbps=LINKS_MBPS["fast"]),
    Host(name="slow", egress_mbps=LINKS_MBPS["slow"]),
    Host(name="bucket"),
    Host(name="near"),
    Host(name="far20", delay_ms=10, window_bytes=SMALL),
    Host(name="far50", delay_ms=25, window_bytes=GREAT),
    Host(name="far100", delay_ms=50, window_bytes=GREAT),
    Host(name="open20", delay_ms=10),
    Host(name="open50", delay_ms=25),
)
RTTS_MS = {"near": 0.1, "far20": 20, "far50": 50, "far100": 100, "open20": 20, "open50": 50}


class Case(NamedTuple):
    """A transfer."""

    src: str
    dst: str
    streams: int
    byte_count: int


OF_WINDOWS = (
    *(Case("fast", "far20", 1, count * SMALL) for count in (1, 4, 32)),
    Case("fast", "far50", 1, GREAT),
    Case("fast", "far50", 4, GREAT // 4),
    Case("fast", "far100", 1, 4 * GREAT),
)
"""From a start that never fills its windows to many windows, over real delay."""
OF_LINKS = (
    *(Case("slow", "near", 1, count * 2**20) for count in (1, 4)),
    Case("slow", "open20", 1, 2**20),
    *(Case("slow", "open20", 4, count * 2**20) for count in (1, 4, 10)),
    Case("slow", "open50", 1, 4 * 2**20),
)
"""What the sender's link holds back; the window is that of a stock kernel."""
TOLERANCE = 0.1
OF_QUEUES = {Case("slow", "open20", 4, count * 2**20): 0.2 for count in (4, 10)}
"""Streams that fill the shaper's queue lose packets there by chance: 9 runs of one transfer took
0.94 to 1.05 s."""


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with bed_of(*HOSTS) as built:
        yield built
        assert built.processes() == {}


def measured(bed: Bed, case: Case, *, runs: int = transfers.RUNS) -> float:
    """Return the median time of some plain transfers."""
    with transfers.receiving(bed, case.dst):
        return transfers.seconds_of(
            bed,
            case.src,
            case.dst,
            byte_count=case.byte_count,
            streams=case.streams,
            runs=runs,
        )


def predicted(folder: Path, case: Case, *, is_finite: bool = True) -> TableAnswer:
    """Return the prediction of one transfer, or of its steady state."""
    window = next(one.window_bytes for one in HOSTS if one.name == case.dst)
    row = {
        "path_class": "inter-region-internal",
        "host_link_gbps": str(LINKS_MBPS[case.src] * FRAME_RATIO / 1000),
        "mtu": str(MTU_BYTES),
        "rtt_ms": str(RTTS_MS[case.dst]),
        "window_bytes": str(window or ""),
        "streams": str(case.streams),
        "bytes": str(case.byte_count) if is_finite else "",
    }
    with PathTable(written(folder / "paths.csv", row)) as table:
        return predict_table(table, as_of=date(2026, 11, 22), level=0.9)


@pytest.mark.parametrize("case", [*OF_WINDOWS, *OF_LINKS], ids=str)
def test_a_transfer_takes_as_long_as_predicted(bed: Bed, tmp_path: Path, case: Case) -> None:
    half_trip_s = RTTS_MS[case.dst] / 2 / MS_PER_SECOND
    since_start_s = measured(bed, case) - half_trip_s
    found = predicted(tmp_path, case).predictions
    near = max(OF_QUEUES.get(case, TOLERANCE) * since_start_s, half_trip_s)
    assert found.duration_s[0] == pytest.approx(since_start_s, abs=near)
    assert found.gbps[0] == pytest.approx(gbps_from_bytes(case.byte_count, found.duration_s[0]))
    wanted = {"window-over-rtt"} if case in OF_WINDOWS else {"host-link"}
    assert LIMITS[found.binding[0]] in wanted | {"slow-start-ramp"}


def test_the_start_is_most_of_a_short_transfer(bed: Bed, tmp_path: Path) -> None:
    """A steady rate would promise that much less: the tests above would see a lost start."""
    case = OF_WINDOWS[0]
    steady = predicted(tmp_path, case, is_finite=False).predictions
    seconds = measured(bed, case)
    assert gbps_from_bytes(case.byte_count, seconds) < steady.gbps[0] / 3


@pytest.mark.parametrize(
    "case",
    [
        Case("fast", "far20", 1, 32 * SMALL),
        Case("fast", "far50", 1, 8 * GREAT),
        Case("slow", "near", 1, 4 * 2**20),
    ],
    ids=str,
)
def test_iperf3_receives_at_the_predicted_rate(bed: Bed, tmp_path: Path, case: Case) -> None:
    arrived = transfers.iperf3(bed, case.src, case.dst, "-n", str(case.byte_count))
    # Its client says "done" when all is written to the socket: what is on its way is not counted.
    assert case.byte_count / 2 < arrived.byte_count <= case.byte_count + 131_072
    found = predicted(tmp_path, case._replace(byte_count=arrived.byte_count)).predictions
    assert found.duration_s[0] == pytest.approx(arrived.seconds, rel=0.1)
    assert found.gbps[0] == pytest.approx(arrived.gbps, rel=0.1)


def test_what_a_full_bucket_lets_through_is_subtracted(bed: Bed, tmp_path: Path) -> None:
    """No document gives Compute Engine a bucket, so the model has none.

    A token bucket passes `burst` bytes of packets at once, and all that follow at its rate.
    """
    burst = 2 * 2**20
    shape = f"rate {LINKS_MBPS['bucket']:.0f}mbit burst {burst} limit {2**20}"
    case = Case("bucket", "near", 1, 8 * 2**20)
    runs = []
    for _ in range(transfers.RUNS):
        # A new bucket is full; that of the last run has yet to fill again, for a sixth of a second.
        bed.run("bucket", "tc", "qdisc", "replace", "dev", "eth0", "root", "tbf", *shape.split())
        runs.append(measured(bed, case, runs=1))
    seconds = statistics.median(runs)
    payload = burst * (MTU_BYTES - 52) / (MTU_BYTES + 14)
    shaped = predicted(tmp_path, case._replace(byte_count=round(case.byte_count - payload)))
    assert shaped.predictions.duration_s[0] == pytest.approx(seconds, rel=0.1)
    assert predicted(tmp_path, case).predictions.duration_s[0] > 1.2 * seconds
