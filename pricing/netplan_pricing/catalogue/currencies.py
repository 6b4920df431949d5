"""Conversion rates: what the catalogue says of a currency when it is asked for prices in it."""

from collections.abc import Iterable
from decimal import Decimal

import msgspec

from netplan_planner.errors import InputError
from netplan_pricing.catalogue.dumps import Dump
from netplan_pricing.catalogue.rates import CURRENCY


class CurrencyRate(msgspec.Struct, frozen=True, kw_only=True):
    """How many units of a currency the catalogue takes for a US dollar."""

    currency: str
    per_usd: Decimal
    as_of: str


def rates_of(dumps: Iterable[Dump]) -> tuple[CurrencyRate, ...]:
    """Return the rate of each currency that dumps are priced in, by currency.

    Raises:
        InputError: If a dump names no rate, or two different ones for a currency.
    """
    found: dict[str, CurrencyRate] = {}
    for dump in dumps:
        for rate in _rates(dump):
            known = found.setdefault(rate.currency, rate)
            if known.per_usd != rate.per_usd:
                raise InputError(
                    f"two rates for {rate.currency}: {known.per_usd} and {rate.per_usd} a USD;"
                    " pages of two days?"
                )
    return tuple(found[currency] for currency in sorted(found))


def _rates(dump: Dump) -> list[CurrencyRate]:
    rates: dict[str, CurrencyRate] = {}
    for sku in dump.skus:
        for info in sku.pricing_info:
            steps = info.pricing_expression.tiered_rates
            code = steps[0].unit_price.currency_code if steps else ""
            if not code or code == CURRENCY or code in rates:
                continue
            rate = info.currency_conversion_rate
            if not rate.is_finite() or rate <= 0:
                raise InputError(f"{sku.sku_id}: no conversion rate for {code!a}: {rate}")
            rates[code] = CurrencyRate(currency=code, per_usd=rate, as_of=info.effective_time[:10])
    if not rates:
        names = ", ".join(name for name, _ in dump.origins)
        raise InputError(f"{names}: no price in another currency than {CURRENCY}")
    return list(rates.values())
