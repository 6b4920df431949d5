"""The benchmark of flow logs still runs, and still finds what was generated; no time is judged."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "flow_logs.py"
RECORDS = "20000"


def run(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run the benchmark on a small input."""
    counts = ("--records", RECORDS, "--json-records", RECORDS, "--linear", RECORDS, "--vms", "300")
    return subprocess.run(
        [sys.executable, str(SCRIPT), "--folder", str(folder), *counts, *more],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the inputs are made once."""
    return tmp_path_factory.mktemp("inputs")


def test_every_part_runs_and_agrees_with_its_rival(folder: Path) -> None:
    done = run(folder, "--json", str(folder / "runs.json"))
    assert done.returncode == 0, done.stderr
    runs = json.loads((folder / "runs.json").read_text(encoding="utf-8"))
    by_task = {run["task"]: run for run in runs}
    assert set(by_task) == {
        "audit",
        "ingest",
        "hand-written",
        "json-sum",
        "json-edges",
        "linear",
    }
    assert all(run["cpu_s"] > 0 and run["peak_gib"] > 0 for run in runs)
    # `ingest` ran on Parquet and on JSON lines.
    on_parquet = next(run for run in runs if run["task"] == "ingest")
    assert on_parquet["wire_bytes"] == pytest.approx(by_task["hand-written"]["wire_bytes"])
    assert by_task["json-sum"]["lines"] == int(RECORDS)
    assert by_task["json-sum"]["payload_bytes"] == by_task["json-edges"]["payload_bytes"]
    assert "ingest / hand-written" in done.stdout


def test_a_sum_that_is_not_what_was_generated_ends_the_run(folder: Path) -> None:
    made = run(folder, "--only", "linear")
    assert made.returncode == 0, made.stderr
    answers = folder / f"parquet-{RECORDS}-300" / "expected.json"
    right = answers.read_text(encoding="utf-8")
    wrong = json.loads(right)
    wrong["by_class"]["internet"] += 1
    answers.write_text(json.dumps(wrong), encoding="utf-8")
    try:
        done = run(folder, "--only", "ingest")
    finally:
        answers.write_text(right, encoding="utf-8")
    assert done.returncode != 0
    assert "not what was generated" in done.stderr
    assert "by_class" in done.stderr
