"""Answers that are blocks, each as a page of its own."""

from collections.abc import Iterable

from msgspec.structs import replace

from netplan_planner.model import MachinePlan, Recommendation
from netplan_planner.renderers import content
from netplan_planner.renderers.document import Block, Entry, Title, line, plain
from netplan_planner.renderers.html.charts.front import Front, front
from netplan_planner.renderers.html.outline import parts
from netplan_planner.renderers.html.page import page
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


def render_blocks(title: Title, blocks: Iterable[Block], figures: tuple[Front, ...] = ()) -> str:
    """Return any answer that is made of blocks as a page, its pictures above them."""
    values = {"title": title, "name": plain(title.line), "parts": list(parts(blocks))}
    return page("answer.html.j2", {**values, "fronts": figures})


def render_answer(answer: object, options: RenderOptions) -> str:
    """Return any answer but an audit's as a page; of a recommendation with its Pareto front."""
    blocks = list(content.blocks(answer, folding(options)))
    pictures: tuple[Front, ...] = ()
    if isinstance(answer, Recommendation) and isinstance(answer.plan, MachinePlan):
        picture = front(answer.plan, options.currency)
        pictures = (picture,) if picture else ()
    return render_blocks(_title(blocks), blocks, pictures)


def _title(blocks: list[Block]) -> Title:
    """Take the title out of the blocks; without one, the first heading names the page."""
    for at, block in enumerate(blocks):
        if isinstance(block, Title):
            del blocks[at]
            return block
    heading = next((block.line for block in blocks if isinstance(block, Entry)), line("netplan"))
    return Title(line=heading, basis=())
