"""`netplan caps` as a process."""

import csv
import io
from subprocess import CompletedProcess

from support.commands.run import run_verbs

COMMANDS_BY_ANSWER = {"CapsAnswer": ("caps n2-standard-8", "caps --series c3 --as-of 2026-04-01")}
"""Commands whose JSON and CSV `test_every_answer` looks at."""


def caps(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["caps", *arguments])


def test_without_a_type_it_lists_all() -> None:
    rows = list(csv.DictReader(io.StringIO(caps("--series", "n2,e2", "--format", "csv").stdout)))
    names = [row["machine_type"] for row in rows]
    assert {name.partition("-")[0] for name in names} == {"n2", "e2"}
    assert names.index("n2-standard-8") < names.index("n2-standard-16")
