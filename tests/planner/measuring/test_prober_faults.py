"""Ends that are not as they should be: named in words, and nothing of them stays."""

import os
import re
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.measuring import campaign as asking
from netplan_planner.measuring.campaign import Campaign, ProbeLimits, ProbePair, StopRule
from netplan_planner.measuring.progress import (
    PairRefused,
    ProbeEvent,
    RunFailed,
    RunMeasured,
    RunsLeftOut,
)
from netplan_planner.measuring.runner import run_campaign
from netplan_planner.measuring.store import read_store
from netplan_planner.measuring.transports import LocalTransport, SshTransport
from support.testbed.campaigns import IMPATIENT, campaign, pair
from support.testbed.processes import (
    assert_none_left,
    free_ports,
    iperf3_clients,
    marked,
    processes,
    wait_for,
)

pytestmark = pytest.mark.skipif(
    shutil.which("iperf3") is None, reason="iperf3 is not installed: apt-get install iperf3"
)

VERSION = 'if [ "$1" = --version ]; then echo "iperf 3.12 (cJSON 1.7.15)"; exit; fi\n'
HANGS = replace(IMPATIENT, start_s=3, slack_s=1, connect_s=1)
ACCEPTS = """
import socket, sys, time
port = int(sys.argv[sys.argv.index("-p") + 1])
server = socket.create_server(("127.0.0.1", port))
held = []
while True:
    held.append(server.accept())
"""


@pytest.fixture
def mark() -> Iterator[str]:
    with marked() as mark:
        yield mark
        assert_none_left(mark)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "measurements.jsonl"


def program(folder: Path, script: str, name: str = "iperf3-odd") -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)
    return str(path)


def refusal(store: Path, asked: Campaign) -> str:
    """Return why the one pair of a campaign is refused."""
    outcome = run_campaign(asked, store=store)
    (refused,) = outcome.events
    assert isinstance(refused, PairRefused)
    assert (outcome.order, outcome.is_complete) == ((), False)
    return refused.reason


def with_client(folder: Path, script: str) -> ProbePair:
    """Return a pair whose client is another program."""
    only = pair()
    return replace(only, client=replace(only.client, iperf3=program(folder, script)))


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ('echo "iperf 3.0 (cJSON 1.2)"', r"iperf3 3\.0 is too old; it needs 3\.7 or newer"),
        ('echo "iperf 3.6"', r"iperf3 3\.6 is too old"),
        (
            'echo "iperf version 2.1.8 (12 August 2022) pthreads"',
            r"not iperf3 \(it printed 'iperf ver",
        ),
        ("exit 0", "is not iperf3; install it"),
        (f"{VERSION}exec sleep 100", r"no iperf3 listens after 3 s"),
        (f"{VERSION}echo cannot bind >&2; exit 1", r"iperf3 did not listen \(.*cannot bind\)"),
        (f"{VERSION}exec python3 -c '{ACCEPTS}' \"$@\"", "the server or the connection hangs"),
    ],
    ids=["3.0", "3.6", "iperf2", "silent", "never listens", "ends at once", "accepts and hangs"],
)
def test_a_server_that_cannot_serve_is_refused(
    mark: str, store: Path, tmp_path: Path, script: str, reason: str
) -> None:
    asked = campaign(pair(server_iperf3=program(tmp_path, script)), patience=HANGS)
    assert re.search(reason, refusal(store, asked))


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (f"{VERSION}exec sleep 100", "no result within"),
        (f"{VERSION}exit 1", "printed nothing"),
        (f"{VERSION}echo '{{}}'", "no result"),
        (f"{VERSION}yes", "no result"),
    ],
    ids=["hangs", "ends at once", "no result", "endless"],
)
def test_a_client_that_gives_no_result_is_refused(
    mark: str, store: Path, tmp_path: Path, script: str, reason: str
) -> None:
    asked = campaign(with_client(tmp_path, script), patience=HANGS)
    assert re.search(reason, refusal(store, asked))


def test_a_pair_that_cannot_be_measured_does_not_stop_the_others(mark: str, store: Path) -> None:
    good = pair("good")
    bad = pair("bad", iperf3="/no/iperf3")
    outcome = run_campaign(campaign(bad, good, stop=StopRule(min_runs=2)), store=store)
    refused = [event for event in outcome.events if isinstance(event, PairRefused)]
    assert [event.pair for event in refused] == ["bad"]
    assert outcome.measured_count >= 2
    assert {key.pair for key in outcome.order} == {"good"}


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (
            "echo 'Permission denied (publickey).' >&2; exit 255",
            "it did not answer (Permission denied (publickey).)",
        ),
        ("exec sleep 100", "no answer within 3 s"),
    ],
    ids=["denied", "hangs"],
)
def test_an_end_without_an_answer_is_refused(
    mark: str,
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    reason: str,
) -> None:
    program(tmp_path, script, "ssh")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    asked = campaign(pair(server=SshTransport(host="vm-1")), patience=HANGS)
    assert refusal(store, asked) == f"ssh vm-1: {reason}"


def test_taken_ports_are_passed_over(mark: str, store: Path) -> None:
    first, last = free_ports(4)
    with socket.create_server(("127.0.0.1", first)), socket.create_server(("", first + 1)):
        outcome = run_campaign(campaign(pair(ports=(first, last))), store=store)
    assert outcome.is_complete


def test_ports_that_are_all_taken_are_named(mark: str, store: Path) -> None:
    first, last = free_ports(2)
    with socket.create_server(("", first)), socket.create_server(("", last)):
        assert f"of the ports {first} to {last} are free" in refusal(
            store, campaign(pair(ports=(first, last)))
        )


def test_runs_that_fail_in_a_row_are_given_up(mark: str, store: Path, tmp_path: Path) -> None:
    """The first contact works; every run breaks off."""
    script = f'{VERSION}case "$*" in *"-t 1"*) exit 1;; esac\nexec iperf3 "$@"'
    only = with_client(tmp_path, script)
    outcome = run_campaign(campaign(only, stop=StopRule()), store=store)
    *failed, left_out = outcome.events
    assert [type(event) for event in failed] == [RunFailed, RunFailed]
    assert isinstance(left_out, RunsLeftOut)
    assert left_out.reason.startswith("2 runs failed in a row; last error: a-b: iperf3 on")
    assert (left_out.pair, left_out.configuration) == ("a-b", "1-forward")


def test_a_run_that_never_connected_uses_up_no_bytes(
    mark: str, store: Path, tmp_path: Path
) -> None:
    refused = "exec iperf3 -c 127.0.0.1 -p 1 -J -t 1"
    script = f'{VERSION}case "$*" in *"-t 1"*) {refused};; esac\nexec iperf3 "$@"'
    only = with_client(tmp_path, script)
    outcome = run_campaign(campaign(only, limits=ProbeLimits(max_gib=1)), store=store)
    first, second, _ = outcome.events
    for event in (first, second):
        assert isinstance(event, RunFailed)
        assert "unable to connect to server" in event.reason
        assert "check that the firewall allows TCP from the client to the server" in event.reason
    assert outcome.moved_bytes < 2**20


def test_clients_that_did_not_run_together_are_a_failed_run(
    mark: str, store: Path, tmp_path: Path
) -> None:
    # Of two neighbouring ports, one is odd.
    script = f'{VERSION}case "$*" in *[13579]) sleep 3;; esac\nexec iperf3 "$@"'
    only = with_client(tmp_path, script)
    two = asking.Configuration(streams=2, direction=asking.Direction.FORWARD)
    outcome = run_campaign(campaign(only, configurations=(two,)), store=store)
    first, *_ = outcome.events
    assert isinstance(first, RunFailed)
    assert "the processes did not run in parallel" in first.reason
    assert read_store(store).measurements == ()


def test_a_client_killed_in_a_run_costs_that_run_only(mark: str, store: Path) -> None:
    killer = threading.Thread(target=kill_first_client, args=(mark,))
    killer.start()
    outcome = run_campaign(campaign(stop=StopRule(min_runs=2, max_runs=3)), store=store)
    killer.join()
    kinds = [type(event) for event in outcome.events]
    assert kinds == [RunFailed, RunMeasured, RunMeasured]
    assert outcome.is_complete
    assert [key.number for key in outcome.order] == [1, 2, 3]


def kill_first_client(mark: str) -> None:
    victims: list[int] = []

    def is_running() -> list[int]:
        lines = processes(mark)
        victims[:] = [one for one in iperf3_clients(mark) if " -t 1 " in lines.get(one, "")]
        return victims

    wait_for(is_running, "a client of a run")
    os.kill(victims[0], signal.SIGKILL)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no tmpfs here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> None:
    with (folder / "filler").open("ab", buffering=0) as file:
        while True:
            try:
                file.write(b"\0" * 4096)
            except OSError:
                return


def test_a_disk_that_fills_up_stops_the_campaign(mark: str, small_disk: Path) -> None:
    store = small_disk / "measurements.jsonl"
    heard: list[ProbeEvent] = []

    def hear(event: ProbeEvent) -> None:
        heard.append(event)
        fill(small_disk)

    asked = campaign(stop=StopRule(min_runs=10, max_runs=10))
    with pytest.raises(InputError, match=r"cannot be written: No space left on device"):
        run_campaign(asked, store=store, tell=hear)
    # The records of a few runs share a page of the disk.
    assert 1 <= len(heard) < 10
    kept = [one for event in heard if isinstance(event, RunMeasured) for one in event.measurements]
    found = read_store(store)
    assert found.measurements == tuple(kept)
    assert found.faults == ()


def test_a_full_disk_is_found_before_the_first_run(mark: str, small_disk: Path) -> None:
    fill(small_disk)
    heard: list[ProbeEvent] = []
    with pytest.raises(InputError, match=r"too few for the results|No space left"):
        run_campaign(campaign(), store=small_disk / "measurements.jsonl", tell=heard.append)
    assert heard == []


def test_local_ends_may_be_entered_by_any_command(mark: str, store: Path) -> None:
    entered = LocalTransport(prefix=("env", "A B=c d"))
    assert run_campaign(campaign(pair(server=entered)), store=store).is_complete
