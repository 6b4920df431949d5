"""A run that is stopped ends quietly and leaves nothing behind."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from netplan_planner.readers import read_inventory
from support.commands.run import INTERRUPTIBLE, begun, run_anew
from support.flows.entries import write_entries
from support.projects.one_project import FOLDER
from support.servers.hostile import HostileServer

FILES = FOLDER / "gcloud"
COPIES = 300
SECONDS = 60


def many_records(folder: Path) -> None:
    inventory = read_inventory([FILES])
    first, second = (machine.name for machine in inventory.instances[:2])
    traffic = {"minutes": 240, "flows": [{"src": first, "dst": second, "gbps": 1.0}]}
    write_entries(folder / "one.json", inventory, traffic)
    text = (folder / "one.json").read_bytes()
    (folder / "many.json").write_bytes(text * COPIES)


def start(*arguments: object) -> "subprocess.Popen[str]":
    return begun("-c", INTERRUPTIBLE, *arguments, stderr=subprocess.PIPE, text=True)


def test_nobody_waits_for_an_api_that_does_not_answer() -> None:
    """Eight threads are inside a request of a minute each."""
    with HostileServer(lambda _: [600.0]) as server:
        process = start("audit", "--project", "p", "--api-endpoint", server.url, "--anonymous")
        deadline = time.monotonic() + SECONDS
        while len(server.asked) < 8 and time.monotonic() < deadline:
            time.sleep(0.005)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
        took_s = time.monotonic() - began
    assert (process.returncode, out, err) == (130, "", "netplan: interrupted\n")
    # A second, and what a busy machine adds.
    assert took_s < 5.0


def test_an_interrupt_while_modules_are_loaded_is_quiet_too() -> None:
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        " import sys, os; sys.addaudithook(lambda name, given: os.kill(os.getpid(), signal.SIGINT)"
        " if name == 'import' and given[0] == 'typer' else None);"
        " from netplan_planner.cli import main; main()"
    )
    done = run_anew("-c", script, "caps")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "netplan: interrupted\n")


def test_an_interrupt_that_got_lost_comes_again() -> None:
    """One that arrives while an object is thrown away is only reported by Python."""
    script = (
        "import os, signal, time; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from netplan_planner.cli.interrupts import ended_quietly\n"
        "class Gone:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(0)\n"
        "with ended_quietly():\n"
        "    one = Gone()\n"
        "    del one\n"
        "    time.sleep(20)\n"
    )
    done = run_anew("-c", script)
    assert (done.returncode, done.stderr) == (130, "netplan: interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_run_leaves_no_folder(tmp_path: Path, number: signal.Signals) -> None:
    flows, temporary = tmp_path / "flows", tmp_path / "tmp"
    flows.mkdir()
    temporary.mkdir()
    many_records(flows)
    arguments = ["audit", "--inventory", FILES, "--traffic", flows, "--temp-directory", temporary]
    process = start(*arguments)
    deadline = time.monotonic() + SECONDS
    while not list(temporary.glob("netplan-*/in/*")) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(number)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert "Traceback" not in out + err
    assert list(temporary.iterdir()) == []


def test_what_was_left_behind_is_told_in_the_last_words() -> None:
    """Also through what typer makes of an interrupt."""
    script = (
        "from netplan_planner.cli.interrupts import ended_quietly\n"
        "def stopped():\n"
        "    exc = KeyboardInterrupt()\n"
        "    exc.add_note('work files may remain in gs://b/\\x1b[31m')\n"
        "    raise exc\n"
        "with ended_quietly():\n"
        "    try:\n"
        "        stopped()\n"
        "    except KeyboardInterrupt as exc:\n"
        "        raise SystemExit(130) from exc\n"
    )
    done = run_anew("-c", script)
    told = "netplan: interrupted; work files may remain in gs://b/\\x1b[31m\n"
    assert (done.returncode, done.stderr) == (130, told)
