"""Each benchmark runs at a small size, and measures what the program is now; no time is judged."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from support.commands.run import BENCHMARKS, run_anew

pytestmark = pytest.mark.nightly

ROOT = BENCHMARKS.parent
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
    "transfer_many": ("--exhaustive", "--repeat", "1"),
    "fleet": ("--machines", "60", "--repeat", "1"),
    "forecast": ("--times", "2", "--known", "28", "--ahead", "14"),
}


def run(name: str, *words: object) -> CompletedProcess[str]:
    return run_anew(BENCHMARKS / f"{name}.py", *words, timeout=None)


@pytest.mark.parametrize("name", SMALL)
def test_it_runs_and_prints_its_figures(name: str) -> None:
    done = run(name, *SMALL[name])
    assert done.returncode == 0, done.stderr
    assert " s" in done.stdout
    assert "Traceback" not in done.stderr


NEEDS = {"duckdb": [], "sail": ["pysail", "pyspark.sql.connect"]}


@pytest.mark.parametrize("engine", NEEDS)
def test_flow_logs_on_an_engine(engine: str, tmp_path: Path) -> None:
    for module in NEEDS[engine]:
        pytest.importorskip(module, reason=f"{module} is not installed here (.ci/sail.sh)")
    counts = ("--vms", "40", "--records", "200", "400")
    done = run("engines", "--folder", tmp_path, "--engines", engine, *counts)
    assert done.returncode == 0, done.stderr
    assert "left out" not in done.stdout
    assert "CPU µs a record since 200" in done.stdout


def test_an_engine_that_is_not_here_is_left_out_by_name(tmp_path: Path) -> None:
    counts = ("--vms", "40", "--records", "200")
    done = run("engines", "--folder", tmp_path, "--engines", "spark", *counts)
    assert done.returncode == 0, done.stderr
    assert "spark          200 records: left out: " in done.stdout


@pytest.mark.parametrize("world", ["unconnected", "mesh", "places"])
def test_growth_names_what_it_measures(world: str) -> None:
    done = run("growth", "--only", world, "--share", "0.002")
    assert done.returncode in {0, 1}, done.stderr
    assert re.search(r"greatest exponent \d", done.stdout)
    assert done.stderr == ""


def test_every_part_of_fair_rates_agrees_with_its_rivals() -> None:
    counts = ("--flows", "20000", "--vms", "400", "--repeat", "1", "--scaling", "1000")
    done = run("share_flows", *counts)
    # Rates that are not the rival's end the run.
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"heap / netplan: [0-9.]+ times", done.stdout)) == 2
    assert len(re.findall(r"textbook / netplan: [0-9.]+ times", done.stdout)) == 2
    assert re.search(r"1,000 demands +[0-9.]+ s, peak [0-9.]+ GiB", done.stdout)


@pytest.mark.parametrize(
    ("command", "passed", "imported"),
    [
        ("audit", "netplan_rules.address.external_ip_intra_zone", "netplan_planner.world"),
        ("recommend", "netplan_planner.optimise.machine_type", "netplan_planner.model.base"),
        ("predict", "netplan_planner.throughput.batch", "netplan_planner.model"),
    ],
)
def test_modules_that_a_record_passes_are_counted(command: str, passed: str, imported: str) -> None:
    """Modules of values, and packages that only name what they hold, are imported alone."""
    done = run("trace_modules", "--list", command)
    assert done.returncode == 0, done.stderr
    first, *modules = (line.strip() for line in done.stdout.splitlines())
    assert first.split() == [command, str(len(modules))]
    assert passed in modules
    assert imported not in modules
    assert len(modules) == len(set(modules))


def test_equal_sources_answer_alike() -> None:
    done = run("same_answers", ROOT, ROOT, "--only", "price sku")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1 commands, 5 files: 0 commands answer otherwise\n"


def test_one_changed_word_is_found(tmp_path: Path) -> None:
    for name in ("rules", "pricing"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "planner", tmp_path / "planner")
    changed = tmp_path / "planner" / "netplan_planner" / "renderers" / "csv_report.py"
    text = changed.read_text("utf-8")
    assert "\ndef render(" in text
    changed.write_text(
        text.replace("\ndef render(", "\ndef _was(")
        + '\n\ndef render(*given):\n    return _was(*given).replace("usd", "eur")\n'
    )
    done = run("same_answers", tmp_path, ROOT, "--only", "price sku")
    assert done.returncode == 1, done.stderr
    told = done.stdout.splitlines()
    assert told[0] == "price sku 015F-5732-FFF0"
    assert told[1].startswith("  answer.csv: ")
    assert any(line.startswith("    -") and "eur" in line for line in told)
    assert not any("answer.json" in line for line in told)
    assert told[-1] == "1 commands, 5 files: 1 commands answer otherwise"


RECORDS = "20000"


def run_flow_logs(folder: Path, *more: object) -> CompletedProcess[str]:
    counts = ("--records", RECORDS, "--json-records", RECORDS, "--linear", RECORDS, "--vms", "300")
    return run("flow_logs", "--folder", folder, *counts, *more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the inputs are made once."""
    return tmp_path_factory.mktemp("inputs")


def test_every_part_of_flow_logs_agrees_with_its_rival(folder: Path) -> None:
    done = run_flow_logs(folder, "--json", folder / "runs.json")
    assert done.returncode == 0, done.stderr
    runs = json.loads((folder / "runs.json").read_text("utf-8"))
    by_task = {run["task"]: run for run in runs}
    tasks = {"audit", "ingest", "hand-written", "json-sum", "json-edges", "linear"}
    assert set(by_task) == tasks
    assert all(run["cpu_s"] > 0 and run["peak_gib"] > 0 for run in runs)
    # `ingest` ran on Parquet and on JSON lines.
    on_parquet = next(run for run in runs if run["task"] == "ingest")
    assert on_parquet["wire_bytes"] == pytest.approx(by_task["hand-written"]["wire_bytes"])
    assert by_task["json-sum"]["lines"] == int(RECORDS)
    assert by_task["json-sum"]["payload_bytes"] == by_task["json-edges"]["payload_bytes"]
    assert "ingest / hand-written" in done.stdout


def test_a_ratio_that_rose_by_a_tenth_is_told_first(folder: Path) -> None:
    history = folder / "kept" / "ratios.jsonl"
    counts = ("--records", RECORDS, "--json-records", RECORDS, "--vms", "300", "--repeat", "1")
    words = ("--folder", folder, *counts, "--history", history)
    first = run("flow_ratios", *words)
    assert first.returncode == 0, first.stderr
    assert first.stdout.count("the first") == 3
    kept = [json.loads(line) for line in history.read_text("utf-8").splitlines()]
    assert [one["rival"] for one in kept] == ["hand-written", "json-sum", "json-edges"]
    # The last rival was ten times as slow before; what came earlier than ten nights is forgotten.
    kept[-1]["ratio"] /= 10
    kept = [{**kept[-1], "ratio": 1e6}, *([kept[-1]] * 10)]
    history.write_text("".join(json.dumps(one) + "\n" for one in kept), "utf-8")
    then = run("flow_ratios", *words)
    assert then.returncode == 0, then.stderr
    lines = then.stdout.splitlines()
    assert lines[0].startswith(f"ROSE: json, {int(RECORDS):,} records: ingest / json-edges ")
    assert len(lines) == 3
    assert sum(line.startswith("ROSE") for line in lines) == 1
    assert len(history.read_text("utf-8").splitlines()) == 11 + 3


def test_the_nightly_run_begins_with_the_ratios() -> None:
    done = subprocess.run(
        ["make", "-n", "nightly", "READY=", "MAKE=true"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "flow_ratios.py" in done.stdout.splitlines()[0]


def test_a_sum_that_is_not_what_was_generated_ends_the_run(folder: Path) -> None:
    made = run_flow_logs(folder, "--only", "linear")
    assert made.returncode == 0, made.stderr
    answers = folder / f"parquet-{RECORDS}-300" / "expected.json"
    right = answers.read_text("utf-8")
    wrong = json.loads(right)
    wrong["by_class"]["internet"] += 1
    answers.write_text(json.dumps(wrong), "utf-8")
    try:
        done = run_flow_logs(folder, "--only", "ingest")
    finally:
        answers.write_text(right, "utf-8")
    assert done.returncode != 0
    assert "not what was generated" in done.stderr
    assert "by_class" in done.stderr
