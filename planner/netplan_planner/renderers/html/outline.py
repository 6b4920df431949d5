"""A flat list of blocks as the tree that HTML needs: sections, entries, lists, folded sources."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from netplan_planner.renderers import document as doc
from netplan_planner.renderers.document import Block, Line


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
    return Grid(columns=columns, rows=rows, head=_head(columns))


def _head(columns: Sequence[doc.Column]) -> int:
    """Return the first column with a title: one without numbers the rows, or says `alone`."""
    return next((index for index, column in enumerate(columns) if column.title), 0)


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
