"""Runs the command as a user does: arguments, environment and outputs of its own, and a status."""

import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

from support.commands.in_process import netplan
from support.testbed.processes import MARK

ROOTS = [Path(__file__).parents[3] / name for name in ("planner", "rules", "pricing")]
SECONDS = 180
"""Of any one answer; most take less than one, on a machine that has no other work."""
_READ_BY_PYTHON = ("PYTHON", "LC_", "LANG")
"""Variables that are read before a program begins."""


def run_verbs(*, arguments: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
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
        return run_anew("from netplan_planner.cli import main\nmain()", arguments, variables)
    with patch.dict(os.environ, variables, clear=True):
        done = netplan(*arguments)
    # As `subprocess` reads with `text`: every end of a line is a line feed.
    told = [text.replace("\r\n", "\n") for text in (done.out, done.err)]
    return subprocess.CompletedProcess(arguments, done.status, *told)


def run_anew(
    script: str, arguments: list[str], variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Return the finished process of a script, with an interpreter that begins anew."""
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
