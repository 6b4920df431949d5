"""How two price snapshots differ: counts by area, then a line a price."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model.price_snapshots import PriceChanges, PriceMove
from netplan_planner.renderers.content import Cell, DataTable
from netplan_planner.renderers.document import Block, Column, Item, Para, Table, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import plain_number

SCHEMA = "netplan.price-changes/1"
COLUMNS = ("area", "change", "where", "what", "step", "old_usd", "new_usd", "moved_percent")
_PERCENT = Decimal(100)
_LONG = 4000


def record(answer: PriceChanges) -> object:
    """Return a record a price, with the fields of the table."""
    cells = map(_cells, answer.changes)
    return {"changes": tuple(dict(zip(COLUMNS, one, strict=True)) for one in cells)}


def table(answer: PriceChanges) -> DataTable:
    """Return a row a price."""
    return DataTable(COLUMNS, map(_cells, answer.changes))


def _cells(one: PriceMove) -> tuple[Cell, ...]:
    moved = None if one.ratio is None else round(one.ratio * _PERCENT, 3)
    prices = (one.old_usd, one.new_usd, moved)
    return one.area, one.change, one.where, one.what, one.step, *prices


def blocks(answer: PriceChanges, options: RenderOptions) -> Iterator[Block]:
    """Yield the counts, then every price."""
    if not answer.changes:
        yield Para(line=line("no price differs"))
        return
    counts = tuple(
        (line(one.area), line(one.change), line(f"{one.count:,}")) for one in answer.counts
    )
    columns = (Column(title=""), Column(title=""), Column(title="", is_number=True))
    yield Table(columns=columns, rows=counts)
    for one in answer.changes:
        yield Item(line=line(say(_sentence(one), length=_LONG)))


def _sentence(one: PriceMove) -> str:
    moved = "" if one.ratio is None else f" ({one.ratio:+.1%})"
    step = f" from {one.step}" if one.step else ""
    prices = f"{_usd(one.old_usd)} → {_usd(one.new_usd)}"
    return f"{one.change:<9} {one.where}  {one.what}{step}: {prices}{moved}"


def _usd(value: Decimal | None) -> str:
    return "none" if value is None else plain_number(value)
