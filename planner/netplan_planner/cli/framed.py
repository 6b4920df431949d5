"""A verb as a command: the options of what it is asked, then those of how the answer is written."""

from datetime import date
from importlib import import_module
from typing import Annotated, Any, get_type_hints

import msgspec
import typer

from netplan_planner.asks import OUTPUT, Ask, Request
from netplan_planner.cli import answers, options
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.bundles import Look, verbosity
from netplan_planner.cli.lazy import Verb
from netplan_planner.cli.parameters import taking
from netplan_planner.cli.state import state
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.renderers import RenderOptions
from netplan_planner.streams import standard_output
from netplan_planner.verbs import Now


def register(name: str, verb: Verb) -> None:
    """Let a verb be a command, or a group of commands where its functions have other names."""
    runs = [getattr(import_module(run.module), run.name) for run in verb.runs]
    if [run.__name__ for run in runs] == [name]:
        app.command(rich_help_panel=verb.panel)(taking(_command(runs[0])))
        return
    group = typer.Typer(help=verb.help, no_args_is_help=True)
    app.add_typer(group, name=name, rich_help_panel=verb.panel)
    for run in runs:
        group.command()(taking(_command(run)))


def _command(run: Any) -> Any:
    """Return the function of a command that runs a verb and writes its answer."""

    def command(asked: Any) -> None:
        specs = asked.answer.specs()
        # A rate of a currency that is not there is no reason to wait for an answer.
        shown = _shown(asked) if run.has_look else None
        found = run(asked.ask, Now(date.today(), progress, state.config_path))
        if isinstance(found, str):
            typer.echo(found, nl=False, file=standard_output())
            return
        answers.write(found, specs, shown)
        if not (run.ends(asked.ask, found) if run.ends else found.is_feasible):
            raise typer.Exit(EXIT_FINDINGS)

    command.__name__, command.__doc__ = run.__name__, run.__doc__
    command.__module__, command.__qualname__ = run.__module__, run.__qualname__
    command.__annotations__["asked"] = _framed(run)
    return command


def _shown(asked: Any) -> RenderOptions:
    """Return how an answer is shown: of a verb without `--top` as many rows as it says itself."""
    rows = {"max_rows": asked.top} if hasattr(asked, "top") else {}
    return RenderOptions(
        width=asked.look.width,
        colour=asked.look.color,
        verbosity=verbosity(getattr(asked, "verbose", 0)),
        currency=currency_in(asked.ask.price_folder, asked.currency),
        **rows,
    )


def _framed(run: Any) -> type[msgspec.Struct]:
    """Return what a command takes: what the verb is asked, and how its answer is written."""
    hints = get_type_hints(run)
    kind: type[Request] = hints["ask"]
    output = answers.output_of(getattr(hints["return"], "__name__", ""))
    fields: list[Any] = [("ask", kind, kind())]
    if run.has_look:
        fields.append(("currency", options.CurrencyCode, None))
    if run.rows is not None:
        fields.append(("top", Annotated[int, Ask(run.top, "--top", least=0)], run.rows))
    if run.explains:
        explain = typer.Option(
            "--explain", "--verbose", "-v", count=True, help=run.explains, rich_help_panel=OUTPUT
        )
        fields.append(("verbose", Annotated[int, explain], 0))
    fields.append(("answer", output, output()))
    if run.has_look:
        fields.append(("look", Look, Look()))
    return msgspec.defstruct("Framed", fields, bases=(Request,), frozen=True, kw_only=True)
