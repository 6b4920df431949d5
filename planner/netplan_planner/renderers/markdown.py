"""An answer in GitHub-flavoured Markdown, for a pull request or an architecture review.

The content and its order are the terminal's. Everything that comes from the input does nothing:
names stand in code spans; in other text markup, HTML, links, mentions, issue numbers, emoji codes
and formulas are broken.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec.structs import replace

from netplan_planner.renderers import content
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.document import Block, Line, Role, Span
from netplan_planner.renderers.options import RenderOptions

DEFAULT_FINDINGS = 25
"""So that a report of the usual size fits into a comment (65,536 characters)."""
_BREAK = "&#8203;"
"""An invisible space: GitHub looks for mentions and numbers after Markdown is done, so that no
escape of Markdown stops them."""
_MARKUP = re.compile(r"[\\`*_{}\[\]~|]")
_MENTION = re.compile(r"([@#])(?=\w)")
_ISSUE = re.compile(r"\b(GH)(?=-\d)", re.IGNORECASE)
_ADDRESS = re.compile(r":(?=//)|(?<=\bwww)\.|(?<=\bmailto):|(?<=\bxmpp):", re.IGNORECASE)
_EMOJI = re.compile(r":(?=[a-z0-9_+\-]+:)", re.IGNORECASE)
_MATHS = re.compile(r"\$(?!\d)")
_LINE_START = re.compile(r"^(?:([-+=#])|(\d+)([.)])(?=\s|$))")
_NUMBERED = re.compile(r"\d+\. ")
_STRONG = {Role.STRONG, Role.GOOD, Role.BAD, Role.HIGH, Role.MEDIUM, Role.LOW}


def render(answer: object, options: RenderOptions) -> str:
    """Return an answer as Markdown."""
    told = replace(
        options,
        default_findings=DEFAULT_FINDINGS,
        has_every_machine=True,
        is_screen=False,
        finding="",
    )
    return "\n".join(lines_of(content.blocks(answer, told))) + "\n"


def escaped(text: str) -> str:
    r"""Return text that Markdown and GitHub show as it is.

    >>> escaped("[x](http://a) @me #1 <b>")
    '\\[x\\](http&#58;//a) @&#8203;me #&#8203;1 &lt;b&gt;'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _MENTION.sub(rf"\1{_BREAK}", text)
    text = _MARKUP.sub(r"\\\g<0>", text)
    text = _ADDRESS.sub(lambda match: f"&#{ord(match.group())};", text)
    text = _EMOJI.sub("&#58;", text)
    text = _MATHS.sub("&#36;", text)
    return _ISSUE.sub(rf"\1{_BREAK}", text)


def code(text: str, *, in_table: bool = False) -> str:
    """Return text as a code span, whatever backticks it holds.

    >>> code("vm-1"), code("a`b"), code("")
    ('`vm-1`', '`` a`b ``', '')
    """
    if not text.strip():
        return ""
    fence = "`" * (_longest_run(text) + 1)
    space = " " if text[0] in "` " or text[-1] in "` " or len(fence) > 1 else ""
    span = f"{fence}{space}{text}{space}{fence}"
    return span.replace("|", r"\|") if in_table else span


def lines_of(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield lines; fields that follow each other are one list, commands one code block."""
    is_first = True
    for kind, group in groupby(blocks, type):
        if kind in {doc.Field, doc.Item}:
            chunks = [[text for block in group for text in _block(block)]]
        elif kind is doc.Command:
            chunks = [_commands([block.text for block in group if isinstance(block, doc.Command)])]
        else:
            chunks = [list(_block(block)) for block in group]
        for chunk in chunks:
            if not is_first:
                yield ""
            yield from chunk
            is_first = False


def _commands(texts: list[str]) -> list[str]:
    """Return commands as a code block that none of them can end."""
    fence = "`" * max(3, *(_longest_run(text) + 1 for text in texts))
    return [f"{fence}sh", *texts, fence]


def _block(block: Block) -> Iterator[str]:
    match block:
        case doc.Title():
            yield f"## {_inline(block.line)}"
            yield ""
            yield _start(_inline(block.basis))
        case doc.Section():
            yield f"### {_inline(block.line)}"
        case doc.Entry():
            yield f"#### {_inline(block.line)}"
        case doc.Para():
            yield _start(_inline(block.line))
        case doc.Item():
            text = _inline(block.line)
            yield text if _NUMBERED.match(text) else f"- {_start(text)}"
        case doc.Field():
            yield f"- **{block.label}** {_inline(block.line)}".rstrip()
            for more in block.more:
                yield f"  - {_start(_inline(more))}"
        case doc.Command():
            yield from _commands([block.text])
        case doc.Table():
            yield from _table(block)


def _table(table: doc.Table) -> Iterator[str]:
    all_of = range(len(table.columns))
    used = [i for i in all_of if any(doc.plain(row[i]).strip() for row in table.rows)]
    columns = [table.columns[i] for i in used]
    if not any(column.title for column in columns):
        # A table of Markdown begins with its titles: without any, with an empty row.
        for row in table.rows:
            first, *rest = (_inline(row[i]) for i in used)
            yield f"- {_start(first)}: {' · '.join(filter(None, rest))}"
        return
    yield _row(escaped(column.title) for column in columns)
    yield _row("---:" if column.is_number else "---" for column in columns)
    for row in table.rows:
        yield _row(_inline(row[i], in_table=True) for i in used)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _inline(line: Line, *, in_table: bool = False) -> str:
    return "".join(_span(span, in_table=in_table) for span in line).strip()


def _span(span: Span, *, in_table: bool) -> str:
    if span.role in {Role.NAME, Role.PLACE}:
        return code(span.text, in_table=in_table)
    text = escaped(span.text)
    inner = text.strip()
    if span.role not in _STRONG or not inner:
        return text
    start = text.index(inner)
    return f"{text[:start]}**{inner}**{text[start + len(inner) :]}"


def _start(text: str) -> str:
    """Return a line that begins no list, heading or rule."""
    return _LINE_START.sub(_escaped_start, text)


def _escaped_start(match: re.Match[str]) -> str:
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
