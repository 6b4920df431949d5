"""Runs the command as a user does: arguments, environment and outputs of its own, and a status."""

import os
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from unittest.mock import patch

from support.commands.in_process import netplan
from support.testbed.processes import MARK

ROOTS = [Path(__file__).parents[3] / name for name in ("planner", "rules", "pricing")]
TESTS = Path(__file__).parents[2]
BENCHMARKS = TESTS.parent / "benchmarks"
SECONDS = 180
"""Of any one answer; most take less than one, on a machine that has no other work."""
MAIN = "import sys; sys.argv[0] = 'netplan'; from netplan_planner.cli import main; main()"
"""The command, as a script of an interpreter that begins anew."""
INTERRUPTIBLE = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {MAIN}"
"""The same where it is told to stop: what a test starts may have been told to ignore Ctrl-C."""
_READ_BY_PYTHON = ("PYTHON", "LC_", "LANG")
"""Variables that are read before a program begins."""


def run_verbs(*, arguments: list[str], **environment: str) -> CompletedProcess[str]:
    """Return what `netplan ARGUMENTS` wrote, and its status, as of a process that has ended.

    It is a call in this process, which takes a third of the time of a process that begins with the
    modules that it needs; a process of its own where its marks are looked for, or where Python
    itself reads what is set.
    """
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, ROOTS)),
        "NO_COLOR": "1",
        **environment,
    }
    if MARK in variables or any(name.startswith(_READ_BY_PYTHON) for name in environment):
        return run_anew("-c", MAIN, *arguments, env=variables)
    with patch.dict(os.environ, variables, clear=True):
        done = netplan(*arguments)
    # As `subprocess` reads with `text`: every end of a line is a line feed.
    told = [text.replace("\r\n", "\n") for text in (done.out, done.err)]
    return CompletedProcess(arguments, done.status, *told)


def surroundings(**more: str) -> dict[str, str]:
    """Return the variables of a process that has this checkout's modules and tests."""
    roots = os.pathsep.join(map(str, [*ROOTS, TESTS]))
    return {**os.environ, "PYTHONPATH": roots, "NO_COLOR": "1", **more}


def run_anew(*words: object, **how: Any) -> CompletedProcess[str]:
    """Return the finished process of an interpreter that begins anew, with its words."""
    told: dict[str, Any] = {"env": surroundings(), "capture_output": True, "timeout": SECONDS}
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, **(told | how), text=True, check=False)


def begun(*words: object, **how: Any) -> "subprocess.Popen[Any]":
    """Return the process of an interpreter that has just begun."""
    told: dict[str, Any] = {"env": surroundings(), "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, *map(str, words)], **(told | how))
