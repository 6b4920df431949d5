"""A SKU of the Cloud Billing Catalog, from the API's JSON object or the client library's message.

Nothing is interpreted here; `mapping` says what a SKU is the price of, `rates` what it costs.
"""

from decimal import Decimal
from typing import Annotated

import msgspec

COMPUTE_ENGINE = "6F81-5844-456A"
NETWORKING = "E505-1604-58F8"
SERVICE_NAMES = {COMPUTE_ENGINE: "Compute Engine", NETWORKING: "Networking"}
"""The two services whose SKUs netplan reads."""

_NANO = Decimal(10) ** -9
_Units = Annotated[str, msgspec.Meta(pattern=r"^-?[0-9]{1,18}$")]
_Nanos = Annotated[int, msgspec.Meta(ge=-999_999_999, le=999_999_999)]


class Money(msgspec.Struct, frozen=True, rename="camel"):
    """An amount; REST writes `units` as text and leaves zeros out."""

    currency_code: str = ""
    units: _Units | int = 0
    nanos: _Nanos = 0

    @property
    def amount(self) -> Decimal:
        """The exact number.

        >>> Money("USD", "2", 31_611_000).amount
        Decimal('2.031611')
        """
        exact = Decimal(self.units) + self.nanos * _NANO
        return exact.normalize() if exact else Decimal(0)


class TieredRate(msgspec.Struct, frozen=True, rename="camel"):
    """From `start_usage_amount` usage units on, a unit costs `unit_price`."""

    start_usage_amount: Decimal = Decimal(0)
    unit_price: Money = Money()


class PricingExpression(msgspec.Struct, frozen=True, rename="camel"):
    """Unit and steps of a price; no `tiered_rates` is no price, not a price of 0."""

    usage_unit: str = ""
    base_unit: str = ""
    base_unit_conversion_factor: Decimal = Decimal(0)
    tiered_rates: tuple[TieredRate, ...] = ()


class PricingInfo(msgspec.Struct, frozen=True, rename="camel"):
    """A price and the time since when it holds."""

    pricing_expression: PricingExpression = PricingExpression()
    currency_conversion_rate: Decimal = Decimal(1)
    effective_time: str = ""


class Category(msgspec.Struct, frozen=True, rename="camel"):
    """The fields that stay the same while descriptions are reworded."""

    service_display_name: str = ""
    resource_family: str = ""
    resource_group: str = ""
    usage_type: str = ""


class GeoTaxonomy(msgspec.Struct, frozen=True, rename="camel"):
    """For directional traffic, the region that is billed; `GLOBAL` does not mean worldwide."""

    type: str = ""
    regions: tuple[str, ...] = ()


class Sku(msgspec.Struct, frozen=True, rename="camel"):
    """One SKU as `services.skus.list` answers it."""

    sku_id: str
    description: str = ""
    category: Category = Category()
    name: str = ""
    service_regions: tuple[str, ...] = ()
    pricing_info: tuple[PricingInfo, ...] = ()
    geo_taxonomy: GeoTaxonomy = GeoTaxonomy()

    @property
    def service_id(self) -> str:
        """The id of the service, from the resource name, else from the service's known name."""
        parts = self.name.split("/")
        if parts[0] == "services" and len(parts) > 1:
            return parts[1]
        shown = self.category.service_display_name
        return next((key for key, name in SERVICE_NAMES.items() if name == shown), "")

    def price(self, last_day: str = "") -> PricingInfo | None:
        """Return the newest price that began on `last_day` (an ISO date) or before; empty: ever.

        The API lists several only when it is asked for a span of time.
        """
        begun = (
            info
            for info in self.pricing_info
            if not last_day or info.effective_time[: len(last_day)] <= last_day
        )
        return max(begun, key=lambda info: info.effective_time, default=None)

    @property
    def currencies(self) -> frozenset[str]:
        """The currencies of its steps."""
        return frozenset(
            rate.unit_price.currency_code
            for info in self.pricing_info
            for rate in info.pricing_expression.tiered_rates
        )
