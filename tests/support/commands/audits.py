"""Runs `netplan audit` on one day and reads its report, or that of what was collected."""

import json
from pathlib import Path
from typing import Any

from support.commands.cases import schema
from support.commands.run import run_verbs
from support.rules.no_io import no_sockets

NEVER = ("--fail-on", "never")
Report = dict[str, Any]


def audit(*arguments: object, **environment: str) -> tuple[int, str, str]:
    """Return the status of an audit, and what it wrote to both streams."""
    words = ["audit", "--today", "2026-11-20", *map(str, arguments)]
    done = run_verbs(arguments=words, **environment)
    return done.returncode, done.stdout, done.stderr


def report(*arguments: object, status: int | None = None, **environment: Any) -> Report:
    """Return the JSON report of an audit, held to the published schema."""
    code, out, err = audit("--output", "json", *arguments, **environment)
    assert code == status if status is not None else code in {0, 1}, err
    found: Report = json.loads(out)
    schema(found["schema"]).validate(found)
    return found


def report_of(folder: Path, *words: str) -> Report:
    """Return the report of an audit that asks nobody, from the file that it writes."""
    file = folder / "report.json"
    with no_sockets():
        code, _, err = audit(*words, *NEVER, "-o", f"json:{file}")
    assert code == 0, err
    found: Report = json.loads(file.read_text("utf-8"))
    return found


def collected(folder: Path, *words: str) -> Path:
    """Return a bundle of what the words name."""
    out = folder / "made.tar.zst"
    done = run_verbs(arguments=["collect", *words, "--out", str(out)])
    assert done.returncode == 0, done.stderr
    return out
