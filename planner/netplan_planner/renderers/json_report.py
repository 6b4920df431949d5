r"""An answer as JSON: its schema id, then every field of the answer, in its order.

Money is a JSON number: unit prices with up to 12 decimals, every other decimal (quantities, sums)
with up to 6, rounded half to even. Rates are written as they are. Dates are ISO 8601. A number
that is not finite is refused, for JSON has no word for it. What is not known is `null`. Text is
not shortened; characters that could steer a terminal are written as `\uXXXX`, so that a report
can be looked at where it is printed. docs/schemas holds a JSON Schema of each answer, by its id.
"""

import json
import math
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache

import msgspec

from netplan_planner.inert import escaped_json, scalars
from netplan_planner.model import Words
from netplan_planner.renderers.content import content_of, record
from netplan_planner.renderers.figures import SUM_DECIMALS, rounded, shown
from netplan_planner.renderers.options import RenderOptions

UNIT_PRICE_DECIMALS = 12
_UNIT_PRICES = {"unit_price_usd", "ratio", "units_per_usd", "old_usd", "new_usd"}
_OF_A_UNIT = ("_per_hour", "_per_gib", "_per_unit")
"""Ends of fields that hold a unit price too."""

Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]
"""What JSON can hold."""


def render(answer: object, options: RenderOptions) -> str:
    """Return a whole answer as JSON, its schema first; no option leaves anything out.

    Raises:
        ValueError: If a number of it is not finite; the text names the field.
    """
    content = content_of(answer)
    held_by = record(answer)
    fields: dict[str, Plain] = {"schema": content.SCHEMA}
    for part in held_by if isinstance(held_by, tuple) else (held_by,):
        held = plain(part)
        assert isinstance(held, dict)
        fields |= held
    return document(fields)


def document(value: Plain) -> str:
    """Return a JSON document of two spaces' indent, safe to print, with a line end."""
    compact = json.dumps(value, ensure_ascii=False, allow_nan=False)
    indented = msgspec.json.format(compact.encode(), indent=2).decode()
    return escaped_json(indented) + "\n"


def plain(value: object, name: str = "") -> Plain:
    """Return a value of the model in the types of JSON; `name` is the field that holds it.

    Raises:
        ValueError: If a number is not finite.
        TypeError: If the value is of no type that the model uses.
    """
    if value is None or isinstance(value, bool):
        return value
    convert = _converter(type(value))  # type: ignore[arg-type]  # a class can be hashed
    if convert is None:
        raise TypeError(f"{name}: {type(value).__name__} has no form in JSON")
    try:
        return convert(value, name)
    except ValueError as exc:
        raise ValueError(f"{name}: {exc}" if name else str(exc)) from exc


@cache
def _converter(kind: type) -> Callable[..., Plain] | None:
    return next((convert for of, convert in _CONVERTERS if issubclass(kind, of)), None)


def _struct(value: msgspec.Struct, name: str) -> Plain:
    return {field: plain(getattr(value, field), field) for field in value.__struct_fields__}


def _float(value: float, name: str) -> Plain:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    return value


def _decimal(value: Decimal, name: str) -> Plain:
    is_unit_price = name in _UNIT_PRICES or name.endswith(_OF_A_UNIT)
    return rounded(value, UNIT_PRICE_DECIMALS if is_unit_price else SUM_DECIMALS)


def _moment(value: date, name: str) -> Plain:
    text = value.isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


_CONVERTERS: tuple[tuple[type | tuple[type, ...], Callable[..., Plain]], ...] = (
    (Enum, lambda value, name: plain(value.value, name)),
    (str, lambda value, name: scalars(value)),
    (int, lambda value, name: value),
    (float, _float),
    (Words, lambda value, name: scalars(shown(value))),
    (msgspec.Struct, _struct),
    (dict, lambda value, name: {key: plain(item, key) for key, item in value.items()}),
    ((tuple, list), lambda value, name: [plain(item, name) for item in value]),
    (Decimal, _decimal),
    ((datetime, date), _moment),
)
