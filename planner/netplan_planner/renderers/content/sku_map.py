"""What the SKUs of a catalogue are: a row a SKU, and beside it those that are not understood."""

from collections.abc import Iterator

from netplan_planner.model import SkuMap, SkuMeaning
from netplan_planner.renderers.content import Cell, DataTable, data_table
from netplan_planner.renderers.content.phrases import first_of
from netplan_planner.renderers.document import Block, Column, Para, Table, line, say
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.sku-map/1"
_TITLES = ("SKU", "kind", "series", "component", "usage", "in plain VM price", "reason")


def table(answer: SkuMap) -> DataTable:
    """Return a row a SKU."""
    return data_table(SkuMeaning, answer.skus)


def blocks(answer: SkuMap, options: RenderOptions) -> Iterator[Block]:
    """Yield the counts and the whole table."""
    yield Para(line=line(_counts(answer)))
    last = len(_TITLES) - 1
    columns = tuple(
        Column(title=title, is_note=at == last, stacked=f"{title} {{}}")
        for at, title in enumerate(_TITLES)
    )
    rows = tuple(tuple(line(say(_in_words(cell))) for cell in row) for row in table(answer).rows)
    yield Table(columns=columns, rows=rows)


def _in_words(cell: Cell) -> str:
    return {True: "yes", False: "no"}[cell] if isinstance(cell, bool) else str(cell)


def asides(answer: SkuMap) -> Iterator[str]:
    """Yield how many SKUs are of which use, and those that are not recognised."""
    yield _counts(answer)
    yield from first_of(answer.unrecognised, "unrecognised SKUs")
    for name in answer.unfinished:
        yield f"  {name}: incomplete: its last page names another page"


def _counts(answer: SkuMap) -> str:
    return (
        f"{len(answer.skus):,} SKUs: {answer.priced_count:,} of kinds that netplan prices,"
        f" {answer.other_count:,} of others, {len(answer.unrecognised):,} not recognised"
    )
