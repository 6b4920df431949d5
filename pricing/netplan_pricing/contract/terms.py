"""The customer's own prices over the list's: effective prices by SKU, else discounts in percent.

An effective price goes before a discount, a discount on a SKU before one on its service. Every
price says in its source which of them made it.

A discount that is one over all SKUs of a kind in the bill: taken for those that are not in it.

What is paid is compared with what would be paid, and not with a list price.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any, Self

import msgspec
from msgspec.structs import replace

from netplan_planner.errors import UsageError
from netplan_planner.model import NOT_IN_BILL, FlexibleCommitments, Price, PriceTier
from netplan_pricing.catalogue.sku import SERVICE_NAMES
from netplan_pricing.container import SnapshotFile
from netplan_pricing.texts import joined

_SAME_RATIO = Decimal("0.01")
"""Up to which two ratios are one, and below which a ratio is the list's: rounding of a currency."""
_TENTH = Decimal("0.1")


def alike(ratios: Iterable[tuple[str, Decimal]]) -> Decimal | None:
    """Return what a bill leaves of list prices, where it is one ratio; None: it is not.

    Args:
        ratios: Of each price that the bill names, with what it is of, a SKU or a route: one of
            them may have a discount of its own, which says nothing of the others.

    >>> alike([("core", Decimal("0.8")), ("ram", Decimal("0.805"))])
    Decimal('0.8025')
    >>> alike([("core", Decimal("0.8")), ("ram", Decimal("0.9"))])
    >>> alike([("core", Decimal("0.8")), ("core", Decimal("0.8"))])
    """
    named = list(ratios)
    found = [ratio for _, ratio in named]
    is_of_several = len({of for of, _ in named}) > 1
    if not is_of_several or max(found) - min(found) > _SAME_RATIO:
        return None
    return sum(found, Decimal(0)) / len(found)


def is_uneven(ratios: Iterable[tuple[str, Decimal]]) -> bool:
    """Return whether a bill has discounts of a kind, and not one that all of it shares.

    What it names is not comparable then with what it does not name.

    >>> is_uneven([("n2", Decimal("0.8"))]), is_uneven([("n2", Decimal(1))]), is_uneven([])
    (True, False, False)
    >>> is_uneven([("n2", Decimal("0.8")), ("c3", Decimal("0.8"))])
    False
    """
    named = list(ratios)
    return not all(_is_list(ratio) for _, ratio in named) and alike(named) is None


def _is_list(ratio: Decimal) -> bool:
    return abs(1 - ratio) < _SAME_RATIO


def assumed(price: Price, ratio: Decimal | None, kind: str) -> Price:
    """Return a list price with the discount of its kind, which its source says.

    Args:
        price: That the bill does not name.
        ratio: What the bill leaves of its kind; None or the list's: nothing is assumed.
        kind: What has the discount, in words: `data transfer`.
    """
    if ratio is None or _is_list(ratio) or not price.usd:
        return price
    percent = ((1 - ratio) * 100).quantize(_TENTH)
    said = (
        f"{NOT_IN_BILL}: assumed {abs(percent)} % {'less' if percent > 0 else 'more'} than the"
        f" list, as for all {kind} in the bill"
    )
    return replace(price, usd=price.usd * ratio, source=joined(price.source, said))


_SKU_ID = re.compile(r"[0-9A-F]{4}(?:-[0-9A-F]{4}){2}")
_WHOLE = Decimal(100)
EVERYTHING = "all"
COMPUTE_ENGINE, NETWORKING = SERVICE_NAMES.values()


class Discount(msgspec.Struct, frozen=True, kw_only=True):
    """A share off the list price of a service, or of a SKU."""

    of: str
    """A service as the catalogue calls it, a SKU id, or `all`."""
    percent: Decimal

    @property
    def is_of_sku(self) -> bool:
        """Whether it is for one SKU."""
        return _SKU_ID.fullmatch(self.of) is not None

    @property
    def ratio(self) -> Decimal:
        """What is left of the list price."""
        return 1 - self.percent / _WHOLE


class EffectivePrice(msgspec.Struct, frozen=True, kw_only=True):
    """What a SKU really costs from a step on."""

    usd: Decimal
    as_of: date
    source: str
    is_of_all: bool = False
    """Whether its source names every step of the SKU, as the pricing table does. The usage table
    names the steps that were reached."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """A customer's prices; without any the list's stand."""

    discounts: tuple[Discount, ...] = ()
    effective: Mapping[str, Mapping[Decimal, EffectivePrice]] = {}
    """By SKU id, then by start of the step, in netplan's units."""
    under: Mapping[str, Mapping[str, EffectivePrice]] = {}
    """Prices that hold under another consumption model than the default one, for what a commitment
    with prices of its own covers: by SKU id, then by the model's name."""
    unread: tuple[str, ...] = ()
    """What of the customer's files could not be used, a line each."""
    at_list: frozenset[str] = frozenset()
    """SKU ids of those lines: what the bill has no usable price of is at list, as they say."""

    @property
    def is_list(self) -> bool:
        """Whether nothing differs from the list."""
        return not self.discounts and not self.effective

    @property
    def in_words(self) -> str:
        """What differs from the list, an empty text where nothing does."""
        steps = [one for own in self.effective.values() for one in own.values()]
        files = sorted({one.source.rpartition(",")[0] for one in steps})
        parts = [f"{'; '.join(files)} for {len(self.effective):,} SKUs"] if files else []
        parts += [f"{one.percent:f} % off {one.of}" for one in self.discounts]
        models = sorted({name for prices in self.under.values() for name in prices})
        if models:
            parts.append(f"prices under {', '.join(models)} are read separately, not for on-demand")
        if self.unread:
            more = f" and {len(self.unread) - 1:,} more" if len(self.unread) > 1 else ""
            parts.append(f"not used: {self.unread[0]}{more}")
        return "; ".join(parts)

    def names(self, sku_id: str | None) -> bool:
        """Return whether the bill names a SKU, be it with prices that cannot be used."""
        return sku_id in self.effective or sku_id in self.at_list

    def discount(self, sku_id: str | None, service: str) -> Discount | None:
        """Return the discount on a SKU, on its service, or on everything; None for the list."""
        for name in (sku_id, service.casefold(), EVERYTHING):
            for one in self.discounts:
                if name and one.of.casefold() == name.casefold():
                    return one
        return None

    def applied(self, price: Price, service: str, start: Decimal = Decimal(0)) -> Price:
        """Return what the customer pays for a unit that the list prices."""
        if self.is_list or not price.usd:
            return price
        own = self.effective.get(price.sku_id or "", {}).get(start)
        if own is not None:
            return _contract(price, own)
        discount = self.discount(price.sku_id, service)
        if discount is None:
            return price
        return replace(
            price,
            usd=price.usd * discount.ratio,
            source=f"{price.source}, less {discount.percent:f} % on {discount.of}",
            note=joined(f"the list says {price.usd:f}", price.note),
        )

    def tiers(self, listed: tuple[PriceTier, ...], service: str) -> tuple[PriceTier, ...]:
        """Return the steps that the customer pays where the list has these.

        A table of all steps stands for the list's. Steps that were billed replace the list's that
        begin where they do; where they begin elsewhere the contract has steps of its own, which
        from the first of them on stand for the list's. Where one of them cannot be used, the
        list's steps stay.
        """
        sku_id = (listed[0].price.sku_id or "") if listed else ""
        own = {} if sku_id in self.at_list else self.effective.get(sku_id, {})
        named = {start: price for start, price in own.items() if price.is_of_all}
        pays_what_is_free = 0 in own and own[Decimal(0)].usd and not listed[0].price.usd
        if not named and (pays_what_is_free or own.keys() - {tier.start for tier in listed}):
            named = dict(own)
        first = min(named, default=None)
        return tuple(
            PriceTier(start=tier.start, price=self.applied(tier.price, service, tier.start))
            for tier in listed
            if first is None or tier.start < first
        ) + tuple(
            PriceTier(start=start, price=_contract(_at(listed, start), named[start]))
            for start in sorted(named)
        )


def _at(listed: Sequence[PriceTier], start: Decimal) -> Price:
    """Return the list price of the unit that follows `start`."""
    return next((tier.price for tier in reversed(listed) if tier.start <= start), listed[0].price)


def _contract(price: Price, own: EffectivePrice) -> Price:
    return replace(
        price,
        usd=own.usd,
        as_of=own.as_of,
        source=own.source,
        note=joined(f"contract price; the list says {price.usd:f}", price.note),
    )


LIST_PRICES = Terms()


def parse_discount(text: str) -> Discount:
    """Return the discount that `NAME=PERCENT` says.

    Raises:
        UsageError: If the name is no service, SKU id or `all`, or the percentage is none.

    >>> parse_discount("Compute Engine=12.5").percent
    Decimal('12.5')
    """
    name, separator, number = (part.strip() for part in text.rpartition("="))
    services = {service.casefold(): service for service in SERVICE_NAMES.values()}
    of = services.get(name.casefold()) or (EVERYTHING if name.casefold() == EVERYTHING else "")
    if not of and _SKU_ID.fullmatch(name.upper()):
        of = name.upper()
    if not separator or not of:
        raise UsageError(
            f"--discount {text!r}: must be NAME=PERCENT; NAME is {', '.join(services.values())},"
            " all, or a SKU ID such as BB77-5FDA-69D9"
        )
    try:
        percent = Decimal(number.removesuffix("%").strip())
    except InvalidOperation as exc:
        raise UsageError(f"--discount {text!r}: {number!r} is not a percentage") from exc
    if not percent.is_finite() or not 0 <= percent < _WHOLE:
        raise UsageError(f"--discount {text!r}: must be from 0 to below 100 percent")
    return Discount(of=of, percent=percent)


def parse_discounts(texts: Iterable[str]) -> tuple[Discount, ...]:
    """Return the discounts that texts say.

    Raises:
        UsageError: If one is no discount, or two are for one name.
    """
    found: dict[str, Discount] = {}
    for text in texts:
        discount = parse_discount(text)
        if found.setdefault(discount.of, discount) != discount:
            raise UsageError(f"--discount: {discount.of} is given twice")
    return tuple(found.values())


# Prices that can be compared, of a customer whose discounts of a kind are not one
#
# What the bill names is then below the list, and what it does not name is at the list: a change
# from the one to the other is compared at list prices on both sides.


class Comparable:
    """What a price book says of prices beside each other."""

    file: SnapshotFile
    terms: Terms
    flexible: FlexibleCommitments | None
    rates: Any
    network: Any

    @cached_property
    def _uneven(self) -> dict[str, str]:
        """Kinds by SKU of which the bill has no one discount."""
        return {} if self.terms.is_list else {**self.rates.uneven, **self.network.uneven}

    @cached_property
    def even(self) -> Self:
        """The same at list where the bill's discounts of a kind differ; itself where none do."""
        named = self.terms.effective
        kept = {sku_id: own for sku_id, own in named.items() if sku_id not in self._uneven}
        if len(kept) == len(named):
            return self
        found = type(self)(self.file, replace(self.terms, effective=kept))  # type: ignore[call-arg]
        found.flexible = self.flexible
        return found

    def is_mixed(self, sku_ids: Iterable[str]) -> bool:
        """Return whether the bill names some SKUs of an uneven kind, and others of it not."""
        kinds: dict[str, set[bool]] = {}
        for sku_id in sku_ids:
            kind = self._uneven.get(sku_id)
            if kind is not None:
                kinds.setdefault(kind, set()).add(sku_id in self.terms.effective)
        return any(len(found) > 1 for found in kinds.values())
