"""Effective prices by SKU, from files of the Cloud Billing export.

A SKU may have several: one for each consumption model (usage that a multiprice commitment covers
has rows and a price of its own, https://docs.cloud.google.com/docs/cuds-multiprice), and one after
the other in time. `conditions` decides which of them is the price on demand, or that none is.

Of several effective prices of one SKU, the one that holds on demand, or that none can be told.

No price stands because it came last in a file. Two prices of one time are told apart by what the
export says of them: the consumption model (a commitment's prices are not those on demand) and, for
words, the billing account. What it does not tell apart is not used, and named.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError
from netplan_pricing.contract.export_files import ExportFile, ExportKind
from netplan_pricing.contract.terms import EffectivePrice, Terms

_DIGITS = 12
"""To which two prices are one: conversion through a currency leaves noise behind."""
_ELSE = "the list price is used where the bill has no other"


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """An effective price as an export has it, in netplan's units and in US dollars."""

    sku_id: str
    start: Decimal
    """Of its step."""
    usd: Decimal
    model: str
    """The consumption model, empty for the default one."""
    account: str
    began: datetime
    ended: datetime
    """First and last moment that it is of."""
    kind: str
    file: str
    is_of_all: bool


def resolved(found: Iterable[Found], unread: Mapping[str, str]) -> Terms:
    """Return the one price of each SKU, step and consumption model, and why others are not used.

    Args:
        found: What files have.
        unread: Lines of text of what they have and cannot be used: a unit that is not understood
            and the like, each with the SKU id that it is of.
    """
    by_key: dict[tuple[str, str, Decimal], list[Found]] = {}
    for one in found:
        by_key.setdefault((one.sku_id, one.model, one.start), []).append(one)
    told = dict(unread)
    prices: dict[str, dict[Decimal, EffectivePrice]] = {}
    under: dict[str, dict[str, EffectivePrice]] = {}
    doubtful: set[tuple[str, str]] = set()
    for (sku_id, model, start), several in by_key.items():
        price = _one_of(several)
        if price is None:
            doubtful.add((sku_id, model))
            told[_why(sku_id, model, start, several)] = sku_id
        elif not model:
            prices.setdefault(sku_id, {})[start] = price
        elif not start:
            under.setdefault(sku_id, {})[model] = price
    for sku_id, model in doubtful:
        # A price of which one step is not known is not known.
        if model:
            under.get(sku_id, {}).pop(model, None)
        else:
            prices.pop(sku_id, None)
    for sku_id in sorted(under.keys() - prices.keys() - {one for one, _ in doubtful}):
        if under[sku_id]:
            models = " and ".join(sorted(under[sku_id]))
            told[f"{sku_id} is billed only under {models}: on-demand uses the list price"] = sku_id
    return Terms(
        effective=prices, under=under, unread=tuple(told), at_list=frozenset(told.values())
    )


def _one_of(several: Sequence[Found]) -> EffectivePrice | None:
    """Return the price that all agree on, or the newest of prices that followed one another."""
    is_of_all = any(one.is_of_all for one in several)
    newest = max(several, key=lambda one: (one.ended, one.began))
    others = [one for one in several if round(one.usd, _DIGITS) != round(newest.usd, _DIGITS)]
    began = min(
        one.began for one in several if round(one.usd, _DIGITS) == round(newest.usd, _DIGITS)
    )
    for one in others:
        is_before = one.ended <= began and (one.began, one.ended) != (newest.began, newest.ended)
        if not is_before:
            return None
    day = newest.ended.date()
    source = f"{newest.kind} of the billing export {newest.file}, {day.isoformat()}"
    if others:
        last = max(others, key=lambda one: one.ended)
        source += f" (until {last.ended:%Y-%m-%d} {last.usd:f})"
    return EffectivePrice(usd=newest.usd, as_of=day, source=source, is_of_all=is_of_all)


def _why(sku_id: str, model: str, start: Decimal, several: Sequence[Found]) -> str:
    """Return which prices of one time there are."""
    amounts = sorted({round(one.usd, _DIGITS).normalize() for one in several})
    accounts = sorted({one.account for one in several if one.account})
    files = ", ".join(dict.fromkeys(one.file for one in several))
    under = f" under {model}" if model else ""
    step = f" from {start:f} on" if start else ""
    whose = f", of the billing accounts {', '.join(accounts)}" if len(accounts) > 1 else ""
    return (
        f"{files}: {sku_id} has {len(amounts)} effective prices at one time{under}{step}"
        f" ({', '.join(f'{usd:f}' for usd in amounts)} USD{whose}), and it is unknown which"
        " applies; the list price is used"
    )


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
_IS_DEFAULT = (
    "coalesce(model_id, '') IN ('7754-699E-0EBF', 'DEFAULT')"
    " OR lower(coalesce(model, model_id, 'default')) = 'default'"
)
"""Of what no commitment with prices of its own covers; rows of before 2025 name no model at all."""


def effective_prices(paths: Iterable[Path]) -> Terms:
    """Return the effective prices of files, each with the condition that it holds under.

    Raises:
        InputError: If a file cannot be read, or has no effective price.
    """
    found: list[Found] = []
    unread: dict[str, str] = {}
    for path in paths:
        file = ExportFile(path)
        try:
            read = _of_pricing if file.kind is ExportKind.PRICING else _of_usage
            of_file = list(read(file, unread))
        finally:
            file.close()
        if not of_file:
            raise InputError(f"{path}: no effective price in the export")
        found += of_file
    return resolved(found, unread)


def _of_usage(file: ExportFile, unread: dict[str, str]) -> Iterator[Found]:
    """Yield every effective price of a usage table with its consumption model and its time."""
    file.require(("sku.id", "price.effective_price", "price.unit", "usage_end_time", "currency"))
    rows = file.rows(
        f"""
        WITH priced AS (
            SELECT {file.field("sku.id")} AS sku_id,
                   {file.field("price.effective_price", _DECIMAL)} AS price,
                   {file.field("price.effective_price_default", _DECIMAL)} AS default_price,
                   {file.field("consumption_model.id")} AS model_id,
                   {file.field("consumption_model.description")} AS model,
                   coalesce({file.field("billing_account_id")}, '') AS account,
                   coalesce({file.field("price.tier_start_amount", _DECIMAL)}, 0) AS start,
                   {file.field("price.unit")} AS unit,
                   coalesce({file.field("price.pricing_unit_quantity", _DECIMAL)}, 1) AS quantity,
                   {file.field("currency")} AS currency,
                   {file.field("currency_conversion_rate", _DECIMAL)} AS rate,
                   {file.field("usage_start_time", "TIMESTAMP")} AS began,
                   {file.field("usage_end_time", "TIMESTAMP")} AS ended,
                   coalesce({file.field("cost_type")}, 'regular') AS cost_type
            FROM export),
        named AS (
            SELECT *, CASE WHEN {_IS_DEFAULT} THEN '' ELSE coalesce(model, model_id) END AS name
            FROM priced
            WHERE sku_id IS NOT NULL AND ended IS NOT NULL AND cost_type = 'regular'),
        listed AS (
            SELECT * FROM named WHERE price IS NOT NULL
            UNION ALL
            SELECT * REPLACE ('' AS name, default_price AS price) FROM named
            WHERE name <> '' AND default_price IS NOT NULL)
        SELECT sku_id, start, unit, quantity, currency, rate, price, name, account,
               min(coalesce(began, ended)), max(ended)
        FROM listed GROUP BY ALL ORDER BY ALL
        """
    )
    broken = file.rows(
        f"SELECT {file.field('sku.id')}, count(*) FROM export"
        f" WHERE {file.field('price.effective_price')} IS NOT NULL"
        f" AND {file.field('price.effective_price', _DECIMAL)} IS NULL GROUP BY 1 ORDER BY 1"
    )
    for sku_id, count in broken:
        told = f"{file.path}: {sku_id}: the effective price of {count} rows is not a number"
        unread[f"{told}; {_ELSE}"] = str(sku_id)
    for sku_id, start, unit, quantity, currency, rate, price, name, account, began, ended in rows:
        yield from _found(
            *(file, unread),
            sku_id=str(sku_id),
            step=(start, unit, quantity),
            amount=price,
            per_usd=Decimal(1) if currency == "USD" else rate,
            time=(began, ended),
            condition=(str(name or ""), str(account)),
            kind="effective price",
        )


def _of_pricing(file: ExportFile, unread: dict[str, str]) -> Iterator[Found]:
    """Yield the account's price of each SKU, step and consumption model, of the last day."""
    if file.has("billing_account_price.tiered_rates"):
        own = f"coalesce({file.field('billing_account_price.tiered_rates', 'JSON')}, '[]'::JSON)"
    else:
        own = "json_extract(billing_account_price::JSON, '$.tiered_rates')"
    models = "'[]'::JSON"
    if file.has("consumption_model_prices"):
        models = f"coalesce({file.field('consumption_model_prices', 'JSON')}, '[]'::JSON)"
    file.require(("sku.id", "pricing_unit"))
    day = file.field("pricing_as_of_time", "TIMESTAMP")
    if day == "NULL":
        day = file.field("export_time", "TIMESTAMP")
    rows = file.rows(
        f"""
        WITH priced AS (
            SELECT {file.field("sku.id")} AS sku_id, {file.field("pricing_unit")} AS unit,
                   coalesce({file.field("billing_account_id")}, '') AS account,
                   {day} AS told, {own} AS own, {models} AS models
            FROM export),
        under AS (
            SELECT * EXCLUDE (models), unnest(from_json(models, '["JSON"]')) AS one FROM priced),
        named AS (
            SELECT *, one->>'consumption_model_id' AS model_id,
                   one->>'consumption_model_display_name' AS model FROM under),
        listed AS (
            SELECT sku_id, unit, account, told, '' AS name, own AS tiers FROM priced
            UNION ALL
            SELECT sku_id, unit, account, told, coalesce(model, model_id),
                   json_extract(one, '$.billing_account_price.tiered_rates')
            FROM named WHERE NOT ({_IS_DEFAULT})),
        stepped AS (
            SELECT * EXCLUDE (tiers), unnest(from_json(tiers, '["JSON"]')) AS tier FROM listed)
        SELECT DISTINCT sku_id, TRY_CAST(tier->>'start_usage_amount' AS {_DECIMAL}), unit,
               TRY_CAST(tier->>'pricing_unit_quantity' AS {_DECIMAL}),
               TRY_CAST(tier->>'usd_amount' AS {_DECIMAL}), name, account, told
        FROM stepped
        WHERE sku_id IS NOT NULL
        QUALIFY told = max(told) OVER (PARTITION BY sku_id)
        ORDER BY ALL
        """
    )
    for sku_id, start, unit, quantity, usd, name, account, told in rows:
        yield from _found(
            *(file, unread),
            sku_id=str(sku_id),
            step=(start, unit, quantity),
            amount=usd,
            per_usd=Decimal(1),
            time=(told, told),
            condition=(str(name or ""), str(account)),
            kind="account price",
        )


def _found(
    file: ExportFile,
    unread: dict[str, str],
    *,
    sku_id: str,
    step: tuple[object, object, object],
    amount: object,
    per_usd: object,
    time: tuple[object, object],
    condition: tuple[str, str],
    kind: str,
) -> Iterator[Found]:
    """Yield a price in netplan's units and in US dollars, or say why it cannot be used."""
    start, unit, quantity = step
    per_unit = PER_UNIT.get(str(unit))
    where = f"{file.path}: {sku_id}"
    began, ended = time
    if per_unit is None:
        unread[f"{where}: unknown pricing unit {unit!r}; {_ELSE}"] = sku_id
    elif not isinstance(amount, Decimal) or amount < 0:
        unread[f"{where}: no price: {amount}; {_ELSE}"] = sku_id
    elif not isinstance(per_usd, Decimal) or per_usd <= 0:
        unread[f"{where}: its currency has no conversion rate; {_ELSE}"] = sku_id
    elif not isinstance(began, datetime) or not isinstance(ended, datetime):
        unread[f"{where}: no date; {_ELSE}"] = sku_id
    else:
        pieces = quantity if isinstance(quantity, Decimal) and quantity > 0 else Decimal(1)
        begins = (start if isinstance(start, Decimal) else Decimal(0)) * per_unit
        usd = amount / per_usd / pieces / per_unit
        yield Found(
            sku_id=sku_id,
            start=Decimal(f"{begins.normalize():f}"),
            usd=usd.normalize() if usd else Decimal(0),
            model=condition[0],
            account=condition[1],
            began=began,
            ended=ended,
            kind=kind,
            file=file.path.name,
            is_of_all=file.kind is ExportKind.PRICING,
        )
