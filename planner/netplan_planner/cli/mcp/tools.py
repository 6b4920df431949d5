"""Tools made of verbs: their names, what they take, and which answer they have.

A parameter is an option without its dashes, as the field of the request declares it (`Ask`). What
writes a file or keeps a store is left out; without `--online`, so is what asks a network.
"""

import inspect
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_type_hints

from msgspec import NODEFAULT

from netplan_planner.asks import API, Ask, Request, option_of
from netplan_planner.cli.parameters import Field, fields_of, path_use
from netplan_planner.cli.verbs import VERBS, Run
from netplan_planner.renderers.content import modules_by_kind

TOOLS = ("audit", "recommend", "predict", "price", "caps", "rules", "whatif", "transfer", "fleet")
"""The verbs that are tools; of a group of commands each is one."""
_ONLINE = frozenset({"--project", "--organization", "--folder", "--exclude-project", "--engine"})
"""Options that ask a network, beside those of Google's APIs."""
_NOT_FOR_AGENTS = frozenset(
    {"--markdown", "--verbose", "--statistics", "--exit-zero", "--rules-path", "AREA/ID"}
    | {"--add-ignores", "--record"}
)
"""Options of the text and the exit status, what runs or writes code, and what writes a file."""
_STATUSES = re.compile(r"\s*Exit status:.*?\.(?=\s|$)", re.S)
_OF_JSON: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    Path: "string",
    datetime: "string",
}
CURSOR = "A cursor of an earlier answer, from its `more` or `next_cursor`."


class Tool(NamedTuple):
    """A verb, or a command of a group, as a tool."""

    name: str
    words: tuple[str, ...]
    """Of its command."""
    run: Any
    ask: type[Request]
    fields: Mapping[str, Field]
    """What it takes, by the names that agents use."""

    @property
    def description(self) -> str:
        """What it is for: the question, then the docstring without exit statuses."""
        told = _STATUSES.sub("", inspect.getdoc(self.run) or "")
        about = " ".join(f"{self.run.question} {told}".split())
        schemas = " or ".join(self.schemas())
        return f"{about} Its answer has the schema {schemas}." if schemas else about

    def schemas(self) -> tuple[str, ...]:
        """Return the ids of the schemas that its answer can have."""
        returned = get_type_hints(self.run)["return"]
        kinds = {one.__name__ for one in get_args(returned) or (returned,)}
        known = modules_by_kind()
        return tuple(dict.fromkeys(known[kind].SCHEMA for kind in sorted(kinds & {*known})))

    def takes(self) -> dict[str, Any]:
        """Return the JSON Schema of what it takes: what `--help` shows; it takes all options."""
        shown = {name: one for name, one in self.fields.items() if not _ask(one).is_expert}
        return {
            "type": "object",
            "properties": {name: _property(one) for name, one in shown.items()},
            "required": [name for name, one in shown.items() if one.value is NODEFAULT],
        }


def _object(**kinds: str | list[str]) -> dict[str, Any]:
    """Return the JSON Schema of an object with these fields."""
    properties = {name: {"type": kind} for name, kind in kinds.items()}
    return {"type": "object", "properties": properties, "required": [*kinds]}


ANSWER = _object(
    schema="string",
    is_well="boolean",
    summary="string",
    notes="array",
    answer="object",
    more="array",
    more_count="integer",
)
"""What a tool returns; `answer` has the published schema of the id `schema`. All tools have it,
so that what its fields mean is said once, in the server's instructions."""
PAGE = _object(
    schema="string",
    path="string",
    first="integer",
    count="integer",
    items="array",
    more="array",
    more_count="integer",
    next_cursor=["string", "null"],
)


def tools_of(*, is_online: bool) -> dict[str, Tool]:
    """Return the tools by name."""
    made = (_tool(verb, run, is_online) for verb in TOOLS for run in VERBS[verb].runs)
    return {tool.name: tool for tool in made}


def schema_ids(tools: Iterable[Tool]) -> tuple[str, ...]:
    """Return the ids of the schemas of all tools."""
    return tuple(dict.fromkeys(one for tool in tools for one in tool.schemas()))


def _tool(verb: str, run: Run, is_online: bool) -> Tool:
    function = getattr(import_module(run.module), run.name)
    own = run.name.rstrip("_")
    words = (verb,) if own == verb else (verb, own.replace("_", "-"))
    kind = get_type_hints(function)["ask"]
    fields = {_name(one): one for one in fields_of(kind) if _is_shown(one, is_online)}
    return Tool("_".join(dict.fromkeys((verb, own))), words, function, kind, fields)


def _is_shown(field: Field, is_online: bool) -> bool:
    use, ask = path_use(field.annotation), _ask(field)
    if not field.option or ask.is_hidden or ask.is_counted or field.option in _NOT_FOR_AGENTS:
        return False
    if use is not None and (use.is_written or use.is_own or use.is_answer):
        return False
    return is_online or not (ask.panel == API or field.option in _ONLINE)


def _ask(field: Field) -> Ask:
    return next((one for one in get_args(field.annotation) if isinstance(one, Ask)), Ask(""))


def _name(field: Field) -> str:
    ask = _ask(field)
    if ask.is_argument:
        return field.parameter
    return option_of(field.name, ask).removeprefix("--").replace("-", "_")


def _property(field: Field) -> dict[str, Any]:
    """Return the JSON Schema of a parameter."""
    kind, ask = get_args(field.annotation)[0], _ask(field)
    if type(None) in get_args(kind):
        kind = next(one for one in get_args(kind) if one is not type(None))
    items = get_args(kind)
    made = {"type": "array", "items": _scalar(items[0])} if items else _scalar(kind)
    made["description"] = ask.help.replace("\\[", "[")
    bounds = {"minimum": ask.least, "maximum": ask.most}
    return made | {name: bound for name, bound in bounds.items() if bound is not None}


def _scalar(kind: Any) -> dict[str, Any]:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [str(one.value) for one in kind]}
    return {"type": _OF_JSON[kind]}
