"""Prices of machines per hour: predefined types as listed, custom types from component rates."""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from functools import cached_property

import msgspec

from netplan_planner.errors import MissingDatum
from netplan_planner.model import MachineShape, Price, Region, SkuId, Usage, why_no_shape
from netplan_pricing import schema, texts
from netplan_pricing.container import Column, SnapshotFile, Table
from netplan_pricing.custom_types import RATE_USAGES, CustomType, CustomTypes, Part, parse_custom
from netplan_pricing.machine_types import MachineTypes
from netplan_pricing.sustained_use import SustainedUse
from netplan_pricing.texts import joined, nearest, quoted, row_note

_COLUMN_BY_USAGE = {
    Usage.ON_DEMAND: "on_demand",
    Usage.SPOT: "spot",
    Usage.CUD_1Y: "cud_1y",
    Usage.CUD_3Y: "cud_3y",
    Usage.SUSTAINED_USE: "sustained_use",
}
_NO_DISCOUNT = "the series has no sustained-use discount: the on-demand price"


class ListedMachine(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the price list, whether the region offers the type or not; None: not listed."""

    region: str
    machine_type: str
    is_offered: bool
    on_demand_usd_per_hour: Decimal | None
    spot_usd_per_hour: Decimal | None
    cud_1y_usd_per_hour: Decimal | None
    cud_3y_usd_per_hour: Decimal | None
    sustained_use_usd_per_hour: Decimal | None
    """Of a full month, where the series has the discount."""
    as_of: date | None
    note: str
    reason: str = ""
    """Why there is no price, empty where there is one."""


class MachinePrices:
    """The machine prices of a snapshot."""

    def __init__(self, file: SnapshotFile, types: MachineTypes) -> None:
        self._file = file
        self._types = types
        self._custom = CustomTypes(file, types)
        self._sustained = SustainedUse(file)
        self._ranges: dict[str, range] | None = None
        self._rows: dict[str, dict[str, int]] = {}
        self._rates: dict[str, dict[tuple[str, str, str], int]] = {}

    @cached_property
    def _prices(self) -> Table:
        return self._file.table(schema.MACHINE_PRICES)

    @cached_property
    def _usage_columns(self) -> list[Column]:
        """The price columns in order of `_COLUMN_BY_USAGE`."""
        return [self._prices[column] for column in _COLUMN_BY_USAGE.values()]

    @cached_property
    def _components(self) -> Table:
        return self._file.table(schema.COMPONENT_PRICES)

    def _row(self, region: str, machine_type: str) -> int | None:
        """Return the row of a region's type; a region is indexed when it is first asked for."""
        rows = self._rows.get(region)
        if rows is None:
            if self._ranges is None:
                self._ranges = self._prices.ranges("region")
            names = self._prices["machine_type"]
            found = self._ranges.get(region)
            if found is None:
                return None
            rows = self._rows[region] = {names[row]: row for row in found}
        return rows.get(machine_type)

    def price(self, region: str, machine_type: str, usage: Usage) -> Price:
        """Return a machine's price per hour.

        Raises:
            MissingDatum: If region or type is unknown, not offered, or has no such price.
        """
        self._types.require_region(region)
        custom = parse_custom(machine_type)
        if custom is not None:
            return self._custom_price(region, custom, usage)
        row = self._row(region, machine_type)
        if row is None or not self._types.is_offered(region, machine_type):
            raise MissingDatum(self._absence(region, machine_type, is_priced=row is not None))
        return self._listed_price(row, region, machine_type, usage)

    def _absence(self, region: str, machine_type: str, *, is_priced: bool) -> str:
        """Return which of the reasons it is: unknown, not offered, or not priced."""
        if self._types.is_offered(region, machine_type):
            return (
                f"{machine_type} is offered in {region}, but no price for it is known"
                f" (prices of {self._file.header.as_of})"
            )
        as_of = f"(machine types of {self._types.as_of})"
        if is_priced:
            return f"{machine_type} has a list price in {region}, but is not offered there {as_of}"
        if machine_type in self._types.shapes:
            return f"{machine_type} is neither offered nor priced in {region} {as_of}"
        hint = why_no_shape(machine_type) or nearest(machine_type, self._types.shapes)
        return f"no machine type {quoted(machine_type)} is known{hint} {as_of}"

    def _listed_price(self, row: int, region: str, machine_type: str, usage: Usage) -> Price:
        prices = self._prices
        codes = prices["note"][row]
        note = texts.USAGE_NOTES[usage]
        usd = prices[_COLUMN_BY_USAGE[usage]].decimal(row)
        if usd is None and usage is Usage.SUSTAINED_USE and self._has_no_discount(machine_type):
            usd, note = prices["on_demand"].decimal(row), _NO_DISCOUNT
        if usd is None:
            raise MissingDatum(_no_usage(machine_type, region, usage, codes, prices["as_of"][row]))
        as_of = prices["as_of"][row]
        return Price(
            usd=usd,
            unit="hour",
            description=f"{machine_type}, {usage.value}",
            as_of=date.fromisoformat(as_of),
            source=f"{prices['source'][row]}, {as_of}",
            region=Region(region),
            note=joined(note, row_note(codes)) if codes else note,
        )

    def _has_no_discount(self, machine_type: str) -> bool:
        return self._sustained.full_month_ratio(machine_type) == 1

    def listed(self, region: str, machine_type: str) -> ListedMachine:
        """Return all prices of a type; never raises, `reason` says why there are none."""
        row = self._row(region, machine_type)
        if row is None and (custom := parse_custom(machine_type)) is not None:
            return self._listed_custom(region, custom)
        is_offered = self._types.is_offered(region, machine_type)
        reason = ""
        if row is None or not is_offered:
            reason = self._short_absence(region, machine_type, is_priced=row is not None)
        values = [None if row is None else one.decimal(row) for one in self._usage_columns]
        return ListedMachine(
            region=region,
            machine_type=machine_type,
            is_offered=is_offered,
            on_demand_usd_per_hour=values[0],
            spot_usd_per_hour=values[1],
            cud_1y_usd_per_hour=values[2],
            cud_3y_usd_per_hour=values[3],
            sustained_use_usd_per_hour=values[4],
            as_of=None if row is None else date.fromisoformat(self._prices["as_of"][row]),
            note="" if row is None else row_note(self._prices["note"][row]),
            reason=reason,
        )

    def _listed_custom(self, region: str, custom: CustomType) -> ListedMachine:
        """Return the prices of a custom type, summed from the rates that are known."""
        found: dict[Usage, Price] = {}
        reason = ""
        for usage in Usage:
            try:
                found[usage] = self.price(region, custom.name, usage)
            except MissingDatum as error:
                reason = reason or str(error)
        month = found.get(Usage.SUSTAINED_USE)
        if month is not None and month.usd == found[Usage.ON_DEMAND].usd:
            month = None  # as in the list: no figure where there is no discount
        usd = {usage: price.usd for usage, price in found.items()}
        on_demand = found.get(Usage.ON_DEMAND)
        return ListedMachine(
            region=region,
            machine_type=custom.name,
            is_offered=self.can_be_custom(region, custom),
            on_demand_usd_per_hour=usd.get(Usage.ON_DEMAND),
            spot_usd_per_hour=usd.get(Usage.SPOT),
            cud_1y_usd_per_hour=None,
            cud_3y_usd_per_hour=None,
            sustained_use_usd_per_hour=None if month is None else month.usd,
            as_of=None if on_demand is None else on_demand.as_of,
            note="" if on_demand is None else on_demand.note,
            reason="" if on_demand is not None else reason,
        )

    def _short_absence(self, region: str, machine_type: str, *, is_priced: bool) -> str:
        """Return the reason without looking for like names, for tables of many rows."""
        if not self._types.has_region(region):
            return "unknown region"
        if is_priced:
            return "priced but not offered in this region"
        if self._types.is_offered(region, machine_type):
            return "offered in this region but no price is known"
        known = machine_type in self._types.shapes
        return "neither offered nor priced in this region" if known else "unknown machine type"

    def batch(self, pairs: Iterable[tuple[str, str]]) -> Iterator[ListedMachine]:
        """Yield `listed` for pairs of region and machine type, in their order."""
        for region, machine_type in pairs:
            yield self.listed(region, machine_type)

    def can_be_custom(self, region: str, custom: CustomType) -> bool:
        """Return whether the region offers the series and has rates for custom types of it."""
        return (
            self._types.has_region(region)
            and custom.series in self._types.series_offered(region)
            and (custom.series, "custom_core", "on_demand") in self._rates_of(region)
        )

    def custom_shape(self, custom: CustomType) -> MachineShape | None:
        """Return the shape of a custom type, or None where its series is unknown."""
        return self._custom.shape(custom)

    def _custom_price(self, region: str, custom: CustomType, usage: Usage) -> Price:
        if custom.series not in self._types.series_offered(region):
            raise MissingDatum(
                f"series {custom.series} is not offered in {region}, nor is {custom.name}"
                f" (machine types of {self._types.as_of})"
            )
        if usage is Usage.SUSTAINED_USE:
            return self._custom_month(region, custom)
        if usage not in RATE_USAGES:
            raise MissingDatum(
                f"no {usage.value} price for {custom.name}: commitments for custom types carry a"
                " premium that this snapshot does not hold"
            )
        lines = [self._rate(region, custom, part, usage) for part in self._custom.parts(custom)]
        usd = sum((part.quantity * rate for part, rate, _ in lines), Decimal(0))
        rows = [row for _, _, row in lines]
        formula = " + ".join(
            f"{part.quantity} × {part.component} {rate}" for part, rate, _ in lines
        )
        notes = dict.fromkeys(row_note(self._components["note"][row]) for row in rows)
        # The sum is as old as its oldest part.
        as_of = min(self._components["as_of"][row] for row in rows)
        sources = dict.fromkeys(self._components["source"][row] for row in rows)
        return Price(
            usd=usd,
            unit="hour",
            description=f"{custom.name}, {usage.value}: {formula}",
            as_of=date.fromisoformat(as_of),
            source=f"{'; '.join(sources)}, {as_of}",
            region=Region(region),
            note=joined(texts.USAGE_NOTES[usage], *notes),
        )

    def _custom_month(self, region: str, custom: CustomType) -> Price:
        """Return the mean hour of a full month: the on-demand price less the full discount."""
        price = self._custom_price(region, custom, Usage.ON_DEMAND)
        ratio = self._sustained.full_month_ratio(custom.name)
        note = texts.USAGE_NOTES[Usage.SUSTAINED_USE] if ratio != 1 else _NO_DISCOUNT
        return msgspec.structs.replace(
            price,
            usd=price.usd * ratio,
            description=f"{price.description}, times {ratio} for a full month",
            note=joined(note, price.note),
        )

    def _rate(
        self, region: str, custom: CustomType, part: Part, usage: Usage
    ) -> tuple[Part, Decimal, int]:
        rates = self._rates_of(region)
        word = RATE_USAGES[usage]
        row = rates.get((custom.series, part.component, word))
        if row is None:
            row = rates.get(("gpu", part.component, word))
        rate = None if row is None else self._components["usd"].decimal(row)
        if row is None or rate is None:
            raise MissingDatum(
                f"no {usage.value} rate for {part.component} of {custom.name} in {region}"
            )
        return part, rate, row

    def component(self, region: str, series: str, component: str, usage: Usage) -> Price:
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
        row = self._rates_of(region).get((series, component, _COLUMN_BY_USAGE[usage]))
        usd = None if row is None else self._components["usd"].decimal(row)
        if row is None or usd is None:
            why = "" if row is None else f" ({self._components['note'][row]})"
            raise MissingDatum(
                f"no {usage.value} rate for {quoted(component)} of {quoted(series)} in"
                f" {quoted(region)} is known{why}"
            )
        table = self._components
        as_of, sku_id = table["as_of"][row], table["sku_id"][row]
        return Price(
            usd=usd,
            unit=table["unit"][row],
            description=f"{series} {component}, {usage.value}",
            as_of=date.fromisoformat(as_of),
            source=f"{table['source'][row]}, {as_of}",
            sku_id=SkuId(sku_id) if sku_id else None,
            region=Region(region),
            note=joined(texts.USAGE_NOTES[usage], row_note(table["note"][row])),
        )

    def _rates_of(self, region: str) -> dict[tuple[str, str, str], int]:
        rates = self._rates.get(region)
        if rates is None:
            table = self._components
            series, components, usages = table["series"], table["component"], table["usage"]
            rows = table.ranges("region").get(region, range(0))
            rates = self._rates[region] = {
                (series[row], components[row], usages[row]): row for row in rows
            }
        return rates


def _no_usage(machine_type: str, region: str, usage: Usage, codes: str, as_of: str) -> str:
    why = ""
    if usage is Usage.SPOT and texts.SPOT_WITHHELD in codes.split(";"):
        why = "; its source prices the local SSD with another series' rate, so it is withheld"
    return f"no {usage.value} price for {machine_type} in {region} is known ({as_of}){why}"
