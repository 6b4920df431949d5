"""The command's frame: global options, the configuration file, errors and exit statuses.

Exit status: 0 clean or below `--fail-on`; 1 findings at or above it; 2 wrong usage or
configuration; 3 an input could not be read; 4 incomplete and `--strict`. Data goes to stdout,
everything else to stderr.
"""

import errno
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from netplan_planner import version as version_of_tool
from netplan_planner.asks import Ask
from netplan_planner.cli import completion
from netplan_planner.cli.help_page import HELP_ALL
from netplan_planner.cli.live import Live
from netplan_planner.cli.options import Verbs, check_kind, check_variables, kind_of
from netplan_planner.cli.state import state as state
from netplan_planner.cli.unforeseen import line_of, trace_of, withheld
from netplan_planner.config import find_config, holds_settings, option_defaults
from netplan_planner.errors import InputError, NetplanError, UsageError, nearest_names
from netplan_planner.inert import inert_line
from netplan_planner.input_files import Given, give, one_run, reading
from netplan_planner.meter import Notice
from netplan_planner.streams import NotTaken, show_libraries, standard_output
from netplan_planner.world import settings

EXIT_FINDINGS = 1

_BESIDE_VERBS = ("rules", "targets", "links", "tcp")
"""Sections that are not option defaults."""

_OF_ALL = ("quiet",)
"""Options of the whole command that a file sets."""

_ERROR_LENGTH = 8000
"""Characters of an error that are shown."""
_COLLECT_EVERY = 200_000
"""Objects between two searches for garbage. The values are trees without cycles, hundreds of
thousands of them: the default of 700 spends a tenth of an audit on looking."""

_NO_MORE = frozenset({errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What is said where nothing more can be written; errors of a file name it."""

app = typer.Typer(
    name="netplan",
    cls=Verbs,
    help="Find what is too slow or costs too much in Compute Engine networking. It only advises.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={
        "auto_envvar_prefix": "NETPLAN",
        "help_option_names": ["-h", "--help", HELP_ALL],
    },
)
Verbs.registry = app


def progress(text: str) -> None:
    """Write a line on what is going on to stderr, on a terminal and not with `--quiet`.

    What is about to be paid (`Notice`) is written everywhere.
    """
    is_shown = isinstance(text, Notice) or (not state.quiet and sys.stderr.isatty())
    if is_shown and not (state.live is not None and state.live.write(_inert(text))):
        typer.echo(_inert(text), err=True)


def note(text: str) -> None:
    """Write what is worth knowing beside an answer to stderr, not with `--quiet`."""
    if not state.quiet:
        typer.echo(f"note: {_inert(text)}", err=True)


def _version(value: bool) -> None:
    if value:
        told = f"netplan {version_of_tool.tool_version()} · {completion.dates()}"
        typer.echo(told, file=standard_output())
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(help=r"Configuration file; default: ./netplan.toml, else \[tool.netplan]."),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="No progress and no notes on stderr. Query costs and the age of prices are still"
            " shown.",
        ),
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", "-v", help="Explain every number: inputs, source, date.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            help="Show the stack trace of an unexpected error, and the output of libraries.",
        ),
        Ask("", is_expert=True),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the configuration file, so that its values become the options' defaults.

    --config, --quiet and --explain may stand before the verb or behind it.
    """
    _note_variables(ctx, quiet)
    ctx.with_resource(one_run())
    state.quiet, state.explain, state.debug = quiet, explain, debug
    if debug:
        show_libraries()
    state.explicit_config = config is not None
    state.config_path = config if config is not None else find_config(Path.cwd())
    if state.config_path is not None:
        # `init --force` replaces the file; no other verb may.
        is_own = ctx.invoked_subcommand == "init"
        give(Given("--config", state.config_path, is_own=is_own))
        with reading(state.config_path):
            given = option_defaults(state.config_path)
            if holds_settings(state.config_path):
                _note_rules(ctx, settings.check_settings(state.config_path, takes_own=True))
        own = {name: given.pop(name) for name in _OF_ALL if name in given}
        for parameter in ctx.command.params:
            if parameter.name in own:
                check_kind(parameter, own[parameter.name], f"{state.config_path}: {parameter.name}")
        state.quiet = quiet or own.get("quiet", False)
        section = given.get("prices")
        snapshot = section.pop("snapshot", None) if isinstance(section, dict) else None
        found = _as_parameters(given, ctx.command, str(state.config_path), ())
        if snapshot is not None:
            verbs = getattr(ctx.command, "commands", {})
            # Of one verb, as looking at all would load them; `config` shows all.
            for verb in [one for one in verbs if ctx.invoked_subcommand in {"config", one}]:
                found[verb] = _with_prices(found.get(verb, {}), verbs[verb], snapshot)
        ctx.default_map = own | found
    if not state.quiet and sys.stderr.isatty():
        state.live = ctx.with_resource(Live())


def _note_variables(ctx: typer.Context, quiet: bool) -> None:
    for note in check_variables(ctx, os.environ):
        if not quiet:
            typer.echo(f"netplan: {_inert(note)}", err=True)


def _note_rules(ctx: typer.Context, lost: frozenset[str]) -> None:
    """Name the rules that a file sets and a verb cannot load; those that can, refuse them later."""
    verb = getattr(ctx.command, "commands", {}).get(ctx.invoked_subcommand)
    if not any("--rules-path" in one.opts for one in getattr(verb, "params", ())):
        for rule in sorted(lost):
            note(f"{state.config_path}: [rules.{rule}] not used: {settings.no_rule(rule)}")


def _as_parameters(
    table: dict[str, Any], command: Any, file: str, section: tuple[str, ...]
) -> dict[str, Any]:
    """Return a section's values by parameter instead of by option.

    Raises:
        UsageError: If a key is no verb and no option, with what comes near it: a mistyped setting
            would change nothing. If a value is not of the kind that its key takes.
    """
    verbs = getattr(command, "commands", {})
    # A group has no options that a file could set: those of the whole command come before it.
    options = {
        spelling.lstrip("-"): parameter
        for parameter in (() if verbs else command.params)
        for spelling in (*parameter.opts, (parameter.name or "").replace("_", "-"))
        if len(spelling.lstrip("-")) > 1
    }
    found: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{file}: {'.'.join((*section, key))}"
        if key in verbs and isinstance(value, dict):
            found[key] = _as_parameters(value, verbs[key], file, (*section, key))
        elif key in verbs:
            raise UsageError(f"{name} is a section of options, not {kind_of(value)}")
        elif key in options:
            found[options[key].name] = _as_given(options[key], value, name)
        else:
            known = {*verbs, *options, *(_BESIDE_VERBS if verbs else ())} - {key}
            near = nearest_names(key, known, 1)
            hint = f"; near: {near[0]}" if near else ""
            kind = "section" if verbs else f"option of [{'.'.join(section)}]"
            raise UsageError(f"{file}: there is no {kind} named {key!r}{hint}")
    return found


def _with_prices(given: dict[str, Any], command: Any, snapshot: Any) -> dict[str, Any]:
    """Return a verb's values with the snapshot of `[prices]`, unless it has one of its own."""
    for verb, one in getattr(command, "commands", {}).items():
        given[verb] = _with_prices(given.get(verb, {}), one, snapshot)
    for parameter in command.params:
        if "--prices" in parameter.opts:
            own = _as_given(parameter, snapshot, f"{state.config_path}: prices.snapshot")
            given.setdefault(parameter.name, own)
    return given


def _as_given(parameter: Any, value: Any, name: str) -> Any:
    """Return a value of the file as the command line would give it: numbers and dates as text.

    What an option's type makes of a text is defined; what it makes of anything else is chance.

    Raises:
        UsageError: If it is of a kind that the option does not take.
    """
    is_many = getattr(parameter, "multiple", False) or parameter.nargs == -1
    values = value if is_many and isinstance(value, list) else [value]
    given = [one if isinstance(one, bool) else str(one) for one in values]
    for one in values:
        check_kind(parameter, one, name)
    return given if is_many else given[0]


_TAKES_MANY = frozenset({"--inventory", "--traffic", "--skus", "--machine-types", "--price-tables"})


def spread(words: Sequence[str]) -> list[str]:
    """Return a command line in which options that take many values stand before each of them.

    A shell pattern becomes many words, of which an option would take the first only.

    >>> spread(["audit", "--traffic", "a.gz", "b.gz", "--quiet", "c"])
    ['audit', '--traffic', 'a.gz', '--traffic', 'b.gz', '--quiet', 'c']
    """
    out: list[str] = []
    option: str | None = None
    """The option whose values follow, once it has its first one."""
    for before, word in zip(["", *words], words, strict=False):
        if word.startswith("-"):
            name, _, value = word.partition("=")
            option = name if name in _TAKES_MANY and value else None
        elif before in _TAKES_MANY:
            option = before
        elif option is not None:
            out.append(option)
        out.append(word)
    return out


def run() -> None:
    """Run the command line; every error that netplan raises on purpose becomes one clear text."""
    gc.set_threshold(_COLLECT_EVERY)
    try:
        app(spread(sys.argv[1:]), prog_name=Path(sys.argv[0]).name if sys.argv[0] else "netplan")
    except NetplanError as error:
        _tell(str(error))
        sys.exit(error.exit_status)
    except NotTaken as error:
        _end_of_output(error.reason)
    except Exception as error:
        if isinstance(error, MemoryError) or _is_unmapped(error):
            typer.echo("netplan: not enough memory for this; nothing was changed", err=True)
            sys.exit(InputError.exit_status)
        if isinstance(error, OSError) and error.filename is None and error.errno in _NO_MORE:
            _end_of_output(error)
        _unforeseen(error)


def _is_unmapped(error: Exception) -> bool:
    """Return whether a library that the system has no memory to map failed as an import."""
    return isinstance(error, ImportError) and "failed to map" in str(error)


def _end_of_output(error: OSError) -> NoReturn:
    """End where the standard output takes no more."""
    if error.errno == errno.EPIPE:
        # The reader (head, less) has gone; what it took is all it wanted.
        sys.exit(0)
    typer.echo(f"netplan: the answer cannot be written: {error.strerror}", err=True)
    sys.exit(InputError.exit_status)


def _unforeseen(error: Exception) -> NoReturn:
    """End on an error that nobody foresaw: one line, and the trace where it was asked for."""
    words = sys.argv[1:]
    if state.debug:
        _tell(trace_of(error))
    _tell(line_of(error, words))
    sys.exit(InputError.exit_status)


def _tell(text: str) -> None:
    """Write an error to stderr."""
    typer.echo(f"netplan: {_inert(text)}", err=True)


def _inert(text: str) -> str:
    """Return lines that cannot steer a terminal, as errors quote hostile names, without secrets."""
    told = withheld(text, os.environ, sys.argv[1:])
    return "\n".join(map(inert_line, told[:_ERROR_LENGTH].split("\n")))
