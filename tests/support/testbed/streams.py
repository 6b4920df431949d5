"""Steady rates of a few streams over real delay: the table of docs/background/accuracy.md.

Each sender has a link of 400 Mbit/s with a queue of its own, as a machine's cap is: over short ways
it holds the streams back, over long ones what both buffers let be on its way.
"""

import json
import subprocess
from typing import NamedTuple

from support.testbed.bed import STOCK_RECEIVE_BYTES, STOCK_SEND_BYTES, Bed, Host
from support.testbed.processes import wait_for

LINK_MBPS = 400.0
MTU_BYTES = 1460
FRAME_RATIO = (MTU_BYTES + 38) / (MTU_BYTES + 14)
"""A link's rate holds all 38 bytes around a packet, a qdisc's the 14 of the Ethernet header."""
RTTS_MS = (20, 50, 100, 200, 300)
STREAMS = (1, 4, 16)
STOCK, GREATER = "stock", "greater"
RECEIVE_BYTES, SEND_BYTES = 32 * 2**20, 16 * 2**20
"""Of the greater set-up: the last values of tcp_rmem and tcp_wmem."""
PORT = 5600
_START_RTTS = 25
"""Before counting: doubling, and CUBIC's way back to the rate."""
_LEAST_S, _COUNTED_S = 3, 8


class Run(NamedTuple):
    """Streams between a set-up's hosts over a round-trip time."""

    set_up: str
    rtt_ms: int
    streams: int


def hosts() -> tuple[Host, ...]:
    """Return a sender of each set-up and a receiver for each of its round-trip times."""
    buffers = {STOCK: STOCK_RECEIVE_BYTES, GREATER: RECEIVE_BYTES}
    return (
        Host(name=STOCK, egress_mbps=LINK_MBPS),
        Host(name=GREATER, egress_mbps=LINK_MBPS, send_ceiling_bytes=SEND_BYTES),
        *(
            Host(name=f"{set_up}{rtt}", delay_ms=rtt / 2, receive_ceiling_bytes=ceiling)
            for set_up, ceiling in buffers.items()
            for rtt in RTTS_MS
        ),
    )


def with_queues(bed: Bed) -> None:
    """Give both senders a machine's own queue: TCP of that machine waits with what does not fit."""
    own = "dev eth0 parent 1:10 pfifo limit 1000"
    for name in (STOCK, GREATER):
        bed.run(name, "tc", "qdisc", "replace", *own.split())


def steady_gbps(bed: Bed, run: Run) -> float:
    """Return what arrives once the start is over, by the receiver's count."""
    dst = f"{run.set_up}{run.rtt_ms}"
    omit_s = max(round(_START_RTTS * run.rtt_ms / 1000), _LEAST_S)
    words = [*bed.prefix(dst), "iperf3", "-s", "-1", "-p", str(PORT)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(lambda: f":{PORT} " in bed.run(dst, "ss", "-Hltn"), "the iperf3 server")
            client = ["iperf3", "-c", bed.internal(dst), "-p", str(PORT), "-J"]
            client += ["-P", str(run.streams), "-t", str(_COUNTED_S), "-O", str(omit_s)]
            found = json.loads(bed.run(run.set_up, *client))
        finally:
            server.kill()
    return float(found["end"]["sum_received"]["bits_per_second"]) / 1e9


def bounds_gbps(run: Run) -> tuple[float, float]:
    """Return the least and the most that a run may carry, of payload.

    Between 2/3 of a send buffer, less what packets take beside their payload, and all of it is on
    the way of each stream (sk_stream_min_wspace); all of them together fill the link at most.
    """
    size = SEND_BYTES if run.set_up == GREATER else STOCK_SEND_BYTES
    link = LINK_MBPS / 1000 * (MTU_BYTES - 52) / (MTU_BYTES + 14)
    offered = run.streams * size * 8 / (run.rtt_ms * 1e6)
    return min(2 / 3 * 0.95 * offered, link), min(offered, link)


def row_of(run: Run) -> dict[str, str]:
    """Return the run as a row of `predict --batch`."""
    is_told = run.set_up == GREATER
    return {
        "path_class": "inter-region-internal",
        "host_link_gbps": str(LINK_MBPS * FRAME_RATIO / 1000),
        "mtu": str(MTU_BYTES),
        "rtt_ms": str(run.rtt_ms),
        "streams": str(run.streams),
        "window_bytes": str(RECEIVE_BYTES // 2) if is_told else "",
        "send_buffer_bytes": str(SEND_BYTES) if is_told else "",
    }
