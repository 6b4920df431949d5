"""The tree of commands, walked."""

from collections.abc import Iterator
from typing import Any


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield a command and those below it, each with the words that lead to it."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


SERVED = ("mcp",)
"""The command that has no answer of its own: it answers whoever asks by its protocol."""


def leaves(root: Any) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command that has an answer, and none below it."""
    found = (path for path, command in commands(root) if not getattr(command, "commands", {}))
    return (path for path in found if path != SERVED)
