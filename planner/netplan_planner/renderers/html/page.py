"""The frame of a page and the way spans become HTML; the rest is in `templates/`."""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from msgspec.structs import replace

from netplan_planner.renderers import content
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.document import Block, Entry, Line, Role, Span, Title, line, plain
from netplan_planner.renderers.html.pictures import Picture, pictures_of
from netplan_planner.renderers.options import RenderOptions

# A flat list of blocks as the tree that HTML needs: sections, entries, lists, folded sources


class Row(NamedTuple):
    """A labelled line with what stands below it."""

    label: str
    line: Line
    more: tuple[Line, ...]
    commands: tuple[str, ...]


class Grid(NamedTuple):
    """A table without its empty columns."""

    columns: tuple[doc.Column, ...]
    rows: tuple[tuple[Line, ...], ...]
    head: int
    """Index of the column that names the row."""


class Node(NamedTuple):
    """One piece of a section; `kind` says which of the other fields it uses."""

    kind: str
    """`title`, `para`, `items`, `fields`, `sources`, `commands` or `table`."""
    lines: tuple[Line, ...] = ()
    rows: tuple[Row, ...] = ()
    commands: tuple[str, ...] = ()
    grid: Grid | None = None


class Part(NamedTuple):
    """A heading, or None, with what stands below it and the entries that follow."""

    line: Line | None
    nodes: tuple[Node, ...]
    entries: tuple["Part", ...] = ()


def parts(blocks: Iterable[Block]) -> Iterator[Part]:
    """Yield a part for each section; what stands before the first one has no heading."""
    for heading, found in _split(blocks, doc.Section):
        before, *entries = _split(found, doc.Entry, keeps_first=True)
        yield Part(
            line=heading,
            nodes=nodes(before[1]),
            entries=tuple(Part(line=line, nodes=nodes(inner)) for line, inner in entries),
        )


def nodes(blocks: Iterable[Block]) -> tuple[Node, ...]:
    """Return blocks below one heading, with alike neighbours put together."""
    found: list[Node] = []
    for block in blocks:
        last = found[-1] if found else None
        node = _node(block, last)
        if last is not None and last.kind == node.kind and node.kind in _JOINED:
            found[-1] = _joined(last, node)
        else:
            found.append(node)
    return tuple(found)


_JOINED = frozenset({"items", "fields", "sources", "commands"})


def _node(block: Block, last: Node | None) -> Node:
    match block:
        case doc.Field():
            row = Row(label=block.label, line=block.line, more=block.more, commands=())
            return Node(kind="sources" if block.is_source else "fields", rows=(row,))
        case doc.Command():
            if last is not None and last.rows:
                bare = Row(label="", line=(), more=(), commands=(block.text,))
                return Node(kind=last.kind, rows=(bare,))
            return Node(kind="commands", commands=(block.text,))
        case doc.Table():
            return Node(kind="table", grid=grid(block))
        case doc.Item():
            return Node(kind="items", lines=(block.line,))
        case doc.Title():
            return Node(kind="title", lines=(block.line, block.basis))
        case doc.Para() | doc.Section() | doc.Entry():
            return Node(kind="para", lines=(block.line,))


def _joined(one: Node, other: Node) -> Node:
    """Return two nodes of one kind as one; commands go to the field above them."""
    rows = list(one.rows)
    for row in other.rows:
        if row.commands and not row.line and rows:
            rows[-1] = rows[-1]._replace(commands=(*rows[-1].commands, *row.commands))
        else:
            rows.append(row)
    return Node(
        kind=one.kind,
        lines=(*one.lines, *other.lines),
        rows=tuple(rows),
        commands=(*one.commands, *other.commands),
    )


def grid(table: doc.Table) -> Grid:
    """Return a table without the columns that no row fills."""
    used = [
        i for i in range(len(table.columns)) if any(doc.plain(row[i]).strip() for row in table.rows)
    ]
    columns = tuple(table.columns[i] for i in used)
    rows = tuple(tuple(row[i] for i in used) for row in table.rows)
    return Grid(columns=columns, rows=rows, head=_head(columns, rows))


def _head(columns: Sequence[doc.Column], rows: Sequence[Sequence[Line]]) -> int:
    """Return the first column with a title: one without numbers the rows, or says `alone`.

    Where a row has no cell there, the first column names the rows.
    """
    first = next((index for index, column in enumerate(columns) if column.title), 0)
    return first if all(doc.plain(row[first]).strip() for row in rows) else 0


def _split(
    blocks: Iterable[Block], kind: type[doc.Section] | type[doc.Entry], *, keeps_first: bool = False
) -> list[tuple[Line | None, list[Block]]]:
    """Return the blocks in runs that each begin below a heading of a kind."""
    runs: list[tuple[Line | None, list[Block]]] = [(None, [])]
    for block in blocks:
        if isinstance(block, kind):
            runs.append((block.line, []))
        else:
            runs[-1][1].append(block)
    return runs if keeps_first or runs[0][1] else runs[1:]


# The frame of a page and the way spans become HTML; the rest is in `templates/`


_FOLDER = Path(__file__).parent
_CODE = {Role.NAME, Role.PLACE}
_PLAIN = Markup("{}")
_WITH_ROLE = Markup('<span class="{}">{}</span>')
_AS_CODE = Markup('<code class="{}">{}</code>')


def page(template: str, values: Mapping[str, object]) -> str:
    """Return a whole page: a template that extends `page.html.j2`, filled with values."""
    style, script = _asset("style.css"), _asset("script.js")
    own = {"style_hash": _hash(style), "script_hash": _hash(script)}
    return filled(template, {**values, **own, "style": style, "script": script})


def filled(template: str, values: Mapping[str, object]) -> str:
    """Return a template filled with values; every text of them is escaped."""
    return _environment().get_template(template).render(**values)


def part(template: str, macro: str, *values: object) -> Markup:
    """Return what one macro of a template makes of values."""
    made: Markup = getattr(_environment().get_template(template).module, macro)(*values)
    return made


def inline(text: Line) -> Markup:
    """Return a line as HTML; a span's role is its class, and names stand in `code`.

    >>> from netplan_planner.renderers.document import fixed, line
    >>> inline(line("a<b ", fixed("1.6 Gbit/s")))
    Markup('a&lt;b <span class="g">1.6 Gbit/s</span>')
    """
    return Markup("").join(map(_span, text))


def _span(span: Span) -> Markup:
    if span.role in _CODE:
        return _AS_CODE.format(span.role, span.text)
    classes = [span.role.value] if span.role is not Role.PLAIN else []
    if span.is_glued:
        classes.append("g")
    if not classes:
        return _PLAIN.format(span.text)
    return _WITH_ROLE.format(" ".join(classes), span.text)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["inline"] = inline
    return made


def _asset(name: str) -> Markup:
    """Return a file of ours that stands in the page as it is."""
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    """Return what a Content-Security-Policy names an element's text by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# Answers that are blocks, each as a page of its own


ROWS = 40
MEMBERS = 50


def folding(options: RenderOptions) -> RenderOptions:
    """Return options of a medium that folds: more rows than a terminal has, and all sources."""
    return replace(
        options,
        folds=True,
        max_rows=ROWS if options.max_rows is None else options.max_rows,
        max_members=MEMBERS if options.max_members is None else options.max_members,
    )


def render_blocks(blocks: Iterable[Block], verb: str, pictures: Sequence[Picture] = ()) -> str:
    """Return any answer that is made of blocks as a page, its pictures above them."""
    told = list(doc.without_options(blocks))
    title = _title(told, verb)
    values = {"title": title, "name": plain(title.line), "verb": verb, "parts": list(parts(told))}
    return page("answer.html.j2", {**values, "pictures": pictures})


def render_answer(answer: object, options: RenderOptions) -> str:
    """Return any answer but an audit's as a page, with its pictures."""
    blocks = content.blocks(answer, folding(options))
    return render_blocks(blocks, options.verb, pictures_of(answer, options.currency))


def _title(blocks: list[Block], verb: str) -> Title:
    """Take the title out of the blocks; else the first heading names the page, or its verb."""
    for at, block in enumerate(blocks):
        if isinstance(block, Title):
            del blocks[at]
            return block
    if blocks and isinstance(first := blocks[0], Entry | doc.Section):
        del blocks[0]  # said once, as the title
        return Title(line=first.line, basis=())
    heading = next((block.line for block in blocks if isinstance(block, Entry)), line(verb))
    return Title(line=heading, basis=())
