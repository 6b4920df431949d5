"""Many globs, and the first of them that a resource path or its end matches.

A path is not held against every glob. Those without a wildcard are looked up whole; any other one
only where the path holds a piece of its literal text, the piece that the fewest globs share.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from fnmatch import translate

_WILD = re.compile(r"[*?]|\[!?+\]?+[^\]]*+\]")
"""What `fnmatch` takes for more than itself; a bracket that nothing closes is a bracket."""
_LONGEST_PIECE = 16
"""Pieces have 1, 2, 4, 8 or this many characters, so that a path has few of each length."""


class FirstGlob:
    """The first of many globs, in their order, that a path or what follows a `/` in it matches.

    >>> globs = FirstGlob(["instances/a", "*/instances/b*", "projects/p/*"])
    >>> globs.find("projects/q/instances/a"), globs.find("projects/p/instances/b1")
    (0, 1)
    """

    def __init__(self, globs: Iterable[str]) -> None:
        self._whole: dict[str, int] = {}
        self._wild: list[tuple[int, str]] = []
        seen: set[str] = set()
        for number, glob in enumerate(globs):
            if glob in seen:
                continue
            seen.add(glob)
            if _WILD.search(glob):
                self._wild.append((number, glob))
            else:
                self._whole[glob] = number
        self._by_piece, self._without = _by_rarest_piece(self._wild)
        self._lengths = sorted({len(piece) for piece in self._by_piece})
        self._matches: dict[int, Callable[[str], object]] = {}
        self._found: dict[str, int | None] = {}

    def find(self, path: str) -> int | None:
        """Return the number of the first glob that matches; None where none does."""
        if path not in self._found:
            self._found[path] = self._look_up(path)
        return self._found[path]

    def _look_up(self, path: str) -> int | None:
        whole = [self._whole[end] for end in _ends(path) if end in self._whole]
        first = min(whole, default=None)
        for place in self._candidates(path):
            number, glob = self._wild[place]
            if first is not None and number > first:
                break
            if self._matcher(number, glob)(path):
                return number
        return first

    def _candidates(self, path: str) -> list[int]:
        """Return the places of the globs with wildcards that may match, in their order."""
        found = set(self._without)
        for length in self._lengths:
            for start in range(len(path) - length + 1):
                found.update(self._by_piece.get(path[start : start + length], ()))
        return sorted(found)

    def _matcher(self, number: int, glob: str) -> Callable[[str], object]:
        if number not in self._matches:
            self._matches[number] = re.compile(f"(?s:.*/)?{translate(glob)}").match
        return self._matches[number]


def _ends(path: str) -> Iterator[str]:
    """Yield the path, and what follows each `/` in it."""
    yield path
    start = path.find("/") + 1
    while start:
        yield path[start:]
        start = path.find("/", start) + 1


def _by_rarest_piece(
    globs: Iterable[tuple[int, str]],
) -> tuple[dict[str, tuple[int, ...]], tuple[int, ...]]:
    """Return the places of globs by the piece of each that is rarest, and of those without one."""
    pieces = [set(_pieces(glob)) for _, glob in globs]
    count = Counter(piece for each in pieces for piece in each)
    by_piece: defaultdict[str, list[int]] = defaultdict(list)
    without: list[int] = []
    for place, each in enumerate(pieces):
        if each:
            rarest = min(each, key=lambda piece: (count[piece], -len(piece), piece))
            by_piece[rarest].append(place)
        else:
            without.append(place)
    return {piece: tuple(places) for piece, places in by_piece.items()}, tuple(without)


def _pieces(glob: str) -> Iterator[str]:
    """Yield the pieces of what stands literally in a glob, as long as they can be."""
    for text in _WILD.split(glob):
        if text:
            length = min(_LONGEST_PIECE, 1 << len(text).bit_length() - 1)
            for start in range(len(text) - length + 1):
                yield text[start : start + length]
