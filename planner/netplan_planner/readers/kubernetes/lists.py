"""Large lists of Kubernetes objects, each decoded by its types and never built whole.

A list of two hundred thousand pods is two gigabytes as `kubectl` prints it, and several times that
as dictionaries. It is read in pieces that end where an item does; its indentation tells where, as
no text in JSON has a line break inside. What is not so indented is read at once.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from netplan_planner.input_files import decode_json, opened
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.wire import Wire
from netplan_planner.readers.kubernetes import objects
from netplan_planner.readers.kubernetes.objects import LIST, Said, kind_of


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


LARGE_BYTES = 2**25
"""From here on a file is read in pieces."""
PIECE_BYTES = 2**17
"""Stays in the nearest caches of a processor while it is read twice, and holds tens of objects."""
LARGEST_ITEM_BYTES = 2**25
"""More than any object has: etcd keeps 1.5 MiB of each."""
_HEAD_BYTES = 65_536
_ITEMS = re.compile(rb'"items":\s*\[\r?\n([ \t]*)\{')
_PLAIN_HEADS = (
    re.compile(rb'\{\s*"apiVersion":\s*"(?P<version>[^"\\]*)",\s*"kind":\s*"(?P<kind>[^"\\]+)"'),
    re.compile(rb'\{\s*"kind":\s*"(?P<kind>[^"\\]+)",\s*"apiVersion":\s*"(?P<version>[^"\\]*)"'),
)
"""How nearly every object begins: the rest of it need not be looked through for what it is."""


def read_list(data: bytes, origin: Origin, into: Collector) -> bool:
    """Take the objects of a list; return False if the bytes are no list of Kubernetes objects.

    Nothing has been taken then, and the slower reader says what is wrong.
    """
    try:
        found = decode_json(data, _List)
    except msgspec.DecodeError:
        return False
    if not found.api_version or not (found.kind or "").endswith(LIST) or found.items is None:
        return False
    said = Said(found.api_version, found.kind or "")
    objects.begin_list(said, into)
    first = len(into.found["nodes"])
    for index, raw in enumerate(found.items):
        _take(raw, _said(raw, said), f"{origin.prefix}/items/{index}", origin, into)
    objects.note_clouds(into, origin, first)
    token = found.metadata.token if found.metadata else None
    objects.end_list(said, found.items, {"continue": token}, origin, into)
    return True


def read_large(path: Path, origin: Origin, into: Collector) -> bool:
    """Take the objects of an indented list in pieces; return False where that cannot be done.

    What has been taken until then is of no use: `into` is to be thrown away.
    """
    try:
        with opened(path) as file:
            head = file.read(_HEAD_BYTES)
            begin = _ITEMS.search(head)
            if begin is None:
                return False
            stated = decode_json(head[: begin.start()] + b'"items": []}', _List)
            file.seek(begin.start(1))
            reading = _Pieces(iter(lambda: file.read(PIECE_BYTES), b""), begin[1])
            count, first = 0, len(into.found["nodes"])
            for piece in reading:
                for raw in decode_json(piece, list[msgspec.Raw]):
                    said = _said(raw, Said(stated.api_version or "", stated.kind or ""))
                    if not said.kind:
                        return False
                    _take(raw, said, f"{origin.prefix}/items/{count}", origin, into)
                    count += 1
        tail = decode_json(b'{"items": [' + reading.rest, _List)
    except msgspec.DecodeError:
        return False
    api_version, kind = stated.api_version or tail.api_version, stated.kind or tail.kind
    if not api_version or not kind or not kind.endswith(LIST) or not count:
        return False
    objects.begin_list(Said(api_version, kind), into)
    objects.note_clouds(into, origin, first)
    metadata = stated.metadata or tail.metadata
    token = {"continue": metadata.token if metadata else None}
    objects.end_list(Said(api_version, kind), count, token, origin, into)
    return True


class _Pieces:
    """The items of a list in arrays of about a chunk each; `rest` is what follows the last one."""

    def __init__(self, chunks: Iterator[bytes], indent: bytes) -> None:
        self._chunks = chunks
        self._end = b"\n" + indent + b"}"
        self.rest = b""

    def __iter__(self) -> Iterator[bytes]:
        rest = b""
        for chunk in self._chunks:
            # Looked for in the chunk alone: an end across two chunks only makes a longer piece.
            cut = chunk.rfind(self._end + b",")
            if cut < 0:
                if len(rest) > LARGEST_ITEM_BYTES:
                    # No item ends: the slower reader says what is wrong.
                    break
                rest += chunk
                continue
            cut += len(self._end)
            view = memoryview(chunk)
            yield b"".join((b"[", rest, view[:cut], b"]"))
            rest = bytes(view[cut + 1 :])
        cut = rest.rfind(self._end) + len(self._end)
        if cut >= len(self._end):
            yield b"[" + rest[:cut] + b"]"
            rest = rest[cut:]
        self.rest = rest


def _take(raw: msgspec.Raw, said: Said, source: str, origin: Origin, into: Collector) -> None:
    kind = kind_of(*said)
    if kind is None:
        if objects.is_list(said):
            objects.take(decode_json(raw), said, source, origin, into)
        else:
            objects.skip(said, origin, into)
        return
    into.listed.add(kind.field)
    if not objects.take_wire(raw, kind, source, into):
        objects.take(decode_json(raw), said, source, origin, into)


def _said(raw: msgspec.Raw, of_list: Said) -> Said:
    """Return what an item says that it is, else what its list says."""
    for plain in _PLAIN_HEADS:
        found = plain.match(raw)
        if found is not None:
            return _same(found["version"], found["kind"])
    try:
        head = decode_json(raw, _Head)
    except msgspec.DecodeError:
        return of_list.of_items
    if not head.kind or not head.api_version:
        return of_list.of_items
    return Said(head.api_version, head.kind)


@lru_cache(1024)
def _same(version: bytes, kind: bytes) -> Said:
    return Said(version.decode(), kind.decode())
