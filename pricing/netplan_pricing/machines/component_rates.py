"""Rates of cores, memory, GPUs and local SSDs, per region and way of paying."""

from collections import defaultdict
from datetime import date
from decimal import Decimal
from functools import cached_property

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Price, Region, SkuId, Usage
from netplan_pricing import schema, texts
from netplan_pricing.container import SnapshotFile, Table
from netplan_pricing.contract.terms import (
    COMPUTE_ENGINE,
    LIST_PRICES,
    Terms,
    alike,
    assumed,
    is_uneven,
)
from netplan_pricing.skus import Skus, change_after
from netplan_pricing.texts import joined, quoted, row_note

USAGE_WORDS = {
    Usage.ON_DEMAND: "on_demand",
    Usage.SPOT: "spot",
    Usage.CUD_1Y: "cud_1y",
    Usage.CUD_3Y: "cud_3y",
}
"""How the tables call each way of paying; sustained use is a discount on machines."""
_PAID = {
    "on_demand": "on demand",
    "spot": "as Spot",
    "cud_1y": "under commitments of a year",
    "cud_3y": "under commitments of 3 years",
}
SUSPENDED_SERIES = "suspended"
"""Under which the memory of suspended machines stands: of all series, at one rate a region."""


class ComponentRates:
    """The component rates of a snapshot; a rate is known by its row."""

    def __init__(self, file: SnapshotFile, skus: Skus, terms: Terms = LIST_PRICES) -> None:
        self._file = file
        self._skus = skus
        self._terms = terms
        self._is_list = terms.is_list
        self._own: dict[int, Price] = {}
        self._rows: dict[str, dict[tuple[str, str, str], int]] = {}

    @cached_property
    def table(self) -> Table:
        """The table itself."""
        return self._file.table(schema.COMPONENT_PRICES)

    @cached_property
    def _ranges(self) -> dict[str, range]:
        return self.table.ranges("region")

    @cached_property
    def _usd(self) -> list[Decimal | None]:
        """The number of each distinct value of the price column."""
        return [Decimal(text) if text else None for text in self.table["usd"].values]

    @cached_property
    def series_with_own_ssd(self) -> frozenset[str]:
        """The series whose local SSD has rates of its own somewhere: the generic is not theirs."""
        table = self.table
        series, components = table["series"], table["component"]
        return frozenset(
            series[row] for row in range(table.row_count) if components[row] == "local_ssd"
        )

    def rows_of(self, region: str) -> dict[tuple[str, str, str], int]:
        """Return the rows of a region by series, component and usage."""
        rows = self._rows.get(region)
        if rows is None:
            table = self.table
            series, components, usages = table["series"], table["component"], table["usage"]
            rows = self._rows[region] = {
                (series[row], components[row], usages[row]): row
                for row in self._ranges.get(region, range(0))
            }
        return rows

    def usd(self, row: int) -> Decimal | None:
        """Return the rate of a row; None where the catalogue lists it at 0, or without a price."""
        usd = self._usd[self.table["usd"].codes[row]]
        if usd is None or self._is_list:
            return usd
        return self._paid(row, usd).usd

    def _paid(self, row: int, usd: Decimal) -> Price:
        """Return what the customer pays instead of a row's list price."""
        found = self._own.get(row)
        if found is None:
            as_of = self.table["as_of"][row]
            price = Price(
                usd=usd,
                unit=self.table["unit"][row],
                description="",
                as_of=date.fromisoformat(as_of),
                source=self.table["source"][row],
                sku_id=self.sku_id(row),
            )
            found = self._terms.applied(price, COMPUTE_ENGINE)
            if found == price and not self._terms.names(price.sku_id):
                kind = self._kind(row)
                found = assumed(price, self._alike.get(kind), f"{kind[0]} {_PAID[kind[1]]}")
            self._own[row] = found
        return found

    def _kind(self, row: int) -> tuple[str, str]:
        """Return what one contract discounts alike: a component, and how it is paid."""
        series, component = self.table["series"][row], self.table["component"][row]
        is_ssd = component.endswith("local_ssd")
        what = "GPUs" if series == "gpu" else "Local SSDs" if is_ssd else "vCPUs and memory"
        return what, self.table["usage"][row]

    @cached_property
    def _alike(self) -> dict[tuple[str, str], Decimal | None]:
        """What the bill leaves of the list prices of each kind, where it is one ratio."""
        return {kind: alike(found) for kind, found in self._ratios.items()}

    @cached_property
    def uneven(self) -> dict[str, str]:
        """The kinds by SKU of which the bill has no one discount: not all is comparable."""
        kinds = {kind for kind, found in self._ratios.items() if is_uneven(found)}
        rows = range(self.table.row_count) if kinds else range(0)
        of_row = ((self.table["sku_id"][row], self._kind(row)) for row in rows)
        return {sku: " ".join(kind) for sku, kind in of_row if sku and kind in kinds}

    @cached_property
    def _ratios(self) -> dict[tuple[str, str], list[tuple[str, Decimal]]]:
        """What the bill leaves of each list price, by kind, with its SKU.

        vCPUs and memory are two: one series may be all of the bill, and its discount all there is.
        """
        ratios: dict[tuple[str, str], list[tuple[str, Decimal]]] = defaultdict(list)
        for row in range(self.table.row_count):
            usd = self._usd[self.table["usd"].codes[row]]
            sku_id = self.table["sku_id"][row]
            if usd and sku_id in self._terms.effective:
                ratios[self._kind(row)].append((sku_id, self._paid(row, usd).usd / usd))
        return dict(ratios)

    def as_of(self, row: int) -> str:
        """Return the date of a row's price."""
        usd = self._usd[self.table["usd"].codes[row]]
        if usd is None or self._is_list:
            return self.table["as_of"][row]
        return self._paid(row, usd).as_of.isoformat()

    def source(self, row: int) -> str:
        """Return where a row's price is from."""
        usd = self._usd[self.table["usd"].codes[row]]
        if usd is None or self._is_list:
            sku_id, as_of = self.table["sku_id"][row], self.table["as_of"][row]
            return joined(self.table["source"][row], change_after(sku_id, as_of))
        return self._paid(row, usd).source

    def note(self, row: int) -> str:
        """Return what there is to say about a row's price."""
        usd = self._usd[self.table["usd"].codes[row]]
        note = row_note(self.table["note"][row])
        if usd is None or self._is_list:
            return note
        return joined(self._paid(row, usd).note, note)

    def sku_id(self, row: int) -> SkuId | None:
        """Return the SKU of a row, None where its source names none."""
        text = self.table["sku_id"][row]
        return SkuId(text) if text else None

    def description(self, row: int) -> str:
        """Return what the catalogue calls the SKU of a row, else what the row is for."""
        table = self.table
        sku_id = table["sku_id"][row]
        own = f"{table['series'][row]} {table['component'][row]}, {table['usage'][row]}"
        return (self._skus.description(sku_id) if sku_id else "") or own

    def price(self, region: str, series: str, component: str, usage: Usage) -> Price:
        """Return the rate of one component of a series, per the unit that it states.

        Args:
            region: The region, open or not.
            series: A machine series, `gpu` for GPUs, or `pd-local` for the generic local SSD.
            component: Such as `core`, `ram`, `custom_core`, `extended_ram`, `local_ssd`,
                `upgrade_core`, or the name of a GPU.
            usage: Any but `SUSTAINED_USE`, which is a discount on machines.

        Raises:
            MissingDatum: If there is no such rate, or the catalogue lists it at 0.
        """
        row = self.rows_of(region).get((series, component, USAGE_WORDS.get(usage, "")))
        usd = None if row is None else self.usd(row)
        if row is None or usd is None:
            why = "" if row is None else f" ({row_note(self.table['note'][row])})"
            raise MissingDatum(
                f"no {usage.value} rate for {quoted(component)} of {quoted(series)} in"
                f" {quoted(region)} is known{why}"
            )
        as_of = self.as_of(row)
        return Price(
            usd=usd,
            unit=self.table["unit"][row],
            description=self.description(row),
            as_of=date.fromisoformat(as_of),
            source=f"{self.source(row)}, {as_of}",
            sku_id=self.sku_id(row),
            region=Region(region),
            note=joined(texts.USAGE_NOTES[usage], self.note(row)),
        )
