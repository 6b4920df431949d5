"""What a verb is asked, declared once: the fields of a request say how they are asked for.

    class JobAsk(Request, frozen=True, kw_only=True):
        PANEL: ClassVar[str] = WORK

        in_bytes: Annotated[Bytes, Ask("Bytes that arrive.", "--bytes-in")] = 0

The command line makes its options of them (`cli/parameters.py`): the name, the text of the help
page, the bounds, the default, and what reads a text (`Reading`, of the field's type) stand in the
one place where the value stands that everybody else works with.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from netplan_planner.choices import Architecture
from netplan_planner.errors import UsageError
from netplan_planner.inert import inert

INPUT, TRAFFIC, CHOICE, OUTPUT, API = (
    "What to read",
    "Reading flow logs",
    "What to judge",
    "How to report",
    "Google APIs",
)
"""Groups of options that several verbs have."""


COMMON, EXPERT = "common", "expert"
"""Behind a type that verbs share (`Annotated[AsOf, COMMON]`): whether the verb's `--help` shows it
or `--help-all` alone, whatever its `Ask` says."""


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
    short: str = ""
    """What `--help` says of it; empty: `help` up to its first full stop or semicolon."""
    is_expert: bool = False
    """Whether `--help-all` alone shows it, as all of a request whose `IS_EXPERT` is true."""


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


# Times, volumes and names as people write them: `5s`, `10m`, `2TiB`, `500GB`, `n2,c3`


_SECONDS = {
    "ms": 0.001,
    "s": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
}
_BYTES = {
    "": 1,
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgtp", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgtp", 1)},
}
_MOST = 1e18
"""Bytes or seconds; more is a slip of the hand."""
MOST = 1e15
"""More of anything is a slip of the keyboard."""
WHOLE = "whole number"
_SHOWN = 40
_QUANTITY = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def seconds(option: str, text: str | None) -> float | None:
    """Return a time in seconds; a plain number is one.

    Raises:
        UsageError: If it is no time above 0.

    >>> seconds("--duration", "5s"), seconds("--duration", "1.5h"), seconds("--duration", "90")
    (5.0, 5400.0, 90.0)
    """
    return None if text is None else _value(option, text, {**_SECONDS, "": 1.0}, "5s or 10m")


def seconds_from_0(option: str, text: str | None) -> float | None:
    """Return a time in seconds, which may be 0.

    Raises:
        UsageError: If it is no time of at least 0.

    >>> seconds_from_0("--start-up", "0s"), seconds_from_0("--start-up", "40s")
    (0.0, 40.0)
    """
    found = None if text is None else _QUANTITY.fullmatch(text)
    is_zero = found is not None and not float(found[1]) and found[2].lower() in {"", *_SECONDS}
    return 0.0 if is_zero else seconds(option, text)


def byte_count(option: str, text: str | None) -> int | None:
    """Return a volume in bytes; kB, MB, GB are decimal, KiB, MiB, GiB binary.

    Raises:
        UsageError: If it is no volume above 0.

    >>> byte_count("--bytes", "2TiB"), byte_count("--bytes", "1.5 GB"), byte_count("--bytes", "10")
    (2199023255552, 1500000000, 10)
    """
    if text is None:
        return None
    found = round(_value(option, text, _BYTES, "2TiB or 500GB"))
    if found < 1:
        raise UsageError(f"{option} needs at least 1 byte, not {text[:40]!r}")
    return found


def deadline_seconds(option: str, text: str | None, now: datetime) -> float | None:
    """Return how long something may take, of a time such as 2h, or until a moment (RFC 3339).

    Raises:
        UsageError: If it is neither, or has passed.
    """
    if text is None:
        return None
    moment = _moment(option, text)
    if moment is None:
        return seconds(option, text)
    left = moment - now
    if left <= timedelta(0):
        raise UsageError(f"{option} {text} is in the past; now is {now.isoformat('T', 'seconds')}")
    return left.total_seconds()


def _moment(option: str, text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    # Digits alone read as a date of the basic form; they are seconds.
    if "-" not in text:
        return None
    if found.tzinfo is None:
        raise UsageError(f"{option} {text} needs a time zone, such as {text}Z")
    return found


def _value(option: str, text: str, scale: dict[str, float] | dict[str, int], like: str) -> float:
    found = _QUANTITY.fullmatch(text)
    factor = scale.get(found[2].lower()) if found else None
    value = float(found[1]) * factor if found and factor is not None else 0.0
    if not 0 < value <= _MOST:
        raise UsageError(f"{option} needs a quantity above 0 such as {like}, not {text[:40]!r}")
    return value


def names(values: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of an option that takes commas and repetition.

    >>> names(["n2, c3", "c4"])
    ('n2', 'c3', 'c4')
    """
    return tuple(name.strip() for v in values or () for name in v.split(",") if name.strip())


def not_a_number(
    given: object, least: float | None, most: float | None = None, what: str = "number"
) -> str:
    """Return what is said of a value that is no such number.

    >>> print(not_a_number("nan", 0))
    'nan' is not a number from 0 to 1e+15
    >>> print(not_a_number("x", 1, what="whole number"))
    'x' is not a whole number from 1 on
    """
    if least is None:
        return f"{quoted(given)} is not a {what}"
    if most is None and what == WHOLE:
        return f"{quoted(given)} is not a {what} from {least:g} on"
    return f"{quoted(given)} is not a {what} from {least:g} to {MOST if most is None else most:g}"


def is_quantity(number: float) -> bool:
    """Return whether a number is one of at least 0 that a quantity can have."""
    return math.isfinite(number) and 0 <= number <= MOST


def quoted(given: object) -> str:
    """Return a value as an error shows it."""
    return repr(inert(str(given)[:_SHOWN]))


def percentage(option: str, text: str, *, is_part: bool = False) -> float:
    """Return a percentage as a ratio of 0 or more; of a part, above 0 and below 1.

    Raises:
        UsageError: If it is none; a bare number could be meant either way.

    >>> percentage("--zone-growth", "25%"), percentage("--dollar-error", "2.5%", is_part=True)
    (0.25, 0.025)
    """
    number, sign, rest = text.strip().partition("%")
    try:
        ratio = float(number) / 100
    except ValueError:
        ratio = -1.0
    fits = 0 < ratio < 1 if is_part else 0 <= ratio < math.inf
    if not sign or rest or not fits:
        range_ = "above 0% and below 100%, such as 5%" if is_part else "of 0% or more, such as 25%"
        raise UsageError(f"{option} needs a percentage {range_}")
    return ratio


NO_BOUND = "none"


def usd(option: str, text: str | None) -> Decimal | None:
    """Return an amount of dollars.

    Raises:
        UsageError: If it is not a number of at least 0.
    """
    if text is None:
        return None
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation as exc:
        raise UsageError(f"{option}: {not_a_number(text, 0)}") from exc
    if not amount.is_finite() or not is_quantity(float(amount)):
        raise UsageError(f"{option}: {not_a_number(text, 0)}")
    return amount


def usd_or_none(option: str, text: str) -> Decimal | None:
    """Return an amount of dollars; None for `none`, which is no bound.

    Raises:
        UsageError: If it is neither.
    """
    if text.strip().casefold() == NO_BOUND:
        return None
    try:
        return usd(option, text)
    except UsageError as exc:
        raise UsageError(f"{exc}; or give {NO_BOUND}") from exc


Bytes = Annotated[int, Reading(str, byte_count)]
Duration = Annotated[float, Reading(str, seconds)]
DurationFrom0 = Annotated[float, Reading(str, seconds_from_0)]
Deadline = Annotated[
    float, Reading(str, lambda option, text: deadline_seconds(option, text, datetime.now(UTC)))
]
"""Seconds from now on."""
Names = Annotated[tuple[str, ...], Reading(list[str], lambda _, values: names(values))]
Paths = Annotated[tuple[Path, ...], Reading(list[Path], lambda _, values: tuple(values))]
Texts = Annotated[tuple[str, ...], Reading(list[str], lambda _, values: tuple(values))]
Exact = Annotated[Decimal, Reading(float, lambda _, number: Decimal(str(number)), float)]
"""A number as it is written, without what is lost in binary."""
Usd = Annotated[Decimal, Reading(str, usd)]
UsdOrNone = Annotated[Decimal | None, Reading(str, usd_or_none, str)]
"""None is no bound."""
Day = Annotated[date, Reading(datetime, lambda _, moment: moment.date())]
ArchitectureName = Annotated[str, Reading(Architecture, lambda _, asked: asked.as_the_api_names_it)]
"""As the Compute API names it; None is any."""
