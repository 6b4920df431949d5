"""Runs `netplan audit` on one day, and reads its report."""

import json
from typing import Any

import jsonschema

from netplan_planner.renderers.schema import schema
from support.commands.run import run_verbs

NEVER = ("--fail-on", "never")
Report = dict[str, Any]


def audit(*arguments: object, **environment: str) -> tuple[int, str, str]:
    """Return the status of an audit, and what it wrote to both streams."""
    words = ["audit", "--today", "2026-11-20", *map(str, arguments)]
    done = run_verbs(arguments=words, **environment)
    return done.returncode, done.stdout, done.stderr


def report(*arguments: object, status: int | None = None, **environment: str) -> Report:
    """Return the JSON report of an audit, held to the published schema."""
    code, out, err = audit("--output", "json", *arguments, **environment)
    assert code == status if status is not None else code in {0, 1}, err
    found: Report = json.loads(out)
    jsonschema.validate(found, schema("Report"))
    return found
