"""What stands beside an answer, on stderr: things that were noticed while it was made."""

from collections.abc import Iterable, Iterator

_LISTED = 20
"""Things of one kind that are named; the answer itself holds them all."""


def first_of(found: Iterable[str], what: str) -> Iterator[str]:
    """Yield the first of some lines, and how many more there are.

    >>> list(first_of(["a", "b"], "SKUs"))
    ['  a', '  b']
    >>> list(first_of(map(str, range(23)), "SKUs"))[-1]
    '  and 3 more SKUs'
    """
    lines = list(found)
    for one in lines[:_LISTED]:
        yield f"  {one}"
    if len(lines) > _LISTED:
        yield f"  and {len(lines) - _LISTED:,} more {what}"
