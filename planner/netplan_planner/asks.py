"""What a verb is asked, declared once: the fields of a request say how they are asked for.

    class JobAsk(Request, frozen=True, kw_only=True):
        PANEL: ClassVar[str] = WORK

        in_bytes: Annotated[Bytes, Ask("Bytes that arrive.", "--bytes-in")] = 0

The command line makes its options of them (`cli/parameters.py`): the name, the text of the help
page, the bounds, the default, and what reads a text (`Reading`, of the field's type) stand in the
one place where the value stands that everybody else works with.
"""

from collections.abc import Callable, Iterator
from keyword import iskeyword
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

INPUT, TRAFFIC, CHOICE, OUTPUT, API = (
    "What to read",
    "Traffic",
    "What to judge",
    "How to report",
    "Compute API",
)
"""Groups of options that several verbs have."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a verb is asked, or a part of it that verbs share."""


class Ask(NamedTuple):
    """How a field is asked for."""

    help: str
    name: str = ""
    """The option, such as `--bytes-in`; empty: of the field's name."""
    also: tuple[str, ...] = ()
    """Other spellings."""
    parameter: str = ""
    """What variables and files call it; empty: as the option, or the field where that is a word of
    Python."""
    panel: str | None = None
    """The group of the help page; None: the `PANEL` of the request, where it has one."""
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    formats: list[str] | None = None
    """Of a date."""
    is_folder: bool = False
    """Whether a path must be a folder that is there."""
    shown_default: str | None = None
    """What a help page says of the default, where that is no value."""
    variable: str | None = None
    """The environment variable, where it is not called as the parameter."""
    is_any_case: bool = False
    """Whether a choice may be written in capitals or not."""
    is_hidden: bool = False
    """Whether no help page shows it."""
    is_counted: bool = False
    """Whether it is a flag, and counts how often it is given."""
    is_argument: bool = False
    """Whether it is told by its place among the words of the command."""


class Reading(NamedTuple):
    """How a value is read: what the command line takes, and what makes the value of it."""

    kind: Any
    read: Callable[[str, Any], Any]
    """Takes the option, as people write it, and the value; raises a `UsageError`."""
    written: Callable[[Any], Any] | None = None
    """Returns what the command line would take for a value, to show a default."""


class Use(NamedTuple):
    """What a verb does with the path that a parameter takes, where it is not only read."""

    is_walked: bool = False
    """Whether every file of a folder is read."""
    is_own: bool = False
    """Whether the verb goes on with what is there: reads it, and writes it."""
    is_written: bool = False
    is_folder: bool = False
    """Whether what is written is a folder."""
    file: str = ""
    """Which file of the folder alone is replaced."""
    is_answer: bool = False
    """Whether it takes `FORMAT:PATH`."""


READ = Use()
WALKED = Use(is_walked=True)
KEPT = Use(is_own=True)
KEPT_FOLDER = Use(is_own=True, is_walked=True)
WRITTEN = Use(is_written=True)
WRITTEN_FOLDER = Use(is_written=True, is_folder=True)
ANSWER = Use(is_written=True, is_answer=True)


def option_of(field: str, ask: Ask) -> str:
    """Return how people write a field.

    >>> option_of("in_gbps", Ask("Rate.")), option_of("in_bytes", Ask("Bytes.", "--bytes-in"))
    ('--in-gbps', '--bytes-in')
    """
    if ask.is_argument:
        return field.upper()
    # Of a flag the name that switches it on.
    return (ask.name or f"--{field.replace('_', '-')}").partition("/")[0]


def parameter_of(field: str, ask: Ask) -> str:
    """Return what variables and files call a field.

    >>> parameter_of("in_bytes", Ask("", "--bytes-in")), parameter_of("source", Ask("", "--from"))
    ('bytes_in', 'source')
    """
    if ask.is_argument:
        return field
    spelled = option_of(field, ask).removeprefix("--").replace("-", "_")
    return ask.parameter or (field if iskeyword(spelled) else spelled)


def ask_of(annotation: Any) -> Ask | None:
    """Return how a field is asked for; None: it is not."""
    if get_origin(annotation) is not Annotated:
        return None
    return next((one for one in get_args(annotation)[1:] if isinstance(one, Ask)), None)


def reading_of(annotation: Any) -> Reading | None:
    """Return what reads a field's text, wherever in its type that stands."""
    if isinstance(annotation, Reading):
        return annotation
    parts = annotation if isinstance(annotation, list) else get_args(annotation)
    return next((one for one in map(reading_of, parts) if one is not None), None)


def given_options(value: msgspec.Struct) -> Iterator[str]:
    """Yield the options of a request, and of its parts, that are not as by default."""
    for name, annotation in get_type_hints(type(value), include_extras=True).items():
        own, ask = getattr(value, name), ask_of(annotation)
        if ask is not None and own != _default_of(type(value), name):
            yield option_of(name, ask)
        elif ask is None and isinstance(own, Request):
            yield from given_options(own)


def _default_of(kind: type[msgspec.Struct], name: str) -> Any:
    found = next(one for one in msgspec.structs.fields(kind) if one.name == name)
    return found.default
