"""Whoever dies in the middle of a run, nothing of it stays: not here, and not on the far side."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from netplan_planner.measuring.store import read_store
from support.commands.run import ROOTS
from support.testbed import ssh as testbed_ssh
from support.testbed.processes import (
    assert_none_left,
    free_ports,
    iperf3_clients,
    iperf3_servers,
    marked,
    processes,
    wait_for,
)

pytestmark = pytest.mark.skipif(
    shutil.which("iperf3") is None, reason="iperf3 is not installed: apt-get install iperf3"
)

SCRIPT = """
import signal, sys
from pathlib import Path
from netplan_planner.measuring.campaign import Configuration, Direction
from netplan_planner.measuring.runner import run_campaign
from netplan_planner.measuring.transports import GcloudTransport, LocalTransport, SshTransport
from support.testbed.campaigns import campaign, pair

kind, store, first, last, streams, handling = sys.argv[1:]
if handling == "as the command does":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
end = {
    "local": LocalTransport(),
    "ssh": SshTransport(host="vm-1"),
    "gcloud": GcloudTransport(vm="vm-1", zone="us-a", project="p"),
}[kind]
only = pair(client=end, server=end, ports=(int(first), int(last)))
wanted = Configuration(streams=int(streams), direction=Direction.FORWARD)
run_campaign(
    campaign(only, configurations=(wanted,), time_scale=1.0), store=Path(store), tell=print
)
"""
DEATHS = [
    ("local", signal.SIGKILL, 1),
    ("local", signal.SIGTERM, 1),
    ("local", signal.SIGINT, 1),
    # A second interrupt.
    ("local", signal.SIGINT, 3),
    ("ssh", signal.SIGKILL, 1),
    ("ssh", signal.SIGINT, 1),
    ("gcloud", signal.SIGKILL, 1),
]


class Prober:
    """A netplan that probes, as a process of its own."""

    def __init__(self, mark: str, folder: Path) -> None:
        self.mark = mark
        self.store = folder / "measurements.jsonl"
        self.temporary = folder / "tmp"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, kind: str, *, streams: int = 1, handling: str = "as the command does") -> None:
        ports = free_ports(20)
        roots = [*map(str, ROOTS), str(Path(__file__).parents[2])]
        words = [kind, self.store, *ports, streams, handling]
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, *map(str, words)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(roots)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        wait_for(self._is_in_a_run, "a run in its middle")

    def _is_in_a_run(self) -> bool:
        # Of a run, not of the first contact, which lasts milliseconds.
        is_run = any(" -t 10 " in line for line in processes(self.mark).values())
        clients, servers = iperf3_clients(self.mark), iperf3_servers(self.mark)
        return is_run and 0 < len(clients) == len(servers)

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def wait(self) -> tuple[int, str]:
        assert self.process is not None
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors.decode()


@pytest.fixture
def prober(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prober]:
    programs = tmp_path / "programs"
    programs.mkdir()
    testbed_ssh.install(programs, monkeypatch)
    with marked() as mark:
        one = Prober(mark, tmp_path)
        one.temporary.mkdir()
        monkeypatch.setenv("TMPDIR", str(one.temporary))
        yield one
        kill_all(processes(mark), signal.SIGKILL)
        if one.process is not None:
            one.wait()


@pytest.mark.parametrize(("kind", "number", "times"), DEATHS)
def test_the_death_of_netplan_leaves_nothing(
    prober: Prober, kind: str, number: signal.Signals, times: int
) -> None:
    prober.start(kind, streams=2)
    for _ in range(times):
        prober.signal(number)
    returncode, errors = prober.wait()
    assert returncode != 0
    assert times > 1 or ("KeyboardInterrupt" in errors) == (number != signal.SIGKILL)
    assert_none_left(prober.mark)
    assert times > 1 or list(prober.temporary.iterdir()) == []
    assert read_store(prober.store).measurements == ()


def test_a_signal_that_nobody_handles_leaves_nothing(prober: Prober) -> None:
    prober.start("local", handling="as the system does")
    prober.signal(signal.SIGTERM)
    assert prober.wait()[0] == -signal.SIGTERM
    assert_none_left(prober.mark)


def test_a_stopped_netplan_holds_no_far_end(prober: Prober) -> None:
    prober.start("ssh")
    prober.signal(signal.SIGSTOP)
    wait_for(
        lambda: not (iperf3_clients(prober.mark) or iperf3_servers(prober.mark)),
        "the end of what hears nothing from netplan",
    )
    prober.signal(signal.SIGKILL)
    prober.wait()
    assert_none_left(prober.mark)


def connections(mark: str) -> list[int]:
    """Return the `cat` of each stand-in for SSH."""
    return [pid for pid, line in processes(mark).items() if line.strip() == "cat"]


def kill_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


Harm = tuple[Callable[[str], list[int]], signal.Signals]
LOST: Harm = (connections, signal.SIGKILL)
STANDING_STILL: Harm = (connections, signal.SIGSTOP)


@pytest.mark.parametrize(
    ("kind", "harm"), [("ssh", LOST), ("gcloud", LOST), ("ssh", STANDING_STILL)]
)
def test_a_lost_connection_leaves_nothing_on_the_far_side(
    prober: Prober, kind: str, harm: Harm
) -> None:
    prober.start(kind)
    servers = iperf3_servers(prober.mark)
    kill_all(harm[0](prober.mark), harm[1])
    wait_for(lambda: not set(servers) & set(processes(prober.mark)), "the server's end")
    prober.signal(signal.SIGTERM)
    prober.wait()
    kill_all(connections(prober.mark), signal.SIGCONT)
    assert_none_left(prober.mark)


@pytest.mark.parametrize("killed", [iperf3_clients, iperf3_servers])
def test_a_killed_iperf3_is_a_failed_run_and_the_next_one_follows(
    prober: Prober, killed: Callable[[str], list[int]]
) -> None:
    prober.start("local")
    before = {*iperf3_clients(prober.mark), *iperf3_servers(prober.mark)}
    kill_all(killed(prober.mark), signal.SIGKILL)
    wait_for(
        lambda: len({*iperf3_clients(prober.mark), *iperf3_servers(prober.mark)} - before) == 2,
        "the next run",
    )
    assert not before & set(processes(prober.mark))
    prober.signal(signal.SIGTERM)
    prober.wait()
    assert_none_left(prober.mark)
