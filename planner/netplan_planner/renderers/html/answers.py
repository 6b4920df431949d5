"""Answers that are blocks, each as a page of its own."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from netplan_planner.renderers import content
from netplan_planner.renderers.document import Block, Entry, Title, line, plain
from netplan_planner.renderers.html.outline import parts
from netplan_planner.renderers.html.page import page
from netplan_planner.renderers.html.pictures import Picture, pictures_of
from netplan_planner.renderers.options import RenderOptions

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


def render_blocks(title: Title, blocks: Iterable[Block], pictures: Sequence[Picture] = ()) -> str:
    """Return any answer that is made of blocks as a page, its pictures above them."""
    values = {"title": title, "name": plain(title.line), "parts": list(parts(blocks))}
    return page("answer.html.j2", {**values, "pictures": pictures})


def render_answer(answer: object, options: RenderOptions) -> str:
    """Return any answer but an audit's as a page, with its pictures."""
    blocks = list(content.blocks(answer, folding(options)))
    return render_blocks(_title(blocks), blocks, pictures_of(answer, options.currency))


def _title(blocks: list[Block]) -> Title:
    """Take the title out of the blocks; without one, the first heading names the page."""
    for at, block in enumerate(blocks):
        if isinstance(block, Title):
            del blocks[at]
            return block
    heading = next((block.line for block in blocks if isinstance(block, Entry)), line("netplan"))
    return Title(line=heading, basis=())
