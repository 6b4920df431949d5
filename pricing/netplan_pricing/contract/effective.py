"""Effective prices by SKU, from files of the Cloud Billing export."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

import msgspec
from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_pricing.contract.export_files import ExportFile, ExportKind
from netplan_pricing.contract.terms import EffectivePrice

PER_UNIT = {
    "h": Decimal(1),
    "hour": Decimal(1),
    "s": Decimal(1) / 3600,
    "seconds": Decimal(1) / 3600,
    "min": Decimal(1) / 60,
    "minute": Decimal(1) / 60,
    "d": Decimal(24),
    "day": Decimal(24),
    "By": Decimal(1) / 2**30,
    "byte": Decimal(1) / 2**30,
    "MiBy": Decimal(1) / 2**10,
    "mebibyte": Decimal(1) / 2**10,
    "TiBy": Decimal(2**10),
    "tebibyte": Decimal(2**10),
    "GiBy": Decimal(1),
    "gibibyte": Decimal(1),
    "gibibytes": Decimal(1),
    "GBy": Decimal(10**9) / 2**30,
    "gigabyte": Decimal(10**9) / 2**30,
    "GiBy.h": Decimal(1),
    "gibibyte hour": Decimal(1),
    "GBy.h": Decimal(10**9) / 2**30,
    "gigabyte hour": Decimal(10**9) / 2**30,
    "GiBy.mo": Decimal(1),
    "gibibyte month": Decimal(1),
    "mo": Decimal(1),
    "month": Decimal(1),
    "count": Decimal(1),
}
"""How many of netplan's units (hour, GiB, GiB-hour, GiB-month, month) a pricing unit is."""

_DECIMAL = "DECIMAL(38, 18)"


class EffectivePrices(msgspec.Struct, frozen=True, kw_only=True):
    """What a customer pays by SKU and step, and what of the files could not be used."""

    prices: Mapping[str, Mapping[Decimal, EffectivePrice]]
    """By SKU id, then by start of the step."""
    unread: tuple[str, ...]
    """Lines of text: a unit that is not understood, several prices of one step, and the like."""


def effective_prices(paths: Iterable[Path]) -> EffectivePrices:
    """Return the effective prices of files; of two for one step the younger stands.

    Raises:
        InputError: If a file cannot be read, or has no effective price.
    """
    prices: dict[str, dict[Decimal, EffectivePrice]] = {}
    unread: list[str] = []
    for path in paths:
        file = ExportFile(path)
        try:
            read = _of_pricing if file.kind is ExportKind.PRICING else _of_usage
            found = read(file, unread)
        finally:
            file.close()
        if not found:
            raise InputError(f"{path}: no effective price in it")
        for (sku_id, start), price in found.items():
            steps = prices.setdefault(sku_id, {})
            known = steps.get(start)
            if known is None or known.as_of <= price.as_of:
                is_of_all = price.is_of_all or (known is not None and known.is_of_all)
                steps[start] = replace(price, is_of_all=is_of_all)
    return EffectivePrices(prices=prices, unread=tuple(unread))


def _of_usage(file: ExportFile, unread: list[str]) -> dict[tuple[str, Decimal], EffectivePrice]:
    """Return the last effective price of each SKU and step in a usage table."""
    file.require(("sku.id", "price.effective_price", "price.unit", "usage_end_time", "currency"))
    rows = file.rows(
        f"""
        WITH priced AS (
            SELECT {file.field("sku.id")} AS sku_id,
                   {file.field("price.effective_price", _DECIMAL)} AS price,
                   coalesce({file.field("price.tier_start_amount", _DECIMAL)}, 0) AS start,
                   {file.field("price.unit")} AS unit,
                   coalesce({file.field("price.pricing_unit_quantity", _DECIMAL)}, 1) AS quantity,
                   {file.field("currency")} AS currency,
                   {file.field("currency_conversion_rate", _DECIMAL)} AS rate,
                   {file.field("usage_end_time", "TIMESTAMP")} AS ended,
                   coalesce({file.field("cost_type")}, 'regular') AS cost_type
            FROM export)
        SELECT sku_id, start, unit, quantity, currency, rate,
               arg_max(price, ended) AS price, max(ended)::DATE AS day,
               count(DISTINCT price) AS prices
        FROM priced
        WHERE price IS NOT NULL AND sku_id IS NOT NULL AND ended IS NOT NULL
              AND cost_type = 'regular'
        GROUP BY ALL ORDER BY ALL
        """
    )
    ((broken,),) = file.rows(
        f"SELECT count(*) FROM export WHERE {file.field('price.effective_price')} IS NOT NULL"
        f" AND {file.field('price.effective_price', _DECIMAL)} IS NULL"
    )
    if broken:
        unread.append(f"{file.path}: the effective price of {broken} rows is no number")
    found: dict[tuple[str, Decimal], EffectivePrice] = {}
    for sku_id, start, unit, quantity, currency, rate, price, day, count in rows:
        if count != 1:
            unread.append(
                f"{file.path}: {sku_id} has {count} effective prices; the last one stands"
            )
        _add(
            *(file, unread, found),
            sku_id=str(sku_id),
            start=start,
            unit=unit,
            quantity=quantity,
            amount=price,
            per_usd=Decimal(1) if currency == "USD" else rate,
            day=day,
            kind="effective price",
        )
    return found


def _of_pricing(file: ExportFile, unread: list[str]) -> dict[tuple[str, Decimal], EffectivePrice]:
    """Return the account's price of each SKU and step in a pricing table, of its last day."""
    if file.has("billing_account_price.tiered_rates"):
        tiers = file.field("billing_account_price.tiered_rates", "JSON")
        tiers = f"coalesce({tiers}, '[]'::JSON)"
    else:
        tiers = "json_extract(billing_account_price::JSON, '$.tiered_rates')"
    file.require(("sku.id", "pricing_unit"))
    day = file.field("pricing_as_of_time", "TIMESTAMP")
    if day == "NULL":
        day = file.field("export_time", "TIMESTAMP")
    rows = file.rows(
        f"""
        WITH priced AS (
            SELECT {file.field("sku.id")} AS sku_id, {file.field("pricing_unit")} AS unit,
                   {day} AS told, unnest(from_json({tiers}, '["JSON"]')) AS tier
            FROM export)
        SELECT sku_id, TRY_CAST(tier->>'start_usage_amount' AS {_DECIMAL}) AS start, unit,
               TRY_CAST(tier->>'pricing_unit_quantity' AS {_DECIMAL}) AS quantity,
               TRY_CAST(tier->>'usd_amount' AS {_DECIMAL}) AS usd, told::DATE AS day
        FROM priced
        WHERE sku_id IS NOT NULL
        QUALIFY told = max(told) OVER (PARTITION BY sku_id)
        ORDER BY ALL
        """
    )
    found: dict[tuple[str, Decimal], EffectivePrice] = {}
    for sku_id, start, unit, quantity, usd, told in rows:
        _add(
            *(file, unread, found),
            sku_id=str(sku_id),
            start=start,
            unit=unit,
            quantity=quantity,
            amount=usd,
            per_usd=Decimal(1),
            day=told,
            kind="account price",
        )
    return found


def _add(
    file: ExportFile,
    unread: list[str],
    found: dict[tuple[str, Decimal], EffectivePrice],
    *,
    sku_id: str,
    start: object,
    unit: object,
    quantity: object,
    amount: object,
    per_usd: object,
    day: object,
    kind: str,
) -> None:
    """Add a price in netplan's units and in US dollars, or say why it cannot be used."""
    per_unit = PER_UNIT.get(str(unit))
    where = f"{file.path}: {sku_id}"
    if per_unit is None:
        unread.append(
            f"{where}: the pricing unit {unit!r} is not understood; the list price stands"
        )
    elif not isinstance(amount, Decimal) or amount < 0:
        unread.append(f"{where}: no price: {amount!r}; the list price stands")
    elif not isinstance(per_usd, Decimal) or per_usd <= 0:
        unread.append(f"{where}: its currency has no conversion rate; the list price stands")
    elif not isinstance(day, date):
        unread.append(f"{where}: no date; the list price stands")
    else:
        pieces = quantity if isinstance(quantity, Decimal) and quantity > 0 else Decimal(1)
        begins = (start if isinstance(start, Decimal) else Decimal(0)) * per_unit
        usd = amount / per_usd / pieces / per_unit
        found[sku_id, begins.normalize() if begins else Decimal(0)] = EffectivePrice(
            usd=usd.normalize() if usd else Decimal(0),
            as_of=day,
            source=f"{kind} of the billing export {file.path.name}, {day.isoformat()}",
            is_of_all=file.kind is ExportKind.PRICING,
        )
