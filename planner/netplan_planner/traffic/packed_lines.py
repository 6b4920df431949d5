"""Lines of a file of JSON lines, plain or packed by gzip or zstd, in bounded memory."""

import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import zstandard

from netplan_planner.input_files import reading
from netplan_planner.tables.compression import gzip_chunks, is_cut_zstd
from netplan_planner.tables.files import compression_of

LONGEST_LINE_BYTES = 1 << 22
"""Of a flow about two thousand bytes are told; a longer line is cut, and is no JSON any more."""
_CHUNK_BYTES = 1 << 20
_LARGEST_WINDOW_BYTES = 1 << 27
"""What unpacking may take of memory: what `zstd` itself takes without being asked for more."""


def lines_of(path: Path, tell: Callable[[str], None] = lambda _: None) -> Iterator[bytes]:
    """Yield the lines of a file; `tell` takes what is wrong with its packing.

    Of a file that is cut or broken come the lines before.
    """
    with reading(path), closing(_chunks(path)) as chunks:
        try:
            yield from _split(chunks)
        except (EOFError, zlib.error, zstandard.ZstdError):
            tell(f"{path} ends in the middle: what stands before the cut was read")


def first_lines(path: Path, byte_count: int) -> list[bytes]:
    """Return the whole lines among the first bytes of a file, all of them where it is shorter."""
    head = b""
    is_whole = True
    with closing(_chunks(path)) as chunks:
        try:
            for chunk in chunks:
                head += chunk
                if len(head) > byte_count:
                    is_whole = False
                    break
        except (EOFError, zlib.error, zstandard.ZstdError):
            # Whoever reads all of it says so.
            pass
    lines = head.split(b"\n")
    return lines if is_whole else lines[:-1]


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield lines without their ends.

    >>> list(_split([b"a\nb", b"c\n\nd"]))
    [b'a', b'bc', b'', b'd']
    """
    held = b""
    for chunk in chunks:
        # What a hostile file packs becomes a thousand times as much: no copies of all of it.
        for at in range(0, len(chunk), _CHUNK_BYTES):
            lines = (held + chunk[at : at + _CHUNK_BYTES]).split(b"\n")
            held = lines.pop()[: LONGEST_LINE_BYTES + 1]
            yield from lines
    if held:
        yield held


def _chunks(path: Path) -> Generator[bytes, None, None]:
    with path.open("rb") as file:
        compression = compression_of(file.read(4))
        file.seek(0)
        if compression == "gzip":
            yield from gzip_chunks(path)
            return
        if compression == "none":
            while chunk := file.read(_CHUNK_BYTES):
                yield chunk
            return
        unpack = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW_BYTES)
        with unpack.stream_reader(file, read_across_frames=True) as plain:
            while chunk := plain.read(_CHUNK_BYTES):
                yield chunk
        if is_cut_zstd(path):
            raise EOFError("the zstd stream ends before its end")
