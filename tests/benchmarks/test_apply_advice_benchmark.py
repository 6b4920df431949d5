"""Advice is carried out on made projects; what it is held against knows nothing of netplan."""

import ast
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from support.commands.run import BENCHMARKS, run_anew
from support.projects.shared_data import needs_shared

OWN = sorted(path.stem for path in BENCHMARKS.glob("advice_*.py"))


def imported(path: Path) -> set[str]:
    """Return the first words of all modules that a file imports, wherever it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("name", [*OWN, "apply_advice"])
def test_the_truth_imports_the_standard_library_and_itself_alone(name: str) -> None:
    allowed = sys.stdlib_module_names | set(OWN)
    assert imported(BENCHMARKS / f"{name}.py") <= allowed - {"importlib"}


def run(*words: object, **how: object) -> CompletedProcess[str]:
    return run_anew(BENCHMARKS / "apply_advice.py", *words, timeout=None, **how)


@pytest.mark.nightly
@needs_shared
def test_a_small_project_is_audited_followed_and_audited_again(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    done = run("--projects", "1", "--seed", "3", "--vms", "30", "--keep", kept)
    assert done.returncode == 0, done.stderr
    assert "1 projects, " in done.stdout
    assert "cumulative savings within 1% or $1: " in done.stdout
    assert "cannot be carried out" in done.stdout
    for name in ("seed-3", "seed-3-after"):
        assert (kept / name / "report.json").is_file()


@pytest.mark.nightly
def test_without_price_tables_it_says_so(tmp_path: Path) -> None:
    done = run("--projects", "1", env={"NETPLAN_TEST_DATA": str(tmp_path)})
    assert done.returncode == 1
    assert "NETPLAN_TEST_DATA" in done.stderr
