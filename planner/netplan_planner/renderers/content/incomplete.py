"""What a written file lacks, since some of the evidence could not be read."""

from collections.abc import Iterator, Sequence

from netplan_planner.renderers.document import Block, Item, Section, line
from netplan_planner.renderers.options import RenderOptions


def blocks(incomplete: Sequence[str], options: RenderOptions) -> Iterator[Block]:
    """Yield what could not be read in full; nothing where all was."""
    if not incomplete:
        return
    yield Section(line=line("What could not be read in full"))
    shown = incomplete[: options.row_limit]
    for what in shown:
        yield Item(line=line(what))
    if len(shown) < len(incomplete):
        yield Item(line=line(f"and {len(incomplete) - len(shown):,} more"))
