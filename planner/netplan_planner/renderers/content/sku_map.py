"""What the SKUs of a catalogue are: a row a SKU, and beside it those that are not understood."""

from collections.abc import Iterator

from netplan_planner.model import SkuMap
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.content.phrases import first_of
from netplan_planner.renderers.document import Block, Column, Para, Table, line, say
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.sku-map/1"
COLUMNS = (
    *("sku_id", "kind", "series", "component", "usage", "counts_in_plain_vm_price"),
    "reason",
)
_TITLES = ("SKU", "kind", "series", "component", "usage", "in plain VM price", "reason")


def table(answer: SkuMap) -> DataTable:
    """Return a row a SKU."""
    rows = (
        (
            *(one.sku_id, one.kind, one.series, one.component, one.usage),
            *(one.counts_in_plain_vm_price, one.reason),
        )
        for one in answer.skus
    )
    return DataTable(COLUMNS, rows)


def blocks(answer: SkuMap, options: RenderOptions) -> Iterator[Block]:
    """Yield the counts and the whole table."""
    yield Para(line=line(_counts(answer)))
    last = len(_TITLES) - 1
    columns = tuple(
        Column(title=title, is_note=at == last, stacked=f"{title} {{}}")
        for at, title in enumerate(_TITLES)
    )
    rows = tuple(
        tuple(
            line(say(text))
            for text in (
                *(one.sku_id, one.kind, one.series, one.component, one.usage),
                *("yes" if one.counts_in_plain_vm_price else "no", one.reason),
            )
        )
        for one in answer.skus
    )
    yield Table(columns=columns, rows=rows)


def asides(answer: SkuMap) -> Iterator[str]:
    """Yield how many SKUs are of which use, and those that are not recognised."""
    yield _counts(answer)
    yield from first_of(answer.unrecognised, "unrecognised SKUs")
    for name in answer.unfinished:
        yield f"  {name}: its last page names a next one: more SKUs exist"


def _counts(answer: SkuMap) -> str:
    return (
        f"{len(answer.skus):,} SKUs: {answer.priced_count:,} of kinds that netplan prices,"
        f" {answer.other_count:,} of others, {len(answer.unrecognised):,} not recognised"
    )
