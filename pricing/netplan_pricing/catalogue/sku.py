"""A SKU of the Cloud Billing Catalog, from the API's JSON object or the client library's message.

Nothing is interpreted here; `mapping` says what a SKU is the price of.
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


# What a SKU costs: its steps in netplan's units, exactly as the catalogue states them
#
# From the units of the catalogue to netplan's: GiB, GiB-hour, GiB-month, hour, month, piece.
#
# The conversion factor to the base unit decides, not the unit's name: memory of some series is sold
# by the decimal gigabyte, 7 % less than the others'. The base of a month is that of the day of the
# request, 28 to 31 days of it; prices per month are left per month.


_BYTES_PER_GIB = Decimal(2**30)
_SECONDS_PER_HOUR = Decimal(3600)
_SECONDS_PER_DAY = 86400
_DAYS_OF_MONTHS = (28, 29, 30, 31)
_BYTE_SIZES = frozenset(
    Decimal(base**power) for base in (1000, 1024) for power in (0, 1, 2, 3, 4, 5)
)
CURRENCY = "USD"


class Unit(msgspec.Struct, frozen=True):
    """A unit of netplan and how many of it one unit of the catalogue is."""

    name: str
    """`GiB`, `gib-hour`, `gib-month`, `hour`, `month` or `count`."""
    per_usage_unit: Decimal


def unit_of(expression: PricingExpression) -> Unit | None:
    """Return the unit of a price, or None if it is not understood.

    >>> unit_of(PricingExpression("GBy.h", "By.s", Decimal(3_600_000_000_000))).name
    'gib-hour'
    """
    factor = expression.base_unit_conversion_factor
    if not factor.is_finite() or factor <= 0:
        return None
    match expression.base_unit:
        case "By":
            return Unit("GiB", factor / _BYTES_PER_GIB)
        case "By.s":
            return _stored(expression.usage_unit, factor)
        case "s":
            if _is_months(expression.usage_unit, factor):
                return Unit("month", Decimal(1))
            return Unit("hour", factor / _SECONDS_PER_HOUR)
        case "count":
            return Unit("count", factor)
        case _:
            return None


def _is_months(usage_unit: str, factor: Decimal) -> bool:
    return usage_unit == "mo" and factor in {d * _SECONDS_PER_DAY for d in _DAYS_OF_MONTHS}


def _stored(usage_unit: str, factor: Decimal) -> Unit | None:
    """Return the unit of bytes that are held for a time."""
    if usage_unit.endswith(".h"):
        return Unit("gib-hour", factor / _SECONDS_PER_HOUR / _BYTES_PER_GIB)
    if usage_unit.endswith(".mo"):
        for days in _DAYS_OF_MONTHS:
            size = factor / (days * _SECONDS_PER_DAY)
            if size in _BYTE_SIZES:
                return Unit("gib-month", size / _BYTES_PER_GIB)
    return None


class Step(msgspec.Struct, frozen=True):
    """From `start` units a month on, a unit costs `usd`."""

    start: Decimal
    usd: Decimal


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """The price of a SKU. No steps: the catalogue names the SKU and no price for it."""

    unit: str
    steps: tuple[Step, ...]
    effective: str
    """When the catalogue says that the price began, as it writes it; empty where it does not."""
    reason: str = ""
    """Why there are no steps."""
    is_fault: bool = False
    """Whether the catalogue states a price that cannot be read, or cannot be one."""

    @property
    def flat_usd(self) -> Decimal | None:
        """The price, where all steps have the same, from the first unit on, and it is not 0."""
        if not self.steps or self.steps[0].start or len({step.usd for step in self.steps}) > 1:
            return None
        return self.steps[0].usd or None


def rate_of(sku: Sku, last_day: str = "") -> Rate:
    """Return the price of a SKU in US dollars; `reason` says why there is none.

    A price that begins after `last_day` (an ISO date) is none yet, and one before it stands.
    """
    info = sku.price(last_day)
    if info is None and sku.pricing_info:
        begins = min(one.effective_time for one in sku.pricing_info)
        return _fault("", "", f"its price begins on {begins[:10]}, after today")
    if info is None:
        return _no_rate("", "", "no pricing information")
    expression = info.pricing_expression
    unit = unit_of(expression)
    if not expression.tiered_rates:
        name = unit.name if unit else expression.usage_unit
        return _no_rate(name, info.effective_time, "the catalog states no price")
    if unit is None:
        what = f"{expression.usage_unit!r} of {expression.base_unit_conversion_factor}"
        reason = f"unknown unit: {what} {expression.base_unit}"
        return _fault(expression.usage_unit, info.effective_time, reason)
    if foreign := sorted(sku.currencies - {CURRENCY}):
        reason = f"in {', '.join(foreign) or 'no currency'}, not {CURRENCY}"
        return _fault(unit.name, info.effective_time, reason)
    steps = tuple(
        Step(
            _plain(rate.start_usage_amount * unit.per_usage_unit),
            _plain(rate.unit_price.amount / unit.per_usage_unit),
        )
        for rate in expression.tiered_rates
    )
    if any(step.usd < 0 for step in steps):
        return _fault(unit.name, info.effective_time, "a negative price")
    if [step.start for step in steps] != sorted({step.start for step in steps}):
        return _fault(unit.name, info.effective_time, "steps that do not increase")
    return Rate(unit=unit.name, steps=steps, effective=info.effective_time)


def _no_rate(unit: str, effective: str, reason: str) -> Rate:
    return Rate(unit=unit, steps=(), effective=effective, reason=reason)


def _fault(unit: str, effective: str, reason: str) -> Rate:
    return Rate(unit=unit, steps=(), effective=effective, reason=reason, is_fault=True)


def _plain(number: Decimal) -> Decimal:
    """Return a number without needless zeros and without an exponent."""
    normal = number.normalize()
    exponent = normal.as_tuple().exponent
    return normal.quantize(Decimal(1)) if isinstance(exponent, int) and exponent > 0 else normal
