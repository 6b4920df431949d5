"""The command's tree is made once a process: to make it of all verbs takes half a second."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import typer

from netplan_planner.cli.app import app

_MADE: list[Any] = []
make = typer.main.get_command
"""Makes a tree anew, as each process does."""


def _once(instance: typer.Typer) -> Any:
    """Return the command of an app as Typer makes it; of netplan's the one that it first made."""
    if instance is not app:
        return make(instance)
    if not _MADE:
        _MADE.append(make(app))
    return _MADE[0]


@contextmanager
def command_once() -> Iterator[None]:
    """Let every call of the command in this process take the same tree; a process makes its own."""
    with patch("typer.main.get_command", _once), patch("typer.testing._get_command", _once):
        yield
