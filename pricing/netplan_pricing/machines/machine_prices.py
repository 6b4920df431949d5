"""Prices of machines per hour: quotes in words, tables of them, and why there is none."""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from functools import lru_cache

import msgspec

from netplan_planner import model
from netplan_planner.errors import MissingDatum, UnknownName, near
from netplan_pricing import schema, texts
from netplan_pricing.container import SnapshotFile
from netplan_pricing.contract.terms import COMPUTE_ENGINE, LIST_PRICES, Terms
from netplan_pricing.machines.component_rates import USAGE_WORDS, ComponentRates
from netplan_pricing.machines.custom_types import CustomType, parse_custom
from netplan_pricing.machines.machine_parts import MachineParts
from netplan_pricing.machines.machine_types import MachineTypes
from netplan_pricing.machines.quotes import Quote, Quotes
from netplan_pricing.machines.surcharges import SustainedUse
from netplan_pricing.texts import joined, quoted, row_note

_NO_DISCOUNT = "the series has no sustained-use discount: the on-demand price applies"
FLEXIBLE_PARTS = frozenset({"core", "ram", "custom_core", "custom_ram", "extended_ram"})
"""Parts that a flexible commitment covers."""
_KEPT_LISTINGS = 2**16
"""More than all pairs of region and type: a table that repeats them asks once."""
_SALES = "a2-ultragpu-"
_SALES_NOTE = "in the catalog; sold by Google's sales team"


class ListedMachine(msgspec.Struct, frozen=True, kw_only=True):
    """All prices of a type in a region, whether it is offered there or not; None: unknown."""

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
    """Of the on-demand price."""
    spot_as_of: date | None
    note: str
    reason: str = ""
    """Why there is no price, empty where there is one."""


class MachinePrices:
    """The machine prices of a snapshot."""

    def __init__(
        self,
        file: SnapshotFile,
        types: MachineTypes,
        rates: ComponentRates,
        sustained: SustainedUse,
        terms: Terms = LIST_PRICES,
    ) -> None:
        self._terms = terms
        self._file = file
        self._types = types
        self._rates = rates
        self._sustained = sustained
        self._parts = MachineParts(file, types, sustained)
        self.quotes = Quotes(file, rates, self._parts, terms)
        self._listings = lru_cache(_KEPT_LISTINGS)(self._list)

    def price(self, region: str, machine_type: str, usage: model.Usage) -> model.Price:
        """Return a machine's price per hour.

        Raises:
            MissingDatum: If the type is not offered, or has no such price; `UnknownName` if the
                region or the type is not known.
        """
        self._types.require_region(region)
        custom = parse_custom(machine_type)
        if custom is not None:
            self._require_series(region, custom)
        elif not self._types.is_offered(region, machine_type):
            raise self._absence(region, machine_type)
        if usage is not model.Usage.SUSTAINED_USE:
            return self._in_words(region, machine_type, usage, custom)
        price = self._in_words(region, machine_type, model.Usage.ON_DEMAND, custom)
        return self._of_a_month(machine_type, price)

    def flexible(
        self, region: str, machine_type: str, ratio: Decimal, fee: model.Price
    ) -> model.Price:
        """Return a machine's price per hour under a flexible commitment.

        Args:
            region: The region.
            machine_type: Predefined or custom.
            ratio: What is left of the on-demand price of cores and memory.
            fee: The SKU of the commitment, for source and note.

        Raises:
            MissingDatum: As `price`, or if no source says that the commitment covers the series.
        """
        table = self._file.table(schema.FLEXIBLE_SERIES)
        series = model.series_of(machine_type)
        price = self.price(region, machine_type, model.Usage.ON_DEMAND)
        covered = series in table["series"].values and price.parts
        if not covered or any(part.component not in FLEXIBLE_PARTS for part in price.parts):
            raise MissingDatum(
                f"no flexible-commitment price for {machine_type}: no source of this snapshot"
                f" confirms coverage of series {quoted(series)} (it names"
                f" {', '.join(table['series'].values)})"
            )
        return msgspec.structs.replace(
            model.discounted(price, ratio, sku_id=fee.sku_id),
            description=f"{price.description.replace('on-demand', 'flexible', 1)}, times {ratio:f}",
            source=f"{price.source}; {fee.description}",
            note=joined(
                f"flexible commitment: {fee.description} ({fee.sku_id}), billed every hour of the"
                " term; it covers spend in any region",
                price.note,
            ),
        )

    def _of_a_month(self, machine_type: str, price: model.Price) -> model.Price:
        """Return the mean hour of a full month: the on-demand price less the full discount."""
        ratio = self._sustained.full_month_ratio(machine_type)
        if ratio == 1:
            return msgspec.structs.replace(price, note=joined(_NO_DISCOUNT, price.note))
        return msgspec.structs.replace(
            model.discounted(price, ratio),
            description=f"{price.description.replace('on-demand', 'sustained-use', 1)}, times"
            f" {ratio} for a full month",
            note=joined(texts.USAGE_NOTES[model.Usage.SUSTAINED_USE], price.note),
        )

    def _in_words(
        self, region: str, machine_type: str, usage: model.Usage, custom: CustomType | None
    ) -> model.Price:
        if custom is not None:
            quote = self.quotes.of_custom(region, custom, usage)
        else:
            quote = self.quotes.of(region, machine_type, usage)
        if isinstance(quote, str):
            raise MissingDatum(self._no_usage(region, machine_type, usage, quote))
        if quote.row is not None:
            return self._listed_price(quote, quote.row, region, machine_type, usage)
        return self._summed_price(quote, region, machine_type, usage)

    def _listed_price(
        self, quote: Quote, row: int, region: str, machine_type: str, usage: model.Usage
    ) -> model.Price:
        list_usd = self.quotes.listed[USAGE_WORDS[usage]].decimal(row)
        return self._terms.applied(
            model.Price(
                usd=quote.usd if list_usd is None else list_usd,
                unit="hour",
                description=f"{machine_type}, {usage.value}",
                as_of=date.fromisoformat(quote.as_of),
                source=f"{self.quotes.listed['source'][row]}, {quote.as_of}",
                region=model.Region(region),
                note=joined(texts.USAGE_NOTES[usage], row_note(self.quotes.listed["note"][row])),
            ),
            COMPUTE_ENGINE,
        )

    def _summed_price(
        self, quote: Quote, region: str, machine_type: str, usage: model.Usage
    ) -> model.Price:
        rates, lines = self._rates, quote.lines
        parts = tuple(
            model.PricePart(
                component=line.part.component,
                quantity=line.part.quantity,
                unit="gib-hour" if line.part.is_ssd else rates.table["unit"][line.row],
                unit_price_usd=line.usd,
                ratio=line.part.ratio,
                description=rates.description(line.row),
                as_of=date.fromisoformat(rates.as_of(line.row)),
                sku_id=rates.sku_id(line.row),
            )
            for line in lines
        )
        formula = " + ".join(
            f"{part.quantity.normalize():f} × {part.component} {part.unit_price_usd.normalize():f}"
            + (f" × {part.ratio.normalize():f}" if part.ratio != 1 else "")
            for part in parts
        )
        sources = dict.fromkeys(rates.source(line.row) for line in lines)
        notes = dict.fromkeys(rates.note(line.row) for line in lines)
        if any(line.part.ratio != 1 for line in lines):
            notes["usage without commitment has the sustained-use discount"] = None
        if said := self._parts.slice_note(machine_type):
            notes[said] = None
        if machine_type.startswith(_SALES) and usage in {model.Usage.CUD_1Y, model.Usage.CUD_3Y}:
            notes[_SALES_NOTE] = None
        return model.Price(
            usd=quote.usd,
            unit="hour",
            description=f"{machine_type}, {usage.value}: {formula}",
            as_of=date.fromisoformat(quote.as_of),
            source=f"{'; '.join(sources)}, {quote.as_of}",
            # A whole machine can be one SKU; otherwise each part has its own.
            sku_id=parts[0].sku_id if len(parts) == 1 else None,
            region=model.Region(region),
            note=joined(texts.USAGE_NOTES[usage], *notes),
            parts=parts,
        )

    def _require_series(self, region: str, custom: CustomType) -> None:
        if custom.series not in self._types.series_offered(region):
            raise MissingDatum(
                f"series {custom.series} is not offered in {region}, nor is {custom.name}"
                f" (machine types of {self._types.as_of})"
            )

    def _no_usage(self, region: str, machine_type: str, usage: model.Usage, why: str) -> str:
        if usage is model.Usage.ON_DEMAND and not parse_custom(machine_type):
            return (
                f"{machine_type} is offered in {region}, but no price for it is known"
                f" (prices of {self._file.header.as_of}): {why}"
            )
        as_of = self._file.header.as_of
        return f"no {usage.value} price for {machine_type} in {region} is known ({as_of}): {why}"

    def _is_priced(self, region: str, machine_type: str) -> bool:
        return isinstance(self.quotes.of(region, machine_type, model.Usage.ON_DEMAND), Quote)

    def _absence(self, region: str, machine_type: str) -> MissingDatum:
        """Return which of the reasons it is: unknown, or not offered."""
        as_of = f"(machine types of {self._types.as_of})"
        if self._is_priced(region, machine_type):
            reason = f"{machine_type} has a list price in {region}, but is not offered there"
            return MissingDatum(f"{reason} {as_of}")
        if machine_type in self._types.shapes:
            return MissingDatum(f"{machine_type} is not offered or priced in {region} {as_of}")
        hint = model.why_no_shape(machine_type) or near(machine_type, self._types.shapes)
        return UnknownName(f"no machine type {quoted(machine_type)} is known {as_of}{hint}")

    def _short_absence(self, region: str, machine_type: str, *, is_priced: bool) -> str:
        """Return the reason without looking for like names, for tables of many rows."""
        if not self._types.has_region(region):
            return "unknown region"
        if is_priced:
            return "priced but not offered in this region"
        if self._types.is_offered(region, machine_type):
            return "offered in this region, but its price is unknown"
        known = machine_type in self._types.shapes
        return "not offered and not priced in this region" if known else "unknown machine type"

    def _list(self, region: str, machine_type: str) -> ListedMachine:
        custom = parse_custom(machine_type)
        if custom is not None:
            return self._listed_custom(region, custom)
        quotes = {usage: self.quotes.of(region, machine_type, usage) for usage in USAGE_WORDS}
        is_offered = self._types.is_offered(region, machine_type)
        is_priced = isinstance(quotes[model.Usage.ON_DEMAND], Quote)
        reason = ""
        if not is_priced or not is_offered:
            reason = self._short_absence(region, machine_type, is_priced=is_priced)
        return self._listing(region, machine_type, quotes, is_offered=is_offered, reason=reason)

    def _listing(
        self,
        region: str,
        machine_type: str,
        quotes: dict[model.Usage, Quote | str],
        *,
        is_offered: bool,
        reason: str,
    ) -> ListedMachine:
        on_demand, spot, cud_1y, cud_3y = (
            quote if isinstance(quote, Quote) else None for quote in quotes.values()
        )
        month = None
        if on_demand is not None:
            ratio = self._sustained.known_full_month_ratio(machine_type)
            month = on_demand.usd * ratio if ratio is not None and ratio != 1 else None
        row = None if on_demand is None else on_demand.row
        return ListedMachine(
            region=region,
            machine_type=machine_type,
            is_offered=is_offered,
            on_demand_usd_per_hour=on_demand and on_demand.usd,
            spot_usd_per_hour=spot and spot.usd,
            cud_1y_usd_per_hour=cud_1y and cud_1y.usd,
            cud_3y_usd_per_hour=cud_3y and cud_3y.usd,
            sustained_use_usd_per_hour=month,
            as_of=on_demand and date.fromisoformat(on_demand.as_of),
            spot_as_of=spot and date.fromisoformat(spot.as_of),
            note="" if row is None else row_note(self.quotes.listed["note"][row]),
            reason=reason,
        )

    def _listed_custom(self, region: str, custom: CustomType) -> ListedMachine:
        """Return the prices of a custom type, summed from the rates that are known."""
        quotes: dict[model.Usage, Quote | str] = {}
        for usage in USAGE_WORDS:
            try:
                self._types.require_region(region)
                self._require_series(region, custom)
                quotes[usage] = self.quotes.of_custom(region, custom, usage)
            except MissingDatum as error:
                quotes[usage] = str(error)
        first = quotes[model.Usage.ON_DEMAND]
        return self._listing(
            region,
            custom.name,
            quotes,
            is_offered=self.can_be_custom(region, custom),
            reason=first if isinstance(first, str) else "",
        )

    def batch(self, pairs: Iterable[tuple[str, str]]) -> Iterator[ListedMachine]:
        """Yield all prices of pairs of region and type; `reason` says why there are none."""
        for region, machine_type in pairs:
            yield self._listings(region, machine_type)

    def can_be_custom(self, region: str, custom: CustomType) -> bool:
        """Return whether the region offers the series and has rates for custom types of it."""
        return (
            self._types.has_region(region)
            and custom.series in self._types.series_offered(region)
            and (custom.series, "custom_core", "on_demand") in self._rates.rows_of(region)
        )

    def custom_shape(self, custom: CustomType) -> model.MachineShape | None:
        """Return the shape of a custom type, or None where its series is unknown."""
        return self._parts.custom.shape(custom)
