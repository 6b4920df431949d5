"""Answers in the size of a context: lists are cut, and the rest is asked for by a cursor.

A cut answer keeps its shape: every field is there, so that it has the published schema still. A
cursor is `ANSWER:INDEX:POINTER`: the answer, and the first item of the list at a JSON pointer.
"""

import hashlib
from typing import Any

import msgspec

from netplan_planner.errors import UsageError

MOST_CHARACTERS = 14_000
"""Of the JSON of an answer or a page beside its summary: 4,200 tokens at 0.3 a character
(https://api-docs.deepseek.com/quick_start/token_usage, read 2026-11-28; others count alike)."""
_KEPT = 32
"""Answers whose pages can be asked for."""
_ALL = 1_000_000
_LENGTHS = (
    *((_ALL, _ALL), (50, 50), (20, 20), (20, 5), (10, 5), (10, 2), (10, 0)),
    *((5, 3), (5, 1), (5, 0), (3, 1), (3, 0), (2, 0), (1, 0), (0, 0)),
)
"""Items that lists are cut to: those of the answer, and those inside of others."""
_SHORT = 200
"""Characters of a list that is never cut, such as a name and its count."""
_MOST_CUTS = 20
"""Lists that are cut and named: with more of them shorter ones are shown."""


class Pages:
    """The last answers, for those who ask for more of one."""

    def __init__(self) -> None:
        """Begin without any."""
        self._kept: dict[str, Any] = {}

    def first(self, head: dict[str, Any], answer: Any) -> dict[str, Any]:
        """Return an answer behind its head, cut where it is too long, and keep it."""
        own = hashlib.sha256(msgspec.json.encode(answer)).hexdigest()[:12]
        self._kept.pop(own, None)
        self._kept[own] = answer
        for oldest in [*self._kept][:-_KEPT]:
            del self._kept[oldest]
        for lengths in _LENGTHS:
            cuts: list[dict[str, Any]] = []
            made = {**head, "answer": _cut(answer, lengths, "", own, cuts), **_more(cuts)}
            if _size(made) - _size(head) <= MOST_CHARACTERS and len(cuts) <= _MOST_CUTS:
                break
        return made

    def page(self, cursor: str) -> dict[str, Any]:
        """Return items of a list from a cursor on, as many as fit; one of them at least.

        Raises:
            UsageError: If it is no cursor of an answer that is still kept.
        """
        own, _, rest = cursor.partition(":")
        index, _, path = rest.partition(":")
        values = _at(self._kept.get(own), path)
        if not isinstance(values, list) or not index.isdecimal() or int(index) > len(values):
            raise UsageError(
                "no such cursor: take it from `more` or `next_cursor` of an answer, or ask again"
            )
        first = int(index)
        head = {"schema": self._kept[own].get("schema", ""), "path": path, "first": first}
        for _, inner in _LENGTHS:
            items: list[Any] = []
            cuts: list[dict[str, Any]] = []
            for value in values[first:]:
                new: list[dict[str, Any]] = []
                item = _cut(value, (inner, inner), f"{path}/{first + len(items)}", own, new)
                longer = _size([*items, item, *cuts, *new])
                if items and (longer > MOST_CHARACTERS or len(cuts + new) > _MOST_CUTS):
                    break
                items.append(item)
                cuts += new
            if _size([*items, *cuts]) <= MOST_CHARACTERS and len(cuts) <= _MOST_CUTS:
                break
        end = first + len(items)
        next_cursor = f"{own}:{end}:{path}" if end < len(values) else None
        return {
            **head,
            "count": len(values),
            "items": items,
            **_more(cuts),
            "next_cursor": next_cursor,
        }


def _cut(
    value: Any, lengths: tuple[int, int], path: str, own: str, cuts: list[dict[str, Any]]
) -> Any:
    """Return a value whose long lists have so many items at most; `cuts` takes where they were."""
    if isinstance(value, dict):
        return {
            key: _cut(one, lengths, f"{path}/{_escaped(key)}", own, cuts)
            for key, one in value.items()
        }
    if not isinstance(value, list):
        return value
    shown, length = value, lengths[path.count("/") > 1]
    if len(value) > length and _size(value) > _SHORT:
        shown = value[:length]
        cursor = f"{own}:{length}:{path}"
        cuts.append({"path": path, "count": len(value), "shown": length, "cursor": cursor})
    return [_cut(one, lengths, f"{path}/{index}", own, cuts) for index, one in enumerate(shown)]


def _more(cuts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return which lists were cut, those that hold others first."""
    named = sorted(cuts, key=lambda cut: cut["path"].count("/"))[:_MOST_CUTS]
    return {"more": named, "more_count": len(cuts)}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _at(value: Any, path: str) -> Any:
    """Return what is at a JSON pointer (RFC 6901); None: nothing."""
    for step in path.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(key)] if key.isdecimal() and int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def _size(value: Any) -> int:
    return len(msgspec.json.encode(value))
