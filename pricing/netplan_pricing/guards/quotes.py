"""Every price of a snapshot in one shape, whatever table it stands in."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from netplan_pricing import schema
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.container import Table
from netplan_pricing.schema import NetworkKind

_NAMED_ONLY = frozenset({NetworkKind.PEERING.value, NetworkKind.EXTERNAL_IP.value})
_PLACE = re.compile(r"\b(?:in|from|at) .+$")
_HELD_AS_ABSENT = frozenset({"vm_component", "vm_whole", "gpu", "local_ssd", "commitment"})
LIST = "price list"
TIER1 = "tier1"


class Quoted(NamedTuple):
    """One step of one price."""

    kind: str
    """A component, a kind of traffic, a service: what is compared with its like."""
    place: str
    what: str
    """In words, for who reads a refusal."""
    usd: Decimal
    sku_id: str
    as_of: str
    family: tuple[str, ...]
    """The same in another place has the same family and step."""
    usage: str = ""
    """`on_demand`, `spot` and the like; empty where there is no choice."""
    step: Decimal = Decimal(0)

    @property
    def is_spot(self) -> bool:
        """Whether it moves within weeks."""
        return self.usage == "spot"

    @property
    def name(self) -> str:
        """By which a user can accept it: the SKU, else place and words."""
        return self.sku_id or f"{self.place} {self.what}".strip()


def quotes(book: SnapshotPriceBook) -> Iterator[Quoted]:
    """Yield every price of a snapshot; what a table holds as absent is none."""
    seen: set[str] = set()
    for table in (_rates, _traffic, _services, _tier1):
        for one in table(book):
            seen.add(one.sku_id)
            yield one
    yield from _others(book, seen)
    yield from _listed(book)


def _known(table: Table, column: str) -> Iterator[tuple[int, Decimal]]:
    """Yield the rows that have a price in a column, with it."""
    for row in range(table.row_count):
        usd = table[column].decimal(row)
        if usd is not None:
            yield row, usd


def _rates(book: SnapshotPriceBook) -> Iterator[Quoted]:
    table = book.file.table(schema.COMPONENT_PRICES)
    for row, usd in _known(table, "usd"):
        series, component, usage = (table[name][row] for name in ("series", "component", "usage"))
        yield Quoted(
            kind="gpu" if series == "gpu" else component,
            usage=usage,
            place=table["region"][row],
            what=f"{series} {component} {usage}",
            usd=usd,
            sku_id=table["sku_id"][row],
            as_of=table["as_of"][row],
            family=(series, component, usage),
        )


def _traffic(book: SnapshotPriceBook) -> Iterator[Quoted]:
    table = book.file.table(schema.NETWORK_PRICES)
    for row, usd in _known(table, "usd"):
        start = table["tier_start"].decimal(row)
        if start is None:
            continue
        kind, source = table["kind"][row], table["source_place"][row]
        destination = table["destination_place"][row]
        item = _PLACE.sub("", source).strip() if kind in _NAMED_ONLY else ""
        yield Quoted(
            kind=kind,
            place=table["source_regions"][row] if kind in _NAMED_ONLY else source,
            what=f"{kind.replace('_', ' ')} {source} to {destination}".removesuffix(" to ").strip(),
            step=start,
            usd=usd,
            sku_id=table["sku_id"][row],
            as_of=table["as_of"][row],
            family=(kind, item, destination),
        )


def _services(book: SnapshotPriceBook) -> Iterator[Quoted]:
    table = book.file.table(schema.SERVICE_PRICES)
    for row, usd in _known(table, "usd"):
        service, condition = table["service"][row], table["condition"][row]
        yield Quoted(
            kind=service,
            place=table["region"][row],
            what=f"{service.replace('_', ' ')} {condition}".strip(),
            step=table["tier_start"].decimal(row) or Decimal(0),
            usd=usd,
            sku_id=table["sku_id"][row],
            as_of=table["as_of"][row],
            family=(service, condition),
        )


def _tier1(book: SnapshotPriceBook) -> Iterator[Quoted]:
    """Yield the fees; one that the catalogue lists at 0 with 0, though nobody is quoted it."""
    table = book.file.table(schema.TIER1_FEES)
    for row in range(table.row_count):
        usage, size = table["usage"][row], table["size_gbps"][row]
        usd = table["usd"].decimal(row)
        if usd is None:
            place = book.skus.row(table["sku_id"][row])
            tiers = book.skus.entry_of(place).tiers if place is not None else ()
            if not tiers or any(tier.price.usd for tier in tiers):
                continue
            usd = Decimal(0)
        yield Quoted(
            kind=TIER1,
            usage=usage,
            place=table["region"][row],
            what=f"Tier_1 fee of {size or 'an unstated number of'} Gbit/s, {usage}",
            usd=usd,
            sku_id=table["sku_id"][row],
            as_of=table["as_of"][row],
            family=(TIER1, usage, size),
        )


def _others(book: SnapshotPriceBook, seen: set[str]) -> Iterator[Quoted]:
    """Yield the prices of SKUs that stand in no other table: of what is received, and the like."""
    table = book.file.table(schema.SKUS)
    ids = table["sku_id"]
    for row in range(table.row_count):
        if ids[row] not in seen:
            entry = book.skus.entry_of(row)
            # A part of a machine at 0 is no price: nobody is quoted it.
            is_paid = any(tier.price.usd for tier in entry.tiers)
            if is_paid or entry.kind not in _HELD_AS_ABSENT:
                for tier in entry.tiers:
                    yield Quoted(
                        kind=f"other {entry.kind}",
                        usage=entry.usage,
                        place="|".join(entry.regions),
                        what=f"{entry.sku_id} {entry.description}",
                        step=tier.start,
                        usd=tier.price.usd,
                        sku_id=entry.sku_id,
                        as_of=entry.as_of.isoformat(),
                        family=("sku", entry.sku_id),
                    )


def _listed(book: SnapshotPriceBook) -> Iterator[Quoted]:
    table = book.file.table(schema.LISTED_PRICES)
    for row in range(table.row_count):
        machine_type = table["machine_type"][row]
        for usage in ("on_demand", "spot", "cud_1y", "cud_3y"):
            usd = table[usage].decimal(row)
            if usd is not None:
                yield Quoted(
                    kind=LIST,
                    usage=usage,
                    place=table["region"][row],
                    what=f"{machine_type} {usage}",
                    usd=usd,
                    sku_id="",
                    as_of=table["as_of"][row],
                    family=(LIST, machine_type, usage),
                )
