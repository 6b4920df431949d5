"""What is said of a value that an option does not take: one wording for every option of a kind.

The library's own texts are those of its data model ("Input should be …"), and do not say the value.
"""

import math
import re
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import typer

from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.quantities import MOST, WHOLE, not_a_number, quoted

_LIBRARY_WORDS = "Value error, "
_LIMITS = frozenset({"greater_than_equal", "less_than_equal"})
_KINDS = {"float_parsing": "number", "int_parsing": WHOLE, "int_from_float": WHOLE}
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
        return not_a_number(given, least, most, _KINDS[kind])
    if kind in _LIMITS:
        return not_a_number(given, least, most, WHOLE if _is_whole(parameter) else "number")
    if kind == "bool_parsing":
        return f"{quoted(given)} is neither true nor false"
    if kind.startswith("datetime_"):
        return f"{quoted(given)} is not a {_DATE} or a time such as 2026-01-31T12:00:00Z"
    text = error.message.removeprefix(_LIBRARY_WORDS).rstrip(".")
    described = getattr(parameter, "type_descriptor", None)
    if found := _OF_FORMATS.fullmatch(text):
        return f"{quoted(found[1])} is not a {_DATE}, a month such as 2026-01 or a year"
    if described is None or not described.is_choice or given is None:
        return text
    choices = [str(getattr(one, "value", one)) for one in described.choices or ()]
    return text + did_you_mean(str(given), choices)


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
    many = ", or a list of such" if described.is_list else ""
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
