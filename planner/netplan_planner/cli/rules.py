"""`netplan rules`: the rule reference."""

import shutil
import sys
from typing import Annotated

import typer

from netplan_planner.cli.app import app
from netplan_planner.engine.rule_pages import rule_list, rule_page

_WIDTH = 100
"""Columns where there is no terminal to ask."""


@app.command()
def rules(
    name: Annotated[str | None, typer.Argument(help="A rule's id: print its page.")] = None,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Print the page, or the whole reference, as Markdown."),
    ] = False,
) -> None:
    """List the rules, or print the page of one: why, what to do, guards and thresholds."""
    width = shutil.get_terminal_size((_WIDTH, 24)).columns
    if name is not None:
        text = rule_page(name, is_markdown=markdown, width=width)
    else:
        text = rule_list(is_markdown=markdown, width=width if sys.stdout.isatty() else None)
    typer.echo(text.rstrip("\n"))
