"""Groups of commands whose modules are imported when a command is called, not before.

So a verb imports what it needs at the top of its module, and the others pay nothing for it. The
help page of a group shows the line of the table.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, get_args

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_name, get_group

from netplan_planner.streams import libraries_apart

_WIDEST_CHOICE = 24
"""Characters of choices that fit into the column of values; longer ones stand in the help."""


_WORDS = {int: "NUMBER", float: "NUMBER", str: "TEXT", Path: "PATH", datetime: "DATE"}


_FRAME = "netplan_planner.cli.framed"
"""It imports the command, which imports this module."""


class Run(NamedTuple):
    """The function that a verb is."""

    module: str
    name: str


class Verb(NamedTuple):
    """A command that is not imported yet."""

    help: str
    """Its line on the help page of its group."""
    modules: tuple[str, ...]
    """What to import so that the command registers itself with all that is below it."""
    panel: str = ""
    """The task under which it stands there."""
    runs: tuple[Run, ...] = ()
    """Its functions, which `cli/framed.py` makes commands of; none: its modules register it."""


class LazyGroup(TyperGroup):
    """A group whose commands come from a table."""

    verbs: ClassVar[Mapping[str, Verb]] = {}
    """By name, in the order of the help page."""
    registry: ClassVar[typer.Typer]
    """With which the modules register their commands."""

    def __init__(self, **attributes: Any) -> None:
        """Make the group; none of its modules is imported."""
        super().__init__(**attributes)
        self.commands = _Commands(self.load, self.verbs)
        self._is_listing = False

    def load(self, name: str) -> Any:
        """Return the command of a name, imported with all that is below it."""
        verb = self.verbs[name]
        for module in verb.modules:
            import_module(module)
        if verb.runs:
            import_module(_FRAME).register(name, verb)
        command = _made(self.registry, name)
        prepare(command)
        return command

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, in the order of the help page."""
        return [*self.commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; while the help page is written, what it shows of the command."""
        if self._is_listing and cmd_name in self.verbs:
            verb = self.verbs[cmd_name]
            return TyperCommand(cmd_name, help=verb.help, rich_help_panel=verb.panel or None)
        return super().get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False


class _Commands(dict[str, Any]):
    """Commands by name, each loaded when it is looked at."""

    def __init__(self, load: Callable[[str], Any], names: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(names))
        self._load = load

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        if found is None:
            with libraries_apart():
                found = self[name] = self._load(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self:
            return default
        return self[name]

    def values(self) -> Any:
        return [self[name] for name in self]

    def items(self) -> Any:
        return [(name, self[name]) for name in self]


def prepare(command: Any) -> None:
    """Let a command and those below it say what they take; a lazy group does so for its own.

    What libraries print while one of them runs is none of its answer.
    """
    attach(command)
    if command.callback is not None:
        command.callback = libraries_apart()(command.callback)
    if not isinstance(command, LazyGroup):
        for inner in getattr(command, "commands", {}).values():
            prepare(inner)


def _made(registry: typer.Typer, name: str) -> Any:
    """Return the one command or group that was registered by a name."""
    part = typer.Typer(add_completion=False, rich_markup_mode=registry.rich_markup_mode)
    part.registered_groups = [one for one in registry.registered_groups if one.name == name]
    part.registered_commands = [
        one
        for one in registry.registered_commands
        if (one.name or get_command_name(one.callback.__name__ if one.callback else "")) == name
    ]
    return get_group(part).commands[name]


def attach(command: Any) -> None:
    """Let a command say what its parameters take, once help is asked for."""
    command.format_help = partial(_formatted, command, command.format_help)


def _formatted(command: Any, format_help: Callable[..., None], context: Any, page: Any) -> None:
    command.help = _flowing(command.help or "")
    for parameter in command.get_params(context):
        _tidy(parameter)
    format_help(context, page)


def _flowing(text: str) -> str:
    r"""Return a help text whose paragraphs fill the terminal's width; typer does so of the first.

    >>> _flowing("First.\n\nA long\nparagraph.\n\n- a list\n- stays")
    'First.\n\nA long paragraph.\n\n- a list\n- stays'
    """
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        one if one.startswith(("- ", " ", "\b")) else one.replace("\n", " ") for one in paragraphs
    )


def _tidy(parameter: Any) -> None:
    parameter.show_envvar = False
    if parameter.param_type_name == "argument":
        # Its name says what it is; typer would add the Python type.
        parameter.display_type_rich = _nothing
        return
    if parameter.metavar is None:
        parameter.metavar = _word(parameter)
    limits = _limits(getattr(parameter, "min", None), getattr(parameter, "max", None))
    if limits and not parameter.count:
        parameter.help = f"{parameter.help} {limits}"
    # Its inequalities take the place of the help.
    parameter._get_number_range_help_str = _nothing


def _limits(least: float | None, most: float | None) -> str:
    """Return what numbers an option takes.

    >>> _limits(1, 64), _limits(0.1, None), _limits(0, None)
    ('From 1 to 64.', 'At least 0.1.', '')
    """
    if least is not None and most is not None:
        return f"From {least:g} to {most:g}."
    return f"At least {least:g}." if least else ""


def _nothing(**_: Any) -> str:
    return ""


def _word(parameter: Any) -> str:
    """Return the word for the value of an option."""
    kind = parameter.type_descriptor
    if parameter.is_flag or parameter.count:
        return ""
    if kind.is_choice:
        choices = [str(getattr(one, "value", one)) for one in kind.choices or ()]
        label = "|".join(choices)
        if len(label) <= _WIDEST_CHOICE:
            return label
        parameter.help = f"{parameter.help} One of {', '.join(choices)}."
        return "WORD"
    (inner,) = get_args(kind.annotation) or (kind.annotation,)
    return _WORDS[inner]
