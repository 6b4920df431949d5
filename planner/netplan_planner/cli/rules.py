"""`netplan rules`: the rule reference."""

from typing import Annotated

import typer

from netplan_planner.cli.app import app


@app.command()
def rules(
    name: Annotated[str | None, typer.Argument(help="A rule's id: print its page.")] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the whole reference as Markdown.")
    ] = False,
) -> None:
    """List the rules, or print the page of one: why, what to do, guards and thresholds."""
    from netplan_rules import docs
    from netplan_rules.registry import find_rule

    if name is not None:
        text = docs.page(find_rule(name))
    else:
        text = docs.reference() if markdown else docs.listing()
    typer.echo(text.rstrip("\n"))
