"""Conversion that survives a field of the wrong type: the field is left out and named."""

import re
from typing import Any, TypeVar

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.readers.links import Problems, Unusable

T = TypeVar("T")

MOST_BAD_FIELDS = 200
"""Beyond this many wrong fields an object is not what it claims to be."""

_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]|\[\.\.\.\]")


def convert_leniently(raw: object, wire: type[T], problems: Problems) -> T:
    """Return `raw` as `wire`, less the fields that have a wrong type or an absurd value.

    Each field left out is added to `problems`. A null counts as not stated.

    Raises:
        Unusable: If `raw` is no object, or hardly any of it is right.
    """
    value = raw
    for _ in range(MOST_BAD_FIELDS):
        try:
            return decode_json(msgspec.json.encode(value), wire)
        except msgspec.ValidationError as exc:
            reason, _, path = str(exc).partition(" - at `")
            steps = _steps(path.rstrip("`"))
            if not steps:
                raise Unusable(reason) from exc
            value, removed = _without(value, steps)
            if removed is not None:
                problems.append((_spelled(steps), reason))
    raise Unusable(f"more than {MOST_BAD_FIELDS} fields of the wrong type")


def _steps(path: str) -> list[str | int]:
    """Return `$.a[0].b` as `["a", 0, "b"]`; a mapping's value ends the path at the mapping."""
    steps: list[str | int] = []
    for match in _STEP.finditer(path):
        if match[1] is not None:
            steps.append(match[1])
        elif match[2] is not None:
            steps.append(int(match[2]))
        else:
            break
    return steps


def _spelled(steps: list[str | int]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return text.removeprefix(".")


def _without(value: Any, steps: list[str | int]) -> tuple[Any, Any]:
    """Return a copy of `value` without what `steps` lead to, and what that was.

    Copies the containers on the way only: what lies beside may be large or deeply nested.
    """
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        items = list(value)
        if rest:
            items[step], removed = _without(items[step], rest)
        else:
            removed = items.pop(step)
        return items, removed
    fields = dict(value)
    if rest:
        fields[step], removed = _without(fields[step], rest)
    else:
        removed = fields.pop(step)
    return fields, removed
