"""The clock of a real iperf3: which flights leave in one second over a round trip of 276 ms.

Without a wait four of them do, of 10, 20, 40 and up to 80 segments; after one round trip's three.
The windows of later ones depend on HyStart and so on the quiet of the machine: they are not asked.
"""

import subprocess
from collections.abc import Iterator

import pytest

from netplan_planner.throughput.transport.tools import late_rtts
from netplan_planner.throughput.transport.transfer import INITIAL_WINDOW_SEGMENTS, segment_bytes
from support.probes.measurements import measured
from support.testbed import bed as beds
from support.testbed import transfers
from support.testbed.bed import Bed, Host, bed_of

WHY_NOT = beds.missing()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

RTT_S = 0.276
HOSTS = (Host(name="near"), Host(name="far", delay_ms=1000 * RTT_S / 2))
FLIGHTS = 4
"""At 0, 0.28, 0.55 and 0.83 s."""


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with bed_of(*HOSTS) as built:
        yield built


def sent_before(flights: int) -> float:
    """Return the bytes of so many flights that double."""
    return float(INITIAL_WINDOW_SEGMENTS * (2**flights - 1) * segment_bytes(1460))


@pytest.mark.parametrize("is_reverse", [False, True])
def test_the_first_flight_leaves_when_the_version_says(bed: Bed, is_reverse: bool) -> None:
    words = subprocess.run(["iperf3", "--version"], capture_output=True, text=True, check=True)
    version = words.stdout.split()[1]
    one = measured(tool="iperf3", tool_version=version, is_reverse=is_reverse)
    late = late_rtts(one)
    arrived = transfers.iperf3(bed, "near", "far", "-t", "1", *(("-R",) if is_reverse else ()))
    flights = FLIGHTS - max(int(late), 0)
    assert sent_before(flights - 1) < arrived.byte_count <= 1.01 * sent_before(flights)
    # A server that receives stops a round trip after the client; one that sends does not count.
    assert arrived.seconds == pytest.approx(1.0 if is_reverse else 1.0 + RTT_S, abs=0.05)
