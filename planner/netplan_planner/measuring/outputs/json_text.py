"""JSON documents in the output of a tool: after warnings, one behind another, or cut off."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_BEGINS = re.compile(r'^[ \t\ufeff]*(?=\{|\[\s*[\[{"])', re.MULTILINE)
"""Where a document may begin. A line like `[ ID] Interval` or `[  5]` is no array."""
_RESUMES = re.compile(r"^(?=\{)", re.MULTILINE)
"""Where the next one begins behind a damaged one: tools indent everything inside."""

MOST_FAULTS = 100
"""Damaged documents in one text: beyond that it is something else."""
_LONGEST_INT = 100
"""Digits; a tool's counts have at most 20."""
_SHOWN = 20


class Document(NamedTuple):
    """A JSON value, or why there is none, and the line at which it begins."""

    value: Any
    line: int
    fault: str = ""


def documents_in(text: str) -> Iterator[Document]:
    """Yield the JSON documents in `text`; what stands between them is passed over."""
    line, counted, faults = 1, 0, 0
    begins = _BEGINS.search(text)
    while begins is not None:
        start = begins.end()
        line, counted = line + text.count("\n", counted, start), start
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError) as exc:
            yield Document(None, line, _told(exc, text))
            faults += 1
            begins = _RESUMES.search(text, start + 1) if faults < MOST_FAULTS else None
        else:
            yield Document(value, line)
            begins = _BEGINS.search(text, end)


def holds_json(text: str) -> bool:
    r"""Return whether a JSON document may begin somewhere in `text`.

    >>> holds_json("warning\n{"), holds_json("[ ID] Interval"), holds_json('[["a"]]')
    (True, False, True)
    """
    return _BEGINS.search(text) is not None


def pointer_of(path: str) -> str:
    """Return msgspec's path of a field, as its errors quote it, as a JSON pointer.

    >>> pointer_of("$.end.streams[0].sender`")
    '/end/streams/0/sender'
    """
    steps = re.findall(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]", path)
    return "".join(f"/{name or index}" for name, index in steps)


def _told(exc: ValueError | RecursionError, text: str) -> str:
    if isinstance(exc, RecursionError):
        return "JSON nested too deeply"
    if not isinstance(exc, json.JSONDecodeError):
        return f"damaged JSON: {exc}"
    if exc.pos >= len(text.rstrip()) or exc.msg.startswith("Unterminated string"):
        return f"the JSON ends early, at line {text.count(chr(10), 0, len(text)) + 1}"
    return f"damaged JSON: {exc.msg}, line {exc.lineno}, column {exc.colno}"


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text[:_SHOWN])


def _bounded_int(text: str) -> int:
    # A longer one is beyond every float, and beyond what int() takes.
    return int(text) if len(text) <= _LONGEST_INT else int(_no_number(f"{text[:_SHOWN]}…"))


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite, parse_int=_bounded_int)
