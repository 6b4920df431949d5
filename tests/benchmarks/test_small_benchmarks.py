"""Each benchmark runs at a small size, so that it still measures what the program is now."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SMALL = {
    "terraform_plan": ("--resources", "200", "--repeat", "1"),
    "read_kubernetes": ("--nodes", "4", "--pods", "40", "--repeat", "1"),
    "predict_table": ("--rows", "1000", "--repeat", "1"),
    "prices": ("--look-ups", "1000", "--repeat", "1"),
    "startup": ("--repeat", "1"),
    "whatif": ("--machines", "40", "--repeat", "1"),
    "place": ("--sizes", "small"),
    "transfer": ("--places", "6", "--repeat", "1"),
    "fleet": ("--machines", "60", "--repeat", "1"),
    "forecast": ("--times", "2", "--known", "28", "--ahead", "14"),
}


@pytest.mark.parametrize("name", SMALL)
def test_it_runs_and_prints_its_figures(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / f"{name}.py"), *SMALL[name]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert " s" in done.stdout
    assert "Traceback" not in done.stderr
