"""Where the answer of a verb goes, and in which formats: the same options in every verb."""

from collections.abc import Iterable
from typing import Annotated, ClassVar

import msgspec
import typer

from netplan_planner.asks import ANSWER, OUTPUT
from netplan_planner.cli.parameters import Parameters
from netplan_planner.cli.state import state
from netplan_planner.inert import inert_line
from netplan_planner.renderers.content import asides, beside_table, tells_beside_files
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.output import (
    FORMATS,
    PLAN_FORMATS,
    PLANS,
    OutputSpec,
    any_of,
    renderers_of,
    specs_of,
    write_outputs,
)
from netplan_planner.verbs import refuse_incomplete as refuse_incomplete

Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FORMAT[:PATH]",
        help=f"{any_of(FORMATS)}, to a file where a path is given; repeat it.",
        rich_help_panel=OUTPUT,
    ),
    ANSWER,
]
PlanOutputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FORMAT[:PATH]",
        help=f"{any_of(PLAN_FORMATS)}, to a file where a path is given; commands are a script of"
        " gcloud to read and to run by hand, terraform is the list of what changes in a"
        " configuration; repeat it.",
        rich_help_panel=OUTPUT,
    ),
    ANSWER,
]
FormerFormat = Annotated[str | None, typer.Option("--format", hidden=True)]
"""What `--output` was called before; for one release."""


class Output(Parameters, frozen=True, kw_only=True):
    """Where a verb's answer goes."""

    output: Outputs = None
    former_format: FormerFormat = None

    def specs(self, default: str = "text") -> "tuple[OutputSpec, ...]":
        """Return where it goes: without a word, to the standard output.

        Raises:
            UsageError: If a format or a path cannot be used.
        """
        return specs_of(self.output, self.former_format, default)


class OwnOutput(Parameters, frozen=True, kw_only=True):
    """Where an answer goes that has formats of its own; `own_output` adds the option."""

    formats: ClassVar[tuple[str, ...]]

    def specs(self) -> "tuple[OutputSpec, ...]":
        """Return where it goes: without a word, to the standard output.

        Raises:
            UsageError: If a format or a path cannot be used.
        """
        return specs_of(self.output, None, formats=self.formats)  # type: ignore[attr-defined]


class PlanOutput(OwnOutput, frozen=True, kw_only=True):
    """Where a plan goes, whose steps can be written by themselves."""

    formats = PLAN_FORMATS
    output: PlanOutputs = None


def output_of(kind: str) -> type[msgspec.Struct]:
    """Return where a kind of answer goes, by the name of its type."""
    formats = tuple(renderers_of(kind))
    if kind in PLANS or formats == FORMATS:
        return PlanOutput if kind in PLANS else Output
    said = typer.Option(
        "--output",
        "-o",
        metavar="FORMAT[:PATH]",
        help=f"{any_of(formats)}; repeat it for several at once.",
        rich_help_panel=OUTPUT,
    )
    return msgspec.defstruct(
        "Output",
        [("output", Annotated[list[str] | None, said, ANSWER], None)],
        bases=(OwnOutput,),
        namespace={"formats": formats},
        frozen=True,
        kw_only=True,
    )


def write(
    answer: object, specs: "tuple[OutputSpec, ...]", options: "RenderOptions | None" = None
) -> None:
    """Write an answer to where it goes, and to stderr what stands beside it.

    What a data table has no place for (that prices are old) is said even with `--quiet`.
    """
    tables = [spec for spec in specs if spec.format == "csv"]
    if any(spec.path is None or tells_beside_files(answer) for spec in tables):
        _say(beside_table(answer))
    write_outputs(answer, specs, options or RenderOptions(verbosity=int(state.explain)))
    if not state.quiet:
        _say(asides(answer))


def warn(text: str) -> None:
    """Write to stderr what was given and not used, not with `--quiet`."""
    if not state.quiet:
        typer.echo(inert_line(f"netplan: {text}"), err=True)


def _say(texts: Iterable[str]) -> None:
    for text in texts:
        typer.echo(inert_line(text), err=True)
