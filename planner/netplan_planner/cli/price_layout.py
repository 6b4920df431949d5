"""How the text of a price look-up fits a terminal, and what it says of a price's source."""

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence

WIDTH = 100
"""Columns where there is no terminal to ask, as in the other verbs."""
SECONDARY = "secondary list"
_LEAST = 16
"""Columns below which a last column is not worth wrapping: rows become lists."""
_LABEL = 9
"""Columns of `source   ` and its like, below which their lines go on."""
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
    """Return aligned lines of at most `width` columns; the last column wraps, or rows are lists."""
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    before = sum(widths[:-1]) + 2 * (len(widths) - 1)
    left = width - before
    if left < min(_LEAST, widths[-1]):
        return list(_as_lists(titles, cells, width))
    lines: list[str] = []
    for texts in (titles, *cells):
        aligned = [
            text.rjust(size) if n in to_right else text.ljust(size)
            for n, (text, size) in enumerate(zip(texts[:-1], widths, strict=False))
        ]
        last = texts[-1].rjust(widths[-1]) if len(texts) - 1 in to_right else texts[-1]
        first, *more = textwrap.wrap(last, left, break_on_hyphens=False, drop_whitespace=False) or [
            ""
        ]
        lines.append("  ".join([*aligned, first]).rstrip())
        lines += [" " * before + rest.strip() for rest in more]
    return lines


def _as_lists(titles: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield a line a value, with its title, and rows apart."""
    size = max(map(len, titles))
    for number, texts in enumerate(cells):
        if number:
            yield ""
        for title, text in zip(titles, texts, strict=True):
            yield from wrapped(f"{title:<{size}}  {text}", width, size + 2)


def wrapped(line: str, width: int, indent: int = _LABEL) -> list[str]:
    """Return a line in lines of at most `width` columns, the later ones below its text."""
    gap = min(indent, max(width // 3, 0))
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * gap,
        break_on_hyphens=False,
        break_long_words=False,
        replace_whitespace=False,
        drop_whitespace=True,
    ) or [""]
