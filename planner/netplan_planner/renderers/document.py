"""A report as blocks of styled text: what the terminal and Markdown lay out, each in its way.

Text enters a document only through `say`, which makes it inert; so no layout can forget to. Money
is a typed part of a line: whoever makes blocks knows of dollars alone, `in_currency` writes them.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from enum import StrEnum
from functools import reduce

from msgspec.structs import replace

from netplan_planner.inert import TEXT_LENGTH, inert
from netplan_planner.model import Amount, CurrencyRate, Severity, Text, Value, Words, worded
from netplan_planner.renderers.figures import shown
from netplan_planner.units import cents

_OPTION = r"(?<![\w-])-(?:-[a-z][a-z-]*|v)(?![\w=-])"
"""Of netplan: those of gcloud, of which a step speaks, have their value behind `=`."""
_REST = r"(?:[^;.]|\.(?=\w))*"
_HINTS = (
    re.compile(rf" ?\([^()]*{_OPTION}[^()]*\)"),
    re.compile(rf"(?:[:;](?=[^:;.]*{_OPTION})|(?:,| in)(?= {_OPTION})){_REST}"),
    re.compile(rf"(?:^|(?<=[.] ))[^;.]*{_OPTION}{_REST}(?:[.] ?|$)"),
)
"""How a text says an option: in brackets, behind a colon or semicolon, in a sentence of its own."""
_COMMAND = re.compile(r"\b(?:netplan|gcloud|kubectl) (?:[a-z][^();]* )?--")


class Role(StrEnum):
    """What a piece of text is; a layout decides how that looks."""

    PLAIN = "plain"
    DIM = "dim"
    STRONG = "strong"
    NAME = "name"
    """A resource, rule or address: set apart, so that it does nothing."""
    PLACE = "place"
    """Where something stands in a file: never broken, so that it can be copied."""
    GOOD = "good"
    COST = "cost"
    BAD = "bad"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"


_GIVEN = frozenset({Role.NAME, Role.PLACE})
"""What users named: said as it is."""


class Span(Value, frozen=True, kw_only=True, gc=False):
    """Inert text with a role; `is_glued` keeps its words on one line."""

    text: str
    """With its amounts in US dollars, until `in_currency` shows them in another."""
    role: Role = Role.PLAIN
    is_glued: bool = False
    words: Words | None = None
    """The text with its amounts; None where it holds none."""
    length: int = TEXT_LENGTH
    """Characters at most."""


Line = tuple[Span, ...]


class Title(Value, frozen=True, kw_only=True):
    """What the report is about, and what it rests on."""

    line: Line
    basis: Line


class Section(Value, frozen=True, kw_only=True):
    """The heading of a section."""

    line: Line


class Entry(Value, frozen=True, kw_only=True):
    """The heading of an entry of a section."""

    line: Line


class Para(Value, frozen=True, kw_only=True):
    """Running text; `is_inner` belongs to the entry above it."""

    line: Line
    is_inner: bool = False


class Item(Value, frozen=True, kw_only=True):
    """One of several alike lines of a section."""

    line: Line


class Field(Value, frozen=True, kw_only=True):
    """A labelled line of an entry, with more lines below it."""

    label: str
    line: Line
    more: tuple[Line, ...] = ()
    is_source: bool = False
    """What the numbers above rest on: a layout may fold it."""


class Command(Value, frozen=True, kw_only=True):
    """A command to copy: never wrapped, shortened or changed."""

    text: str


class Column(Value, frozen=True, kw_only=True):
    """A column of a table."""

    title: str
    is_number: bool = False
    is_note: bool = False
    """Whether it may stand on a line below its row when the table is too wide."""
    stacked: str = ""
    """How a cell reads without the title above it: `{} vCPU`; empty: as it is."""


class Table(Value, frozen=True, kw_only=True):
    """Rows of lines; the first column names the row."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Line, ...], ...]
    is_inner: bool = False


Block = Title | Section | Entry | Para | Item | Field | Command | Table


def say(
    text: Text | Amount, role: Role = Role.PLAIN, *, glued: bool = False, length: int = TEXT_LENGTH
) -> Span:
    """Return `text` as an inert span; the only way into a document."""
    if isinstance(text, str):
        return Span(text=inert(text, length), role=role, is_glued=glued)
    words = text if isinstance(text, Words) else Words(parts=(text,))
    said = inert(shown(words), length)
    return Span(text=said, role=role, is_glued=glued, words=words, length=length)


def fixed(text: Text | Amount, role: Role = Role.PLAIN) -> Span:
    """Return a figure with its unit, kept on one line."""
    return say(text, role, glued=True)


Piece = Text | Amount | Span | Line


def line(*parts: Piece) -> Line:
    """Return the parts as one line; what is no span yet becomes plain text."""
    spans: list[Span] = []
    for part in parts:
        if isinstance(part, tuple):
            spans.extend(part)
        else:
            spans.append(part if isinstance(part, Span) else say(part))
    return tuple(spans)


def section(*parts: Piece) -> Section:
    """Return the heading of a section."""
    return Section(line=line(*parts))


def entry(*parts: Piece) -> Entry:
    """Return the heading of an entry."""
    return Entry(line=line(*parts))


def para(*parts: Piece, is_inner: bool = False) -> Para:
    """Return running text."""
    return Para(line=line(*parts), is_inner=is_inner)


def item(*parts: Piece) -> Item:
    """Return one of several alike lines."""
    return Item(line=line(*parts))


def field(label: str, *parts: Piece, more: tuple[Line, ...] = (), is_source: bool = False) -> Field:
    """Return a labelled line."""
    return Field(label=label, line=line(*parts), more=more, is_source=is_source)


def joined(lines: Iterable[Line], separator: str = ", ") -> Line:
    """Return lines as one, with a separator between."""
    spans: list[Span] = []
    for part in lines:
        if spans:
            spans.append(Span(text=separator))
        spans.extend(part)
    return tuple(spans)


def listed(lines: Iterable[Line], total: int, noun: str = "more", separator: str = ", ") -> Line:
    """Return the lines with a separator, and how many of `total` they leave out."""
    shown = list(lines)
    text = joined(shown, separator)
    if total > len(shown):
        return line(text, f" and {total - len(shown):,} {noun}")
    return text


def plain(text: Line) -> str:
    """Return a line's letters."""
    return "".join(span.text for span in text)


def in_currency(text: Line, currency: CurrencyRate | None) -> Line:
    """Return a line with its amounts in a currency; None: US dollars, as they are."""
    if currency is None:
        return text
    return tuple(
        say(shown(span.words, currency), span.role, glued=span.is_glued, length=span.length)
        if span.words
        else span
        for span in text
    )


def blocks_in(blocks: Iterable[Block], currency: CurrencyRate | None) -> Iterator[Block]:
    """Yield blocks with their amounts in a currency; None: US dollars, as they are."""
    for block in blocks:
        yield _changed(block, lambda text: in_currency(text, currency)) if currency else block


def without_options(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks for readers who see no command line; commands stay whole, empty lines go."""
    for block in blocks:
        # The heading of a step has names of one's own tables.
        is_step = isinstance(block, Entry) and re.match(r"\d+\. ", plain(block.line))
        bare = block if is_step else _changed(block, line_without_options)
        if bare == block or isinstance(bare, Command | Table) or plain(bare.line).strip():
            yield bare


def line_without_options(text: Line) -> Line:
    """Return a line without what it says of options: in brackets, a clause, or a sentence.

    >>> plain(line_without_options(line("no traffic (--traffic): a; 5 more: -v, or --output csv")))
    'no traffic: a; 5 more'
    >>> plain(line_without_options(line("One zone assumed. Set it with --zone. Rates are likely.")))
    'One zone assumed. Rates are likely.'
    """
    return tuple(
        span
        if span.role in _GIVEN or _COMMAND.search(span.text)
        else replace(span, text=reduce(lambda left, hint: hint.sub("", left), _HINTS, span.text))
        for span in text
    )


def _changed(block: Block, change: Callable[[Line], Line]) -> Block:
    """Return a block with all of its lines changed."""
    match block:
        case Title():
            return replace(block, line=change(block.line), basis=change(block.basis))
        case Field():
            return replace(block, line=change(block.line), more=tuple(map(change, block.more)))
        case Table():
            return replace(block, rows=tuple(tuple(map(change, row)) for row in block.rows))
        case Section() | Entry() | Para() | Item():
            return replace(block, line=change(block.line))
        case Command():
            return block


def severity_role(severity: Severity) -> Role:
    """Return the role of a severity's word."""
    return Role(severity.value)


def change_of(usd: Decimal | None) -> Span:
    """Return by how much a bill rises or falls, with its sign."""
    if usd is None:
        return say("unknown")
    if not cents(usd):
        return fixed("same")
    sign, role = ("+", Role.COST) if usd > 0 else ("-", Role.GOOD)
    return fixed(worded(sign, Amount(usd=abs(usd))), role)
