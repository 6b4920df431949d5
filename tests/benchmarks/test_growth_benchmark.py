"""The benchmark of growth still runs over every world, rule and output; no time is judged."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "growth.py"


@pytest.mark.parametrize("world", ["unconnected", "mesh", "places"])
def test_it_runs_and_names_what_it_measures(world: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--only", world, "--share", "0.002"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    assert re.search(r"greatest exponent \d", done.stdout)
    assert done.stderr == ""
