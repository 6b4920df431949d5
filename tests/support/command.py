"""Runs verbs of the command as a process of its own, as a user does."""

import os
import subprocess
import sys
from pathlib import Path

ROOTS = [Path(__file__).parents[2] / name for name in ("planner", "rules", "pricing")]
SECONDS = 60


def run_verbs(
    *modules: str, arguments: list[str], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Return the finished process of `netplan ARGUMENTS` with the verbs of some cli modules."""
    imports = "".join(f"import netplan_planner.cli.{module}\n" for module in modules)
    script = f"{imports}from netplan_planner.cli import main\nmain()"
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, ROOTS)),
            "NO_COLOR": "1",
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
