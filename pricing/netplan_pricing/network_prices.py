"""Traffic and address prices of the catalogue, found by place or by region."""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cached_property

import msgspec
from msgspec.structs import replace

from netplan_planner.model import Price, PriceTier, Region, SkuId
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile, Table
from netplan_pricing.contract.terms import (
    COMPUTE_ENGINE,
    LIST_PRICES,
    EffectivePrice,
    Terms,
    alike,
    assumed,
    is_uneven,
)
from netplan_pricing.schema import GLOBAL, NetworkKind
from netplan_pricing.skus import dated

_DESCRIPTIONS = {
    NetworkKind.INTRAZONE: "data transfer inside a zone",
    NetworkKind.INTERZONE: "data transfer between zones of a region",
    NetworkKind.INTERREGION: "data transfer between regions",
    NetworkKind.INTERNET_PREMIUM: "internet data transfer, Premium tier",
    NetworkKind.INTERNET_STANDARD: "internet data transfer, Standard tier",
    NetworkKind.GOOGLE_SERVICES: "data transfer to Google services",
    NetworkKind.VPN_INTERNET: "internet data transfer through Cloud VPN",
    NetworkKind.VPN_INTERREGION: "data transfer between regions through Cloud VPN",
    NetworkKind.PEERING: "",
    NetworkKind.EXTERNAL_IP: "",
}


_TRANSFER = (
    NetworkKind.INTERZONE,
    NetworkKind.INTERREGION,
    NetworkKind.INTERNET_PREMIUM,
    NetworkKind.INTERNET_STANDARD,
)
"""What one contract discounts alike: data transfer of Compute Engine."""


class NetworkEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One price of the catalogue, with all its steps."""

    kind: NetworkKind
    source_place: str
    source_regions: tuple[str, ...]
    destination_place: str
    destination_regions: tuple[str, ...]
    rows: range

    @property
    def route(self) -> str:
        """Source and destination as the catalogue names them."""
        return " to ".join(filter(None, (self.source_place, self.destination_place)))


class NetworkPrices:
    """The network prices of a snapshot."""

    def __init__(self, file: SnapshotFile, terms: Terms = LIST_PRICES) -> None:
        self._file = file
        self._terms = terms
        self._kinds: dict[str, range] | None = None
        self._entries: dict[NetworkKind, tuple[NetworkEntry, ...]] = {}
        self._pairs: dict[NetworkKind, dict[tuple[str, str], NetworkEntry]] = {}
        self._areas: dict[NetworkKind, dict[str, dict[str, NetworkEntry]]] = {}
        self._by_source: dict[NetworkKind, dict[str, NetworkEntry]] = {}
        self._tiers: dict[tuple[int, str], tuple[PriceTier, ...]] = {}

    @property
    def _table(self) -> Table:
        return self._file.table(schema.NETWORK_PRICES)

    def entries(self, kind: NetworkKind) -> tuple[NetworkEntry, ...]:
        """Return every price of a kind, in order of source and destination."""
        found = self._entries.get(kind)
        if found is None:
            if self._kinds is None:
                self._kinds = self._table.ranges("kind")
            rows = self._kinds.get(kind, range(0))
            found = self._entries[kind] = tuple(self._read(kind, rows))
        return found

    def _read(self, kind: NetworkKind, rows: range) -> Iterator[NetworkEntry]:
        table = self._table
        columns = [table[name] for name in ("source_place", "source_regions", "destination_place")]
        columns.append(table["destination_regions"])
        start, key = rows.start, None
        for row in (*rows, None):
            here = None if row is None else tuple(column[row] for column in columns)
            if key is not None and here != key:
                yield NetworkEntry(
                    kind=kind,
                    source_place=key[0],
                    source_regions=tuple(key[1].split("|")),
                    destination_place=key[2],
                    destination_regions=tuple(filter(None, key[3].split("|"))),
                    rows=range(start, rows.stop if row is None else row),
                )
                start = rows.stop if row is None else row
            key = here

    def by_pair(self, kind: NetworkKind, src: str, dst: str) -> NetworkEntry | None:
        """Return the price from one region to another, or None."""
        index = self._pairs.get(kind)
        if index is None:
            index = self._pairs[kind] = {
                (first, last): entry
                for entry in self.entries(kind)
                for first in entry.source_regions
                for last in entry.destination_regions
                if first != last
            }
        return index.get((src, dst))

    def from_region(self, kind: NetworkKind, src: str) -> tuple[NetworkEntry, ...]:
        """Return the prices from a region to others, in order of the destination's place."""
        return tuple(
            entry
            for entry in self.entries(kind)
            if src in entry.source_regions and any(dst != src for dst in entry.destination_regions)
        )

    def by_area(self, kind: NetworkKind, src: str) -> dict[str, NetworkEntry]:
        """Return the prices from a region by destination area, in lower case."""
        index = self._areas.get(kind)
        if index is None:
            index = self._areas[kind] = {}
            for entry in self.entries(kind):
                for region in entry.source_regions:
                    areas = index.setdefault(region, {})
                    areas[entry.destination_place.casefold()] = entry
        return index.get(src, {})

    def by_source(self, kind: NetworkKind, src: str) -> NetworkEntry | None:
        """Return a region's own price, else the one of all regions, or None."""
        index = self._by_source.get(kind)
        if index is None:
            index = self._by_source[kind] = {
                region: entry for entry in self.entries(kind) for region in entry.source_regions
            }
        return index.get(src) or index.get(GLOBAL)

    def sku_id(self, entry: NetworkEntry) -> str:
        """Return the SKU id of a price, empty where the snapshot has none."""
        return self._table["sku_id"][entry.rows.start]

    def tiers(self, entry: NetworkEntry, region: str | None = None) -> tuple[PriceTier, ...]:
        """Return the steps of a price in rising order; none where the catalogue gives none."""
        key = (entry.rows.start, region or "")
        found = self._tiers.get(key)
        if found is None:
            listed = self._listed(entry, region)
            own, ratio = self._billed(entry), self._unreached(entry)
            found = self._tiers[key] = tuple(
                replace(step, price=assumed(step.price, ratio, "data transfer"))
                if step in listed and step.start not in own
                else step
                for step in self._terms.tiers(listed, COMPUTE_ENGINE)
            )
        return found

    def _unreached(self, entry: NetworkEntry) -> Decimal | None:
        """Return what is assumed of steps that the bill does not name; None: their list price.

        A SKU that the bill names has no discount of others: its own priced steps must share it.
        """
        own = self._billed(entry)
        has_it = any(step.usd for step in own.values()) or not own
        is_read = self.sku_id(entry) not in self._terms.at_list
        return self._alike if entry.kind in _TRANSFER and has_it and is_read else None

    def is_billed(self, entry: NetworkEntry) -> bool:
        """Return whether the customer's bill names it."""
        return self._terms.names(self.sku_id(entry))

    def _billed(self, entry: NetworkEntry) -> Mapping[Decimal, EffectivePrice]:
        """Return the steps that the bill names: a usage table those reached alone."""
        return self._terms.effective.get(self.sku_id(entry), {})

    @cached_property
    def _alike(self) -> Decimal | None:
        return alike(self._ratios())

    @cached_property
    def uneven(self) -> dict[str, str]:
        """The SKUs of data transfer, where the bill has no one discount of it; else none."""
        if not is_uneven(self._ratios()):
            return {}
        entries = (entry for kind in _TRANSFER for entry in self.entries(kind))
        return {sku: "data transfer" for entry in entries if (sku := self.sku_id(entry))}

    def _ratios(self) -> Iterator[tuple[str, Decimal]]:
        """Yield what the bill leaves of each step of data transfer that it names."""
        for kind in _TRANSFER:
            for entry in filter(self.is_billed, self.entries(kind)):
                listed = self._listed(entry, None)
                dear = [step for step in listed if step.price.usd]
                for paid in self._terms.tiers(listed, COMPUTE_ENGINE):
                    # The list's first GiB of some routes is free: a bill may begin with its next.
                    steps = [one for one in dear if one.start <= paid.start][-1:] or dear[:1]
                    is_paid = paid.price.usd or any(one.start <= paid.start for one in steps)
                    if paid.start in self._billed(entry) and steps and is_paid:
                        yield entry.route, paid.price.usd / steps[0].price.usd

    def _listed(self, entry: NetworkEntry, region: str | None) -> tuple[PriceTier, ...]:
        steps = (self._tier(entry, row, region) for row in entry.rows)
        return tuple(step for step in steps if step is not None)

    def _tier(self, entry: NetworkEntry, row: int, region: str | None) -> PriceTier | None:
        table = self._table
        start, usd = table["tier_start"].decimal(row), table["usd"].decimal(row)
        if start is None or usd is None:
            return None
        as_of = table["as_of"][row]
        sku_id = table["sku_id"][row]
        description = ", ".join(filter(None, (_DESCRIPTIONS[entry.kind], entry.route)))
        price = Price(
            usd=usd,
            unit=table["unit"][row],
            description=description,
            as_of=date.fromisoformat(as_of),
            source=dated(table["source"][row], as_of, sku_id),
            sku_id=SkuId(sku_id) if sku_id else None,
            region=Region(region) if region else None,
        )
        return PriceTier(start=start, price=price)


def first_paid(tiers: tuple[PriceTier, ...]) -> PriceTier | None:
    """Return the first step that costs anything, or None."""
    return next((tier for tier in tiers if tier.price.usd), None)


def unit_prices(tiers: tuple[PriceTier, ...]) -> tuple[tuple[Decimal, Decimal], ...]:
    """Return starts and prices alone, to compare two prices whatever their SKUs are."""
    return tuple((tier.start, tier.price.usd) for tier in tiers)
