"""What gcloud takes, and what it would refuse in a command."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from netplan_planner.model import Fix

SURFACE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
OF_EVERY_COMMAND = {"project", "quiet", "format"}


class Surface(NamedTuple):
    """What gcloud takes after the words of a command; the file beside it says what each is."""

    needed: frozenset[str]
    others: frozenset[str]
    switches: frozenset[str]
    names: int | None


def _surface(
    needed: str = "", others: str = "", switches: str = "", names: int | str = 1
) -> Surface:
    count = names if isinstance(names, int) else None
    first, second, third = (frozenset(text.split()) for text in (needed, others, switches))
    return Surface(first, second, third, count)


GCLOUD = {name: _surface(**row) for name, row in SURFACE["commands"].items()}


def commands_in(fix: Fix) -> Iterator[str]:
    """Yield what makes the change, shows that it works, cleans up after it and takes it back."""
    yield from fix.commands
    for step in (fix.verify, fix.clean_up, fix.undo):
        yield from step.commands if step is not None else ()


def surface_of(words: list[str]) -> tuple[str, list[str]]:
    """Return the longest known command that the words begin with, and the words behind it."""
    for end in range(len(words), 0, -1):
        name = " ".join(words[1:end])
        if name in GCLOUD:
            return name, words[end:]
    raise AssertionError(f"no known command: {words}")


def faults_of(text: str) -> list[str]:
    """Return what gcloud would refuse in a command."""
    words = shlex.split(text)
    if words[0] != "gcloud":
        return [f"{words[0]} is not gcloud"]
    name, rest = surface_of(words)
    surface, faults = GCLOUD[name], []
    names = [word for word in rest if not word.startswith("--")]
    if (len(names) != surface.names) if surface.names is not None else not names:
        faults.append(f"{len(names)} resources are named")
    given_flags = set()
    for flag in (word[2:] for word in rest if word.startswith("--")):
        key, equals, value = flag.partition("=")
        given_flags.add(key)
        allowed = surface.others | OF_EVERY_COMMAND
        allowed |= {part for one in surface.needed for part in one.split("|")}
        is_switch = key in surface.switches
        if key not in allowed | surface.switches:
            faults.append(f"{name} has no --{key}")
        elif bool(equals) is is_switch:
            faults.append(f"--{key} {'takes no' if is_switch else 'needs a'} value")
        elif not is_switch and not re.fullmatch(SURFACE["values"].get(key, ".+"), value):
            faults.append(f"--{key} does not take {value!r}")
    faults += [
        f"{name} needs --{needed}"
        for needed in sorted(surface.needed)
        if not given_flags & set(needed.split("|"))
    ]
    if "project" not in given_flags:
        faults.append("the project is left to chance")
    return faults
