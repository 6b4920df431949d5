"""Prices that only Google's pages state: gateways, load balancers, log generation, and so on."""

from datetime import date
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Price, PriceTier, Region, SkuId
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile, Table
from netplan_pricing.texts import joined, nearest, quoted


class ServicePrices:
    """The prices of gateways and the like, by service, region and condition."""

    def __init__(self, file: SnapshotFile) -> None:
        self._table: Table = file.table(schema.SERVICE_PRICES)
        self._services = self._table.ranges("service")

    @property
    def names(self) -> tuple[str, ...]:
        """Every service with a price, sorted."""
        return tuple(sorted(self._services))

    def conditions(self, service: str, region: str | None = None) -> tuple[str, ...]:
        """Return the conditions between which a service's prices differ, sorted."""
        texts = self._table["condition"]
        return tuple(sorted({texts[row] for row in self._rows(service, region)}))

    def tiers(
        self, service: str, region: str | None = None, condition: str | None = None
    ) -> tuple[PriceTier, ...]:
        """Return the price steps of a service in a region.

        Args:
            service: One of `names`.
            region: The region; prices that hold everywhere answer for any.
            condition: One of `conditions`, where a service has several; by default all rows, which
                must then be steps of one price.

        Raises:
            MissingDatum: If there is no such price, or several without saying which.
        """
        texts = self._table["condition"]
        rows = self._rows(service, region)
        if condition is not None:
            rows = [row for row in rows if texts[row] == condition]
        starts = self._table["tier_start"]
        if not rows:
            place = f" in {quoted(region)}" if region else ""
            raise MissingDatum(f"no price of {service}{place} is known")
        if len({starts[row] for row in rows}) != len(rows):
            several = "; ".join(texts[row] for row in rows)
            raise MissingDatum(f"{service} has several prices: {several}")
        found = sorted((self._tier(row, region) for row in rows), key=lambda tier: tier.start)
        return tuple(found)

    def one(self, service: str, region: str | None = None, condition: str | None = None) -> Price:
        """Return the price of a service that has a single step.

        Raises:
            MissingDatum: As `tiers`, or if it has several steps.
        """
        steps = self.tiers(service, region, condition)
        if len(steps) != 1:
            raise MissingDatum(f"{service} has {len(steps)} price steps, not one price")
        return steps[0].price

    def note(self, service: str) -> str:
        """Return what the sources say of a service's first row, with source and confidence."""
        row = self._services[service].start
        table = self._table
        return (
            f"{table['note'][row]} [{table['source'][row]}; confidence {table['confidence'][row]}]"
        )

    def _rows(self, service: str, region: str | None) -> list[int]:
        if service not in self._services:
            known = nearest(service, self._services)
            raise MissingDatum(f"no service {quoted(service)} has a price{known}")
        regions = self._table["region"]
        return [row for row in self._services[service] if regions[row] in {"", region}]

    def _tier(self, row: int, region: str | None) -> PriceTier:
        table = self._table
        sku_id = table["sku_id"][row]
        confidence = table["confidence"][row]
        price = Price(
            usd=Decimal(table["usd"][row]),
            unit=table["unit"][row],
            description=", ".join(
                filter(None, (table["service"][row].replace("_", " "), table["condition"][row]))
            ),
            as_of=date.fromisoformat(table["as_of"][row]),
            source=table["source"][row],
            sku_id=SkuId(sku_id) if sku_id else None,
            region=Region(region) if region else None,
            note=joined(
                "" if confidence == "high" else f"{confidence} confidence", table["note"][row]
            ),
        )
        return PriceTier(start=Decimal(table["tier_start"][row]), price=price)
