"""Prices of gateways, load balancers, log generation and the like, by service and condition.

Prices of external IPv4 addresses.
"""

from datetime import date
from decimal import Decimal

import msgspec

from netplan_planner.errors import MissingDatum, near
from netplan_planner.model import AddressUse, Price, PriceTier, Region, SkuId
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile, Table
from netplan_pricing.contract.terms import LIST_PRICES, Terms
from netplan_pricing.machines.machine_types import MachineTypes
from netplan_pricing.network_prices import NetworkPrices, first_paid, unit_prices
from netplan_pricing.schema import NetworkKind
from netplan_pricing.skus import Skus, dated
from netplan_pricing.texts import joined, quoted

FIRST_RULES = "first 5 rules together"
FURTHER_RULE = "each further rule"


_SHORT = {
    "vpn": "VPN",
    "nat": "NAT",
    "lb": "load balancer",
    "gke": "GKE",
    "ncc": "Network Connectivity Center",
}


def spoken(service: str) -> str:
    """Return the name of a service in words.

    >>> spoken("vpn_tunnel"), spoken("lb_forwarding_rule"), spoken("log_retention")
    ('VPN tunnel', 'load balancer forwarding rule', 'log retention')
    """
    return " ".join(_SHORT.get(word, word) for word in service.split("_"))


class ServicePrices:
    """The prices of gateways and the like, by service, region and condition."""

    def __init__(
        self, file: SnapshotFile, skus: Skus | None = None, terms: Terms = LIST_PRICES
    ) -> None:
        self._skus = skus or Skus(file)
        self._terms = terms
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
            condition: One of `conditions`, where a service has several; by default the price that
                all of them share.

        Raises:
            MissingDatum: If there is no such price, or several without saying which.
        """
        texts = self._table["condition"]
        rows = self._rows(service, region)
        if condition is not None:
            rows = [row for row in rows if texts[row] == condition]
        if not rows:
            place = f" in {quoted(region)}" if region else ""
            raise MissingDatum(f"the price of {spoken(service)}{place} is unknown")
        by_condition: dict[tuple[str, str], list[int]] = {}
        for row in rows:
            by_condition.setdefault((self._table["region"][row], texts[row]), []).append(row)
        answers = [self._paid(found, region) for found in by_condition.values()]
        if len({unit_prices(answer) for answer in answers}) > 1:
            raise MissingDatum(f"{service} has several prices: {self._several(rows)}")
        if len(answers) == 1:
            return answers[0]
        ids = dict.fromkeys(answer[0].price.sku_id for answer in answers)
        known = tuple(one for one in ids if one is not None)
        return tuple(self._shared(tier, service, known, len(answers)) for tier in answers[0])

    def every(self, service: str, region: str | None = None) -> tuple[tuple[PriceTier, ...], ...]:
        """Return the steps of each price that a service has in a region, one per condition."""
        if service not in self._services:
            return ()
        texts = self._table["condition"]
        by_condition: dict[str, list[int]] = {}
        for row in self._rows(service, region):
            by_condition.setdefault(texts[row], []).append(row)
        return tuple(self._paid(rows, region) for rows in by_condition.values())

    def _paid(self, rows: list[int], region: str | None) -> tuple[PriceTier, ...]:
        """Return the steps of one price, as the customer pays them."""
        listed = sorted((self._tier(row, region) for row in rows), key=lambda tier: tier.start)
        return self._terms.tiers(tuple(listed), self._billed_by(rows[0]))

    def _several(self, rows: list[int]) -> str:
        """Return the prices and who pays each, for the text of a refusal."""
        table = self._table
        whose: dict[str, list[str]] = {}
        for row in rows:
            whose.setdefault(f"{table['usd'][row]} USD", []).append(table["condition"][row])
        return "; ".join(f"{usd}: {', '.join(names)}" for usd, names in whose.items())

    def _shared(
        self, tier: PriceTier, service: str, known: tuple[SkuId, ...], count: int
    ) -> PriceTier:
        """Return a step of a price that several SKUs share: which of them is billed is not said."""
        price = msgspec.structs.replace(
            tier.price,
            description=service.replace("_", " "),
            sku_id=None,
            sku_candidates=known,
            note=f"the price of all {count} kinds; the bill has the SKU of one of them",
        )
        return PriceTier(start=tier.start, price=price)

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
        """Return what the sources say of a service's first row, with source and confidence.

        Raises:
            MissingDatum: If the snapshot has no such row.
        """
        if service not in self._services:
            raise MissingDatum(
                f"this snapshot has no price of {service.replace('_', ' ')}, which is on a price"
                " page. Build it with --price-tables, or refresh it"
            )
        row = self._services[service].start
        table = self._table
        return (
            f"{table['note'][row]} [{table['source'][row]}; confidence {table['confidence'][row]}]"
        )

    def _rows(self, service: str, region: str | None) -> list[int]:
        if service not in self._services:
            known = near(service, self._services)
            raise MissingDatum(f"no service {quoted(service)} has a price{known}")
        regions, texts = self._table["region"], self._table["condition"]
        found = [row for row in self._services[service] if regions[row] in {"", region}]
        # A region's own price goes before the one of all, under the same condition.
        own = {texts[row] for row in found if regions[row]}
        return [row for row in found if regions[row] or texts[row] not in own]

    def _tier(self, row: int, region: str | None) -> PriceTier:
        table = self._table
        sku_id = table["sku_id"][row]
        confidence = table["confidence"][row]
        as_of = table["as_of"][row]
        price = Price(
            usd=Decimal(table["usd"][row]),
            unit=table["unit"][row],
            description=", ".join(
                filter(None, (table["service"][row].replace("_", " "), table["condition"][row]))
            ),
            as_of=date.fromisoformat(as_of),
            source=dated(table["source"][row], as_of, sku_id) if sku_id else table["source"][row],
            sku_id=SkuId(sku_id) if sku_id else None,
            region=Region(region) if region else None,
            note=joined(
                "" if confidence == "high" else f"{confidence} confidence", table["note"][row]
            ),
        )
        start = Decimal(table["tier_start"][row])
        return PriceTier(start=start, price=price)

    def _billed_by(self, row: int) -> str:
        """Return the service of a row's SKU, an empty text where only a page names the price."""
        found = self._skus.row(self._table["sku_id"][row])
        return "" if found is None else self._skus.service(found)


_IN_USE = {
    AddressUse.STANDARD_VM: "External IP Charge on a Standard VM",
    AddressUse.SPOT_VM: "External IP Charge on a Spot Preemptible VM",
}
_STATIC = "Static Ip Charge"
_STATIC_SERVICE = "external_ipv4_static_unused"


class AddressPrices:
    """External address prices: in use everywhere alike, unused by region."""

    def __init__(
        self, network: NetworkPrices, services: ServicePrices, types: MachineTypes
    ) -> None:
        self._network = network
        self._services = services
        self._types = types

    def tiers(self, use: AddressUse, region: str) -> tuple[PriceTier, ...]:
        """Return the price steps of an address's hours in a month, free hours included.

        Raises:
            MissingDatum: If the region is unknown or has no such price.
        """
        self._types.require_region(region)
        name = _IN_USE.get(use)
        for entry in self._network.entries(NetworkKind.EXTERNAL_IP):
            found = (
                entry.source_place == name
                if name
                else entry.source_place.startswith(_STATIC) and region in entry.source_regions
            )
            steps = self._network.tiers(entry, region) if found else ()
            if steps:
                return steps
        if not name and _STATIC_SERVICE in self._services.names:
            return self._services.tiers(_STATIC_SERVICE, region)
        raise MissingDatum(
            f"the price of an external IP address ({use.value}) in {quoted(region)} is unknown"
        )

    def price(self, use: AddressUse, region: str) -> Price:
        """Return the price per hour beyond any free hours.

        Raises:
            MissingDatum: If the region is unknown or has no such price.
        """
        steps = self.tiers(use, region)
        paid = first_paid(steps)
        if paid is None:
            raise MissingDatum(f"the paid step for an external IP address in {region} is unknown")
        free = paid.start if paid.start > Decimal(0) else None
        unit = "hour" if free == 1 else "hours"
        note = f"the first {free} {unit} per month are free, for all such addresses together"
        return msgspec.structs.replace(
            paid.price, note=joined(paid.price.note, note if free else "")
        )
