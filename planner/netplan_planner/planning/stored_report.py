"""Reports that an audit stored as JSON, read again as far as somebody has fields for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from netplan_planner.asks import quoted
from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import decode_json, opened, reading, unreadable, whole
from netplan_planner.model import SCHEMA, Severity, Value

Report = TypeVar("Report", bound=Value)
_NONE = "no report of this version"


class OtherSchema(InputError):
    """A JSON file that does not say that it is a report."""


def is_report(path: Path) -> bool:
    """Return whether a file says that it is a report; what cannot be read is none."""
    try:
        if not path.is_file():
            return False
        with opened(path) as file:
            return SCHEMA.encode() in file.read(_HEAD_BYTES)
    except OSError:
        return False


def _too_large(value: Any, place: str) -> Iterator[tuple[str, float]]:
    """Yield the places of numbers that no report has, as msgspec writes places."""
    if isinstance(value, int | float):
        if abs(value) > _MOST:
            yield place, float(value)
    elif isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            if not isinstance(one, str):
                yield from _too_large(
                    one, f"{place}.{key}" if key is str(key) else f"{place}[{key}]"
                )


_MOST = 1e20
"""Of a number: sums of larger ones have no cents in a decimal of 28 digits."""
_HEAD_BYTES = 200
"""The schema is what a report begins with."""


def stored_report(path: Path, kind: type[Report]) -> Report:
    """Return the report that `--output json:FILE` wrote, as far as a kind has fields for it.

    Raises:
        OtherSchema: If the file is no report, or one of another version.
        InputError: If it cannot be read.
    """
    shown = inert_line(str(path))
    again = f"write it again: netplan audit … --output json:{shown}"
    with reading(path):
        try:
            data = whole(path)
            # Numbers that no machine can show are refused here, for a decimal takes them.
            about = decode_json(data)
            for place, number in _too_large(about, "$"):
                raise ValueError(f"{number:.3g} is too large - at `{place}`")
            schema = about.get("schema") if isinstance(about, dict) else None
            if schema != SCHEMA:
                told = f"its schema is {quoted(schema)}" if schema else "it names no schema"
                raise OtherSchema(f"{shown}: {_NONE}: {told}, not {SCHEMA}; {again}")
            report = decode_json(data, kind)
            for one in getattr(report, "filtered", ()):
                Severity(one.severity)
        except OSError as exc:
            raise unreadable(path, exc) from exc
        except (msgspec.DecodeError, ValueError, OverflowError) as exc:
            why = inert_line(str(exc))
            raise InputError(f"{shown}: {_NONE}: {why}; {again}") from exc
    return report
