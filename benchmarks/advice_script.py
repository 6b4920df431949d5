"""Reads the script of `netplan audit --output commands:FILE` as its reader would run it.

Each step is numbered. Its commands stand on lines of their own; where there is no way back they are
comments, as what cleans up afterwards is: a reader runs both by hand, the latter once all is well.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_STEP = re.compile(r"# (\d+)\. ")
_COMMENT = "#   "
_ASIDES = ("# verify:", "# then:", "# undo:")
_THEN = "# then:"
_FINAL = "# There is no way back"


class Scripted(NamedTuple):
    """A step of a script."""

    number: int
    head: str
    """What it is about: the subject, and what to do in words."""
    commands: tuple[str, ...] = ()
    clean_up: tuple[str, ...] = ()
    is_by_hand: bool = False


def read(text: str) -> list[Scripted]:
    r"""Return the steps of a script.

    >>> [one] = read("# 1. a: Stop it.\ngcloud compute stop a\n# undo: Start it.\n#   gcloud")
    >>> one.commands
    ('gcloud compute stop a',)
    """
    steps: list[list[str]] = []
    for line in text.splitlines():
        if _STEP.match(line):
            steps.append([line])
        elif steps and line.strip():
            steps[-1].append(line)
    return [_step(lines) for lines in steps]


def taken_into(report: dict[str, Any], text: str) -> list[str]:
    """Give the changes of a report the commands of its script; return where they do not agree."""
    steps = iter(read(text))
    problems = []
    for entry in report["do_first"]:
        for planned in entry["changes"]:
            fix = planned["fix"]
            if fix is None or planned["made_with"] is not None:
                continue
            step = next(steps, None)
            if step is None or not step.head.startswith(f"{planned['subject']}: "):
                problems.append(f"{planned['subject']} is not where its turn is")
                continue
            if list(step.commands) != fix["commands"] or not (step.is_by_hand or step.commands):
                problems.append(f"step {step.number} has other commands: {step.head}")
            fix["commands"], fix["is_by_hand"] = list(step.commands), step.is_by_hand
            if fix["clean_up"]:
                fix["clean_up"]["commands"] = list(step.clean_up)
    return problems + [f"step {step.number} is nobody's: {step.head}" for step in steps]


def with_joined(report: dict[str, Any]) -> dict[int, list[dict[str, Any]]]:
    """Take changes that another entry's commands make from their own; return them by that entry.

    What they save comes with the commands, and is taken from what one entry says to the other. So
    does the rate that an entry promises, where it is of such a change.
    """
    entries = {one["rank"]: one for one in report["do_first"]}
    joined: dict[int, list[dict[str, Any]]] = {rank: [] for rank in entries}
    for entry in entries.values():
        there = [one for one in entry["changes"] if one["made_with"] is not None]
        entry["changes"] = [one for one in entry["changes"] if one["made_with"] is None]
        for planned in there:
            other, usd = entries[planned["made_with"]], float(planned["saving_usd_per_month"] or 0)
            for one, by in ((entry, -usd), (other, usd)):
                said = float(one["saving_usd_per_month"] or 0)
                one["saving_usd_per_month"] = said + by
            fixed = entry["fixed"] if planned["subject"] == entry["subject"] else None
            entry["fixed"] = entry["fixed"] if fixed is None else None
            told = {"rule": entry["rule"], "subject": planned["subject"], "fixed": fixed}
            joined[other["rank"]].append({**told, **planned["change"]})
    return joined


def _step(lines: list[str]) -> Scripted:
    found = _STEP.match(lines[0])
    assert found is not None
    number = int(found.group(1))
    return Scripted(
        number=number,
        head=lines[0][found.end() :],
        commands=tuple(_commands(lines, "")),
        clean_up=tuple(_commands(lines, _THEN)),
        is_by_hand=f"by_hand {number}" in lines,
    )


def _commands(lines: list[str], part: str) -> Iterator[str]:
    """Yield the commands of a step's own part, or of the one that an aside begins."""
    here = ""
    for line in lines[1:]:
        if line.startswith(_ASIDES):
            here = next(aside for aside in _ASIDES if line.startswith(aside))
        elif here == part:
            command = line.removeprefix(_COMMENT)
            if command.startswith("gcloud "):
                yield command
