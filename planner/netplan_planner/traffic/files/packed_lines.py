"""Lines of a file of JSON lines, plain or packed by gzip or zstd, in bounded memory."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from netplan_planner.input_files import reading
from netplan_planner.tables.compression import DAMAGED, chunks_of, pieces_of

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
            tell(f"{path} ends in the middle: what stands before the cut was read")


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
