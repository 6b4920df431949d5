"""A verb as a command: the options of what it is asked, then where its answer goes and how."""

from collections.abc import Iterable
from datetime import date
from importlib import import_module
from typing import Annotated, Any, ClassVar, get_type_hints

import msgspec
import typer
from msgspec.structs import replace

from netplan_planner.asks import ANSWER, OUTPUT, Ask, Request
from netplan_planner.cli.app import EXIT_FINDINGS, app, note, progress
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.state import state
from netplan_planner.cli.verbs import Verb
from netplan_planner.inert import inert_line
from netplan_planner.planning.inputs import CurrencyCode, currency_in
from netplan_planner.renderers import ColourMode
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
from netplan_planner.streams import standard_output
from netplan_planner.verbs import Now
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


# A verb as a command


class Look(Parameters, frozen=True, kw_only=True):
    """What the text format looks like."""

    width: Annotated[
        int | None,
        typer.Option(
            metavar="COLUMNS",
            min=20,
            help="Columns of the text format (default: the terminal's).",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    color: Annotated[
        ColourMode, typer.Option(help="Colours of the text format.", rich_help_panel=OUTPUT)
    ] = ColourMode.AUTO


def register(name: str, verb: Verb) -> None:
    """Let a verb be a command, or a group of commands where its functions have other names."""
    runs = [getattr(import_module(run.module), run.name) for run in verb.runs]
    if [run.__name__ for run in runs] == [name]:
        app.command(rich_help_panel=verb.panel)(taking(_command(runs[0])))
        return
    group = typer.Typer(help=verb.help, no_args_is_help=True)
    app.add_typer(group, name=name, rich_help_panel=verb.panel)
    for run in runs:
        # A word of Python has a line below it.
        group.command(run.__name__.rstrip("_").replace("_", "-"))(taking(_command(run)))


def _command(run: Any) -> Any:
    """Return the function of a command that runs a verb and writes its answer."""

    def command(asked: Any) -> None:
        written = getattr(asked.ask, "written", None) or asked.answer
        specs = written.specs(*((run.form(asked.ask),) if run.form else ()))
        # A rate of a currency that is not there is no reason to wait for an answer.
        shown = _shown(asked, run)
        now = Now(date.today(), progress, state.config_path, note, warn)
        found = run(asked.ask, now)
        if isinstance(found, str):
            typer.echo(found, nl=False, file=standard_output())
        if found is None or isinstance(found, str):
            return
        if run.shows is not None:
            formats = frozenset(spec.format for spec in specs)
            shown = run.shows(asked.ask, found, shown, formats, now)
        write(found, specs, shown)
        if not (run.ends(asked.ask, found) if run.ends else found.is_feasible):
            raise typer.Exit(EXIT_FINDINGS)

    command.__name__, command.__doc__ = run.__name__, run.__doc__
    command.__module__, command.__qualname__ = run.__module__, run.__qualname__
    command.__annotations__["asked"] = _framed(run)
    return command


def _shown(asked: Any, run: Any) -> RenderOptions:
    """Return how an answer is shown: of a verb without `--top` as many rows as it says itself."""
    shown = RenderOptions(verbosity=verbosity(getattr(asked, "verbose", 0)))
    if not run.has_look:
        return shown
    rows = {"max_rows": asked.top} if hasattr(asked, "top") else {}
    currency = getattr(asked.ask, "currency", getattr(asked, "currency", None))
    return replace(
        shown,
        width=asked.look.width,
        colour=asked.look.color,
        currency=currency_in(asked.ask.price_folder, currency),
        **rows,
    )


def _framed(run: Any) -> type[msgspec.Struct]:
    """Return what a command takes: what the verb is asked, and how its answer is written."""
    hints = get_type_hints(run)
    kind: type[Request] = hints["ask"]
    output = output_of(getattr(hints["return"], "__name__", ""))
    must = any(one.required for one in msgspec.structs.fields(kind))
    fields: list[Any] = [("ask", kind) if must else ("ask", kind, kind())]
    own = kind.__struct_fields__
    if run.has_look and "currency" not in own:
        fields.append(("currency", CurrencyCode, None))
    if run.rows is not None:
        fields.append(("top", Annotated[int, Ask(run.top, "--top", least=0)], run.rows))
    if run.explains:
        explain = typer.Option(
            "--explain", "--verbose", "-v", count=True, help=run.explains, rich_help_panel=OUTPUT
        )
        fields.append(("verbose", Annotated[int, explain], 0))
    if "written" not in own:
        fields.append(("answer", output, output()))
    if run.has_look:
        fields.append(("look", Look, Look()))
    return msgspec.defstruct("Framed", fields, bases=(Request,), frozen=True, kw_only=True)


def verbosity(count: int) -> int:
    """Return how much is explained, here or before the verb."""
    return max(count, int(state.explain))
