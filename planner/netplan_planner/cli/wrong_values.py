"""What is said of a value that an option does not take: one wording for every option of a kind.

The library's own texts are those of its data model ("Input should be …"), and do not say the value.
"""

import math
from typing import Any

import typer

from netplan_planner.errors import did_you_mean
from netplan_planner.inert import inert

MOST = 1e15
"""More of anything is a slip of the keyboard."""
_LIBRARY_WORDS = "Value error, "
_LIMITS = frozenset({"greater_than_equal", "less_than_equal"})
_WHOLE = "whole number"
_KINDS = {"float_parsing": "number", "int_parsing": _WHOLE, "int_from_float": _WHOLE}
_SHOWN = 40


def said_of(error: typer.BadParameter) -> str:
    """Return what is wrong with a value, without the option."""
    faults: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()
    kind, given = (faults[0]["type"], faults[0]["input"]) if faults else ("", None)
    parameter: Any = error.param
    least, most = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if kind in _KINDS:
        return not_a_number(given, least, most, _KINDS[kind])
    if kind in _LIMITS:
        return not_a_number(given, least, most, _WHOLE if _is_whole(parameter) else "number")
    if kind == "bool_parsing":
        return f"{_quoted(given)} is neither true nor false"
    text = error.message.removeprefix(_LIBRARY_WORDS).rstrip(".")
    described = getattr(parameter, "type_descriptor", None)
    if described is None or not described.is_choice or given is None:
        return text
    choices = [str(getattr(one, "value", one)) for one in described.choices or ()]
    return text + did_you_mean(str(given), choices)


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
        return f"{_quoted(given)} is not a {what}"
    if most is None and what == _WHOLE:
        return f"{_quoted(given)} is not a {what} from {least:g} on"
    return f"{_quoted(given)} is not a {what} from {least:g} to {MOST if most is None else most:g}"


def only_numbers(parameter: typer.CallbackParam, value: Any) -> Any:
    """Return the value of an option that takes a number, which every option that does is asked.

    Raises:
        BadParameter: If it is none that a quantity can have; infinite ones are numbers for Python.
    """
    if value is not None and not abs(value) <= MOST:
        least, most = getattr(parameter, "min", None), getattr(parameter, "max", None)
        raise typer.BadParameter(not_a_number(value, least, most))
    return value


def is_quantity(number: float) -> bool:
    """Return whether a number is one of at least 0 that a quantity can have."""
    return math.isfinite(number) and 0 <= number <= MOST


def _is_whole(parameter: Any) -> bool:
    return "int" in str(parameter.type_descriptor.annotation)


def _quoted(given: object) -> str:
    return repr(inert(str(given)[:_SHOWN]))
