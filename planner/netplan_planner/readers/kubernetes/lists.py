"""Large lists of Kubernetes objects, each decoded by its types and never built whole.

A list of two hundred thousand pods is a gigabyte: as Python objects it would be several.
"""

from functools import cache
from typing import Any

import msgspec

from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.kinds import Kind
from netplan_planner.readers.kubernetes import objects
from netplan_planner.readers.kubernetes.kinds import kind_of
from netplan_planner.readers.kubernetes.objects import LIST, Said
from netplan_planner.readers.wire import Wire


class _Head(Wire):
    """What an object says that it is."""

    api_version: str | None = None
    kind: str | None = None


class _ListMetadata(Wire):
    """`ListMeta`."""

    token: str | None = msgspec.field(name="continue", default=None)


class _List(_Head):
    """A list whose items are left as text."""

    items: list[msgspec.Raw] | None = None
    metadata: _ListMetadata | None = None


_LISTS = msgspec.json.Decoder(_List)
_HEADS = msgspec.json.Decoder(_Head)


def read_bytes(data: bytes, origin: Origin, into: Collector) -> bool:
    """Take the objects of a list; return False if the bytes are no list of Kubernetes objects.

    Nothing has been taken then, and the slower reader says what is wrong.
    """
    try:
        found = _LISTS.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    if not found.api_version or not (found.kind or "").endswith(LIST) or found.items is None:
        return False
    said = Said(found.api_version, found.kind or "")
    objects.begin_list(said, into)
    first = len(into.found["nodes"])
    for index, raw in enumerate(found.items):
        _take(raw, said.of_items, f"{origin.prefix}/items/{index}", origin, into)
    objects.note_clouds(into, origin, first)
    token = found.metadata.token if found.metadata else None
    objects.end_list(said, found.items, {"continue": token}, origin, into)
    return True


def _take(raw: msgspec.Raw, of_list: Said, source: str, origin: Origin, into: Collector) -> None:
    said = _said(raw, of_list)
    kind = kind_of(*said)
    if kind is None:
        objects.skip(said, origin, into)
        return
    into.listed.add(kind.field)
    if not objects.take_wire(raw, kind, _decoder(kind), source, into):
        objects.take(msgspec.json.decode(raw), said, source, origin, into)


def _said(raw: msgspec.Raw, of_list: Said) -> Said:
    try:
        head = _HEADS.decode(raw)
    except msgspec.DecodeError:
        return of_list
    if not head.kind or not head.api_version:
        return of_list
    return Said(head.api_version, head.kind)


@cache
def _decoder(kind: Kind) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind.wire)
