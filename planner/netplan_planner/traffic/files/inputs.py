"""Finds the files of an input and tells their layout by what is in them, not by their names."""

import json
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import opened, unreadable
from netplan_planner.model import Value
from netplan_planner.tables import refusals
from netplan_planner.tables.compression import DAMAGED, compression_of, head_of, is_cut_zstd
from netplan_planner.tables.files import DELIMITERS, PARQUET_MAGIC, delimiter_of, encoding_of
from netplan_planner.traffic.aggregates import MANIFEST
from netplan_planner.traffic.files.embedded import EmbeddedEngine

_HEAD_BYTES = 1 << 16
"""How much of a file is looked at; a flow record takes about a thousand bytes."""

_ENTRY_KEYS = frozenset({"jsonPayload", "logName", "insertId", "timestamp"})

_COMMENTS = ("#", "//")
TABLE_COLUMNS = frozenset({"src", "dst"})
"""What a plain table cannot do without; `bytes`, `start` and `end`, or `gbps`, come with them."""


class Layout(StrEnum):
    """What a file holds."""

    JSON_LINES = "JSON lines"
    JSON_DOCUMENT = "JSON array or pretty-printed entries"
    FLOW_PARQUET = "Parquet of a BigQuery export"
    TABLE_PARQUET = "Parquet table"
    TABLE_CSV = "CSV table"

    @property
    def is_table(self) -> bool:
        """Whether it is a plain table and not a flow log."""
        return self in {Layout.TABLE_PARQUET, Layout.TABLE_CSV}


class Source(Value, frozen=True, kw_only=True):
    """One input file: where it is, how the engine reads it, and how it is shown."""

    path: Path
    """What the engine opens: a link with a tame name, or a copy in another layout."""
    original: Path
    shown: str
    """The path as the user would write it."""
    layout: Layout
    compression: str = "none"
    """`none`, `gzip` or `zstd`."""
    encoding: str = "utf-8"
    size_bytes: int = 0
    is_split: bool = False
    """`path` is a copy with one entry a line; `original` is an array or pretty-printed."""
    packed: str = "none"
    """Compression of the original, when `path` is such a copy."""
    delimiter: str = ","
    """Between the columns of a CSV table."""
    is_cut: bool = False
    """Ends in the middle; what stands before the cut is read."""
    skipped_lines: int = 0
    """Lines before the first entry or the header that are comments, or blank ones between."""
    comment_count: int = 0
    """How many of them are comments."""


def find_files(paths: Sequence[Path]) -> list[Path]:
    """Return all files that the paths name, sorted, each once; hidden files are skipped.

    Raises:
        InputError: If a path is missing or a pipe, or a folder holds no file, or aggregates.
    """
    found: set[Path] = set()
    for path in paths:
        if path.is_dir():
            inside = [p for p in path.rglob("*") if p.is_file() and not _is_hidden(p, path)]
            if not inside:
                raise InputError(f"{path}: the folder has no flow-log files")
            found.update(inside)
        elif path.is_file():
            found.add(path)
        elif path.exists():
            # A pipe can be read once, and flow logs are read several times.
            raise InputError(f"{path}: not a file or folder; write it to a file first")
        else:
            try:
                path.stat()
            except OSError as exc:
                raise unreadable(path, exc) from exc
    inside = sorted(path for path in found if path.name == MANIFEST)
    if inside:
        # Read as flow logs they would be nonsense.
        shown = inert_line(str(inside[0].parent))
        raise InputError(f"{shown}: a folder of aggregates: give that folder, and no other traffic")
    return sorted(found, key=lambda p: p.as_posix())


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith((".", "_SUCCESS")) for part in path.relative_to(root).parts)


def recognise(path: Path, link: Path, engine: EmbeddedEngine) -> Source:
    """Return what a file is.

    Args:
        path: The file as the user named it.
        link: A link to it whose name holds nothing that the engine would interpret.
        engine: Reads Parquet's columns.

    Raises:
        InputError: If it cannot be read, is empty, or is of no known layout.
    """
    try:
        size = path.stat().st_size
        with opened(path) as file:
            head = file.read(_HEAD_BYTES)
    except OSError as exc:
        raise unreadable(path, exc) from exc
    if not head:
        raise refusals.empty(str(path))
    if head.startswith(PARQUET_MAGIC):
        layout = _parquet_layout(path, engine.columns(link, str(path)))
        return Source(path=link, original=path, shown=str(path), layout=layout, size_bytes=size)
    compression = compression_of(head)
    text, encoding = _text(path, head, compression)
    skipped_lines, comment_count = _comments(text)
    text = "".join(text.splitlines(keepends=True)[skipped_lines:])
    if not text.strip():
        raise refusals.empty(str(path))
    layout = _text_layout(path, text)
    header = text.lstrip().splitlines()[0]
    return Source(
        path=link,
        original=path,
        shown=str(path),
        layout=layout,
        delimiter=delimiter_of(header),
        compression=compression,
        encoding=encoding,
        size_bytes=size,
        is_cut=compression == "zstd" and is_cut_zstd(path),
        skipped_lines=skipped_lines,
        comment_count=comment_count,
    )


def _comments(text: str) -> tuple[int, int]:
    r"""Return how many lines come before the content, and how many of them are comments.

    >>> _comments("# one\n\n// two\n{}")
    (3, 2)
    """
    last = count = 0
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith(_COMMENTS):
            last, count = number, count + 1
        elif stripped:
            break
    return last, count


def _text(path: Path, head: bytes, compression: str) -> tuple[str, str]:
    """Return the beginning of a file as text, and its encoding."""
    if compression != "none":
        try:
            head = head_of(path, compression, _HEAD_BYTES)
        except DAMAGED as exc:
            raise InputError(f"{path}: not a readable {compression} file: {exc}") from exc
    encoding = encoding_of(head)
    whole = head if encoding == "utf-8" else head[: len(head) & ~1]
    return whole.decode(encoding, errors="replace"), encoding


def _text_layout(path: Path, text: str) -> Layout:
    body = text.lstrip()
    lines = body.splitlines()
    if body.startswith("["):
        return Layout.JSON_DOCUMENT
    if any(_is_entry(line) for line in lines):
        return Layout.JSON_LINES
    if body.startswith("{"):
        # One line that is longer than what was looked at, or cut, is a line; else it is spread out.
        is_one_line = len(lines) == 1 and len(lines[0].strip()) > 1
        return Layout.JSON_LINES if is_one_line else Layout.JSON_DOCUMENT
    if header_of(lines[0]) >= TABLE_COLUMNS:
        return Layout.TABLE_CSV
    raise InputError(
        f"{path}: unknown format. Give flow-log entries (JSON), a BigQuery export (Parquet), or a"
        " table with the columns src and dst"
    )


def header_of(line: str) -> set[str]:
    """Return the names of a CSV table's columns, by its first line."""
    names = re.split(f"[{DELIMITERS}]", line)
    return {name.strip().strip('"').casefold() for name in names}


def _is_entry(line: str) -> bool:
    """Return whether a line is a whole log entry, so that entries stand one a line."""
    text = line.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not _ENTRY_KEYS.isdisjoint(value)


def _parquet_layout(path: Path, columns: Iterable[str]) -> Layout:
    names = {name.casefold() for name in columns}
    if "jsonpayload" in names:
        return Layout.FLOW_PARQUET
    if names >= TABLE_COLUMNS:
        return Layout.TABLE_PARQUET
    raise InputError(
        f"{path}: unknown format. Give a BigQuery export of flow logs (column jsonPayload), or a"
        " table with the columns src and dst"
    )
