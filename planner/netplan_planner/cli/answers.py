"""Where the answer of a verb goes, and in which formats: the same options in every verb."""

from typing import Annotated

import typer

from netplan_planner.cli.options import OUTPUT
from netplan_planner.inert import inert_line
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.output import (
    FORMATS,
    OutputSpec,
    check_outputs,
    parse_output,
    write_outputs,
)

Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FORMAT[:PATH]",
        help="text, json, csv, md or html, to a file where a path is given; repeat it.",
        rich_help_panel=OUTPUT,
    ),
]
FormerFormat = Annotated[str | None, typer.Option("--format", hidden=True)]
"""What `--output` was called before; for one release."""


def specs_of(
    outputs: list[str] | None, former: str | None, default: str = "text"
) -> tuple[OutputSpec, ...]:
    """Return where an answer goes: without a word, to the standard output.

    Raises:
        UsageError: If a format or a path cannot be used.
    """
    texts = [*(outputs or ()), *([former] if former else ())]
    specs = tuple(parse_output(text, FORMATS) for text in texts or [default])
    check_outputs(specs)
    return specs


def write(
    answer: object, specs: tuple[OutputSpec, ...], options: RenderOptions | None = None
) -> None:
    """Write an answer to where it goes; that prices are old goes beside a table, to stderr."""
    age = inert_line(getattr(answer, "price_age", ""))
    if age and any(spec.format == "csv" for spec in specs):
        typer.echo(age, err=True)
    write_outputs(answer, specs, options or RenderOptions())
