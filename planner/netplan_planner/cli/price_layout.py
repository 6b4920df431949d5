"""How the text of a price look-up fits a terminal, and what it says of a price's source."""

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

WIDTH = 100
"""Columns where there is no terminal to ask, as in the other verbs."""
SECONDARY = "secondary list"
_LEAST = 16
"""Columns below which a first or last column is not worth wrapping: rows become lists."""
_LABEL = 9
"""Columns of `source   ` and its like, below which their lines go on."""
_LABELLED = re.compile(r"[a-z]{3,7} {2,6}(?=\S)")
_GAP = "  "
_REPOSITORY = re.compile(r"(?<![\w./-])[A-Za-z][\w-]*/[\w.-]+")
"""`owner/name` of a price list that somebody else keeps; an address of Google's has a dot first."""


def terminal_width() -> int:
    """Return the columns of `COLUMNS`, else of the terminal, else `WIDTH`."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def is_secondary(source: str) -> bool:
    """Return whether a price comes from a list that Google does not keep.

    >>> is_secondary("Cyclenerd/google-cloud-pricing-cost-calculator pricing.yml (fd66b26)")
    True
    >>> is_secondary("Cloud Billing Catalog API, 2026-04-30")
    False
    >>> is_secondary("cloud.google.com/vpc/pricing, 2026-04-30")
    False
    """
    return _REPOSITORY.search(source) is not None


def said_of_sku(shown: str, source: str, without: str) -> str:
    """Return a SKU cell that says where a price comes from that Google's catalogue does not hold.

    `without` is what the cell shows where there is no SKU.
    """
    if not is_secondary(source):
        return shown
    return SECONDARY if shown == without else f"{shown} ({SECONDARY})"


def table(
    titles: Sequence[str], cells: Sequence[Sequence[str]], to_right: set[int], width: int
) -> list[str]:
    """Return aligned lines of at most `width` columns; a wide table becomes lists of its rows.

    The first and the last column, names and SKUs, wrap before that.
    """
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    left = width - sum(widths[1:-1]) - len(_GAP) * (len(widths) - 1)
    if sum(widths[:1] + widths[1:][-1:]) > left and len(widths) > 1:
        widths[-1] = min(widths[-1], max(_LEAST, left - widths[0]))
        widths[0] = min(widths[0], left - widths[-1])
        if widths[0] < _LEAST:
            return list(_as_lists(titles, cells, width))
    lines: list[str] = []
    for texts in (titles, *cells):
        columns = [_broken(text, size) for text, size in zip(texts, widths, strict=True)]
        for row in zip_longest(*columns, fillvalue=""):
            aligned = (
                text.rjust(size) if n in to_right else text.ljust(size)
                for n, (text, size) in enumerate(zip(row, widths, strict=True))
            )
            lines.append(_GAP.join(aligned).rstrip())
    return lines


def _broken(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _as_lists(titles: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield a line a value, with its title, and rows apart."""
    size = max(map(len, titles))
    for number, texts in enumerate(cells):
        if number:
            yield ""
        for title, text in zip(titles, texts, strict=True):
            yield from wrapped(f"{title:<{size}}  {text}", width, size + 2)


def wrapped(line: str, width: int, indent: int | None = None) -> list[str]:
    """Return a line in lines of at most `width` columns, the later ones below its text."""
    if indent is None:
        label = _LABELLED.match(line)
        indent = _LABEL if label is not None and label.end() == _LABEL else 0
    gap = min(indent, max(width // 3, 0))
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * gap,
        break_on_hyphens=False,
        break_long_words=False,
    ) or [""]
