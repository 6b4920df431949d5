"""The line of a text on which what a JSON pointer names begins.

The document is walked once for all pointers into it. What none of them leads into is passed by the
standard library's C decoder, so that a long list costs no more than reading it did.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress

_SKIP = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).raw_decode
_BLANKS = re.compile(r"\s*")

_Tree = dict[str, "_Tree"]
"""The tokens of pointers, and below each what follows it."""


def pointer_lines(text: str, pointers: Iterable[str], first_line: int = 1) -> dict[str, int]:
    r"""Return the line, from 1, of each pointer that the document has.

    Args:
        text: A text whose lines end with \n.
        pointers: JSON pointers (RFC 6901); the empty one is the whole document.
        first_line: The line with which the document begins, where a text has several.

    >>> pointer_lines('{\n "a/b": [\n  1,\n  {"c": 2}]}', ["/a~1b/1/c", "/a~1b", "/z"])
    {'/a~1b': 2, '/a~1b/1/c': 4}
    """
    wanted = set(pointers)
    root: _Tree = {}
    for pointer in wanted:
        tree = root
        for token in pointer.split("/")[1:]:
            tree = tree.setdefault(token, {})
    start = _start_of(text, first_line)
    if start is None:
        return {}
    walk = _Walk(text, start, first_line, wanted)
    # All found, or the text is no longer what was read: what was found so far holds.
    with suppress(_AllFound, ValueError, IndexError, RecursionError):
        walk.value(_behind_blanks(text, start), root, "")
    return walk.found


class _AllFound(Exception):
    """Every pointer has its line: the rest of the text need not be walked."""


class _Walk:
    def __init__(self, text: str, start: int, line: int, wanted: set[str]) -> None:
        self.text = text
        self.found: dict[str, int] = {}
        self._wanted = wanted
        self._counted, self._line = start, line

    def value(self, at: int, tree: _Tree, pointer: str) -> int:
        """Note the line of the value that begins at a position; return where it ends."""
        self._note(at, pointer)
        opening = self.text[at]
        if tree and opening == "{":
            return self._members(at + 1, tree, pointer)
        if tree and opening == "[":
            return self._items(at + 1, tree, pointer)
        return int(_SKIP(self.text, at)[1])

    def _members(self, at: int, tree: _Tree, pointer: str) -> int:
        text = self.text
        at = _behind_blanks(text, at)
        while text[at] != "}":
            if text[at] != '"':
                raise ValueError("a key is missing")
            key, at = _SKIP(text, at)
            at = _behind_blanks(text, at)
            if text[at] != ":":
                raise ValueError("a colon is missing")
            at = self._inner(_behind_blanks(text, at + 1), tree, pointer, _token(key))
        return at + 1

    def _items(self, at: int, tree: _Tree, pointer: str) -> int:
        text = self.text
        at, index = _behind_blanks(text, at), 0
        while text[at] != "]":
            at = self._inner(at, tree, pointer, str(index))
            index += 1
        return at + 1

    def _inner(self, at: int, tree: _Tree, pointer: str, token: str) -> int:
        """Pass one member or item and the comma behind it."""
        below = tree.get(token)
        if below is None:
            at = _SKIP(self.text, at)[1]
        else:
            at = self.value(at, below, f"{pointer}/{token}")
        at = _behind_blanks(self.text, at)
        if self.text[at] == ",":
            at = _behind_blanks(self.text, at + 1)
        return at

    def _note(self, at: int, pointer: str) -> None:
        if pointer not in self._wanted:
            return
        self._line += self.text.count("\n", self._counted, at)
        self._counted = at
        self.found[pointer] = self._line
        if len(self.found) == len(self._wanted):
            raise _AllFound


def _behind_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return at if match is None else match.end()


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _start_of(text: str, line: int) -> int | None:
    """Return where a line begins; None where the text is shorter."""
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
        if not at:
            return None
    return at
