"""Styled lines broken to a width in terminal cells; figures stay on one line where they fit."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from netplan_planner.renderers.document import Line, Role

Piece = tuple[str, Role]
"""Letters and how they look."""
Row = tuple[Piece, ...]
"""What stands on one line of the terminal."""


def row_width(row: Sequence[Piece]) -> int:
    """Return the width of a row in cells."""
    return sum(cell_len(text) for text, _ in row)


def line_width(text: Line) -> int:
    """Return the width of a line in cells if nothing breaks it."""
    return sum(cell_len(span.text) for span in text)


def wrapped(text: Line, width: int) -> list[Row]:
    """Return `text` in rows of at most `width` cells, broken between words where possible.

    A row that holds a place is as long as that is.
    """
    rows: list[Row] = []
    row: list[Piece] = []
    used = 0
    for gap, word in _words(text):
        size = row_width(word)
        if row and used + gap + size > width:
            rows.append(tuple(row))
            row, used, gap = [], 0, 0
        if not row:
            gap = 0
        while size > width and not any(role is Role.PLACE for _, role in word):
            head, word = _split(word, width)
            rows.append(head)
            size = row_width(word)
        if gap:
            # A space takes part in a style only between two words that both have it.
            role = word[0][1] if word and word[0][1] is row[-1][1] else Role.PLAIN
            row.append((" " * gap, role))
        row.extend(word)
        used += gap + size
    if row:
        rows.append(tuple(row))
    return rows


def _words(text: Line) -> Iterator[tuple[int, Row]]:
    """Yield each word with the spaces before it; a glued span does not end a word."""
    gap = 0
    word: list[Piece] = []
    for span in text:
        parts = [span.text] if span.is_glued else span.text.split(" ")
        for index, part in enumerate(parts):
            if index:
                if word:
                    yield gap, tuple(word)
                    gap, word = 0, []
                gap += 1
            if part:
                word.append((part, span.role))
    if word:
        yield gap, tuple(word)


def _split(word: Row, width: int) -> tuple[Row, Row]:
    """Return the first `width` cells of a word that is too long, and the rest."""
    head: list[Piece] = []
    left = width
    for index, (text, role) in enumerate(word):
        size = cell_len(text)
        if size <= left:
            head.append((text, role))
            left -= size
            continue
        taken = _prefix(text, left)
        if not taken and not head:
            taken = 1
        head += [(text[:taken], role)] if taken else []
        rest = (
            ((text[taken:], role), *word[index + 1 :]) if taken < len(text) else word[index + 1 :]
        )
        return tuple(head), tuple(rest)
    return tuple(head), ()


def _prefix(text: str, cells: int) -> int:
    """Return how many letters fit into `cells`, breaking at the last space among them."""
    used = 0
    for index, char in enumerate(text):
        used += cell_len(char)
        if used > cells:
            return text.rfind(" ", 0, index) + 1 or index
    return len(text)
