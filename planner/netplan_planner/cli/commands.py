"""A verb as a command: the options of what it is asked, then where its answer goes and how."""

from collections.abc import Iterable, Iterator, Sequence
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
from netplan_planner.planning.inputs import CurrencyCode, PriceInput, currency_in
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


def _to(formats: Sequence[str], more: str = "") -> Ask:
    """Return how it is asked where an answer goes."""
    return Ask(
        f"{any_of(formats)}; FORMAT:PATH writes a file{more}; repeat it.",
        "--output",
        ("-o",),
        metavar="FORMAT[:PATH]",
        panel=OUTPUT,
    )


Outputs = Annotated[list[str] | None, _to(FORMATS), ANSWER]
_OF_PLANS = (
    "; commands is a gcloud script to review and run; terraform lists the changes of a"
    " configuration"
)
PlanOutputs = Annotated[list[str] | None, _to(PLAN_FORMATS, _OF_PLANS), ANSWER]
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
    return msgspec.defstruct(
        "Output",
        [("output", Annotated[list[str] | None, _to(formats), ANSWER], None)],
        bases=(OwnOutput,),
        namespace={"formats": formats},
        frozen=True,
        kw_only=True,
    )


def shown_by(verb: str) -> RenderOptions:
    """Return how a verb's answer is shown that has no options for it."""
    return RenderOptions(verbosity=int(state.explain), verb=f"netplan {verb}")


def write(answer: object, specs: "tuple[OutputSpec, ...]", options: RenderOptions) -> None:
    """Write an answer to where it goes, and to stderr what stands beside it.

    What a data table has no place for (that prices are old) is said even with `--quiet`.
    """
    tables = [spec for spec in specs if spec.format == "csv"]
    if any(spec.path is None or tells_beside_files(answer) for spec in tables):
        _say(beside_table(answer))
    write_outputs(answer, specs, options)
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

    PANEL: ClassVar[str] = OUTPUT
    IS_EXPERT: ClassVar[bool] = True

    width: Annotated[
        int | None,
        Ask("Columns of the text format (default: the terminal's).", metavar="COLUMNS", least=20),
    ] = None
    color: Annotated[ColourMode, Ask("Colours of the text format.")] = ColourMode.AUTO


def register(name: str, verb: Verb) -> None:
    """Let a verb be a command, or a group of commands where its functions have other names."""
    runs = [getattr(import_module(run.module), run.name) for run in verb.runs]
    if [run.__name__ for run in runs] == [name]:
        app.command(rich_help_panel=verb.panel)(taking(_command(runs[0], name)))
        return
    group = typer.Typer(help=verb.help, no_args_is_help=True)
    app.add_typer(group, name=name, rich_help_panel=verb.panel)
    for run in runs:
        # A word of Python has a line below it.
        word = run.__name__.rstrip("_").replace("_", "-")
        group.command(word)(taking(_command(run, f"{name} {word}")))


def _command(run: Any, name: str) -> Any:
    """Return the function of a command that runs a verb and writes its answer."""

    def command(asked: Any) -> None:
        written = getattr(asked.ask, "written", None) or asked.answer
        specs = written.specs(*((run.form(asked.ask),) if run.form else ()))
        # A rate of a currency that is not there is no reason to wait for an answer.
        shown = replace(_shown(asked, run), verb=f"netplan {name}")
        formats = frozenset(spec.format for spec in specs)
        now = Now(date.today(), progress, state.config_path, note, warn, formats)
        found = run(asked.ask, now)
        if isinstance(found, str):
            typer.echo(found, nl=False, file=standard_output())
        if found is None or isinstance(found, str):
            return
        if run.shows is not None:
            shown = run.shows(asked.ask, found, shown, now)
        write(found, specs, shown)
        if not ends_well(run, asked.ask, found, now.today):
            raise typer.Exit(EXIT_FINDINGS)

    command.__name__, command.__doc__ = run.__name__, run.__doc__
    command.__module__, command.__qualname__ = run.__module__, run.__qualname__
    command.__annotations__["asked"] = _framed(run)
    return command


def _parts(ask: Request) -> Iterator[Request]:
    """Yield a request and all requests that are parts of it."""
    yield ask
    for name in ask.__struct_fields__:
        if isinstance(part := getattr(ask, name), Request):
            yield from _parts(part)


def ends_well(run: Any, ask: Request, found: Any, today: date) -> bool:
    """Return whether an answer is no finding.

    Raises:
        IncompleteError: If prices are older than was allowed, or evidence is incomplete and
            `--strict` was given.
    """
    _refuse_old_prices(ask, found, today)
    return bool(run.ends(ask, found) if run.ends else found.is_feasible)


def _refuse_old_prices(ask: Request, found: object, today: date) -> None:
    """End with 4 where the prices of an answer that is written are older than was allowed."""
    pricing = next((part for part in _parts(ask) if isinstance(part, PriceInput)), None)
    if pricing is not None:
        days = (getattr(found, name, None) for name in ("prices_as_of", "network_prices_as_of"))
        folder = getattr(ask, "price_folder", pricing.prices)
        pricing.refuse_old(today, *(day for day in days if day is not None), folder=folder)


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
        fields.append(
            (
                "top",
                Annotated[int, Ask(run.top, "--top", least=0, panel=OUTPUT)],
                run.rows,
            )
        )
    if run.explains:
        also = ("--verbose", "-v")
        explain = Ask(run.explains, "--explain", also, panel=OUTPUT, is_counted=True)
        fields.append(("verbose", Annotated[int, explain], 0))
    if "written" not in own:
        fields.append(("answer", output, output()))
    if run.has_look:
        fields.append(("look", Look, Look()))
    return msgspec.defstruct("Framed", fields, bases=(Request,), frozen=True, kw_only=True)


def verbosity(count: int) -> int:
    """Return how much is explained, here or before the verb."""
    return max(count, int(state.explain))
