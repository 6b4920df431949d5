"""What comes to a machine's parts or off them: Tier_1, sole-tenant nodes, sustained use."""

import re
from datetime import date
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Price, Region, SkuId, Usage, discounted, series_of
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile
from netplan_pricing.contract.terms import COMPUTE_ENGINE, LIST_PRICES, Terms
from netplan_pricing.machines.component_rates import ComponentRates
from netplan_pricing.schema import Tier1Model
from netplan_pricing.skus import dated
from netplan_pricing.texts import joined, quoted

_PERCENT = Decimal(100)


class SustainedUse:
    """The schedule of each series: one multiplier per equal part of the month."""

    def __init__(self, file: SnapshotFile) -> None:
        table = file.table(schema.SUSTAINED_USE)
        self._schedules: dict[str, tuple[tuple[Decimal, ...], Decimal]] = {}
        for row in range(table.row_count):
            steps = tuple(Decimal(step) for step in table["multipliers"][row].split("|"))
            full = 1 - Decimal(table["full_month_percent"][row]) / _PERCENT
            self._schedules[table["series"][row]] = (steps, full)

    def _schedule(self, machine_type: str) -> tuple[tuple[Decimal, ...], Decimal]:
        """Return the steps and the full month's mean; f1-micro and g1-small have their own."""
        found = self._schedules.get(machine_type) or self._schedules.get(series_of(machine_type))
        if found is None:
            raise MissingDatum(f"no sustained-use schedule for {quoted(machine_type)} is known")
        return found

    def full_month_ratio(self, machine_type: str) -> Decimal:
        """Return the mean multiplier of a full month, 1 for a series without the discount.

        Raises:
            MissingDatum: If the series is in no schedule.
        """
        return self._schedule(machine_type)[1]

    def known_full_month_ratio(self, machine_type: str) -> Decimal | None:
        """Return the mean multiplier of a full month, None for a series in no schedule."""
        found = self._schedules.get(machine_type) or self._schedules.get(series_of(machine_type))
        return found[1] if found else None

    def ratio(self, machine_type: str, month_ratio: float) -> Decimal:
        """Return the mean multiplier of the on-demand price for a part of a month.

        The steps are published with four digits and add up to slightly more than the discount
        that is published for a whole month; a longer run is never billed below a shorter one, so
        the month's cost stops at the published whole.

        Args:
            machine_type: Any type of the series.
            month_ratio: Share of the month that the machine runs, 0 to 1.

        Raises:
            MissingDatum: If the series is in no schedule.
            ValueError: If `month_ratio` is outside 0 to 1.
        """
        if not 0 <= month_ratio <= 1:
            raise ValueError(f"a share of the month must be 0 to 1, not {month_ratio}")
        steps, full = self._schedule(machine_type)
        run = Decimal(str(month_ratio)) * len(steps)
        if not run:
            return steps[0]
        billed = Decimal(0)
        for place, step in enumerate(steps):
            billed += min(max(run - place, Decimal(0)), Decimal(1)) * step
        return min(billed, full * len(steps)) / run


# Fees for Tier_1 networking, per machine and hour


class Tier1Fees:
    """The Tier_1 fees of a snapshot."""

    def __init__(self, file: SnapshotFile, terms: Terms = LIST_PRICES) -> None:
        self._terms = terms
        self._fees = file.table(schema.TIER1_FEES)
        series = file.table(schema.TIER1_SERIES)
        self._models = {
            series["series"][row]: (series["model"][row], row) for row in range(series.row_count)
        }
        self._series = series
        self._rows: dict[tuple[str, str], list[tuple[Decimal, int]]] = {}
        for row in range(self._fees.row_count):
            size = self._fees["size_gbps"].decimal(row)
            if size is not None:
                key = (self._fees["region"][row], self._fees["usage"][row])
                self._rows.setdefault(key, []).append((size, row))

    def fee(self, region: str, machine_type: str, gbps: float, *, is_spot: bool) -> Price:
        """Return the fee for a total bandwidth of exactly `gbps`.

        Raises:
            MissingDatum: If the series has no Tier_1, its price model is not published, or the
                catalogue has no fee for just that bandwidth: that of another size is another fee.
        """
        self._require_model(machine_type)
        usage = "spot" if is_spot else "on_demand"
        sizes = sorted(self._rows.get((region, usage), []))
        if not sizes:
            raise MissingDatum(f"the Tier_1 fee in {quoted(region)} is unknown")
        for size, row in sizes:
            if gbps == size:
                usd = self._fees["usd"].decimal(row)
                if usd is None:
                    raise MissingDatum(
                        f"the catalog names the Tier_1 fee of {size} Gbit/s in {quoted(region)}"
                        f" (SKU {self._fees['sku_id'][row]}), but no single price above 0"
                    )
                return self._price(row, usd, region, size, is_spot=is_spot)
        published = ", ".join(f"{size}" for size, _ in sizes)
        raise MissingDatum(
            f"the Tier_1 fee for {gbps:g} Gbit/s in {quoted(region)} is not published, only for"
            f" {published} Gbit/s in total"
        )

    def _require_model(self, machine_type: str) -> None:
        series = series_of(machine_type)
        model, row = self._models.get(series, ("", 0))
        if model == Tier1Model.NOT_OFFERED:
            source, as_of = self._series["source"][row], self._series["as_of"][row]
            raise MissingDatum(f"series {series} has no Tier_1 ({source}, {as_of})")
        if model != Tier1Model.TOTAL_BANDWIDTH:
            raise MissingDatum(
                f"the Tier_1 fee of {quoted(machine_type)} is unknown: the catalog has fees by"
                " total bandwidth, and a 'VM Tier_1 networking performance' fee without a unit."
                f" Which of them applies to {quoted(series)} is not stated"
            )

    def _price(self, row: int, usd: Decimal, region: str, size: Decimal, *, is_spot: bool) -> Price:
        as_of = self._fees["as_of"][row]
        price = Price(
            usd=usd,
            unit="hour",
            description=f"{'Spot' if is_spot else 'On-demand'} fee for total VM network bandwidth"
            f" up to {size} Gbps",
            as_of=date.fromisoformat(as_of),
            source=dated(self._fees["source"][row], as_of, self._fees["sku_id"][row]),
            sku_id=SkuId(self._fees["sku_id"][row]) if self._fees["sku_id"][row] else None,
            region=Region(region),
            note="per VM and hour, not covered by commitments",
        )
        return self._terms.applied(price, COMPUTE_ENGINE)


# Prices of sole-tenant nodes per hour: all their vCPUs and memory, and a premium on both
#
# Source: cloud.google.com/compute/sole-tenant-pricing (copies without a date, read 2026-11-27):
# what the node occupies costs what its series costs, and 10 % more. Sustained-use discounts apply
# to that premium, committed-use discounts do not (the same page, "Sole-tenant node billing"; the
# page cloud.google.com/compute/docs/sustained-use-discounts, "Eligible resources", names the
# premium of nodes beside their vCPUs and memory; read 2026-11-28). The catalogue of 2026-04-30 has
# SKUs `… Sole Tenancy Instance Core` and `Ram` at the rates of the series in all but six places,
# and `Sole Tenancy Premium for …` at a tenth of them.


PREMIUM = Decimal("0.10")
"""What a node costs more than its vCPUs and memory by themselves."""
_TYPE = re.compile(r"([a-z]\d+[a-z]?)-node-([1-9]\d*)-([1-9]\d*)")
"""Series, vCPUs and GB of memory, which Google counts as GiB: `n1-node-96-624` has 96 vCPUs and 624
GB (cloud.google.com/compute/docs/reference/rest/v1/nodeTypes)."""
_SERIES = frozenset(
    {
        *("c2", "c3", "c3d", "c4", "c4a", "c4d", "h3"),
        *("m1", "m3", "n1", "n2", "n2d", "n4", "n4d"),
    }
)
"""Whose nodes the catalogue of 2026-04-30 sells as core and memory at the rates of the series. G2
has GPUs besides, M2 a premium of its own, and M4 two series of rates under one name."""
_NOTE = (
    "from the rates of the series and the documented premium; in six places the SKUs of M1 and N1"
    " nodes differ by up to 9 %"
)


class NodePrices:
    """The prices of node types, of the rates that machines have."""

    def __init__(self, rates: ComponentRates, sustained: SustainedUse) -> None:
        self._rates, self._sustained = rates, sustained

    def price(self, region: str, node_type: str, usage: Usage) -> Price:
        """Return what a node costs an hour, on demand or with the discount of a full month.

        Raises:
            MissingDatum: If the name has not the documented form, or a rate is not known.
        """
        found = _TYPE.fullmatch(node_type)
        if found is None or found[1] not in _SERIES:
            raise MissingDatum(f"the price of the node type {quoted(node_type)} is unknown")
        if usage not in {Usage.ON_DEMAND, Usage.SUSTAINED_USE}:
            raise MissingDatum(f"the {usage.value} price of sole-tenant nodes is unknown")
        series, counts = found[1], (Decimal(found[2]), Decimal(found[3]))
        core, ram = (
            self._rates.price(region, series, part, Usage.ON_DEMAND) for part in ("core", "ram")
        )
        whole = 1 + PREMIUM
        price = Price(
            usd=(counts[0] * core.usd + counts[1] * ram.usd) * whole,
            unit="hour",
            description=f"{node_type}, on-demand: ({counts[0]} × core {core.usd.normalize():f} +"
            f" {counts[1]} × ram {ram.usd.normalize():f}) × {whole.normalize():f}",
            as_of=min(core.as_of, ram.as_of),
            source="; ".join(dict.fromkeys((core.source, ram.source))),
            region=Region(region),
            note=joined(_NOTE, core.note, ram.note),
        )
        if usage is Usage.ON_DEMAND:
            return price
        ratio = self._sustained.full_month_ratio(series)
        return price if ratio == 1 else discounted(price, ratio)
