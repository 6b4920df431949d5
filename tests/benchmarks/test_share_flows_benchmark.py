"""The benchmark of fair rates still runs, and its rivals compute the same; no time is judged."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "share_flows.py"


def test_every_part_runs_and_agrees_with_its_rivals() -> None:
    counts = ("--flows", "20000", "--vms", "400", "--repeat", "1", "--scaling", "1000")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *counts], capture_output=True, text=True, check=False
    )
    # Rates that are not the rival's end the run.
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"heap / netplan: [0-9.]+ times", done.stdout)) == 2
    assert len(re.findall(r"textbook / netplan: [0-9.]+ times", done.stdout)) == 2
    assert re.search(r"1,000 demands +[0-9.]+ s, peak [0-9.]+ GiB", done.stdout)
