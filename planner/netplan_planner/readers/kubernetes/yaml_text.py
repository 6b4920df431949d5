"""YAML documents as plain values: texts, numbers, lists and mappings, and nothing else.

The parser's events are put together here, so that no tag makes an object, nothing nests deeper
than any Kubernetes object, and aliases cannot grow beyond a bound (docs/adr/0018-yaml.md).
"""

import math
import re
from typing import Any, NamedTuple

import yaml

from netplan_planner.readers.documents import Damage, Document

LARGEST_BYTES = 2**26
"""Of a YAML file: the parser takes about a second for two megabytes, and JSON says the same."""
MOST_VALUES = 4_000_000
"""In all documents of a file, with what aliases repeat."""
DEEPEST = 100
"""Levels; Kubernetes' own deepest types have about 30."""

_KINDS = re.compile(r"^(?:-\s+)?(?:apiVersion|kind):", re.MULTILINE)
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?")
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""Of YAML 1.2's core schema: `no` and `off` are texts, and so is a date."""
_TEXT_STEP = 32
"""Characters of a text that count as one value, so that aliases cannot repeat a long one freely."""


class _TooMuch(Exception):
    """A document that is beyond a bound; the text says which."""


class _Open(NamedTuple):
    """A list or mapping whose end has not come."""

    value: list[Any] | dict[str, Any]
    anchor: str | None
    first: int
    """Values that had been counted when it began."""
    key: list[str]
    """The key whose value comes next, in a mapping."""


def is_kubernetes(head: str) -> bool:
    r"""Return whether a text can be Kubernetes objects in YAML, by its first part.

    >>> is_kubernetes("---\napiVersion: v1\nkind: Pod\n"), is_kubernetes("name: web\n")
    (True, False)
    """
    return _KINDS.search(head) is not None


def documents(text: str) -> tuple[list[Document], list[Damage]]:
    """Return the documents of a YAML text, up to what is damaged in it."""
    found: list[Document] = []
    if len(text) > LARGEST_BYTES:
        reason = f"more than {LARGEST_BYTES >> 20} MiB of YAML; ask kubectl for `--output=json`"
        return found, [Damage("", reason)]
    builder = _Builder()
    line = started = 1
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            line = event.start_mark.line + 1 if event.start_mark is not None else line
            if isinstance(event, yaml.DocumentStartEvent):
                builder.begin()
                started = line
            elif isinstance(event, yaml.DocumentEndEvent):
                if builder.result is not None:
                    found.append(Document(builder.result, f"{started}:"))
            else:
                builder.add(event)
    except yaml.YAMLError as exc:
        return found, [Damage(_place(exc), f"damaged YAML: {_reason(exc)}")]
    except _TooMuch as exc:
        return found, [Damage(f"line {line}", str(exc))]
    return found, []


def _place(exc: yaml.YAMLError) -> str:
    mark = getattr(exc, "problem_mark", None)
    return f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""


def _reason(exc: yaml.YAMLError) -> str:
    return str(getattr(exc, "problem", None) or getattr(exc, "reason", None) or "not YAML")


class _Builder:
    """Makes one document after another of a parser's events."""

    def __init__(self) -> None:
        self._count = 0
        self.begin()

    def begin(self) -> None:
        """Forget the document before; what was counted stays counted."""
        self.result: Any = None
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}

    def add(self, event: yaml.Event) -> None:
        """Take an event.

        Raises:
            _TooMuch: If the text is beyond a bound.
        """
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise _TooMuch(f"damaged YAML: undefined anchor {str(event.anchor)[:40]!r}")
            value, size = self._anchors[event.anchor]
            self._grow(size)
            self._put(value)
        elif isinstance(event, yaml.ScalarEvent):
            size = 1 + len(event.value) // _TEXT_STEP
            self._grow(size)
            value = event.value if self._wants_key() else _scalar(event)
            if event.anchor:
                self._anchors[event.anchor] = (value, size)
            self._put(value)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._begin_container(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            closed = self._open.pop()
            if closed.anchor:
                self._anchors[closed.anchor] = (closed.value, self._count - closed.first)
            self._put(closed.value)

    def _begin_container(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        if len(self._open) >= DEEPEST:
            raise _TooMuch(f"nested deeper than {DEEPEST} levels")
        if self._wants_key():
            raise _TooMuch("a key that is not text")
        self._grow(1)
        value: list[Any] | dict[str, Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._open.append(_Open(value, event.anchor, self._count - 1, []))

    def _wants_key(self) -> bool:
        return (
            bool(self._open) and isinstance(self._open[-1].value, dict) and not (self._open[-1].key)
        )

    def _grow(self, count: int) -> None:
        self._count += count
        if self._count > MOST_VALUES:
            raise _TooMuch(f"more than {MOST_VALUES:,} values, including repeated aliases")

    def _put(self, value: Any) -> None:
        if not self._open:
            self.result = value
            return
        into = self._open[-1]
        if isinstance(into.value, list):
            into.value.append(value)
        elif into.key:
            into.value[into.key.pop()] = value
        elif isinstance(value, str):
            into.key.append(value)
        else:
            raise _TooMuch("a key that is not text")


def _scalar(event: yaml.ScalarEvent) -> Any:
    """Return a plain scalar by YAML 1.2's core schema; a quoted or tagged one is text."""
    text: str = event.value
    if not event.implicit[0]:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    number = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return number if math.isfinite(number) else text
