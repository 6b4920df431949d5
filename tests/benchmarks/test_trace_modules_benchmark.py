"""The count of modules runs, and sees what runs and nothing that is only imported."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "trace_modules.py"
PASSED = {
    "audit": "netplan_rules.address.external_ip_intra_zone",
    "recommend": "netplan_planner.optimise.machine_type",
    "predict": "netplan_planner.throughput.batch",
}
IMPORTED = {
    "audit": "netplan_planner.world",
    "recommend": "netplan_planner.model.base",
    "predict": "netplan_planner.model",
}
"""Modules of values, and packages that only name what they hold."""


@pytest.mark.parametrize("command", PASSED)
def test_what_a_record_passes_is_counted(command: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--list", command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, *modules = (line.strip() for line in done.stdout.splitlines())
    assert first.split() == [command, str(len(modules))]
    assert PASSED[command] in modules
    assert IMPORTED[command] not in modules
    assert len(modules) == len(set(modules))
