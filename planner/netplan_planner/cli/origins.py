"""Which verb is in use, and where the value of an option came from: for the text of errors.

A value may stand in a variable or in a file that the user does not think of. Errors that name an
option therefore say so when it was not given on the command line.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import typer

from netplan_planner.cli import completion
from netplan_planner.cli.common_words import in_front
from netplan_planner.cli.lazy import LazyGroup, prepare
from netplan_planner.cli.state import state
from netplan_planner.cli.verbs import VERBS
from netplan_planner.cli.wrong_values import said_of
from netplan_planner.errors import NetplanError, UsageError, nearest_names

PREFIX = "NETPLAN_"
_OF_TESTS = "NETPLAN_TEST_"
"""Variables of the project's own tests."""
_ALIKE = 0.8
"""How alike a variable's name must be to one that counts, to be a slip of the hand."""
_OPTION = re.compile(r"--[a-z][a-z0-9-]*")


class Verbs(LazyGroup):
    """The whole command: its errors name the verb, and the variable or file of a wrong value."""

    verbs = VERBS

    def __init__(self, **attributes: Any) -> None:
        """Make the command."""
        super().__init__(**attributes)
        prepare(self)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse a command line; options of the whole command may stand behind a verb."""
        with _told():
            return super().parse_args(ctx, in_front(args, self))

    def load(self, name: str) -> Any:
        """Return a verb; where a shell asks, with what it completes."""
        command = super().load(name)
        if is_completing():
            completion.attach(command, (name,))
        return command

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        try:
            with _told():
                return super().invoke(ctx)
        except NetplanError as error:
            text = explained(error, ctx, sys.argv[1:], os.environ)
            if text == str(error):
                raise
            raise type(error)(text) from error


@contextmanager
def _told() -> Iterator[None]:
    """Let the error of a value that an option does not take say where the value is from."""
    try:
        yield
    except typer.BadParameter as error:
        error.message = said_of(error) + _origin_of(error)
        raise


def is_completing() -> bool:
    """Return whether a shell asks for completions, as typer lets it do."""
    return any(name.startswith("_") and name.endswith("_COMPLETE") for name in os.environ)


def _origin_of(error: Any) -> str:
    """Return what to add about the origin of a value that an option does not take."""
    parameter, ctx = error.param, error.ctx
    if parameter is None or ctx is None or not parameter.name:
        return ""
    source = getattr(ctx.get_parameter_source(parameter.name), "name", "")
    if source == "ENVIRONMENT":
        return f" (from the variable {_variable(parameter, ctx.auto_envvar_prefix)})"
    return f" (from {_file()})" if source == "DEFAULT_MAP" else ""


def explained(
    error: NetplanError, root: Any, words: Sequence[str], variables: Mapping[str, str]
) -> str:
    """Return an error's text with the origin of the options whose name or value is in it.

    Before wrong usage stands the verb.
    """
    text = str(error)
    path, command, prefix, table = verb_of(root, words)
    named = dict.fromkeys(_OPTION.findall(text))
    own = [(one, prefix, table) for one in command.params]
    of_all = [(one, root.auto_envvar_prefix, dict[str, Any]()) for one in root.command.params]
    notes: dict[str, str] = {}
    for parameter, before, given in (*(of_all if path else ()), *own):
        spellings = (*parameter.opts, *parameter.secondary_opts)
        if any(word.split("=")[0] in spellings for word in words):
            continue
        name = next((one for one in named if one in parameter.opts), None)
        variable = _variable(parameter, before)
        if value := variables.get(variable):
            origin = f"the variable {variable}"
        elif value := given.get(parameter.name):
            origin = _file()
        if value and (name or _is_quoted(value, text)):
            name = name or parameter.opts[-1 if parameter.opts[0].count("-") < 2 else 0]
            notes[name] = f"{name} comes from {origin}"
    in_order = [*(notes.pop(name) for name in named if name in notes), *notes.values()]
    said = f"{text} ({'; '.join(in_order)})" if in_order else text
    return f"{' '.join(path)}: {said}" if path and isinstance(error, UsageError) else said


def _is_quoted(value: object, text: str) -> bool:
    """Return whether a text is about a value: in quotes, at its beginning, or as a path.

    >>> text = "the memory limit 'abc' is no size"
    >>> _is_quoted("abc", text), _is_quoted("memory", text), _is_quoted("the", "the:x")
    (True, False, True)
    """
    values = [str(one) for one in value] if isinstance(value, list) else [str(value)]
    pieces = {piece for one in values for piece in (one, *re.split(r"[\s,:]+", one)) if piece}
    return any(
        repr(piece) in text
        or ("/" in piece and piece in text)
        or re.match(rf"{re.escape(piece)}[/:]", text)
        for piece in pieces
    )


def verb_of(root: Any, words: Sequence[str]) -> tuple[tuple[str, ...], Any, str, Mapping[str, Any]]:
    """Return the verb of a command line: names, command, prefix of variables, values of the file.

    Global options and their values stand before a verb; what follows it are its own words.
    """
    command, path = root.command, []
    prefix, table = root.auto_envvar_prefix or "", dict(root.default_map or {})
    for word in words:
        inner = getattr(command, "commands", {}).get(word)
        if inner is None:
            continue
        command = inner
        path.append(word)
        prefix = f"{prefix}_{word.upper().replace('-', '_')}"
        below = table.get(word)
        table = below if isinstance(below, dict) else {}
    return tuple(path), command, prefix, table


def check_variables(root: Any, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return notes on `NETPLAN_*` variables that no option reads.

    Raises:
        UsageError: If one is nearly the name of one that is read: a mistyped setting would change
            nothing.
    """
    given = sorted(
        name for name in variables if name.startswith(PREFIX) and not name.startswith(_OF_TESTS)
    )
    if not given:
        return ()
    prefix = root.auto_envvar_prefix or ""
    if set(given) <= set(_variables(root.command, prefix, given)):
        return ()
    known = set(_variables(root.command, prefix))
    notes = []
    for name in given:
        if name in known:
            continue
        bare = {one.removeprefix(PREFIX): one for one in known}
        near = nearest_names(name.removeprefix(PREFIX), bare, 1, cutoff=_ALIKE)
        if near:
            raise UsageError(f"no variable is named {name}; near: {bare[near[0]]}")
        notes.append(f"the variable {name} is none of netplan's and changes nothing")
    return tuple(notes)


class Variable(NamedTuple):
    """A variable of the environment, and the option that it sets."""

    name: str
    verb: tuple[str, ...]
    option: str
    help: str


def variables_of(command: Any, prefix: str, verb: tuple[str, ...] = ()) -> Iterator[Variable]:
    """Yield the variable of each option of a command and of those below it, in their order."""
    for parameter in command.params:
        is_option = parameter.opts[0].startswith("-")
        is_special = getattr(parameter, "is_eager", False) or not parameter.expose_value
        if is_option and not (is_special or parameter.hidden):
            about = " ".join((parameter.help or "").replace("\\[", "[").split())
            yield Variable(_variable(parameter, prefix), verb, parameter.opts[0], about)
    for name, inner in getattr(command, "commands", {}).items():
        below = f"{prefix}_{name.upper().replace('-', '_')}"
        yield from variables_of(inner, below, (*verb, name))


def _variables(command: Any, prefix: str, given: Sequence[str] | None = None) -> Iterator[str]:
    """Yield the variables of a command and those below it; `given` leaves out verbs not named."""
    for parameter in command.params:
        yield _variable(parameter, prefix)
    verbs = getattr(command, "commands", {})
    for name in verbs:
        inner = f"{prefix}_{name.upper().replace('-', '_')}"
        if given is None or any(one.startswith(f"{inner}_") for one in given):
            yield from _variables(verbs[name], inner, given)


def _variable(parameter: Any, prefix: str | None) -> str:
    """Return the variable of an option: its own, else the one of its place."""
    own = parameter.envvar
    if own:
        return str(own if isinstance(own, str) else own[0])
    return f"{prefix}_{(parameter.name or '').upper()}"


def _file() -> str:
    return str(state.config_path)
