"""Prices of external IPv4 addresses."""

from decimal import Decimal

import msgspec

from netplan_planner.errors import MissingDatum
from netplan_planner.model import AddressUse, Price, PriceTier
from netplan_pricing.machines.machine_types import MachineTypes
from netplan_pricing.network_prices import NetworkPrices, first_paid
from netplan_pricing.schema import NetworkKind
from netplan_pricing.service_prices import ServicePrices
from netplan_pricing.texts import joined, quoted

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
            f"no price of an external address ({use.value}) in {quoted(region)} is known"
        )

    def price(self, use: AddressUse, region: str) -> Price:
        """Return the price per hour beyond any free hours.

        Raises:
            MissingDatum: If the region is unknown or has no such price.
        """
        steps = self.tiers(use, region)
        paid = first_paid(steps)
        if paid is None:
            raise MissingDatum(f"no paid step for an external address in {region} is known")
        free = paid.start if paid.start > Decimal(0) else None
        unit = "hour" if free == 1 else "hours"
        note = f"the first {free} {unit} of a month, all such addresses together, are free"
        return msgspec.structs.replace(
            paid.price, note=joined(paid.price.note, note if free else "")
        )
