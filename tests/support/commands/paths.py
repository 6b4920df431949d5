"""Parameters of verbs that take a path, found from the command itself."""

import inspect
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from netplan_planner.asks import Use
from netplan_planner.cli.parameters import path_use
from support.commands.tree import ROOT
from support.commands.verbs import commands

LEAVES = {
    " ".join(path): command
    for path, command in commands(ROOT)
    if not getattr(command, "commands", {})
}
"""Verbs by their words."""


@cache
def uses(verb: str) -> tuple[tuple[str, Use], ...]:
    """Return the parameters of a verb that take a path but `--output`, and what is done with it."""
    parameters = inspect.signature(LEAVES[verb].callback).parameters
    found = (
        (one.opts[0], path_use(parameters[one.name].annotation)) for one in LEAVES[verb].params
    )
    return tuple((name, use) for name, use in found if use is not None and not use.is_answer)


def options_of(verb: str, *, is_written: bool = False) -> list[str]:
    """Return the parameters of a verb that take a path to read, or to write."""
    return [option for option, use in uses(verb) if use.is_written == is_written]


def with_file(verb: str, words: Sequence[str], option: str, file: Path) -> list[str]:
    """Return a command line of a verb that reads a file too, by an option or as an argument."""
    if option.startswith("-"):
        return [*words, option, str(file)]
    at = len(verb.split())
    return [*words[:at], str(file), *words[at:]]
