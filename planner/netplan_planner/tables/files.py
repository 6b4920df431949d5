"""Files of tables: what one holds, told by its content and not by its name, and how it is read.

CSV in UTF-8 or UTF-16, with commas, semicolons, tabs or bars, plain or packed by gzip or zstd; or
Parquet. What the engine does not open as it stands (UTF-16, gzip that may be cut, a pipe) is first
copied into a private folder.
"""

import codecs
import csv
import re
import stat
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from netplan_planner.input_files import LARGEST_BYTES, opened, too_large, unreadable
from netplan_planner.model import Value
from netplan_planner.tables import engine as db
from netplan_planner.tables import refusals
from netplan_planner.tables.compression import (
    DAMAGED,
    chunks_of,
    compression_of,
    head_of,
    is_cut_zstd,
    pieces_of,
)
from netplan_planner.tables.sql import identifier, quoted

PARQUET_MAGIC = b"PAR1"
BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')
_GLOB = frozenset("*?[")
"""Characters with which a name stands for several files to the engine."""
_HEAD_BYTES = 1 << 12
LONGEST_ROW_BYTES = 2_000_000
"""As many as the engine takes; a cell of JSON text takes some thousands."""
MOST_COLUMNS = 10_000
"""As many as a table of BigQuery may have."""
_CHUNK_BYTES = 1 << 20

Folder = Callable[[], Path]
"""Gives the private folder, which is made when it is first asked for."""


class TableFile(Value, frozen=True, kw_only=True):
    """A file of a table that has been looked at."""

    path: Path
    """What the engine opens: the file, or a copy of it."""
    shown: str
    """The file as the user named it, inert."""
    names: tuple[str, ...]
    """Of the columns, as the file spells them."""
    is_parquet: bool = False
    delimiter: str = ","
    skipped_lines: int = 0
    """Blank lines before the header."""

    def relation(self, columns: Sequence[str]) -> str:
        """Return what rows are selected from, the columns renamed; a cell of CSV is text."""
        if self.is_parquet:
            pairs = zip(self.names, columns, strict=True)
            chosen = ", ".join(f"{identifier(own)} as {identifier(name)}" for own, name in pairs)
            return f"(select {chosen} from {_parquet(self.path)})"
        named = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in columns)
        return (
            f"read_csv({quoted(str(self.path))}, auto_detect = false, header = true,"
            f" skip = {self.skipped_lines}, columns = {{{named}}}, quote = '\"', escape = '\"',"
            f" delim = {quoted(self.delimiter)}, compression = 'none',"
            # A folder named `date=2026-01-01` is no column.
            " hive_partitioning = false)"
        )


def _parquet(path: Path) -> str:
    return f"read_parquet({quoted(str(path))}, hive_partitioning = false)"


def encoding_of(head: bytes) -> str:
    """Return the encoding of a text by its byte order mark, UTF-8 without one."""
    return next((name for mark, name in BYTE_ORDER_MARKS.items() if head.startswith(mark)), "utf-8")


def delimiter_of(header: str) -> str:
    r"""Return what stands between the columns of a header, outside of quotes.

    >>> delimiter_of('src,dst,"a;b;c;d"'), delimiter_of("src\tdst"), delimiter_of("alone")
    (',', '\t', ',')
    """
    return max(DELIMITERS, key=_QUOTED.sub("", header).count)


def recognised(
    path: Path, shown: str, engine: "db.TableEngine", folder: Folder, stream: BinaryIO | None = None
) -> TableFile:
    """Return what a file of a table is.

    Args:
        path: The file.
        shown: As texts name it.
        engine: Reads what the standard library does not.
        folder: Where copies go.
        stream: What is read instead of the file, such as the standard input.

    Raises:
        InputError: If there is no such file, or it is empty, damaged or no table.
    """
    try:
        if stream is not None:
            path = _stored(stream, folder() / "stream")
        head = _head(path, shown)
        path = _tame(path, folder)
        if head.startswith(PARQUET_MAGIC):
            return _parquet_file(path, shown, engine)
        return _csv_file(path, shown, head, engine, folder)
    except OSError as exc:
        raise unreadable(shown, exc) from exc


def _head(path: Path, shown: str) -> bytes:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise refusals.directory(shown)
    if not stat.S_ISREG(mode):
        raise refusals.no_file(shown)
    with opened(path) as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        raise refusals.empty(shown)
    return head


def _stored(stream: BinaryIO, target: Path) -> Path:
    with target.open("wb") as out:
        while chunk := stream.read(_CHUNK_BYTES):
            out.write(chunk)
            if out.tell() > LARGEST_BYTES:
                raise too_large(target, LARGEST_BYTES)
    return target


def _tame(path: Path, folder: Folder) -> Path:
    """Return a file under a name that the engine takes for no pattern of names."""
    if _GLOB.isdisjoint(str(path)):
        return path
    link = folder() / "table"
    link.symlink_to(path.resolve())
    return link


def _parquet_file(path: Path, shown: str, engine: "db.TableEngine") -> TableFile:
    try:
        names = tuple(engine.types(_parquet(path)))
    except db.EngineError as exc:
        raise refusals.damaged(shown, "Parquet", exc) from exc
    return TableFile(path=path, shown=shown, names=_distinct(names, shown), is_parquet=True)


def _csv_file(
    path: Path, shown: str, head: bytes, engine: "db.TableEngine", folder: Folder
) -> TableFile:
    compression = compression_of(head)
    if compression == "zstd" and is_cut_zstd(path):
        raise refusals.damaged(shown, "zstd", "the file is incomplete")
    try:
        if compression != "none":
            head = head_of(path, compression, _HEAD_BYTES)
        encoding = encoding_of(head)
        if compression != "none" or encoding == "utf-16":
            # Closed here: a fault would keep the file open for as long as its trace lives.
            with closing(chunks_of(path, compression)) as chunks:
                path = _copied(chunks, folder() / "table.csv", encoding)
    except DAMAGED as exc:
        raise refusals.damaged(shown, compression, exc) from exc
    except UnicodeDecodeError as exc:
        raise refusals.damaged(shown, "UTF-16", exc.reason) from exc
    with closing(chunks_of(path, "none")) as chunks:
        check_lines(chunks, shown)
    return _with_header(TableFile(path=path, shown=shown, names=()))


def _copied(chunks: Iterable[bytes], target: Path, encoding: str) -> Path:
    """Write a text to a file in UTF-8; one that is UTF-8 by its own account as it is."""
    decoder = codecs.getincrementaldecoder(encoding)() if encoding == "utf-16" else None
    size = 0
    with target.open("wb") as out:
        for chunk in chunks:
            size += len(chunk)
            if size > LARGEST_BYTES:
                raise zlib.error(f"more than {LARGEST_BYTES >> 20:,} MiB once unpacked")
            out.write(chunk if decoder is None else decoder.decode(chunk).encode())
        if decoder is not None:
            out.write(decoder.decode(b"", final=True).encode())
    return target


def _with_header(file: TableFile) -> TableFile:
    """Return a CSV file with its delimiter and the names in its first line that is not blank."""
    with closing(_lines(file)) as lines:
        skipped, first = next(((n, line) for n, line in enumerate(lines) if line.strip()), (0, ""))
        if not first:
            raise refusals.empty(file.shown)
        delimiter = delimiter_of(first)
        _, names = next(_rows(chain((first,), lines), file.shown, delimiter, skipped + 1))
    return TableFile(
        path=file.path,
        shown=file.shown,
        names=_distinct(tuple(names), file.shown),
        delimiter=delimiter,
        skipped_lines=skipped,
    )


def _distinct(names: tuple[str, ...], shown: str) -> tuple[str, ...]:
    if len(names) > MOST_COLUMNS:
        raise refusals.too_many_columns(shown, len(names), MOST_COLUMNS)
    counts = Counter(name.casefold() for name in names)
    repeated = [name for name in names if counts[name.casefold()] > 1]
    if repeated:
        raise refusals.repeated_column(shown, repeated[0])
    return names


def _lines(file: TableFile) -> Generator[str, None, None]:
    """Yield the lines of a CSV file with their ends, decoded one by one so that a fault has one.

    They may end by a line feed, a carriage return, or both.
    """
    number = 0
    rest = b""
    with closing(chunks_of(file.path, "none")) as chunks:
        for chunk in chain(chunks, (b"",)):
            lines = (rest + chunk).splitlines(keepends=True)
            # The last one may go on in the next chunk.
            rest = lines.pop() if chunk and lines else b""
            for line in lines:
                number += 1
                yield _text(line, file.shown, number)
            if len(rest) > LONGEST_ROW_BYTES:
                raise refusals.long_row(file.shown, number + 1, LONGEST_ROW_BYTES)


def check_lines(chunks: Iterable[bytes], shown: str) -> None:
    """Refuse a text with a line that the engine does not take: some of these it leaves out.

    Raises:
        InputError: With the number of the line.
    """
    number, length = 1, 0
    for piece in pieces_of(chunks):
        end = b"\n" if b"\n" in piece else b"\r"
        first, _, rest = piece.partition(end)
        length += len(first)
        if length > LONGEST_ROW_BYTES:
            raise refusals.long_row(shown, number, LONGEST_ROW_BYTES)
        if len(first) < len(piece):
            number += piece.count(end)
            length = len(rest) - 1 - rest.rfind(end)


def _text(line: bytes, shown: str, number: int) -> str:
    if len(line) > LONGEST_ROW_BYTES:
        raise refusals.long_row(shown, number, LONGEST_ROW_BYTES)
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as exc:
        raise refusals.not_encoded(shown, number, "UTF-8") from exc


def _rows(
    lines: Iterable[str], shown: str, delimiter: str, start: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV text, each with the number of its first line.

    Raises:
        InputError: If one is no CSV, or too long.
    """
    begin, length = start, 0

    def bounded() -> Iterator[str]:
        nonlocal length
        for line in lines:
            length += len(line)
            if length > LONGEST_ROW_BYTES:
                raise refusals.long_row(shown, begin, LONGEST_ROW_BYTES)
            yield line

    reader = csv.reader(bounded(), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            yield begin, row
            begin, length = start + reader.line_num, 0
    except csv.Error as exc:
        raise refusals.not_csv(shown, begin, exc) from exc


def rewritten(file: TableFile, folder: Folder) -> TableFile:
    """Return a CSV file that the engine refuses in a copy of one dialect, or say what is wrong.

    Line ends that change within a file are a reason to refuse it to the engine, but not to us.

    Raises:
        InputError: If a row is no CSV or does not fit under the header; the text names its line.
    """
    target = folder() / "rewritten.csv"
    with (
        closing(_lines(file)) as lines,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        writer = csv.writer(out, lineterminator="\n")
        for start, row in _rows(lines, file.shown, file.delimiter):
            if row and len(row) != len(file.names):
                raise refusals.cell_count(file.shown, start, len(row), len(file.names))
            writer.writerows([row] if row else [])
    return TableFile(path=target, shown=file.shown, names=file.names)
