"""The JSON Schema of `netplan.report/1`, made from the types of the model.

`python -m netplan_planner.renderers.schema` prints it; docs/report.schema.json is that text.
Every field is required, for every report states every field; descriptions are the docstrings.
"""

import ast
import inspect
import itertools
import json
import sys
import textwrap
from typing import Any

import msgspec

from netplan_planner import model
from netplan_planner.model import SCHEMA, Report
from netplan_planner.renderers.json_report import SUM_DECIMALS, UNIT_PRICE_DECIMALS

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBERS = (
    f"Money is a number: unit prices have up to {UNIT_PRICE_DECIMALS} decimals, all other decimals"
    f" up to {SUM_DECIMALS}. null means not known, which is not 0. Tuples such as resource_counts"
    " are arrays of pairs."
)
_DECIMAL = {"type": "string", "format": "decimal"}


def schema() -> dict[str, Any]:
    """Return the schema of a report as JSON renders it."""
    made = msgspec.json.schema(Report)
    definitions = {name: _definition(name, part) for name, part in made["$defs"].items()}
    report = definitions.pop("Report")
    report["properties"]["schema"] = {"const": SCHEMA}
    return {
        "$schema": _DIALECT,
        "$comment": _NUMBERS,
        **report,
        "title": SCHEMA,
        "$defs": {name: definitions[name] for name in sorted(definitions)},
    }


def text() -> str:
    """Return the schema as the file in docs/ holds it."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def field_notes(kind: type) -> dict[str, str]:
    """Return the docstring of each field of a struct: the text below its annotation."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    notes: dict[str, str] = {}
    for above, below in itertools.pairwise(body):
        if not isinstance(above, ast.AnnAssign) or not isinstance(above.target, ast.Name):
            continue
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            notes[above.target.id] = _one_line(str(below.value.value))
    return notes


def _definition(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """Return one type's schema: closed, complete, decimals as numbers, fields described."""
    kind = getattr(model, name)
    part = {key: value for key, value in part.items() if key != "title"}
    if "description" in part:
        part["description"] = _one_line(part["description"])
    if "properties" not in part:
        return part
    notes = field_notes(kind)
    properties = {
        field: {**_property(value), **({"description": notes[field]} if field in notes else {})}
        for field, value in part["properties"].items()
    }
    return {
        **part,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _property(value: Any) -> Any:
    """Return a part of a schema without defaults and with decimals as numbers."""
    if isinstance(value, list):
        return [_property(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: item for key, item in value.items() if key != "default"}
    if value == _DECIMAL:
        return {"type": "number"}
    return {key: _property(item) for key, item in value.items()}


def _one_line(docstring: str) -> str:
    return " ".join(docstring.split())


if __name__ == "__main__":
    sys.stdout.write(text())
