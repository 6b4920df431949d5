"""Options of the command: which verb is in use, where a value came from, what is wrong with it."""

import math
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, get_args

import typer

from netplan_planner.asks import MOST, WHOLE, byte_count, not_a_number, quoted
from netplan_planner.cli import completion
from netplan_planner.cli.help_page import HELP_ALL
from netplan_planner.cli.state import state
from netplan_planner.cli.verbs import VERBS, LazyGroup, prepare
from netplan_planner.errors import NetplanError, UsageError, did_you_mean
from netplan_planner.units import gib_from_bytes, trimmed
from netplan_planner.world import settings

# Options of the whole command, before the verb or behind it
#
# Behind a verb that has an option of the same spelling, that one is meant. Where it takes a value
# and none stands behind it (`audit --explain`), it means what the flag does: all.


FLAGS = frozenset({"--quiet", "-q", "--explain", "-v"})
WITH_VALUE = frozenset({"--config"})
_NO_MORE_OPTIONS = "--"
ALL = "all"
"""The value of a verb's own option that is a flag before the verb."""


def in_front(words: Sequence[str], root: Any) -> list[str]:
    """Return a command line with the whole command's options before the verb.

    Args:
        words: Of the command line, without the program's name.
        root: The command, which knows its verbs and what they take.
    """
    front: list[str] = []
    rest: list[str] = []
    command, taken = root, dict[str, Any]()
    at = 0
    while at < len(words):
        word = words[at]
        if word == _NO_MORE_OPTIONS:
            return [*front, *rest, *words[at:]]
        name, equals, _ = word.partition("=")
        if name in FLAGS | WITH_VALUE and name not in taken:
            size = 2 if name in WITH_VALUE and not equals else 1
            front += words[at : at + size]
            at += size
            continue
        inner = getattr(command, "commands", {}).get(word)
        if inner is not None:
            command = inner
            taken = {spelling: one for one in inner.params for spelling in one.opts}
        rest.append(word)
        at += 1
        if word in FLAGS and _takes_value(taken[word]) and _is_option([*words[at:], "--"][0]):
            rest.append(ALL)
    return [*front, *rest]


def _takes_value(parameter: Any) -> bool:
    return not (parameter.is_flag or parameter.count)


def _is_option(word: str) -> bool:
    return word.startswith("-")


# What is said of a value that an option does not take
#
# The library's own texts ("Input should be …") do not say the value.


_LIBRARY_WORDS = "Value error, "
_KINDS = {"float_parsing": "number", "int_parsing": WHOLE, "int_from_float": WHOLE}
_KINDS |= dict.fromkeys(("greater_than_equal", "less_than_equal"), "")
_DATE = "date such as 2026-01-31"
_TAKEN = {
    bool: "true or false",
    int: f"a {WHOLE}",
    float: "a number",
    datetime: f"a {_DATE}",
    Path: "a path in quotes",
    str: "a text in quotes",
}
"""What options take in a file."""
_OF_FORMATS = re.compile(r"'(.*)' does not match the formats .*", re.S)
"""What the library says of a date; its formats are those of `DATE_FORMATS`."""


def said_of(error: typer.BadParameter) -> str:
    """Return what is wrong with a value, without the option."""
    faults: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()
    kind, given = (faults[0]["type"], faults[0]["input"]) if faults else ("", None)
    parameter: Any = error.param
    least, most = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if kind in _KINDS:
        what = _KINDS[kind] or (WHOLE if _is_whole(parameter) else "number")
        return not_a_number(given, least, most, what) + _in_gib(parameter, given)
    if kind == "bool_parsing":
        return f"{quoted(given)} is not true or false"
    if kind.startswith("datetime_"):
        return f"{quoted(given)} is not a {_DATE} or a time such as 2026-01-31T12:00:00Z"
    text = error.message.removeprefix(_LIBRARY_WORDS).rstrip(".")
    described = getattr(parameter, "type_descriptor", None)
    if found := _OF_FORMATS.fullmatch(text):
        return f"{quoted(found[1])} is not a {_DATE}, a month (2026-01) or a year (2026)"
    if described is None or not described.is_choice or given is None:
        return text
    choices = [str(getattr(one, "value", one)) for one in described.choices or ()]
    return text + did_you_mean(str(given), choices)


def _in_gib(parameter: Any, given: object) -> str:
    """Return what a volume with a unit is in GiB, of an option that takes those."""
    with suppress(UsageError):
        if "gib" in (parameter.name or "").split("_") and (found := byte_count("", str(given))):
            return f"; {given} is {trimmed(gib_from_bytes(found), 9)} GiB"
    return ""


def only_numbers(parameter: typer.CallbackParam, value: Any) -> Any:
    """Return the value of an option that takes a number, which every option that does is asked.

    Raises:
        BadParameter: If it is none that a quantity can have; infinite ones are numbers for Python.
    """
    if value is not None and not abs(value) <= MOST:
        least, most = getattr(parameter, "min", None), getattr(parameter, "max", None)
        raise typer.BadParameter(not_a_number(value, least, most))
    return value


def check_kind(parameter: Any, value: object, name: str) -> None:
    """Refuse a value of a file that an option cannot mean, whatever a library would make of it.

    Numbers and dates are taken as the texts that they are written as.

    Raises:
        UsageError: With what the option takes; `name` says where the value stands.
    """
    described = parameter.type_descriptor
    (inner,) = get_args(described.annotation) or (described.annotation,)
    if inner is bool or isinstance(value, str):
        is_taken = isinstance(value, bool | str)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        # Of a number alone the library makes a moment since 1970.
        is_moment = inner is datetime and not described.parameter_info.formats
        is_taken = inner in (int, float) or (math.isfinite(value) and not is_moment)
    else:
        is_taken = False
    if is_taken:
        return
    is_choice = isinstance(inner, type) and issubclass(inner, Enum)
    choices = ", ".join(repr(str(one.value)) for one in inner) if is_choice else ""
    taken = f"one of {choices}" if choices else _TAKEN[inner]
    many = ", or a list of them" if described.is_list else ""
    raise UsageError(f"{name} takes {taken}{many}, not {kind_of(value)}")


def kind_of(value: object) -> str:
    """Return what a value of a file is called.

    >>> kind_of(True), kind_of([1]), kind_of({}), kind_of(2.5), kind_of("x")
    ('true', 'a list', 'a table', '2.5', "'x'")
    """
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    return quoted(value) if isinstance(value, str) else str(value)


def _is_whole(parameter: Any) -> bool:
    return "int" in str(parameter.type_descriptor.annotation)


# Where the value of an option came from
#
# A value may stand in a variable or in a file that the user does not think of. Errors that name an
# option therefore say so when it was not given on the command line.


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
        state.shows_all = HELP_ALL in args
        with with_origin():
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
            with with_origin():
                return super().invoke(ctx)
        except NetplanError as error:
            text = explained(error, ctx, sys.argv[1:], os.environ)
            if text == str(error):
                raise
            raise type(error)(text) from error


@contextmanager
def with_origin() -> Iterator[None]:
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
        if name in known or name in settings.OTHER_VARIABLES:
            continue
        bare = [one.removeprefix(PREFIX) for one in known]
        if hint := did_you_mean(name.removeprefix(PREFIX), bare, _ALIKE, PREFIX):
            raise UsageError(f"there is no variable {name}{hint}")
        notes.append(f"netplan has no variable {name}; it is ignored")
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
