"""`netplan config show`: every setting, its value and where it comes from; or every variable."""

import os
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any

import typer

from netplan_planner.cli import commands
from netplan_planner.cli.app import app
from netplan_planner.cli.options import said_of, variables_of
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.state import state
from netplan_planner.errors import UsageError
from netplan_planner.model import Environment, EnvironmentVariable, Setting, Settings
from netplan_planner.renderers.output import unbroken
from netplan_planner.verbs import panels
from netplan_planner.world.settings import OTHER_VARIABLES, file_settings

_SECRETS = frozenset({"api_key"})
"""Options whose values are never printed."""
_ADDRESSES = frozenset({"spark_remote"})
"""What stands behind `/;` in them may be a token."""
_NOT_SHOWN = "(set, not shown)"
_ORIGINS = {"ENVIRONMENT": "environment", "DEFAULT": "default"}

config_app = typer.Typer(
    help="Which settings apply, and where do they come from?", no_args_is_help=True
)
app.add_typer(config_app, name="config", rich_help_panel=panels.SETUP)


class Show(Parameters, frozen=True, kw_only=True):
    """What to print."""

    env: Annotated[
        bool,
        typer.Option(
            "--env", help="Print the environment variables that netplan reads, and what they set."
        ),
    ] = False
    json: Annotated[bool, typer.Option("--json", hidden=True)] = False
    answer: commands.Output = commands.Output()


@config_app.command("show")
@taking
def show(asked: Show, ctx: typer.Context) -> None:
    """Print every option of every verb and every threshold of every rule, with its origin."""
    specs = asked.answer.specs(default="json" if asked.json else "text")
    root = ctx.find_root()
    settings = () if asked.env else (*_options(root), *file_settings(state.config_path))
    found = _environment(root) if asked.env else Settings(settings=settings)
    commands.write(found, specs, unbroken(commands.shown_by("config show")))


def _environment(root: Any) -> "Environment":
    """Return the variable of every option, then those that are not netplan's alone."""
    own = [
        EnvironmentVariable(
            variable=one.name,
            sets=f"{' '.join(('netplan', *one.verb))} {one.option}",
            meaning=one.help,
            is_given=one.name in os.environ,
        )
        for one in variables_of(root.command, root.auto_envvar_prefix or "")
    ]
    others = [
        EnvironmentVariable(variable=name, sets=meaning, meaning="", is_given=name in os.environ)
        for name, meaning in OTHER_VARIABLES.items()
    ]
    return Environment(variables=(*own, *others))


def _options(root: Any) -> "Iterator[Setting]":
    """Yield the options of every verb, resolved as they would be without flags."""

    def walk(command: Any, context: Any, path: tuple[str, ...]) -> "Iterator[Setting]":
        for parameter in command.params:
            if _is_setting(parameter):
                yield _setting(parameter, context, path)
        for verb, sub in sorted(getattr(command, "commands", {}).items()):
            inner = type(context)(sub, info_name=verb, parent=context)
            yield from walk(sub, inner, (*path, verb))

    return walk(root.command, root, ())


def _is_setting(parameter: Any) -> bool:
    is_option = bool(parameter.opts) and parameter.opts[0].startswith("-")
    is_eager = getattr(parameter, "is_eager", False) or parameter.name in {"help", "version"}
    return bool(parameter.name) and is_option and not is_eager


def _setting(parameter: Any, context: Any, path: tuple[str, ...]) -> "Setting":

    value, source = parameter.consume_value(context, {})
    if isinstance(value, dict):
        # The section of the verb `config`, not the option of the same name.
        value, source = None, None
    name = ".".join((*path, parameter.opts[0].lstrip("-")))
    file = state.config_path.name if state.config_path else "file"
    kind = getattr(source, "name", "")
    origin = file if kind == "DEFAULT_MAP" else _ORIGINS.get(kind, "default")
    if origin != "default":
        _check(parameter, context, value, f"{name} ({origin})")
    if value and parameter.name in _SECRETS:
        value = _NOT_SHOWN
    elif value and parameter.name in _ADDRESSES:
        address, mark, _ = str(value).partition("/;")
        value = f"{address}{mark} {_NOT_SHOWN}" if mark else address
    return Setting(setting=name, value=_plain(value), origin=origin)


def _plain(value: Any) -> str | int | float | bool | tuple[str, ...] | None:
    """Return a value as an answer holds it."""
    if isinstance(value, Enum):
        return str(value.value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return tuple(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _check(parameter: Any, context: Any, value: object, name: str) -> None:
    """Refuse a value that the verb would refuse.

    Raises:
        UsageError: With the setting, where it comes from, and what it may be.
    """
    try:
        parameter.process_value(context, value)
    except typer.BadParameter as error:
        error.param = error.param or parameter
        raise UsageError(f"{name} = {value!r}: {said_of(error)}") from error
