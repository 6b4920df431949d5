"""Compressed text that is cut or oddly encoded, which the engine refuses or reads in silence."""

import gzip
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = 0x184D2A50
"""Magic number of a skippable zstd frame, but for its last four bits."""

_CHUNK_BYTES = 1 << 16
"""A chunk gets up to a thousand times larger, which bounds what a hostile file takes of memory."""


def gzip_chunks(path: Path) -> Generator[bytes, None, None]:
    """Yield the content of a gzip file up to where it is cut or broken.

    Raises:
        EOFError: After the last readable chunk, if the file ends before the stream does.
        zlib.error: After the last readable chunk, if the stream is broken.
    """
    with path.open("rb") as file:
        reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        while chunk := file.read(_CHUNK_BYTES):
            while chunk:
                yield from _inflated(reader, chunk)
                chunk = reader.unused_data
                if reader.eof and chunk:
                    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        if not reader.eof:
            raise EOFError("the gzip stream ends before its end marker")


def _inflated(reader: "zlib._Decompress", chunk: bytes) -> Iterator[bytes]:
    """Yield what a chunk holds; of a broken one what stands before the break, then raise."""
    before = reader.copy()
    try:
        yield reader.decompress(chunk)
    except zlib.error:
        for position in range(len(chunk)):
            yield before.decompress(chunk[position : position + 1])


def gzip_head(path: Path, count: int) -> bytes:
    """Return the first bytes of what a gzip file holds, fewer when it is short or cut.

    Raises:
        zlib.error: If it is broken before its first byte.
    """
    head = b""
    try:
        with closing(gzip_chunks(path)) as chunks:
            for chunk in chunks:
                head += chunk
                if len(head) >= count:
                    break
    except EOFError:
        pass
    except zlib.error:
        if not head:
            raise
    return head[:count]


def copy_what_is_left(path: Path, target: Path) -> bool:
    """Write what can be decompressed of a gzip file to `target`; return whether there is any."""
    size = 0
    with target.open("wb") as out:
        try:
            for chunk in gzip_chunks(path):
                size += out.write(chunk)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            pass
    return size > 0


def is_cut_zstd(path: Path) -> bool:
    """Return whether a zstd file ends inside a frame; only block headers are read (RFC 8878)."""
    with path.open("rb") as file:
        while magic := file.read(4):
            if int.from_bytes(magic, "little") & ~0xF == _SKIPPABLE:
                file.seek(int.from_bytes(file.read(4), "little"), 1)
            elif magic != ZSTD_MAGIC or not _skip_frame(file):
                return True
    return False


def _skip_frame(file: IO[bytes]) -> bool:
    """Skip one frame; return False when the file ends inside it."""
    descriptor = file.read(1)
    if not descriptor:
        return False
    flags = descriptor[0]
    is_single_segment = bool(flags & 0x20)
    content_size = (1 if is_single_segment else 0, 2, 4, 8)[flags >> 6]
    dictionary_id = (0, 1, 2, 4)[flags & 3]
    rest = (0 if is_single_segment else 1) + dictionary_id + content_size
    if len(file.read(rest)) < rest:
        return False
    is_last = False
    while not is_last:
        header = file.read(3)
        if len(header) < 3:
            return False
        number = int.from_bytes(header, "little")
        is_last, kind, size = bool(number & 1), number >> 1 & 3, number >> 3
        # A run-length block stores one byte, whatever its size.
        if not _skip(file, 1 if kind == 1 else size):
            return False
    return not flags & 4 or _skip(file, 4)


def _skip(file: IO[bytes], count: int) -> bool:
    return len(file.read(count)) == count
