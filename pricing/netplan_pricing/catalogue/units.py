"""From the units of the catalogue to netplan's: GiB, GiB-hour, GiB-month, hour, month, piece.

The conversion factor to the base unit decides, not the unit's name: memory of some series is sold
by the decimal gigabyte, 7 % less than the others'. The base of a month is that of the day of the
request, 28 to 31 days of it; prices per month are left per month.
"""

from decimal import Decimal

import msgspec

from netplan_pricing.catalogue.sku import PricingExpression

_BYTES_PER_GIB = Decimal(2**30)
_SECONDS_PER_HOUR = Decimal(3600)
_SECONDS_PER_DAY = 86400
_DAYS_OF_MONTHS = (28, 29, 30, 31)
_BYTE_SIZES = frozenset(
    Decimal(base**power) for base in (1000, 1024) for power in (0, 1, 2, 3, 4, 5)
)


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
