"""Cuts a JSON array, or pretty-printed entries, into one entry a line.

The engine reads lines out of core and in parallel; the other layouts come from `gcloud logging
read` and are small. Memory holds one entry and a chunk of the file.
"""

import codecs
import re
from collections.abc import Iterable, Iterator

from netplan_planner.errors import InputError
from netplan_planner.tables.compression import pieces_of

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+("|\\?\Z)|[{}]', re.DOTALL)
"""A string (perhaps cut by the end of the chunk), or a brace outside of strings. It never goes
back: that would take a hundred bytes for each character."""


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
            text = token.group()
            if text[0] == '"' and token.group(1) != '"':
                # The chunk ends inside a string: look at it again with the next one.
                position = token.start()
                break
            position = token.end()
            if text == "{":
                if depth == 0:
                    line += buffer.count("\n", start, token.start())
                    start = token.start()
                depth += 1
            elif text == "}" and depth > 0:
                depth -= 1
                if depth == 0:
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
            f"{shown}:{line}: an entry of more than {LARGEST_ENTRY >> 20} MiB, which Cloud Logging"
            " does not write"
        )
