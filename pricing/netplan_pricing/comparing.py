"""How two snapshots differ: prices that appeared, vanished, or moved."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum

from netplan_planner.model import PriceMove
from netplan_pricing import schema
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.machines.component_rates import USAGE_WORDS
from netplan_pricing.schema import NetworkKind


class Change(StrEnum):
    """What happened to a price."""

    APPEARED = "appeared"
    VANISHED = "vanished"
    MOVED = "moved"


class Area(StrEnum):
    """What kind of price it is."""

    MACHINE = "machine"
    RATE = "rate"
    TRAFFIC = "traffic"
    SKU = "sku"


def compare(
    old: SnapshotPriceBook, new: SnapshotPriceBook, *, least_ratio: Decimal
) -> Iterator[PriceMove]:
    """Yield every price that appeared, vanished, or moved by more than `least_ratio`.

    Machines are compared where their region offers them, by region, type and usage; rates of cores,
    memory and the like by region, series, component and usage; traffic by kind and ends; and the
    SKUs by id, for what stands in none of them.
    """
    before, after = dict(_prices(old)), dict(_prices(new))
    for key in sorted({*before, *after}):
        found = _change(key, before, after, least_ratio)
        if found is not None:
            yield found


def _change(
    key: tuple[Area, str, str, str],
    before: Mapping[tuple[Area, str, str, str], Decimal],
    after: Mapping[tuple[Area, str, str, str], Decimal],
    least_ratio: Decimal,
) -> PriceMove | None:
    area, where, what, step = key
    old_usd, new_usd = before.get(key), after.get(key)
    if old_usd is None:
        change = Change.APPEARED
    elif new_usd is None:
        change = Change.VANISHED
    elif old_usd == new_usd or abs(new_usd - old_usd) <= least_ratio * old_usd:
        return None
    else:
        change = Change.MOVED
    ratio = (new_usd - old_usd) / old_usd if old_usd and new_usd is not None else None
    return PriceMove(
        area=area.value,
        change=change.value,
        where=where,
        what=what,
        step=step,
        old_usd=old_usd,
        new_usd=new_usd,
        ratio=ratio,
    )


def _prices(book: SnapshotPriceBook) -> Iterator[tuple[tuple[Area, str, str, str], Decimal]]:
    yield from _machines(book)
    yield from _rates(book)
    yield from _traffic(book)
    for row in range(len(book.skus)):
        entry = book.skus.entry_of(row)
        for tier in entry.tiers:
            step = f"{tier.start:f}" if tier.start else ""
            where = "|".join(entry.regions)
            yield (Area.SKU, where, f"{entry.sku_id} {entry.description}", step), tier.price.usd


def _machines(book: SnapshotPriceBook) -> Iterator[tuple[tuple[Area, str, str, str], Decimal]]:
    for region in book.regions():
        names = [shape.machine_type for shape in book.offered(region)]
        for found in book.machine_batch((region, name) for name in names):
            prices = (
                found.on_demand_usd_per_hour,
                found.spot_usd_per_hour,
                found.cud_1y_usd_per_hour,
                found.cud_3y_usd_per_hour,
            )
            for usage, usd in zip(USAGE_WORDS, prices, strict=True):
                if usd is not None:
                    what = f"{found.machine_type} {usage.value}"
                    yield (Area.MACHINE, region, what, ""), usd


def _rates(book: SnapshotPriceBook) -> Iterator[tuple[tuple[Area, str, str, str], Decimal]]:
    table = book.file.table(schema.COMPONENT_PRICES)
    for row in range(table.row_count):
        usd = table["usd"].decimal(row)
        if usd is not None:
            what = f"{table['series'][row]} {table['component'][row]} {table['usage'][row]}"
            yield (Area.RATE, table["region"][row], what, ""), usd


def _traffic(book: SnapshotPriceBook) -> Iterator[tuple[tuple[Area, str, str, str], Decimal]]:
    for kind in NetworkKind:
        for entry in book.network.entries(kind):
            what = f"{kind.value} {entry.route}".strip()
            for tier in book.network.tiers(entry):
                step = f"{tier.start:f}" if tier.start else ""
                yield (Area.TRAFFIC, "|".join(entry.source_regions), what, step), tier.price.usd
