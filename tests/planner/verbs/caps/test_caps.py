"""`netplan caps` as a process."""

import csv
import io
import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from support.commands.run import run_verbs

COMMANDS_BY_ANSWER = {
    "CapsAnswer": (["caps", "n2-standard-8"], ["caps", "--series", "c3", "--as-of", "2026-04-01"])
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""


def caps(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["caps", *arguments])


def test_without_a_type_it_lists_all() -> None:
    rows = list(csv.DictReader(io.StringIO(caps("--series", "n2,e2", "--format", "csv").stdout)))
    names = [row["machine_type"] for row in rows]
    assert {name.partition("-")[0] for name in names} == {"n2", "e2"}
    assert names.index("n2-standard-8") < names.index("n2-standard-16")


@pytest.mark.parametrize("verb", [["n2-standard-32"], ["--series", "e2"]])
def test_every_format_at_once_to_files(tmp_path: Path, verb: list[str]) -> None:
    outputs = [f"{name}:{tmp_path / name}" for name in ("json", "csv", "md")]
    found = caps(*verb, "--output", "text", *(word for one in outputs for word in ("-o", one)))
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == caps(*verb).stdout
    assert json.loads((tmp_path / "json").read_text())["schema"] == "netplan.caps/1"
    assert (tmp_path / "csv").read_text().startswith("machine_type,vcpus,")
    assert (tmp_path / "md").read_text().startswith("## ")
