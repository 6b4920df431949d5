"""Finite transfers on a test bed: what they take, by a plain socket and by iperf3.

The relay of a bed passes packets on and ends no connection: both ends of a delayed path are the
kernel's own TCP, with its slow start over the whole round trip, its windows and its CUBIC.
"""

import contextlib
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from netplan_planner.units import gbps_from_bytes
from support.testbed.bed import Bed
from support.testbed.processes import wait_for
from support.testbed.quiet import undisturbed

PORT = 5600
_ENDS = Path(__file__).with_name("transfer_ends.py")
RUNS = 3
_MOST_BROKEN = 2
_SECONDS = 30


class Arrived(NamedTuple):
    """What a receiver counted, and by its clock."""

    byte_count: int
    seconds: float

    @property
    def gbps(self) -> float:
        return gbps_from_bytes(self.byte_count, self.seconds)


@contextlib.contextmanager
def receiving(bed: Bed, name: str) -> Iterator[None]:
    """Take plain transfers on a host."""
    words = [*bed.prefix(name), sys.executable, "-E", "-S", str(_ENDS), "receive", str(PORT)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as receiver:
        try:
            assert receiver.stdout is not None
            assert receiver.stdout.readline() == b"ready\n"
            yield
        finally:
            receiver.kill()


def seconds_of(
    bed: Bed, src: str, dst: str, *, byte_count: int, streams: int, runs: int = RUNS
) -> float:
    """Return the median time of some plain transfers, from `connect` to the last byte received."""
    asked = (bed.internal(dst), PORT, byte_count, streams, runs)
    words = (sys.executable, "-E", "-S", str(_ENDS), "send", *map(str, asked))
    found = undisturbed(bed.run, src, *words)
    return float(statistics.median(json.loads(found)))


def iperf3(bed: Bed, src: str, dst: str, *words: str, address: str = "") -> Arrived:
    """Return what the receiver counted in the median run of a few of iperf3.

    A run that broke is done again, as the prober does: now and then iperf3 ends without a result.

    Args:
        bed: The hosts.
        src: The sender.
        dst: The receiver.
        words: Options of the client.
        address: Of the receiver; empty is its internal one.
    """
    runs: list[Arrived] = []
    for _ in range(RUNS + _MOST_BROKEN):
        client = [*bed.prefix(src), "iperf3", "-c", address or bed.internal(dst)]
        client += ["-p", str(PORT), "-J", *words]
        done = undisturbed(_served, bed, dst, client)
        counted = json.loads(done.stdout or "{}").get("end", {}).get("sum_received")
        if counted is not None:
            runs.append(Arrived(int(counted["bytes"]), float(counted["seconds"])))
        if len(runs) == RUNS:
            return sorted(runs, key=lambda one: one.gbps)[RUNS // 2]
    raise AssertionError(f"iperf3 between {src} and {dst}: {done.stdout!r} {done.stderr!r}")


def _served(bed: Bed, name: str, client: list[str]) -> subprocess.CompletedProcess[bytes]:
    with _serving(bed, name):
        return subprocess.run(client, capture_output=True, timeout=_SECONDS, check=False)


@contextlib.contextmanager
def _serving(bed: Bed, name: str) -> Iterator[None]:
    """Run an iperf3 server on a host for one run."""
    words = [*bed.prefix(name), "iperf3", "-s", "-1", "-p", str(PORT)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(lambda: f":{PORT} " in bed.run(name, "ss", "-Hltn"), "the iperf3 server")
            yield
        finally:
            server.kill()
