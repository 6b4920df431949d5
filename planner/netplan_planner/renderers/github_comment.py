"""An answer as one Markdown comment of a pull request, to be updated in place.

The first line is a marker that says which comment it is: the same verb and title have the same.
The first sections stand open, the others are folded. What does not fit is counted at the end.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.renderers import content, markdown
from netplan_planner.renderers.document import Block, Entry, Section, Title, plain, without_options
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted

MOST_BYTES = 65_536
"""GitHub refuses a comment of more characters (its API: "Body is too long (maximum is 65536
characters)", github.com/danger/danger/issues/424); a byte each is the strictest count."""
_OPEN_LINES = 60
"""Of sections that stand open."""
_ROWS = 20
_VERBS = {"Report": "audit", "DiffAnswer": "diff"}
_ROOM_FOR_END = 200
_NOT_PLAIN = re.compile(r"[^\w ,.:;→]")


Lines = Callable[[Iterable[Block]], Iterable[str]]


class _Part(NamedTuple):
    """A piece that is shown whole or not at all."""

    heading: str
    """Of the section that it begins; empty: it goes on with the one before it."""
    lines: tuple[str, ...]


def render(answer: object, options: RenderOptions, lines_of: Lines = markdown.lines_of) -> str:
    """Return the comment with its marker, its blocks written by a host's own `lines_of`."""
    blocks = _blocks(answer, options)
    parts = list(_parts(blocks, lines_of))
    usual = replace(options, verbosity=0, explain=(), max_rows=None)
    if options != usual and sum(len("\n".join(one.lines).encode()) for one in parts) > MOST_BYTES:
        # All rows of one finding would take the place of all the others.
        return render(answer, usual, lines_of)
    title = next((plain(one.line) for one in blocks if isinstance(one, Title)), "")
    key = hashlib.sha256(title.encode("utf-8", "replace")).hexdigest()[:12]
    verb = _VERBS.get(type(answer).__name__, "answer")
    marker = f"<!-- netplan:{verb} {key} -->\n"
    text = _fitting(parts, MOST_BYTES - len(marker))
    return marker + text.replace("## ", f"## netplan {verb}: ", 1)


def body(answer: object, options: RenderOptions, most_bytes: int) -> str:
    """Return the same without a marker, in another number of bytes, with every finding."""
    blocks = _blocks(answer, replace(options, max_findings=0))
    return _fitting(_parts(blocks, markdown.lines_of), most_bytes)


def _blocks(answer: object, options: RenderOptions) -> list[Block]:
    rows = options.max_rows if options.max_rows == 0 else max(options.max_rows or 0, _ROWS)
    told = replace(
        options,
        max_rows=rows,
        default_findings=markdown.DEFAULT_FINDINGS,
        is_screen=False,
        finding="",
    )
    return list(without_options(content.blocks(answer, told)))


def _parts(blocks: list[Block], lines_of: Lines) -> Iterator[_Part]:
    """Yield the head, and each section by its entries."""
    heading, own = "", list[Block]()
    for block in blocks:
        if isinstance(block, Section | Entry):
            yield _Part(heading, tuple(lines_of(own)))
            heading, own = "", []
        if isinstance(block, Section):
            heading = plain(block.line)
        else:
            own.append(block)
    yield _Part(heading, tuple(lines_of(own)))


def _fitting(made: Iterable[_Part], most_bytes: int) -> str:
    """Return as many parts as fit, those of sections in folds."""
    lines, left, left_out = list[str](), most_bytes - _ROOM_FOR_END, 0
    is_folded = False
    parts = list(made)
    for at, part in enumerate(parts):
        new = ["", *part.lines] if lines and part.lines else list(part.lines)
        if part.heading:
            is_open = " open" if len(lines) + _length(parts[at:]) <= _OPEN_LINES else ""
            summary = f"<summary>{_html(part.heading)}</summary>"
            end = ["", "</details>", ""] if is_folded else [""]
            new = [*end, f"<details{is_open}>{summary}", *new]
        size = sum(len(one.encode()) + 1 for one in new)
        if left_out or size > left:
            left_out += 1
            continue
        is_folded = is_folded or bool(part.heading)
        left -= size
        lines += new
    if is_folded:
        lines += ["", "</details>"]
    if left_out:
        more = counted(left_out, "more part does", "more parts do")
        lines += ["", f"{more} not fit into a comment: `--output html:FILE` has all."]
    return "\n".join(lines) + "\n"


def _length(parts: Sequence[_Part]) -> int:
    """Return the lines of the section that the first of some parts begins."""
    own = takewhile(lambda part: not part.heading, parts[1:])
    return len(parts[0].lines) + sum(len(part.lines) + 1 for part in own)


def _html(text: str) -> str:
    """Return text for HTML in which nothing is a tag, mention or reference.

    >>> _html("VMs: 2 new"), _html("<b>@a")
    ('VMs: 2 new', '&#60;&#8203;b&#62;&#8203;&#64;&#8203;a')
    """
    return _NOT_PLAIN.sub(lambda found: f"&#{ord(found[0])};&#8203;", text)
