"""Each benchmark runs at a small size, so that it still measures what the program is now."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SMALL = {
    "terraform_plan": ("--resources", "200", "--repeat", "1"),
    "read_kubernetes": ("--nodes", "4", "--pods", "40", "--repeat", "1"),
    "predict_table": ("--rows", "1000", "--repeat", "1"),
    "prices": ("--look-ups", "1000", "--repeat", "1"),
    "suppress": ("--entries", "9", "90", "--findings", "40"),
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


NEEDS = {
    "duckdb": [],
    "sail": ["pysail", "pyspark.sql.connect"],
}


@pytest.mark.parametrize("engine", NEEDS)
def test_flow_logs_on_an_engine(engine: str, tmp_path: Path) -> None:
    for module in NEEDS[engine]:
        pytest.importorskip(module, reason=f"{module} is not installed here (.ci/sail.sh)")
    done = subprocess.run(
        [
            *(sys.executable, str(BENCHMARKS / "engines.py"), "--folder", str(tmp_path)),
            *("--engines", engine, "--vms", "40", "--records", "200", "400"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "left out" not in done.stdout
    assert "CPU µs a record since 200" in done.stdout


def test_an_engine_that_is_not_here_is_left_out_by_name(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, str(BENCHMARKS / "engines.py"), "--folder", str(tmp_path)),
            *("--engines", "spark", "--vms", "40", "--records", "200"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "spark          200 records: left out: " in done.stdout
