"""The iperf3 of this machine, over loopback: what it prints today is read, at both ends."""

import json
import shutil
import socket
import subprocess

import pytest

from netplan_planner.measuring.outputs import parse_iperf3
from netplan_planner.model import CountedBy, Measurement

IPERF3 = shutil.which("iperf3")
pytestmark = pytest.mark.skipif(IPERF3 is None, reason="iperf3 is not installed")


def run(*options: str) -> tuple[str, str]:
    """Return the output of the client and of the server of one short run."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    server = subprocess.Popen(
        [str(IPERF3), "-s", "-1", "-J", "-B", "127.0.0.1", "-p", port, "--forceflush"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        command = [str(IPERF3), "-c", "127.0.0.1", "-p", port, "-J", "-b", "50M", "-t", "1"]
        for _ in range(100):
            client = subprocess.run(
                [*command, *options], capture_output=True, text=True, check=False, timeout=30
            )
            if "Connection refused" not in client.stdout:
                break
        return client.stdout, server.communicate(timeout=30)[0]
    finally:
        server.kill()


def sums(text: str) -> dict[str, dict[str, float]]:
    return {name: one for name, one in json.loads(text)["end"].items() if name.startswith("sum")}


def test_both_directions_as_both_ends_tell_them() -> None:
    client, server = run("--bidir", "-P", "2", "--get-server-output")
    there, back = parse_iperf3(client, source="client")
    theirs: tuple[Measurement, ...] = parse_iperf3(server, source="server")
    told = sums(client)
    assert there.gbps == told["sum_received"]["bits_per_second"] / 1e9
    assert back.gbps == told["sum_received_bidir_reverse"]["bits_per_second"] / 1e9
    assert [one.run_id for one in theirs] == [there.run_id, back.run_id]
    assert [one.counted_by for one in theirs] == [CountedBy.RECEIVER, CountedBy.SENDER]
    assert (there.streams, there.bitrate_limit_gbps) == (2, 0.1)
    # Both ends' sockets are known, because the client asked for the server's output.
    assert there.rtt_ms is not None
    assert back.rtt_ms is not None
    assert there.src.cpu_ratio == back.dst.cpu_ratio


def test_one_direction_against_the_other() -> None:
    client, server = run("-R")
    (mine,) = parse_iperf3(client, source="client")
    (theirs,) = parse_iperf3(server, source="server")
    assert (mine.is_reverse, theirs.is_reverse) == (True, True)
    assert mine.run_id == theirs.run_id
    assert (mine.counted_by, theirs.counted_by) == (CountedBy.RECEIVER, CountedBy.SENDER)
    assert mine.gbps == sums(client)["sum_received"]["bits_per_second"] / 1e9
    assert mine.rtt_ms is None
