"""Fees for Tier_1 networking, per machine and hour."""

from datetime import date
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Price, Region, SkuId, series_of
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile
from netplan_pricing.contract.terms import COMPUTE_ENGINE, LIST_PRICES, Terms
from netplan_pricing.known_changes import dated
from netplan_pricing.schema import Tier1Model
from netplan_pricing.texts import quoted


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
            raise MissingDatum(f"no Tier_1 fee in {quoted(region)} is known")
        for size, row in sizes:
            if gbps == size:
                usd = self._fees["usd"].decimal(row)
                if usd is None:
                    raise MissingDatum(
                        f"the catalogue names the Tier_1 fee of {size} Gbit/s in {quoted(region)}"
                        f" (SKU {self._fees['sku_id'][row]}), but no single price above 0 for it"
                    )
                return self._price(row, usd, region, size, is_spot=is_spot)
        published = ", ".join(f"{size}" for size, _ in sizes)
        raise MissingDatum(
            f"no Tier_1 fee for {gbps:g} Gbit/s is published in {quoted(region)}, only for"
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
                f"the Tier_1 fee of {quoted(machine_type)} is unknown: the catalogue lists fees for"
                " a total bandwidth and a 'VM Tier_1 networking performance' fee without stating"
                f" per what, and not which of the two series {quoted(series)} pays"
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
            note="per machine and hour, not covered by commitments",
        )
        return self._terms.applied(price, COMPUTE_ENGINE)
