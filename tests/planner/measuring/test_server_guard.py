"""The shell that keeps iperf3 on a lead: whoever dies, no server stays."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from netplan_planner.measuring.guard import BUSY, FAILED, READY, Lead, run_command, serve_command
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

LONG = Lead(life_s=60, silence_s=60)
SHELLS = [("sh",), ("bash", "--posix")]
"""Debian's `sh` is dash, Red Hat's is bash."""


@pytest.fixture
def mark() -> Iterator[str]:
    with marked() as mark:
        yield mark
        for pid in processes(mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def start(command: tuple[str, ...], shell: tuple[str, ...] = ("sh",)) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*shell, *command[1:]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_heed_signals,
    )


def _heed_signals() -> None:
    """Undo what a job in the background inherits: no shell can trap what it was told to ignore."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def answer(process: subprocess.Popen[bytes]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().decode().split()


def serve(ports: tuple[int, int], count: int = 1, lead: Lead = LONG) -> tuple[str, ...]:
    return serve_command(program="iperf3", ports=ports, count=count, lead=lead)


def leave(process: subprocess.Popen[bytes]) -> None:
    process.communicate(timeout=20)


@pytest.mark.parametrize("shell", SHELLS)
def test_servers_listen_when_they_say_so(mark: str, shell: tuple[str, ...]) -> None:
    first, last = free_ports(3)
    process = start(serve((first, last), count=3), shell)
    assert answer(process) == [READY, *map(str, range(first, last + 1))]
    assert len(iperf3_servers(mark)) == 3
    leave(process)
    assert_none_left(mark)


def close_input(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.stdin = None


def kill_shell(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    # The other end of its input closes it when it sees the shell gone.
    leave(process)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("lead", "act"),
    [
        (LONG, close_input),
        (Lead(life_s=60, silence_s=1), lambda _: None),
        (LONG, kill_shell),
    ],
    ids=["end of the input", "silence on the input", "killed shell"],
)
def test_without_its_lead_no_server_stays(
    mark: str, shell: tuple[str, ...], lead: Lead, act: Callable[[subprocess.Popen[bytes]], object]
) -> None:
    process = start(serve(free_ports(1), lead=lead), shell)
    answer(process)
    act(process)
    assert_none_left(mark)
    if process.returncode is None:
        leave(process)


def test_words_on_the_input_keep_the_server(mark: str) -> None:
    process = start(serve(free_ports(1), lead=Lead(life_s=60, silence_s=1)))
    answer(process)
    assert process.stdin is not None
    for _ in range(15):
        process.stdin.write(b"beat\n")
        process.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
    assert len(iperf3_servers(mark)) == 1
    leave(process)
    assert_none_left(mark)


@pytest.mark.parametrize("shell", SHELLS)
def test_its_time_limit_ends_a_server_that_nobody_used(mark: str, shell: tuple[str, ...]) -> None:
    process = start(serve(free_ports(1), lead=Lead(life_s=1, silence_s=60)), shell)
    answer(process)
    wait_for(lambda: not iperf3_servers(mark), "the server's end")
    assert process.wait(20) == 0
    leave(process)
    assert_none_left(mark)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("shell", SHELLS)
def test_a_signal_to_the_shell_ends_the_server(
    mark: str, shell: tuple[str, ...], number: signal.Signals
) -> None:
    process = start(serve(free_ports(1)), shell)
    answer(process)
    process.send_signal(number)
    wait_for(lambda: not iperf3_servers(mark), "the server's end")
    leave(process)
    assert_none_left(mark)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_killed_time_limit_leaves_no_server(mark: str, shell: tuple[str, ...]) -> None:
    process = start(serve(free_ports(2), count=2), shell)
    answer(process)
    limits = [
        pid
        for pid, line in processes(mark).items()
        if line.startswith("timeout") and "iperf3" in line
    ]
    assert len(limits) == 2
    for pid in limits:
        os.kill(pid, signal.SIGKILL)
    assert process.wait(20) == 0
    leave(process)
    assert_none_left(mark)


def test_a_port_that_is_taken_is_passed_over(mark: str) -> None:
    first, last = free_ports(3)
    with socket.create_server(("127.0.0.1", first + 1)):
        process = start(serve((first, last), count=2))
        assert answer(process) == [READY, str(first), str(last)]
        leave(process)
    assert_none_left(mark)


def test_too_few_free_ports_start_nothing(mark: str) -> None:
    first, last = free_ports(2)
    with socket.create_server(("127.0.0.1", last)):
        process = start(serve((first, last), count=2))
        assert answer(process) == [BUSY]
        assert process.wait(20) != 0
        leave(process)
    assert_none_left(mark)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_server_that_ends_at_once_is_told(mark: str, shell: tuple[str, ...]) -> None:
    command = serve_command(program="false", ports=free_ports(1), count=1, lead=LONG)
    process = start(command, shell)
    assert answer(process) == [FAILED]
    leave(process)
    assert_none_left(mark)


def test_the_end_of_the_input_ends_the_clients_and_their_folder(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    ports = free_ports(2)
    server = start(serve(ports, count=2))
    answer(server)
    words = ["-c", "127.0.0.1", "-t", "30", "-b", "1M"]
    client = start(run_command(program="iperf3", arguments=words, ports=ports, lead=LONG))
    wait_for(lambda: len(iperf3_clients(mark)) == 2, "both clients")
    assert list(tmp_path.iterdir()) != []
    leave(client)
    assert list(tmp_path.iterdir()) == []
    leave(server)
    assert_none_left(mark)
