"""Effective prices by SKU, from files of the Cloud Billing export.

A SKU may have several: one for each consumption model (usage that a multiprice commitment covers
has rows and a price of its own, https://docs.cloud.google.com/docs/cuds-multiprice), and one after
the other in time. `conditions` decides which of them is the price on demand, or that none is.

Of several effective prices of one SKU, the one that holds on demand, or that none can be told.

No price stands because it came last in a file. Two prices of one time are told apart by what the
export says of them: the consumption model (a commitment's prices are not those on demand) and, for
words, the billing account. What it does not tell apart is not used, and named.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_pricing.contract.export_files import ExportFile, ExportKind
from netplan_pricing.contract.terms import Discount, EffectivePrice, Terms

_DIGITS = 12
"""To which two prices are one: conversion through a currency leaves noise behind."""
_ELSE = "the list price is used where the bill has no other"
Unread = dict[str, tuple[str, str, Decimal | None]]
"""Lines of text, each with what it is of: SKU id, consumption model, start of the step if known."""


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


def resolved(found: Iterable[Found], unread: Unread, discounts: tuple[Discount, ...] = ()) -> Terms:
    """Return the one price of each SKU, step and consumption model, and why others are not used.

    Args:
        found: What files have.
        unread: What they have that cannot be used: a unit that is not understood, and the like.
        discounts: Of what files do not name.
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
            told[_why(sku_id, model, start, several)] = (sku_id, model, start)
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
            line = f"{sku_id} is billed only under {models}: on-demand uses the list price"
            told[line] = (sku_id, "", None)
    at_list = {
        sku_id
        for sku_id, model, start in told.values()
        if sku_id not in prices or (not model and start not in prices[sku_id])
    }
    return Terms(
        discounts=discounts,
        effective=prices,
        under=under,
        unread=tuple(told),
        at_list=frozenset(at_list),
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
    whose = f", of the billing accounts {', '.join(accounts)}" if len(accounts) > 1 else ""
    return (
        f"{files}: {_named(sku_id, model, start)} has {len(amounts)} effective prices at one time"
        f" ({', '.join(f'{usd:f}' for usd in amounts)} USD{whose}), and it is unknown which"
        " applies; the list price is used"
    )


def _named(sku_id: str, model: str, start: Decimal) -> str:
    """Return which price of a SKU it is, in words."""
    return f"{sku_id}{f' under {model}' if model else ''}{f' from {start:f} on' if start else ''}"


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


def effective_prices(paths: Iterable[Path], discounts: tuple[Discount, ...] = ()) -> Terms:
    """Return the effective prices of files, each with the condition that it holds under.

    Args:
        paths: Files of the Cloud Billing export.
        discounts: Of what the files do not name.

    Raises:
        InputError: If a file cannot be read, or has no effective price.
    """
    found: list[Found] = []
    unread: Unread = {}
    left_out: list[str] = []
    for path in paths:
        file = ExportFile(path)
        try:
            read = _of_pricing if file.kind is ExportKind.PRICING else _of_usage
            of_file = [one for row in read(file) for one in _found(file, row, unread)]
            left_out += _left_out(file)
        finally:
            file.close()
        if not of_file:
            raise InputError(f"{path}: no effective price in the export")
        found += of_file
    terms = resolved(found, unread, discounts)
    return replace(terms, unread=(*terms.unread, *left_out))


def _left_out(file: ExportFile) -> Iterator[str]:
    """Yield how many rows name a price of no SKU, and how many SKUs have none, a line for both."""
    price, usual, dated = file.field("price.effective_price"), "true", "true"
    if file.kind is ExportKind.PRICING:
        price, dated = f"nullif({_own_tiers(file)}::VARCHAR, '[]')", f"{_day(file)} IS NOT NULL"
    else:
        usual = f"coalesce({file.field('cost_type')}, 'regular') = 'regular'"
    sku_id = file.field("sku.id")
    ((rows, undated, skus),) = file.rows(
        f"""
        SELECT count(*) FILTER (sku_id IS NULL AND price IS NOT NULL),
               count(*) FILTER (sku_id IS NOT NULL AND NOT is_dated),
               count(DISTINCT sku_id) - count(DISTINCT sku_id) FILTER (price IS NOT NULL)
        FROM (SELECT {sku_id} AS sku_id, {price} AS price, {dated} AS is_dated FROM export
              WHERE {usual})
        """
    )
    counts = (
        (rows, "row without a SKU"),
        (undated, "row without a date"),
        (skus, "SKU without a price"),
    )
    told = [f"{what}: {count:,}" for count, what in counts if count]
    if told:
        yield f"{file.path}: not used: {', '.join(told)}"


def _of_usage(file: ExportFile) -> list[tuple[Any, ...]]:
    """Return every effective price of a usage table with its consumption model and its time."""
    file.require(("sku.id", "price.effective_price", "price.unit", "usage_end_time", "currency"))
    return file.rows(
        f"""
        WITH priced AS (
            SELECT {file.field("sku.id")} AS sku_id,
                   {file.field("price.effective_price", _DECIMAL)} AS price,
                   {file.field("price.effective_price")} AS written,
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
            WHERE sku_id IS NOT NULL AND cost_type = 'regular'),
        listed AS (
            SELECT * FROM named WHERE written IS NOT NULL
            UNION ALL
            SELECT * REPLACE ('' AS name, default_price AS price) FROM named
            WHERE name <> '' AND default_price IS NOT NULL)
        SELECT sku_id, start, unit, quantity, CASE currency WHEN 'USD' THEN 1 ELSE rate END,
               price, written, coalesce(name, ''), account, min(coalesce(began, ended)), max(ended)
        FROM listed GROUP BY ALL ORDER BY ALL
        """
    )


def _own_tiers(file: ExportFile) -> str:
    """Return the SQL of an account's own steps in a pricing table."""
    if file.has("billing_account_price.tiered_rates"):
        return f"coalesce({file.field('billing_account_price.tiered_rates', 'JSON')}, '[]'::JSON)"
    return "json_extract(billing_account_price::JSON, '$.tiered_rates')"


def _day(file: ExportFile) -> str:
    """Return the SQL of the moment that a row of a pricing table is of."""
    day = file.field("pricing_as_of_time", "TIMESTAMP")
    return file.field("export_time", "TIMESTAMP") if day == "NULL" else day


def _of_pricing(file: ExportFile) -> list[tuple[Any, ...]]:
    """Return the account's price of each SKU, step and consumption model, of the last day."""
    own, day = _own_tiers(file), _day(file)
    models = "'[]'::JSON"
    if file.has("consumption_model_prices"):
        models = f"coalesce({file.field('consumption_model_prices', 'JSON')}, '[]'::JSON)"
    file.require(("sku.id", "pricing_unit"))
    return file.rows(
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
               TRY_CAST(tier->>'pricing_unit_quantity' AS {_DECIMAL}), 1::{_DECIMAL},
               TRY_CAST(tier->>'usd_amount' AS {_DECIMAL}), tier->>'usd_amount',
               coalesce(name, ''), account, told, told
        FROM stepped
        WHERE sku_id IS NOT NULL
        QUALIFY told = max(told) OVER (PARTITION BY sku_id)
        ORDER BY ALL
        """
    )


def _found(file: ExportFile, row: tuple[Any, ...], unread: Unread) -> Iterator[Found]:
    """Yield a price in netplan's units and in US dollars, or say why it cannot be used."""
    sku_id, start, unit, quantity, per_usd, amount, written, model, account, began, ended = row
    per_unit = PER_UNIT.get(str(unit))
    begins = (start or Decimal(0)) * (per_unit or 0)
    begins = Decimal(f"{begins.normalize():f}")
    is_of_all = file.kind is ExportKind.PRICING
    fault = ""
    if per_unit is None:
        fault = f"unknown pricing unit {unit!r}"
    elif amount is None or amount < 0:
        fault = f"no price: {written if amount is None else f'{amount.normalize():f}'}"
    elif per_usd is None or per_usd <= 0:
        fault = "its currency has no conversion rate"
    elif began is None or ended is None:
        fault = "no date"
    else:
        usd = amount / per_usd / (quantity if quantity and quantity > 0 else 1) / per_unit
        yield Found(
            sku_id=sku_id,
            start=begins,
            usd=usd.normalize() if usd else Decimal(0),
            model=model,
            account=account,
            began=began,
            ended=ended,
            kind="account price" if is_of_all else "effective price",
            file=file.path.name,
            is_of_all=is_of_all,
        )
    if fault:
        where = (sku_id, model, None if per_unit is None else begins)
        unread[f"{file.path}: {_named(sku_id, model, begins)}: {fault}; {_ELSE}"] = where
