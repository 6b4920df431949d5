"""A whole catalogue as prices: every SKU mapped and priced, and what could not be."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal

import msgspec

from netplan_planner.errors import InputError
from netplan_pricing.catalogue.dumps import Dump
from netplan_pricing.catalogue.mapping import MappedSku, Scope, map_sku
from netplan_pricing.catalogue.sku import CURRENCY, Rate, Sku, rate_of

# Conversion rates: what the catalogue says of a currency when it is asked for prices in it


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
                    f"two rates for {rate.currency}: {known.per_usd} and {rate.per_usd} per USD;"
                    " check whether the pages are of different days"
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
        raise InputError(f"{names}: no price in a currency other than {CURRENCY}")
    return list(rates.values())


# A whole catalogue as prices: every SKU mapped and priced, and what could not be


MOST_UNRECOGNISED_RATIO = 0.01
"""Of the SKUs of one resource group. One new surcharge of a group is a few per cent of it."""

_SHOWN = 5
_FREE = "a price of 0"
_PARTS = frozenset({"CPU", "RAM", "GPU", "LocalSSD"})


class PricedSku(msgspec.Struct, frozen=True):
    """A SKU that netplan needs, what it is, and what it costs."""

    sku: Sku
    mapped: MappedSku
    rate: Rate


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A SKU that netplan would need and cannot use."""

    sku_id: str
    description: str
    group: str
    reason: str
    where: str


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """The prices of a dump."""

    priced: tuple[PricedSku, ...]
    unread: tuple[Unread, ...]
    priceless: tuple[Unread, ...]
    """SKUs of kinds that netplan prices for which the catalogue names no price, or 0 for a part of
    a machine. Some always are; what they would price is refused, or has another source's price."""
    sku_count: int
    as_of: date
    """The newest day on which a price of it began: it was read then or later."""


def price_catalogue(
    dump: Dump, *, today: date, most_unrecognised_ratio: float = MOST_UNRECOGNISED_RATIO
) -> Catalogue:
    """Return what a dump holds for netplan; prices that begin after `today` are none yet.

    Raises:
        InputError: If more of a resource group than `most_unrecognised_ratio` cannot be used, or
            no price says when it began.
    """
    priced: list[PricedSku] = []
    unread: list[Unread] = []
    priceless: list[Unread] = []
    needed: Counter[str] = Counter()
    # A day more: it is tomorrow already on the other side of the world.
    last_day = (today + timedelta(days=1)).isoformat()
    for place, sku in enumerate(dump.skus):
        mapped = map_sku(sku)
        if mapped.scope is Scope.OTHER:
            continue
        rate = rate_of(sku, last_day)
        group = sku.category.resource_group
        needed[group] += 1
        reason = rate.reason if rate.is_fault else mapped.reason
        one = Unread(
            sku_id=sku.sku_id,
            description=sku.description,
            group=group,
            reason=reason or rate.reason or _FREE,
            where=dump.where(place),
        )
        if mapped.scope is not Scope.PRICED or rate.is_fault:
            unread.append(one)
            continue
        priced.append(PricedSku(sku, mapped, rate))
        is_free = mapped.counts_in_plain_vm_price and not any(step.usd for step in rate.steps)
        if not rate.steps or is_free:
            priceless.append(one)
    _require_few(unread, needed, most_unrecognised_ratio)
    return Catalogue(
        priced=tuple(priced),
        unread=tuple(unread),
        # What machines are summed from comes first: their prices would be another source's.
        priceless=tuple(
            sorted(priceless, key=lambda one: (one.group not in _PARTS, one.reason == _FREE))
        ),
        sku_count=len(dump.skus),
        as_of=_as_of(priced),
    )


def _require_few(unread: Sequence[Unread], needed: Counter[str], most_ratio: float) -> None:
    count = Counter(one.group for one in unread)
    over = sorted(group for group, few in count.items() if few > most_ratio * needed[group])
    if not over:
        return
    named = [one for one in unread if one.group in over]
    listed = "".join(
        f"\n  {one.sku_id} {one.description!a}: {one.reason} ({one.where})"
        for one in named[:_SHOWN]
    )
    more = f"\n  and {len(named) - _SHOWN:,} more" if len(named) > _SHOWN else ""
    groups = ", ".join(f"{group or 'no group'} {count[group]} of {needed[group]}" for group in over)
    raise InputError(
        f"too many SKUs are not recognized ({groups}; at most {most_ratio:.2%} per"
        f" group):{listed}{more}\nPrices of VMs would lack these parts. See `netplan prices map`;"
        " --max-unrecognised allows more."
    )


def _as_of(priced: Sequence[PricedSku]) -> date:
    days = [item.rate.effective[:10] for item in priced if item.rate.effective]
    try:
        return date.fromisoformat(max(days))
    except ValueError as exc:
        raise InputError("no price of the catalog states its start (effectiveTime)") from exc
