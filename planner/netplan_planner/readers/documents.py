"""JSON documents in a file's bytes, and where exactly they are damaged.

One document, several one after another, or one per line; UTF-8, or UTF-16 with a byte order mark
(as PowerShell redirects write).
"""

import codecs
import json
import math
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from netplan_planner.input_files import decode_json

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""UTF-32 first: its little-endian mark begins with UTF-16's."""

_LONGEST_NUMBER = 20
"""Digits of the longest number that the API can mean; longer ones stay text."""


_TEXT = re.compile(r"\S")
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


class Document(NamedTuple):
    """A JSON value and where it stands in its file: empty, or `line:` from 1."""

    value: Any
    place: str


class Damage(NamedTuple):
    """What could not be read, and where: `line 3, column 14`."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


class NotText(Exception):
    """Bytes that are no text in any encoding that is read here; the text says why."""


def text_of(data: bytes, *, is_cut: bool = False) -> str:
    """Return bytes as text; the end of `is_cut` bytes may go through a character.

    Raises:
        NotText: If they are no UTF-8, or not what their byte order mark says.
    """
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, final=not is_cut)
    except UnicodeDecodeError as exc:
        raise NotText(f"byte {exc.start} is not {exc.encoding}") from exc


def documents_of(data: bytes) -> tuple[list[Document], list[Damage]]:
    """Return the JSON documents in a file, and what is damaged.

    Raises:
        NotText: If the bytes are no text.
    """
    if not data.startswith(tuple(mark for mark, _ in _BOMS)):
        try:
            return [Document(decode_json(data), "")], []
        except msgspec.MsgspecError:
            pass  # The slow way finds out what is wrong and where.
    text = text_of(data)
    first_line, rest = _split_first(text)
    value, damage = _decode(text)
    if damage is None:
        return [Document(value, "")], []
    if rest.strip() and _decode(first_line)[1] is None:
        return _by_line(text)
    return _one_after_another(text, damage)


def decode_at(text: str, position: int) -> tuple[Any, int, str]:
    """Return the value that begins at a position, where it ends, and what is wrong with it."""
    try:
        value, end = _DECODER.raw_decode(text, position)
    except json.JSONDecodeError as exc:
        return None, position, f"damaged JSON: {exc.msg}, line {exc.lineno}, column {exc.colno}"
    except (RecursionError, ValueError) as exc:
        return None, position, _refused(exc)
    return _scrubbed(value, text, position, end), end, ""


def _split_first(text: str) -> tuple[str, str]:
    first, _, rest = text.lstrip().partition("\n")
    return first, rest


def _decode(text: str) -> tuple[Any, Damage | None]:
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as exc:
        return None, Damage(f"line {exc.lineno}, column {exc.colno}", f"damaged JSON: {exc.msg}")
    except (RecursionError, ValueError) as exc:
        return None, Damage("", _refused(exc))
    return _scrubbed(value, text, 0, len(text)), None


def _scrubbed(value: Any, text: str, start: int, end: int) -> Any:
    """Return `value` with half surrogate pairs replaced: no output could hold them.

    Only its own part of the text is looked through: there may be millions of values in it.
    """
    if _HALF_CHARACTER.search(text, start, end) is None:
        return value
    whole = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return _DECODER.decode(whole.decode("utf-8"))


def _refused(exc: Exception) -> str:
    if isinstance(exc, RecursionError):
        return "damaged JSON: nested too deeply"
    return f"damaged JSON: {exc}"


def _by_line(text: str) -> tuple[list[Document], list[Damage]]:
    found: list[Document] = []
    damaged: list[Damage] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        value, damage = _decode(line)
        if damage is None:
            found.append(Document(value, f"{number}:"))
        else:
            column = damage.place.rpartition(", ")[2]
            place = f"line {number}, {column}" if column else f"line {number}"
            damaged.append(Damage(place, damage.reason))
    return found, damaged


def _one_after_another(text: str, whole: Damage) -> tuple[list[Document], list[Damage]]:
    """Documents without a line each. What follows a damaged one cannot be found again."""
    found: list[Document] = []
    line, counted = 1, 0
    match = _TEXT.search(text)
    while match is not None:
        start = match.start()
        line, counted = line + text.count("\n", counted, start), start
        value, end, problem = decode_at(text, start)
        if problem:
            return found, [Damage(f"line {line}", problem) if found else whole]
        found.append(Document(value, f"{line}:"))
        match = _TEXT.search(text, end)
    return found, ([] if found else [whole])


def _whole_number(digits: str) -> Any:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else digits


def _number(digits: str) -> Any:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(
    parse_int=_whole_number, parse_float=_number, parse_constant=_no_constant
)


# The line of a text on which what a JSON pointer names begins
#
# The document is walked once for all pointers into it. What none of them leads into is passed by
# the standard library's C decoder, so that a long list costs no more than reading it did.


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
