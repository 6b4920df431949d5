"""Of several effective prices of one SKU, the one that holds on demand, or that none can be told.

No price stands because it came last in a file. Two prices of one time are told apart by what the
export says of them: the consumption model (a commitment's prices are not those on demand) and, for
words, the billing account. What it does not tell apart is not used, and named.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal

import msgspec

from netplan_pricing.contract.terms import EffectivePrice

_DIGITS = 12
"""To which two prices are one: conversion through a currency leaves noise behind."""


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


class EffectivePrices(msgspec.Struct, frozen=True, kw_only=True):
    """What a customer pays by SKU and step, and what of the files could not be used."""

    prices: Mapping[str, Mapping[Decimal, EffectivePrice]]
    """On demand, by SKU id, then by start of the step."""
    under: Mapping[str, Mapping[str, EffectivePrice]]
    """Of the first step under other consumption models, by SKU id, then by model."""
    unread: tuple[str, ...]
    """Lines of text: a unit that is not understood, two prices at one time, and the like."""


def resolved(found: Iterable[Found], unread: Sequence[str]) -> EffectivePrices:
    """Return the one price of each SKU, step and consumption model, and why others are not used."""
    by_key: dict[tuple[str, str, Decimal], list[Found]] = {}
    for one in found:
        by_key.setdefault((one.sku_id, one.model, one.start), []).append(one)
    told = list(dict.fromkeys(unread))
    prices: dict[str, dict[Decimal, EffectivePrice]] = {}
    under: dict[str, dict[str, EffectivePrice]] = {}
    doubtful: set[tuple[str, str]] = set()
    for (sku_id, model, start), several in by_key.items():
        price = _one_of(several)
        if price is None:
            doubtful.add((sku_id, model))
            told.append(_why(sku_id, model, start, several))
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
    only = sorted(
        {sku_id for sku_id in under if sku_id not in prices} - {one for one, _ in doubtful}
    )
    told += [
        f"{sku_id} is billed under {' and '.join(sorted(under[sku_id]))} alone: for on demand the"
        " list price stands"
        for sku_id in only
        if under[sku_id]
    ]
    return EffectivePrices(prices=prices, under=under, unread=tuple(told))


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
        f" ({', '.join(f'{usd:f}' for usd in amounts)} USD{whose}), and nothing says which holds;"
        " the list price stands"
    )
