"""Two checkouts that answer alike are said to, and one changed word is found."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]


def compared(before: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, str(ROOT / "benchmarks" / "same_answers.py")),
            *(str(before), str(ROOT), "--only", command),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def test_equal_sources_answer_alike() -> None:
    done = compared(ROOT, "price sku")
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
    done = compared(tmp_path, "price sku")
    assert done.returncode == 1, done.stderr
    told = done.stdout.splitlines()
    assert told[0] == "price sku 015F-5732-FFF0"
    assert told[1].startswith("  answer.csv: ")
    assert any(line.startswith("    -") and "eur" in line for line in told)
    assert not any("answer.json" in line for line in told)
    assert told[-1] == "1 commands, 5 files: 1 commands answer otherwise"
