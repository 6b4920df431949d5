"""What Terraform marks as sensitive: taken out of a document before anything else reads it.

A plan and a state mark the values of a resource whose configuration is sensitive, and the plan its
variables. Providers copy such values without the mark, a label to `effective_labels`, a name to
`id`: a text that is marked anywhere in the document is withheld everywhere in it, also as a part of
a link (developer.hashicorp.com/terraform/internals/json-format, read 2026-11-24).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.readers.terraform.layout import NULL, Contents, Entry

WITHHELD = "sensitive"
"""Stands in what is unknown of a resource for a value that was taken out."""

_PUBLIC = re.compile(
    r"(?:africa|asia|australia|europe|me|northamerica|southamerica|us)-[a-z]+\d+(?:-[a-z])?"
    r"|[a-z]\d[a-z]?-(?:standard|high[a-z]+|ultra[a-z]+|mega[a-z]+|medium|small|micro)(?:-\w+)*"
    r"|default|true|false"
)
"""Regions, zones, machine types and the like: where one is marked, no other is a copy of it."""
_PARTS = re.compile(r"[/?&=:,@]")
_TRUE = b"true"


def without_sensitive(contents: Contents) -> tuple[Contents, int]:
    """Return a document without what it marks as sensitive, and how many values that were."""
    configuration, variables = decoded(contents.configuration), decoded(contents.variables)
    of_entries = _of_entries((*contents.entries, *contents.destroyed))
    texts = frozenset((*_of_variables(configuration, variables), *of_entries))
    masks = _Masks(texts, contents.is_plan)
    entries = [masks.entry(entry) for entry in contents.entries]
    count = masks.count
    return (
        contents._replace(
            entries=entries,
            destroyed=tuple(masks.entry(entry) for entry in contents.destroyed),
            configuration=masks.raw(configuration, contents.configuration),
            variables=masks.raw(variables, contents.variables),
        ),
        count,
    )


def _of_variables(configuration: Any, variables: Any) -> Iterator[str]:
    """Yield the texts in sensitive variables: what the root module is given, and all defaults."""
    root = _member(configuration, "root_module")
    waiting = [root]
    while waiting:
        module = waiting.pop()
        for name, declared in _items(_member(module, "variables")):
            if _member(declared, "sensitive") is True:
                yield from _texts(_member(declared, "default"))
                if module is root:
                    yield from _texts(_member(_member(variables, name), "value"))
        waiting += [_member(call, "module") for _, call in _items(_member(module, "module_calls"))]


def _of_entries(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        marks = decoded(entry.sensitive) if _is_marked(entry) else None
        # Of a resource that is marked as a whole, the zone is no secret elsewhere.
        if isinstance(marks, dict):
            yield from _marked(decoded(entry.values), marks)


def _is_marked(entry: Entry) -> bool:
    return _TRUE in bytes(entry.sensitive)


def _marked(value: Any, marks: Any) -> Iterator[str]:
    """Yield the texts of a value that are marked, if none but they would say them."""
    if marks is True:
        yield from _texts(value)
    elif isinstance(marks, dict):
        for name, below in marks.items():
            yield from _marked(_member(value, name), below)
    elif isinstance(marks, list) and isinstance(value, list):
        for one, below in zip(value, marks, strict=False):
            yield from _marked(one, below)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value and not _PUBLIC.fullmatch(value):
            yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


class _Masks:
    """Takes values out of documents, and counts them."""

    def __init__(self, texts: frozenset[str], is_plan: bool) -> None:
        self._texts, self._is_plan = texts, is_plan
        self.count = 0

    def entry(self, entry: Entry) -> Entry:
        """Return a resource without what is sensitive of it; what was taken is unknown."""
        if not self._texts and not _is_marked(entry):
            return entry
        known, before = decoded(entry.values), self.count
        value, unknown = self._masked(known, decoded(entry.unknown), decoded(entry.sensitive))
        if self.count == before:
            return entry
        # Planned values alone say nothing of what is unknown: it is not there.
        is_told = not self._is_plan or entry.unknown != NULL
        return entry._replace(
            values=_encoded(value), unknown=_encoded(unknown) if is_told else NULL
        )

    def raw(self, value: Any, raw: msgspec.Raw) -> msgspec.Raw:
        """Return JSON without the texts that are sensitive somewhere."""
        return _encoded(self._masked(value, None, None)[0]) if self._texts else raw

    def _masked(self, value: Any, unknown: Any, marks: Any) -> tuple[Any, Any]:
        if value is None:
            return value, unknown
        if marks is True or (isinstance(value, str) and self._is_withheld(value)):
            self.count += 1
            return None, WITHHELD
        if isinstance(value, dict):
            return self._masked_object(value, unknown, marks)
        if isinstance(value, list):
            below = [
                self._masked(one, _nth(unknown, index), _nth(marks, index))
                for index, one in enumerate(value)
            ]
            found = [told for _, told in below]
            return [one for one, _ in below], found if any(found) else unknown
        return value, unknown

    def _masked_object(self, value: Mapping[str, Any], unknown: Any, marks: Any) -> tuple[Any, Any]:
        kept: dict[str, Any] = {}
        told = dict(unknown) if isinstance(unknown, dict) else {}
        for name, held in value.items():
            one, below = self._masked(held, _member(unknown, name), _member(marks, name))
            if below is not None:
                told[name] = below
            if below != WITHHELD:
                kept[name] = one
        return kept, told

    def _is_withheld(self, text: str) -> bool:
        """Whether a text is sensitive, or a link or list with one that is."""
        if text in self._texts:
            return True
        return not self._texts.isdisjoint(_PARTS.split(text))


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _items(value: Any) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, dict) else ()


def _nth(value: Any, index: int) -> Any:
    return value[index] if isinstance(value, list) and index < len(value) else None


def decoded(raw: msgspec.Raw) -> Any:
    """Return a part of a document; None for `null`."""
    return None if raw == NULL else decode_json(raw)


def _encoded(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
