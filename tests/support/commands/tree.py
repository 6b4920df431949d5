"""The whole tree of commands, made once a process: it loads every verb."""

from typing import Any

import typer

from netplan_planner.cli import verbs
from netplan_planner.cli.app import app

assert verbs.VERBS
ROOT: Any = typer.main.get_command(app)
