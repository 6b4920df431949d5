"""The JSON Schemas of all answers, made from the types of what their JSON holds.

`python -m netplan_planner.renderers.schema FOLDER` writes each below FOLDER by its id; docs/schemas
is what it writes. A field is required unless its type says otherwise, and none is left open;
descriptions are the docstrings.
"""

import ast
import inspect
import itertools
import json
import sys
import textwrap
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

import msgspec

from netplan_planner.renderers import prediction_rows, terraform_changes
from netplan_planner.renderers.content import Content, modules_by_kind
from netplan_planner.renderers.figures import SUM_DECIMALS
from netplan_planner.renderers.json_report import UNIT_PRICE_DECIMALS

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBERS = (
    f"Money is a number: unit prices have up to {UNIT_PRICE_DECIMALS} decimals, all other decimals"
    f" up to {SUM_DECIMALS}. null means not known, which is not 0. Tuples such as resource_counts"
    " are arrays of pairs."
)
_ANY = {"type": ["string", "number", "boolean", "null", "array"]}
_DECIMAL = {"type": "string", "format": "decimal"}
_REF = "#/$defs/"
_OWN = "netplan_"
"""What the project's packages begin with."""
_UNTOLD = {"description": "Of unknown type.", "type": "object", "required": ["schema"]}
"""A record whose function returns `object`."""
_TEXT = [{"type": "string"}, {"$ref": f"{_REF}Words"}]
"""`model.Text`, which JSON holds as a string."""


def schema(kind: str) -> dict[str, Any]:
    """Return the schema of a kind of answer, by the name of its type, as JSON renders it.

    Kinds that have one id have one schema, which allows each of them.
    """
    known = modules_by_kind()
    return schema_of([one for one in known.values() if one.SCHEMA == known[kind].SCHEMA])


def schema_of(contents: Sequence[Content]) -> dict[str, Any]:
    """Return the schema of the answers of some modules, all of one id."""
    roots: list[dict[str, Any]] = []
    definitions: dict[str, Any] = {}
    for content in contents:
        found, parts = _variants(content)
        roots += [root for root in found if root not in roots]
        definitions |= parts
    return {
        "$schema": _DIALECT,
        "$comment": _NUMBERS,
        **(roots[0] if len(roots) == 1 else {"anyOf": roots}),
        "title": contents[0].SCHEMA,
        "$defs": {name: definitions[name] for name in sorted(definitions)},
    }


def pages() -> dict[str, str]:
    """Return the text of each schema by its path below docs/schemas."""
    made = {one.SCHEMA: schema(kind) for kind, one in modules_by_kind().items()}
    for one in (prediction_rows, terraform_changes):
        made[one.SCHEMA] = schema_of([cast(Content, one)])
    return {
        f"{name}.json": json.dumps(page, indent=2, ensure_ascii=False) + "\n"
        for name, page in made.items()
    }


def field_notes(kind: type) -> dict[str, str]:
    """Return the docstring of each field of a struct: the text below its annotation.

    Those of the values that it extends are among them.
    """
    notes: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith(_OWN):
            notes |= _own_notes(base)
    return notes


@cache
def _own_notes(kind: type) -> dict[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    notes: dict[str, str] = {}
    for above, below in itertools.pairwise(body):
        if not isinstance(above, ast.AnnAssign) or not isinstance(above.target, ast.Name):
            continue
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            notes[above.target.id] = _one_line(str(below.value.value))
    return notes


def _any_field(kind: type) -> dict[str, Any]:
    """Return the schema of `object`: a field whose name, and so type, the question decides."""
    if kind is not object:
        raise NotImplementedError
    return _ANY


def _variants(content: Content) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return each shape that a record can have, and the types that these name."""
    returned = _recorded(content)
    parts = get_args(returned) if get_origin(returned) is tuple else (returned,)
    choices = [get_args(part) if get_origin(part) is UnionType else (part,) for part in parts]
    kinds = [kind for part in choices for kind in part]
    if object in kinds:
        return [_UNTOLD | {"properties": {"schema": {"const": content.SCHEMA}}}], {}
    refs, made = msgspec.json.schema_components(
        kinds, schema_hook=_any_field, ref_template=_REF + "{name}"
    )
    known = _types_in(returned, {})
    definitions = {
        name: _definition(content, known.get(name), name, part) for name, part in made.items()
    }
    for name in ("Amount", "AmountKind", "Words"):
        definitions.pop(name, None)
    names = [ref["$ref"].removeprefix(_REF) for ref in refs]
    whole = {kind: definitions.pop(name) for kind, name in zip(kinds, names, strict=True)}
    found = itertools.product(*choices)
    return [_root(content, [whole[kind] for kind in variant]) for variant in found], definitions


def _recorded(content: Content) -> Any:
    """Return the type of what JSON holds: what `record` returns, else that of the answer."""
    made = getattr(content, "record", None)
    if made is not None:
        return get_type_hints(made)["return"]
    return next(iter(get_type_hints(content.table).values()))


def _root(content: Content, parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the fields of several values as one object, the schema's id before them."""
    root: dict[str, Any] = {
        "description": " ".join(part["description"] for part in parts),
        "type": "object",
    }
    properties: dict[str, Any] = {"schema": {}}
    properties |= {k: v for part in parts for k, v in part["properties"].items()}
    properties["schema"] = {"const": content.SCHEMA}
    required = ("schema", *(name for part in parts for name in part["required"]))
    if pattern := getattr(content, "MORE_NUMBERS", ""):
        # Names of these depend on the question.
        root["patternProperties"] = {pattern: {"type": "number"}}
    return {
        **root,
        "properties": properties,
        "required": list(dict.fromkeys(required)),
        "additionalProperties": False,
    }


def _definition(content: Content, kind: Any, name: str, part: dict[str, Any]) -> dict[str, Any]:
    """Return one type's schema: closed, complete, decimals as numbers, fields described."""
    part = {key: value for key, value in part.items() if key != "title"}
    if "description" in part:
        part["description"] = _one_line(part["description"])
    if "properties" not in part:
        return part
    notes = field_notes(kind)
    is_struct = issubclass(kind, msgspec.Struct)
    fields = kind.__struct_fields__ if is_struct else kind.__annotations__
    properties = {
        field: {
            **_property(part["properties"][field]),
            **({"description": notes[field]} if field in notes else {}),
        }
        for field in fields
    }
    return {
        **part,
        "properties": properties,
        "required": [field for field in fields if is_struct or field in part["required"]],
        "additionalProperties": _ANY if name in getattr(content, "OPEN", ()) else False,
    }


def _types_in(kind: Any, found: dict[str, Any]) -> dict[str, Any]:
    """Return the types with fields that a type is made of, by name, beside those found so far."""
    for part in get_args(kind):
        _types_in(part, found)
    if isinstance(kind, type) and hasattr(kind, "__annotations__") and kind.__name__ not in found:
        found[kind.__name__] = kind
        for part in get_type_hints(kind).values():
            _types_in(part, found)
    return found


def _property(value: Any) -> Any:
    """Return a part of a schema without defaults, with decimals as numbers and words as text."""
    if isinstance(value, list):
        return [_property(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: item for key, item in value.items() if key != "default"}
    if value == _DECIMAL:
        return {"type": "number"}
    if value.get("anyOf") == _TEXT:
        return {"type": "string"}
    return {key: _property(item) for key, item in value.items()}


def _one_line(docstring: str) -> str:
    return " ".join(docstring.split())


def write(folder: Path) -> None:
    """Write every schema below a folder."""
    for name, text in pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
