"""A shaper at the sender against a policer on the way, by real TCP: only the latter drops.

The policer is a token bucket with next to no queue. Both pass the same rate; four CUBIC flows start
over 50 ms. The model takes a machine's own cap for the former and a provider's for the latter.
"""

import json
import subprocess
from collections.abc import Iterator

import pytest

from support.testbed import bed as beds
from support.testbed.bed import Bed, Host, bed_of
from support.testbed.processes import wait_for

WHY_NOT = beds.missing()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

MBPS = 100.0
ROOMY_BYTES = 64 * 2**20
HOSTS = (
    Host(name="shaped", egress_mbps=MBPS),
    Host(name="open"),
    Host(name="far", delay_ms=25, receive_ceiling_bytes=ROOMY_BYTES),
    Host(name="policed", delay_ms=25, receive_ceiling_bytes=ROOMY_BYTES),
)
PORT = 5600


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with bed_of(*HOSTS) as built:
        # A machine's own queue: what does not fit into it, TCP of the same machine waits with.
        own = "parent 1:10 pfifo limit 1000"
        built.run("shaped", "tc", "qdisc", "replace", "dev", "eth0", *own.split())
        wire = f"wire{list(built.hosts).index('policed') + 1}"
        bucket = f"root tbf rate {MBPS:.0f}mbit burst 64k limit 3000"
        built.run("router", "tc", "qdisc", "replace", "dev", wire, *bucket.split())
        yield built


def run(bed: Bed, src: str, dst: str) -> tuple[float, int]:
    """Return what arrived in Mbit/s, and the segments that were sent again."""
    words = [*bed.prefix(dst), "iperf3", "-s", "-1", "-p", str(PORT)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(lambda: f":{PORT} " in bed.run(dst, "ss", "-Hltn"), "the iperf3 server")
            client = ("iperf3", "-c", bed.internal(dst), "-p", str(PORT), "-P", "4", "-t", "3")
            found = json.loads(bed.run(src, *client, "-J"))["end"]
        finally:
            server.kill()
    return found["sum_received"]["bits_per_second"] / 1e6, found["sum_sent"]["retransmits"]


def test_only_the_policer_drops(bed: Bed) -> None:
    shaped, shaped_again = run(bed, "shaped", "far")
    policed, policed_again = run(bed, "open", "policed")
    assert shaped_again == 0
    assert shaped > 0.8 * MBPS
    assert policed_again > 10
    assert policed < 0.8 * shaped
