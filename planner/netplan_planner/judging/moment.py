"""Fixes as they stand once those before them are made: a machine that moved is named where it is.

A rule writes a fix for the project as it was read. In the order of fixes a machine may have been
moved before its turn comes, and a command that names its old zone finds nothing there.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.model import Fix, Instance, Instruction, Zone

_PAIR = re.compile(r"(\S+) (→|↔) (\S+) \(([a-z0-9-]+-[a-z])(?:(?: → |, )([a-z0-9-]+-[a-z]))?\)")
"""The name of a place that is a pair, with the zone of both or of each."""


class Moved(NamedTuple):
    """A machine as it was read, and the zone that it is in by then."""

    machine: Instance
    zone: Zone


def as_of(fix: Fix, moved: Sequence[Moved]) -> Fix:
    """Return a fix with the zones that machines are in by then, in its words and its commands."""
    if not moved:
        return fix
    return replace(
        fix,
        text=_each(fix.text, moved, _in_words),
        commands=_commands(fix.commands, moved),
        verify=_step(fix.verify, moved),
        clean_up=_step(fix.clean_up, moved),
        undo=_step(fix.undo, moved),
    )


def named_as_of(subject: str, moved: Sequence[Moved]) -> str:
    """Return the name of a place with the zones that machines are in by then."""
    pair = _PAIR.fullmatch(subject)
    if pair is None:
        return _each(subject, moved, _in_words)
    one, joint, other, here, there = pair.groups()
    zones = [_now(one, here, moved), _now(other, there or here, moved)]
    apart = "→" if joint == "→" else ","
    between = f"{zones[0]} {apart} {zones[1]}" if apart == "→" else f"{zones[0]}, {zones[1]}"
    return f"{one} {joint} {other} ({zones[0] if zones[0] == zones[1] else between})"


def _now(name: str, zone: str, moved: Sequence[Moved]) -> str:
    """Return where a machine of a name in a zone stands by then."""
    found = (one.zone for one in moved if (one.machine.name, one.machine.zone) == (name, zone))
    return next(found, zone)


def _step(step: Instruction | None, moved: Sequence[Moved]) -> Instruction | None:
    if step is None:
        return None
    return replace(
        step, text=_each(step.text, moved, _in_words), commands=_commands(step.commands, moved)
    )


def _commands(commands: Iterable[str], moved: Sequence[Moved]) -> tuple[str, ...]:
    return tuple(_each(command, moved, _in_command) for command in commands)


def _each(text: str, moved: Sequence[Moved], change: Callable[[str, Moved], str]) -> str:
    for one in moved:
        if one.machine.name in text:
            text = change(text, one)
    return text


def _in_words(text: str, moved: Moved) -> str:
    """Change names with their zone: `web-1.us-east1-b.c.p.internal`, `web-1 (us-east1-b`."""
    name, before = re.escape(moved.machine.name), re.escape(moved.machine.zone)
    named = rf"(?<![\w-])({name}(?:\.| \())({before})(?=\.c\.|[,)])"
    return _in_paths(re.sub(named, rf"\g<1>{moved.zone}", text), moved)


def _in_command(command: str, moved: Moved) -> str:
    """Change the zone of a command that names the machine; other machines may have its name."""
    machine = moved.machine
    command = _in_paths(command, moved)
    flag = f"--zone={machine.zone}"
    words = shlex.split(command)
    is_of_another = any(
        word.startswith("--project=") and word != f"--project={machine.project}" for word in words
    )
    if machine.name not in words or flag not in words or is_of_another:
        return command
    return command.replace(flag, f"--zone={moved.zone}")


def _in_paths(text: str, moved: Moved) -> str:
    path, before = moved.machine.ref.self_link, f"/zones/{moved.machine.zone}/"
    there = path.replace(before, f"/zones/{moved.zone}/")
    return re.sub(rf"{re.escape(path)}(?![\w-])", lambda _: there, text)
