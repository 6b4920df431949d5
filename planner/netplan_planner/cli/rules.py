"""`netplan rules`: the rule reference."""

from typing import Annotated

import typer

from netplan_planner.cli import answers
from netplan_planner.cli.app import app
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.judging.rules import reference_page, rule_list, rule_page
from netplan_planner.streams import standard_output
from netplan_planner.verbs import panels


class Rules(Parameters, frozen=True, kw_only=True):
    """Which rules, in which form."""

    name: Annotated[
        str | None, typer.Argument(metavar="RULE", help="Id of a rule: print its page.")
    ] = None
    markdown: Annotated[
        bool,
        typer.Option(
            "--markdown",
            help="Print the page, or the whole reference, as it stands in rules/README.md.",
        ),
    ] = False
    answer: answers.Output = answers.Output()


@app.command(rich_help_panel=panels.AUDIT)
@taking
def rules(asked: Rules) -> None:
    """List the rules, or print the page of one: why, what to do, guards and thresholds."""
    specs = asked.answer.specs()
    if asked.markdown:
        typer.echo(reference_page(asked.name), file=standard_output())
    elif asked.name is not None:
        answers.write(rule_page(asked.name), specs)
    else:
        answers.write(rule_list(), specs, answers.unbroken())
