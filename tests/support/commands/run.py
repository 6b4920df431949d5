"""Runs verbs of the command as a process of its own, as a user does.

What a process needs before it begins, Python and all modules of netplan, takes a second: one
process does it once (`server`), and each command is a fork of it with arguments,
environment, folder and outputs of its own.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from support.testbed.processes import MARK

ROOTS = [Path(__file__).parents[3] / name for name in ("planner", "rules", "pricing")]
SECONDS = 180
"""Of any one answer; most take less than one, on a machine that has no other work."""
_SERVER = Path(__file__).with_name("server.py")
_READ_BY_PYTHON = ("PYTHON", "LC_", "LANG")
"""Variables that are read before a program begins: no fork heeds them."""


def run_verbs(
    *modules: str, arguments: list[str], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Return the finished process of `netplan ARGUMENTS` with the verbs of some cli modules."""
    imports = "".join(f"import netplan_planner.cli.{module}\n" for module in modules)
    script = f"{imports}from netplan_planner.cli import main\nmain()"
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, ROOTS)),
        "NO_COLOR": "1",
        **environment,
    }
    # A fork has the mark of its processes from where it was forked.
    if MARK in variables or any(name.startswith(_READ_BY_PYTHON) for name in environment):
        return run_anew(script, arguments, variables)
    return run_forked(script, arguments, variables)


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


def run_forked(
    script: str, arguments: list[str], variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Return the finished process of a script, with the modules of netplan already imported.

    Args:
        script: What is to be run.
        arguments: Behind its name in `sys.argv`.
        variables: All that its environment has.
    """
    with tempfile.TemporaryDirectory(prefix="command-") as folder:
        out, errors = Path(folder, "out"), Path(folder, "errors")
        asked = {
            "script": script,
            "arguments": arguments,
            "environment": variables,
            "folder": str(Path.cwd()),
            "outputs": [str(out), str(errors)],
        }
        status = _Server.of_this_process().run(asked)
        # As `subprocess` reads with `text`: every end of a line is a line feed.
        told = [one.read_text(encoding="utf-8") for one in (out, errors)]
    return subprocess.CompletedProcess(arguments, status, *told)


class _Server:
    """The process that forks."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_SERVER)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, ROOTS)), "NO_COLOR": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    @classmethod
    @cache
    def of_this_process(cls) -> "_Server":
        return cls()

    def run(self, asked: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        pid = None
        try:
            pid = self._answer()
            return self._answer()
        except BaseException:
            # What it still says would be taken for the answer to the next request.
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
            self._process.kill()
            _Server.of_this_process.cache_clear()
            raise

    def _answer(self) -> int:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], SECONDS)[0]:
            raise subprocess.TimeoutExpired("netplan", SECONDS)
        return int(self._process.stdout.readline())
