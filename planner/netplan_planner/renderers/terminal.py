"""An answer for a terminal, from narrow to wide, with colours or without (rich).

Commands stand on lines of their own and are never broken, so that they can be copied.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from msgspec.structs import replace
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style

from netplan_planner.inert import without_command
from netplan_planner.renderers import content
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.document import Block, Line, Role, line
from netplan_planner.renderers.options import DEFAULT_WIDTH, ColourMode, RenderOptions

Piece = tuple[str, Role]
"""Letters and how they look."""


Row = tuple[Piece, ...]
"""What stands on one line of the terminal."""
Rows = Sequence[Sequence[Line]]


_LEAST_WIDTH = 24


_WIDEST_TEXT = 120
"""Longer lines are hard to follow from one to the next."""


_NARROW = 64
"""Below it, labels stand in the text instead of in a column of their own."""


_LEAST_NOTE = 24
"""Cells that a note needs to stand beside its row."""


_LEAST_TEXT = 14
"""Cells that a text keeps where its column is made narrower."""


_LEAST_NAME = 16
"""Cells that it needs where it is the row's name, which cannot stand below."""


_RULE = "─"


_INNER = 3


_LABEL = 9
"""Cells of the labels, where none is longer."""


_COLOURS = ColorSystem.STANDARD


_STYLES = {
    Role.DIM: Style(dim=True),
    Role.STRONG: Style(bold=True),
    Role.NAME: Style(color="cyan"),
    Role.PLACE: Style(color="cyan"),
    Role.GOOD: Style(color="green", bold=True),
    Role.COST: Style(color="yellow"),
    Role.BAD: Style(color="red", bold=True),
    Role.HIGH: Style(color="red", bold=True),
    Role.MEDIUM: Style(color="yellow", bold=True),
    Role.LOW: Style(color="blue", bold=True),
    Role.INFO: Style(dim=True, bold=True),
}


def render(answer: object, options: RenderOptions) -> str:
    """Return an answer as text; width and colour as in `options`, without asking a terminal."""
    return layout(content.blocks(answer, options), options)


def layout(blocks: Iterable[Block], options: RenderOptions) -> str:
    """Return blocks as text."""
    blocks = list(blocks)
    labels = (len(block.label) for block in blocks if isinstance(block, doc.Field))
    page = _Page(
        width=max(options.width or DEFAULT_WIDTH, _LEAST_WIDTH),
        is_coloured=options.colour is ColourMode.ALWAYS,
        label=max(_LABEL, 1 + max(labels, default=0)),
    )
    for block in blocks:
        page.add(block)
    return page.text()


class _Page:
    """Lays out blocks, one below the other."""

    def __init__(self, *, width: int, is_coloured: bool, label: int) -> None:
        self._width = width
        self._text_width = min(width, _WIDEST_TEXT)
        self._is_coloured = is_coloured
        self._is_narrow = width < _NARROW
        self._inner = 2 if self._is_narrow else _INNER
        self._label = 0 if self._is_narrow else label
        self._lines: list[str] = []
        self._is_after_rule = False
        self._last: Block | None = None

    def add(self, block: Block) -> None:
        """Lay out one more block."""
        if (
            isinstance(self._last, doc.Entry)
            and isinstance(block, doc.Table)
            and not block.is_inner
        ):
            self._gap()
        self._last = block
        match block:
            case doc.Title():
                self._hang(line(_strong(block.line), " · ", block.basis), 0, hang=0)
            case doc.Section():
                self._section(block.line)
            case doc.Entry():
                self._gap(after_rule=False)
                self._hang(block.line, 0, hang=self._inner)
            case doc.Para():
                self._hang(block.line, self._inner if block.is_inner else 0, hang=0)
            case doc.Item():
                self._hang(block.line, 0, hang=self._inner)
            case doc.Field():
                self._field(block)
            case doc.Command():
                self._emit(
                    ((" " * (self._inner + self._label), Role.PLAIN), (block.text, Role.PLAIN))
                )
            case doc.Table():
                self._table(block)

    def text(self) -> str:
        """Return all lines, with an end of line after the last."""
        return "\n".join(self._lines) + "\n" if self._lines else ""

    def _emit(self, row: Sequence[Piece]) -> None:
        self._is_after_rule = False
        if not self._is_coloured:
            self._lines.append(without_command("".join(text for text, _ in row).rstrip()))
            return
        styled: list[str] = []
        for role, pieces in groupby(row, key=itemgetter(1)):
            text = "".join(piece for piece, _ in pieces)
            style = _STYLES.get(role)
            styled.append(style.render(text, color_system=_COLOURS) if style and text else text)
        self._lines.append("".join(styled).rstrip(" "))

    def _gap(self, *, after_rule: bool = True) -> None:
        if self._lines and self._lines[-1] and (after_rule or not self._is_after_rule):
            self._lines.append("")

    def _section(self, title: Line) -> None:
        """Lay out a heading with a rule to the right margin."""
        self._gap()
        rows = wrapped(_strong(title), self._text_width)
        for row in rows[:-1]:
            self._emit(row)
        last = rows[-1] if rows else ()
        rule = self._text_width - row_width(last) - 1
        self._emit((*last, (f" {_RULE * rule}", Role.DIM)) if rule > 0 else last)
        self._is_after_rule = True

    def _hang(self, text: Line, indent: int, *, hang: int) -> None:
        """Lay out a paragraph whose further lines stand `hang` cells deeper."""
        width = max(self._text_width - indent - hang, _LEAST_WIDTH // 2)
        for index, row in enumerate(wrapped(text, width)):
            margin = indent + (hang if index else 0)
            self._emit(((" " * margin, Role.PLAIN), *row) if margin else row)

    def _field(self, block: doc.Field) -> None:
        if self._is_narrow:
            self._hang(line(f"{block.label}: ", block.line), self._inner, hang=2)
            for more in block.more:
                self._hang(more, self._inner + 2, hang=2)
            return
        indent = self._inner + self._label
        label = f"{' ' * self._inner}{block.label:<{self._label}}"
        for text in (block.line, *block.more):
            for row in wrapped(text, self._text_width - indent):
                self._emit(((label, Role.DIM), *row))
                label = " " * indent

    def _table(self, table: doc.Table) -> None:
        """Lay out a table: beside each other, else with the notes below, else row by row."""
        indent = self._inner if table.is_inner else 0
        used = [i for i in range(len(table.columns)) if any(row[i] for row in table.rows)]
        columns = [table.columns[i] for i in used]
        rows = [tuple(row[i] for i in used) for row in table.rows]
        widths = _widths(columns, rows, self._width - indent)
        if widths is None:
            self._stack(columns, rows, indent)
            return
        titles = tuple(line(column.title) for column in columns)
        if any(doc.plain(title) for title in titles[1:]):
            self._cells(columns, titles, widths, indent, Role.DIM)
        for row in rows:
            self._cells(columns, row, widths, indent, None)

    def _cells(
        self,
        columns: Sequence[doc.Column],
        cells: Sequence[Line],
        widths: Sequence[int],
        indent: int,
        role: Role | None,
    ) -> None:
        """Lay out one row; a cell of width 0 is a note and goes below, a title of one nowhere."""
        pairs = zip(cells, widths, strict=True)
        parts = [wrapped(cell, width) if width else [] for cell, width in pairs]
        for level in range(max(map(len, parts), default=0)):
            row: list[Piece] = [(" " * indent, Role.PLAIN)] if indent else []
            for column, width, cell in zip(columns, widths, parts, strict=True):
                part: Row = cell[level] if level < len(cell) else ()
                space = (" " * (width - row_width(part)), Role.PLAIN)
                shown = tuple((text, role) for text, _ in part) if role else part
                row += [space, *shown] if column.is_number else [*shown, space]
                row.append(("  ", Role.PLAIN))
            self._emit(_without_tail(row))
        for column, text, width in zip(columns, cells, widths, strict=True):
            if not width and text and role is None:
                self._hang(_stacked(column, text), indent + 6, hang=2)

    def _stack(
        self, columns: Sequence[doc.Column], rows: Sequence[Sequence[Line]], indent: int
    ) -> None:
        """Lay out a table that is too wide as a small paragraph a row."""
        names = 2 if columns[0].title == "" else 1
        for row in rows:
            head = doc.joined((cell for cell in row[:names] if cell), " ")
            self._hang(head, indent, hang=2)
            cells = zip(columns[names:], row[names:], strict=True)
            rest = [_stacked(column, cell) for column, cell in cells if line_width(cell)]
            self._hang(doc.joined(rest, " · "), indent + 2, hang=0)


def _stacked(column: doc.Column, cell: Line) -> Line:
    """Return a cell that says by itself what it is."""
    before, _, after = (column.stacked or "{}").partition("{}")
    return line(before, cell, after)


def _strong(text: Line) -> Line:
    return tuple(
        replace(span, role=Role.STRONG) if span.role is Role.PLAIN else span for span in text
    )


def _widths(columns: Sequence[doc.Column], rows: Rows, width: int) -> list[int] | None:
    """Return the width of each column, or None when they do not fit beside each other."""
    widths = [
        max([cell_len(column.title), *(line_width(row[index]) for row in rows)])
        for index, column in enumerate(columns)
    ]
    excess = sum(widths) + 2 * (len(widths) - 1) - width
    note = next((i for i, column in enumerate(columns) if column.is_note), None)
    if excess > 0 and note is not None:
        if widths[note] - excess >= (_LEAST_NOTE if note else _LEAST_NAME):
            widths[note] -= excess
            return widths
        if not note:
            return None
        excess -= widths[note] + 2
        widths[note] = 0
    if excess <= 0:
        return widths
    return None if width < _NARROW else _narrowed(columns, rows, widths, excess)


def _narrowed(
    columns: Sequence[doc.Column], rows: Rows, widths: list[int], excess: int
) -> list[int] | None:
    """Take cells off the widest columns: a number stays whole, a text can be broken at a space."""
    spare = []
    for index, (column, width) in enumerate(zip(columns, widths, strict=True)):
        parts = [cell_len(word) for word in column.title.split()]
        for row in rows:
            words = [row_width(word) for _, word in _words(row[index])]
            parts += [line_width(row[index])] if column.is_number else words
        spare.append(width - max([min(width, _LEAST_TEXT), *parts]) if width else 0)
    for _ in range(excess):
        widest = max(range(len(widths)), key=lambda i: (spare[i] > 0, widths[i]))
        if spare[widest] <= 0:
            return None
        widths[widest] -= 1
        spare[widest] -= 1
    return widths


def _without_tail(row: list[Piece]) -> list[Piece]:
    """Return a row without the spaces at its end."""
    while row and not row[-1][0].strip():
        row.pop()
    return row


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
