"""Other people's networks: rates and prices between places, from users' tables."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_planner.tables.columns import Column, ColumnKind
from netplan_planner.tables.reading import Table
from netplan_planner.verbs.transfer.answer import EdgePrice, GridEdge

_SRC = Column(name="src", meaning="where the bytes come from", is_required=True)
_DST = Column(name="dst", meaning="where they go", is_required=True)
GRID_COLUMNS = (
    _SRC,
    _DST,
    Column(
        name="gbps_per_vm",
        meaning="from one machine to one machine; 0: there is no way",
        unit="Gbit/s",
        kind=ColumnKind.NUMBER,
        least=0,
        most=1e5,
        is_required=True,
    ),
)
PRICE_COLUMNS = (
    _SRC,
    _DST,
    Column(
        name="usd_per_gib",
        meaning="of what is sent; 0: it is free",
        unit="USD per GiB",
        kind=ColumnKind.NUMBER,
        least=0,
        most=1e6,
        is_required=True,
    ),
)


def read_grid(path: Path) -> tuple[GridEdge, ...]:
    """Return what one machine sends to one machine, by places.

    Raises:
        InputError: If it is no table with the columns, or a row makes no sense; it is named.
    """
    return tuple(
        GridEdge(src=src, dst=dst, gbps_per_vm=value)
        for src, dst, value in _rows(path, GRID_COLUMNS)
    )


def read_edge_prices(path: Path) -> tuple[EdgePrice, ...]:
    """Return what a GiB costs between places.

    Raises:
        InputError: If it is no table with the columns, or a row makes no sense; it is named.
    """
    return tuple(
        EdgePrice(src=src, dst=dst, usd_per_gib=Decimal(repr(value)))
        for src, dst, value in _rows(path, PRICE_COLUMNS)
    )


def _rows(path: Path, columns: Sequence[Column]) -> Iterator[tuple[str, str, float]]:
    value = columns[-1].name
    with Table(path, columns) as table:
        numbers = table.checked_numbers()[value]
        if table.refused.count:
            raise InputError(f"{table.shown}: {'; '.join(table.refused.named)}")
        texts = [table.texts(name) for name in ("src", "dst")]
        shown, count = table.shown, table.row_count
    if not count:
        raise InputError(f"{shown}: it has no rows: a row is an edge from one place to another")
    seen: dict[tuple[str, str], int] = {}
    for at in range(count):
        src, dst = (found[which[at]] for found, which in texts)
        number = float(numbers[at])
        for column, is_empty in (("src", not src), ("dst", not dst), (value, math.isnan(number))):
            if is_empty:
                raise InputError(
                    f"{shown}: row {at + 1}: {column} is empty: unknown is not 0, so give it or"
                    " leave the row out"
                )
        if (src, dst) in seen:
            raise InputError(
                f"{shown}: rows {seen[src, dst]} and {at + 1} are both {src} to {dst}: keep one"
            )
        seen[src, dst] = at + 1
        if src != dst:
            yield src, dst, number
