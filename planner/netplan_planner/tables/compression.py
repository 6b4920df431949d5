"""The bytes of files, plain or packed by gzip or zstd, also of those that are cut.

The engine refuses some of these, and others it reads in silence.
"""

import gzip
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO

import zstandard

from netplan_planner.input_files import opened

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError)
"""What is raised of a packed file that is cut or broken."""
_SKIPPABLE = 0x184D2A50
"""Magic number of a skippable zstd frame, but for its last four bits."""

_CHUNK_BYTES = 1 << 16
"""A chunk gets up to a thousand times larger, which bounds what a hostile file takes of memory."""
_PLAIN_BYTES = 1 << 20
_LARGEST_WINDOW_BYTES = 1 << 27
"""What unpacking may take of memory: what `zstd` itself takes without being asked for more."""


def compression_of(head: bytes) -> str:
    """Return how the file is packed that begins so: `none`, `gzip` or `zstd`."""
    if head.startswith(GZIP_MAGIC):
        return "gzip"
    return "zstd" if head.startswith(ZSTD_MAGIC) else "none"


def chunks_of(path: Path, compression: str | None = None) -> Generator[bytes, None, None]:
    """Yield the content of a file, unpacked, up to where it is cut or broken.

    Args:
        path: The file.
        compression: How it is packed; None: as its first bytes say.

    Raises:
        EOFError: After the last readable chunk, if the file ends before its stream does.
        zlib.error: After the last readable chunk, if the stream is broken; `ZstdError` of zstd.
    """
    with opened(path) as file:
        if compression is None:
            compression = compression_of(file.read(len(ZSTD_MAGIC)))
            file.seek(0)
        if compression == "gzip":
            yield from gzip_chunks(path)
        elif compression == "none":
            while chunk := file.read(_PLAIN_BYTES):
                yield chunk
        else:
            unpack = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW_BYTES)
            with unpack.stream_reader(file, read_across_frames=True) as plain:
                while chunk := plain.read(_PLAIN_BYTES):
                    yield chunk
            if is_cut_zstd(path):
                raise EOFError("the zstd stream ends before its end")


def pieces_of(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield chunks in pieces of a bounded size: what is packed becomes a thousand times as much."""
    for chunk in chunks:
        for at in range(0, len(chunk), _PLAIN_BYTES):
            yield chunk[at : at + _PLAIN_BYTES]


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


def head_of(path: Path, compression: str, count: int) -> bytes:
    """Return the first bytes of what a file holds, fewer when it is short or cut.

    Raises:
        zlib.error: If it is broken before its first byte; `ZstdError` of zstd.
    """
    head = b""
    try:
        with closing(chunks_of(path, compression)) as chunks:
            for chunk in chunks:
                head += chunk
                if len(head) >= count:
                    break
    except EOFError:
        pass
    except (zlib.error, zstandard.ZstdError):
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
        except DAMAGED:
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
