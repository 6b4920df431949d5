"""What a machine costs an hour, before it is put into words: found once, and kept.

The catalogue's SKUs go first. A listed price stands where they know none, and for Spot, which moves
within weeks, wherever it is the newer.
"""

from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.units import HOURS_PER_MONTH
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile, Table
from netplan_pricing.contract.terms import COMPUTE_ENGINE, Terms
from netplan_pricing.machines.component_rates import USAGE_WORDS, ComponentRates
from netplan_pricing.machines.custom_types import CustomType
from netplan_pricing.machines.machine_parts import GENERIC_SSD_SERIES, BilledPart, MachineParts
from netplan_pricing.texts import row_note

_SSD_DIGITS = Decimal("1e-12")
"""To which a GiB-month is divided into hours: below 1e-7 USD for the largest machine."""


class _Line(NamedTuple):
    """A part and its rate per hour, before the part's own discount."""

    part: BilledPart
    usd: Decimal
    row: int


class Quote(NamedTuple):
    """A price: summed (`lines`) or listed (`row`).

    `as_of` is the date of its oldest part.
    """

    usd: Decimal
    as_of: str
    lines: tuple[_Line, ...] = ()
    row: int | None = None


class Quotes:
    """The quotes of a snapshot."""

    def __init__(
        self, file: SnapshotFile, rates: ComponentRates, parts: MachineParts, terms: Terms
    ) -> None:
        self._terms = terms
        self._file = file
        self._rates = rates
        self._parts = parts
        self._rows: dict[str, dict[str, int]] = {}
        self._quotes: dict[tuple[str, str, model.Usage], Quote | str] = {}

    @cached_property
    def listed(self) -> Table:
        """The prices that another source lists."""
        return self._file.table(schema.LISTED_PRICES)

    @cached_property
    def _listed_ranges(self) -> dict[str, range]:
        return self.listed.ranges("region")

    def _row(self, region: str, machine_type: str) -> int | None:
        """Return the listed row of a region's type; a region is indexed when first asked for."""
        rows = self._rows.get(region)
        if rows is None:
            names = self.listed["machine_type"]
            found = self._listed_ranges.get(region, range(0))
            rows = self._rows[region] = {names[row]: row for row in found}
        return rows.get(machine_type)

    def of(self, region: str, machine_type: str, usage: model.Usage) -> Quote | str:
        """Return the quote of a predefined type, or why there is none."""
        key = (region, machine_type, usage)
        found = self._quotes.get(key)
        if found is None:
            found = self._quotes[key] = self._find(region, machine_type, usage)
        return found

    def _find(self, region: str, machine_type: str, usage: model.Usage) -> Quote | str:
        summed = self.summed(region, machine_type, usage)
        row = self._row(region, machine_type)
        usd = None if row is None else self.listed[USAGE_WORDS[usage]].decimal(row)
        if row is None or usd is None:
            return summed
        as_of = self.listed["as_of"][row]
        is_younger_spot = (
            usage is model.Usage.SPOT and not isinstance(summed, str) and (as_of >= summed.as_of)
        )
        if is_younger_spot or not self.is_of_skus(summed):
            discount = self._terms.discount(None, COMPUTE_ENGINE)
            return Quote(usd * discount.ratio if discount else usd, as_of, row=row)
        return summed

    def is_of_skus(self, quote: Quote | str) -> bool:
        """Return whether a sum has a SKU for each part; what another source solved has none."""
        return isinstance(quote, Quote) and all(
            self._rates.sku_id(line.row) is not None for line in quote.lines
        )

    def summed(self, region: str, machine_type: str, usage: model.Usage) -> Quote | str:
        """Return the sum of a predefined type's parts, or why there is none.

        With `SUSTAINED_USE` it raises KeyError: that is a discount on the sum.
        """
        try:
            parts = self._parts.of_type(machine_type, usage)
        except MissingDatum as error:
            return str(error)
        if not parts:
            return f"the parts of {machine_type} are unknown"
        return self._sum(region, parts)

    def of_custom(self, region: str, custom: CustomType, usage: model.Usage) -> Quote | str:
        """Return the sum of a custom type's parts, or why there is none."""
        return self._sum(region, self._parts.of_custom(custom, usage))

    def _sum(self, region: str, parts: tuple[BilledPart, ...]) -> Quote | str:
        rows = self._rates.rows_of(region)
        usd, as_of, lines = Decimal(0), "9999", []
        for part in parts:
            row = rows.get((part.series, part.component, part.usage))
            if row is None and part.is_ssd and part.series not in self._rates.series_with_own_ssd:
                row = rows.get((GENERIC_SSD_SERIES, part.component, part.usage))
            rate = None if row is None else self._rates.usd(row)
            if row is None or rate is None:
                return self._no_rate(region, part, row)
            if part.is_ssd:
                rate = (rate / HOURS_PER_MONTH).quantize(_SSD_DIGITS).normalize()
            usd += rate * part.ratio * part.quantity
            as_of = min(as_of, self._rates.as_of(row))
            lines.append(_Line(part, rate, row))
        # The sum is as old as its oldest part.
        return Quote(usd, as_of, tuple(lines))

    def _no_rate(self, region: str, part: BilledPart, row: int | None) -> str:
        usage = part.usage.replace("_", "-")
        why = "" if row is None else f" ({row_note(self._rates.table['note'][row])})"
        return f"no {usage} rate for {part.component} of {part.series} in {region} is known{why}"
