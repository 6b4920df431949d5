"""A report as blocks of styled text: what the terminal and Markdown lay out, each in its way.

Text enters a document only through `say`, which makes it inert; so no layout can forget to.
"""

from collections.abc import Iterable
from enum import StrEnum

from netplan_planner.inert import TEXT_LENGTH, inert
from netplan_planner.model import Severity, Value


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


class Span(Value, frozen=True, kw_only=True, gc=False):
    """Inert text with a role; `is_glued` keeps its words on one line."""

    text: str
    role: Role = Role.PLAIN
    is_glued: bool = False


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
    text: str, role: Role = Role.PLAIN, *, glued: bool = False, length: int = TEXT_LENGTH
) -> Span:
    """Return `text` as an inert span; the only way into a document."""
    return Span(text=inert(text, length), role=role, is_glued=glued)


def fixed(text: str, role: Role = Role.PLAIN) -> Span:
    """Return a figure with its unit, kept on one line."""
    return say(text, role, glued=True)


def line(*parts: str | Span | Line) -> Line:
    """Return the parts as one line; plain strings become plain text."""
    spans: list[Span] = []
    for part in parts:
        if isinstance(part, str):
            spans.append(say(part))
        elif isinstance(part, Span):
            spans.append(part)
        else:
            spans.extend(part)
    return tuple(spans)


def joined(lines: Iterable[Line], separator: str = ", ") -> Line:
    """Return lines as one, with a separator between."""
    spans: list[Span] = []
    for part in lines:
        if spans:
            spans.append(Span(text=separator))
        spans.extend(part)
    return tuple(spans)


def listed(lines: Iterable[Line], total: int, noun: str = "more") -> Line:
    """Return the lines with commas, and how many of `total` they leave out."""
    shown = list(lines)
    text = joined(shown)
    if total > len(shown):
        return line(text, f" and {total - len(shown):,} {noun}")
    return text


def plain(text: Line) -> str:
    """Return a line's letters."""
    return "".join(span.text for span in text)


def severity_role(severity: Severity) -> Role:
    """Return the role of a severity's word."""
    return Role(severity.value)
