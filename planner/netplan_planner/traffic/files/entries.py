"""Log entries: cut into one a line, packed or plain, and the SQL that reads their fields."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from netplan_planner.errors import InputError
from netplan_planner.input_files import reading
from netplan_planner.tables.compression import DAMAGED, chunks_of, pieces_of
from netplan_planner.tables.sql import identifier
from netplan_planner.traffic.spelling import DUCKDB, Bounds, Spelling

LONGEST_LINE_BYTES = 1 << 22
"""Of a flow about two thousand bytes are told; a longer line is cut, and is no JSON any more."""


def lines_of(path: Path, tell: Callable[[str], None] = lambda _: None) -> Iterator[bytes]:
    """Yield the lines of a file; `tell` takes what is wrong with its packing.

    Of a file that is cut or broken come the lines before.
    """
    with reading(path), closing(chunks_of(path)) as chunks:
        try:
            yield from split_lines(chunks)
        except DAMAGED:
            tell(f"{path} ends early: only the text before the cut was read")


def first_lines(path: Path, byte_count: int) -> list[bytes]:
    """Return the whole lines among the first bytes of a file, all of them where it is shorter."""
    head = b""
    is_whole = True
    with closing(chunks_of(path)) as chunks:
        try:
            for chunk in chunks:
                head += chunk
                if len(head) > byte_count:
                    is_whole = False
                    break
        except DAMAGED:
            # Whoever reads all of it says so.
            pass
    lines = head.split(b"\n")
    return lines if is_whole else lines[:-1]


def split_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield lines without their ends, of one that is too long its beginning.

    >>> list(split_lines([b"a\nb", b"c\n\nd"]))
    [b'a', b'bc', b'', b'd']
    """
    held = b""
    for piece in pieces_of(chunks):
        lines = (held + piece).split(b"\n")
        held = lines.pop()[: LONGEST_LINE_BYTES + 1]
        yield from lines
    if held:
        yield held


# Cuts a JSON array, or pretty-printed entries, into one entry a line
#
# The engine reads lines out of core and in parallel; the other layouts come from `gcloud logging
# read` and are small. Memory holds one entry and a chunk of the file.


_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+("|\\?\Z)|[{}]', re.DOTALL)
"""A string (perhaps cut by the end of the chunk), or a brace outside of strings. It never goes
back: that would take a hundred bytes for each character."""
_DEEPER = {"{": 1, "}": -1}

_AROUND = b" \t\r\n\x00\xef\xbb\xbf\xfe\xff"
"""White space and byte order marks, in UTF-8 and in UTF-16."""


class Entry:
    """One entry: its text without line ends, the line it starts at, and whether it is whole."""

    __slots__ = ("is_whole", "line", "text")

    def __init__(self, text: str, line: int, *, is_whole: bool = True) -> None:
        self.text = text.replace("\r", " ").replace("\n", " ")
        self.line = line
        self.is_whole = is_whole


class Ends:
    """Passes chunks on, and remembers with which byte the text begins and ends."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self._first = self._last = b""

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            text = chunk.strip(_AROUND)
            self._first = self._first or text[:1]
            self._last = text[-1:] or self._last
            yield chunk

    @property
    def is_open_array(self) -> bool:
        """Whether the text is an array whose end is missing."""
        return self._first == b"[" and self._last != b"]"


LARGEST_ENTRY = 1 << 24
"""Characters of an entry, as the engine takes of a line; Cloud Logging's limit is 256 KiB."""


def split_entries(
    chunks: Iterable[bytes], encoding: str = "utf-8", shown: str = "the text"
) -> Iterator[Entry]:
    """Yield the top-level objects of a text, arrays around them opened.

    The last one is not whole when the text ends inside it.

    Raises:
        InputError: If one is longer than any entry; `shown` names the file.
    """
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    buffer = ""
    line = 1
    start = 0
    position = 0
    depth = 0
    for piece in pieces_of(chunks):
        buffer += decoder.decode(piece)
        while token := _TOKEN.search(buffer, position):
            if token.group(1) not in {None, '"'}:
                # The chunk ends inside a string: look at it again with the next one.
                position = token.start()
                break
            position = token.end()
            outer, depth = depth, max(depth + _DEEPER.get(token.group(), 0), 0)
            if depth > outer == 0:
                line += buffer.count("\n", start, token.start())
                start = token.start()
            elif outer > depth == 0:
                yield Entry(buffer[start:position], line)
                line += buffer.count("\n", start, position)
                start = position
        else:
            position = len(buffer)
        if depth == 0:
            line += buffer.count("\n", start, position)
            start = position
        buffer, position, start = buffer[start:], position - start, 0
        _refuse_long(buffer, shown, line)
    if depth > 0:
        yield Entry(buffer, line, is_whole=False)


def _refuse_long(entry: str, shown: str, line: int) -> None:
    if len(entry) > LARGEST_ENTRY:
        raise InputError(
            f"{shown}:{line}: an entry of more than {LARGEST_ENTRY >> 20} MiB, which Cloud"
            " Logging never writes"
        )


# The fields of a log entry, and the SQL that reads each whatever the layout holds it as


_NOT_SCALAR = frozenset({"list", "map", "array", "union", "blob", "bit"})
"""Types that no field of a flow log has: a column of such a type is as good as missing."""

_TEXT = "varchar"
_FLOATING = frozenset({"double", "float", "decimal"})

NO_TEXT = "NULL::VARCHAR"
NO_NUMBER = "NULL::BIGINT"
_PORTS = (0, 65535)
_PROTOCOLS = (0, 255)

_END = {
    "instance": ("project_id", "vm_name", "zone"),
    "vpc": ("project_id", "vpc_name", "subnetwork_name", "subnetwork_region"),
    "location": ("continent", "country"),
    "google_service": ("service_name", "type"),
    "gateway": ("project_id", "location", "name"),
    "gke_details": {"pod": ("pod_name",)},
}
ENTRY: Mapping[str, Any] = {
    "insertId": None,
    "timestamp": None,
    "logName": None,
    "resource": {
        "labels": ("project_id", "location", "subnetwork_name", "resource_container", "name")
    },
    "jsonPayload": {
        "connection": ("src_ip", "dest_ip", "src_port", "dest_port", "protocol"),
        "reporter": None,
        "bytes_sent": None,
        "packets_sent": None,
        "start_time": None,
        "end_time": None,
        "rtt_msec": None,
        "round_trip_time": ("median_msec",),
        "disposition": None,
        "bytes_dropped": None,
        "packets_dropped": None,
        "drop_reason": None,
        **{f"{side}_{name}": fields for side in ("src", "dest") for name, fields in _END.items()},
    },
}
"""The fields of a log entry that are read."""


def struct_type(fields: Any) -> str:
    """Return fields as a DuckDB type in which every leaf is text, as JSON is read."""
    if fields is None:
        return "VARCHAR"
    named = fields if isinstance(fields, Mapping) else dict.fromkeys(fields)
    inner = ", ".join(f"{identifier(name)} {struct_type(sub)}" for name, sub in named.items())
    return f"STRUCT({inner})"


class Fields:
    """SQL of the fields that a source has; NULL for those that it lacks.

    The tree holds fields by lower-case name: a nested tree, or the field's SQL and type.
    """

    def __init__(self, tree: Mapping[str, Any], spelling: Spelling = DUCKDB) -> None:
        self._tree = tree
        self.spelling = spelling

    @classmethod
    def of_types(cls, columns: Mapping[str, Any], spelling: Spelling = DUCKDB) -> "Fields":
        """Return the fields of DuckDB's typed columns, nested ones included."""
        return cls(_tree(columns, ""), spelling)

    @classmethod
    def of_text(cls, fields: Mapping[str, Any], spelling: Spelling = DUCKDB) -> "Fields":
        """Return the fields of columns of which every leaf is text, as `struct_type` declares."""
        return cls(_text_tree(fields, ""), spelling)

    def part(self, name: str) -> "Fields":
        """Return the fields of a group; none when the source lacks it."""
        found = self._find((name,))
        return Fields(found if isinstance(found, Mapping) else {}, self.spelling)

    def has(self, *path: str) -> bool:
        """Return whether the source has a field or group."""
        return self._find(path) is not None

    def text(self, *path: str) -> str:
        """Return a field as text."""
        found = self._find(path)
        if found is None or isinstance(found, Mapping):
            return NO_TEXT
        sql, kind = found
        return str(sql) if kind == _TEXT else f"CAST({sql} AS VARCHAR)"

    def integer(self, *path: str) -> str:
        """Return a field as a whole number, NULL when it is none."""
        return self._whole_number(path)

    def decimal(self, *path: str) -> str:
        """Return a field as a number, NULL when it is none."""
        sql, kind = self._scalar(path)
        if kind == _TEXT:
            return self.spelling.decimal(sql)
        return sql if kind == "double" else f"TRY_CAST({sql} AS DOUBLE)"

    def port(self, *path: str) -> str:
        """Return a port number, NULL when it cannot be one."""
        return self._whole_number(path, _PORTS)

    def protocol(self, *path: str) -> str:
        """Return an IP protocol's number, NULL when it cannot be one."""
        return self._whole_number(path, _PROTOCOLS)

    def time_us(self, *path: str) -> str:
        """Return a time as microseconds since 1970; a text without a zone is UTC."""
        sql, kind = self._scalar(path)
        if kind.startswith("timestamp"):
            return self.spelling.microseconds(f"TRY_CAST({sql} AS TIMESTAMPTZ)")
        return self.spelling.time_us(self.text(*path))

    def _whole_number(self, path: Sequence[str], bounds: Bounds | None = None) -> str:
        sql, kind = self._scalar(path)
        if sql == NO_TEXT:
            return NO_NUMBER
        if kind == _TEXT:
            return self.spelling.whole_number(sql, bounds)
        number = f"TRY_CAST({sql} AS BIGINT)"
        conditions = [f"{sql} = FLOOR({sql})"] if kind in _FLOATING else []
        conditions += [f"{number} BETWEEN {bounds[0]} AND {bounds[1]}"] if bounds else []
        return f"CASE WHEN {' AND '.join(conditions)} THEN {number} END" if conditions else number

    def _scalar(self, path: Sequence[str]) -> tuple[str, str]:
        """Return the SQL and the type of a field, no text where there is none."""
        found = self._find(path)
        return found if isinstance(found, tuple) else (NO_TEXT, _TEXT)

    def _find(self, path: Sequence[str]) -> Any:
        node: Any = self._tree
        for name in path:
            node = node.get(name.casefold()) if isinstance(node, Mapping) else None
        return node


def _tree(columns: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, kind in columns.items():
        sql = f"{prefix}.{identifier(name)}" if prefix else identifier(name)
        if kind.id == "struct":
            tree[name.casefold()] = _tree(dict(kind.children), sql)
        elif kind.id not in _NOT_SCALAR:
            tree[name.casefold()] = (sql, kind.id)
    return tree


def _text_tree(fields: Any, prefix: str) -> Any:
    if fields is None:
        return prefix, _TEXT
    named = fields if isinstance(fields, Mapping) else dict.fromkeys(fields)
    return {
        name.casefold(): _text_tree(
            sub, f"{prefix}.{identifier(name)}" if prefix else identifier(name)
        )
        for name, sub in named.items()
    }


_MARKS = (
    ("logName",),
    ("jsonPayload", "reporter"),
    ("jsonPayload", "connection", "src_ip"),
    ("jsonPayload", "connection", "dest_ip"),
    ("jsonPayload", "start_time"),
    ("jsonPayload", "bytes_sent"),
)
"""Fields of which an entry has one at least."""


def is_entry(fields: Fields) -> str:
    """Return the SQL of whether a line of text was a log entry at all.

    An unreadable line becomes a row of NULLs; a readable one without these fields is no entry
    either. Single fields that are read anyway: to ask for a whole group would read all that is in
    it.
    """
    return f"({' OR '.join(f'{fields.text(*path)} IS NOT NULL' for path in _MARKS)})"
