"""How two price snapshots differ: counts by area, then a line a price."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import PriceChanges, PriceMove, Value, taken
from netplan_planner.renderers.content import DataTable, data_table
from netplan_planner.renderers.document import Block, Column, Item, Para, Table, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import plain_number

SCHEMA = "netplan.price-changes/1"


class ChangeRow(Value, frozen=True, kw_only=True):
    """One price in two snapshots; null where a snapshot has none."""

    area: str
    """`machine`, `rate`, `traffic` or `sku`."""
    change: str
    """`appeared`, `vanished` or `moved`."""
    where: str
    what: str
    step: str
    """Where the step of a tiered price begins, empty for the first."""
    old_usd: Decimal | None
    new_usd: Decimal | None
    moved_percent: Decimal | None


class Record(Value, frozen=True, kw_only=True):
    """How two snapshots differ."""

    changes: tuple[ChangeRow, ...]


_PERCENT = Decimal(100)
_LONG = 4000


def record(answer: PriceChanges) -> Record:
    """Return a record a price, with the fields of the table."""
    return Record(changes=tuple(map(_row, answer.changes)))


def table(answer: PriceChanges) -> DataTable:
    """Return a row a price."""
    return data_table(ChangeRow, map(_row, answer.changes))


def _row(one: PriceMove) -> ChangeRow:
    moved = None if one.ratio is None else round(one.ratio * _PERCENT, 3)
    return taken(ChangeRow, one, moved_percent=moved)


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
