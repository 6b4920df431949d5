"""The bill of traffic: what has a price as lines, what has none with its reason and its bounds."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from netplan_planner import model
from netplan_planner.ledger.traffic import Price
from netplan_planner.paths.priced_paths import (
    WHAT_TELLS,
    PathPrice,
    PricedPath,
    billed_volumes,
    path_prices_of,
)
from netplan_planner.paths.spans import span

_NAMED = 3
"""Ends of priced paths that a line of a bill names."""


READ_ELSEWHERE = (
    "free from the machine's region; Cloud Storage bills a bucket elsewhere for what is read"
)
"""cloud.google.com/storage/pricing, data transfer within Google Cloud."""


Tiers = tuple[model.PriceTier, ...]


class Meter:
    """Counts what is used of each price in a month: its steps are of all paths that pay it."""

    def __init__(self) -> None:
        self._used: dict[str, Decimal] = defaultdict(Decimal)

    def lines(self, name: str, gib: Decimal, tiers: Tiers) -> tuple[model.LineItem, ...]:
        """Return the lines of a further volume."""
        found = model.bill(name, gib, tiers, after=self.used(tiers))
        self._used[model.price_key(tiers)] += gib
        return found

    def used(self, tiers: Tiers) -> Decimal:
        """Return what has been used of a price so far."""
        return self._used[model.price_key(tiers)]


class _Open(NamedTuple):
    """What of a bill has no price yet that is known."""

    part: PathPrice
    name: str
    gib: Decimal


class Bill(NamedTuple):
    """The bill of priced paths: `unpriced` waits until the meter has seen all that has a price."""

    lines: tuple[model.LineItem, ...]
    waiting: tuple[_Open, ...]
    is_priced: bool
    """Whether any part has a price."""

    def unpriced(self, meter: Meter) -> tuple[model.Unpriced, ...]:
        """Return what has no known price, with its bounds after all that was counted."""
        return tuple(_bounded(one, meter) for one in self.waiting)


def bill_paths(
    prices: model.PriceBook,
    volumes: Mapping[PricedPath, int | Decimal],
    meter: Meter,
    to_gib: Callable[[Any], Decimal],
) -> Bill:
    """Return the bill of what own machines pay for.

    Args:
        prices: Of traffic and of what is done with it.
        volumes: By path, in any unit.
        meter: What was used of the prices already.
        to_gib: Returns the GiB of a month of a volume.
    """
    alike: dict[tuple[Tiers, str], dict[PricedPath, int | Decimal]] = {}
    missing: dict[PathPrice, dict[PricedPath, int | Decimal]] = {}
    for path in sorted(volumes):
        for part in path_prices_of(prices, path):
            key = part.tiers, part.work
            found = alike.setdefault(key, {}) if part.tiers else missing.setdefault(part, {})
            found[path] = volumes[path]
    lines = tuple(
        item
        for (tiers, work), of_paths in alike.items()
        for item in meter.lines(_name(of_paths, work), to_gib(sum(of_paths.values())), tiers)
    )
    waiting = tuple(
        _Open(part, _name(of_paths, part.work), to_gib(sum(of_paths.values())))
        for part, of_paths in missing.items()
    )
    return Bill(lines, waiting, bool(alike))


def bill_reads(facts: model.Facts, byte_count: int) -> Bill:
    """Return what is not known of reading from Google APIs: where a bucket is decides its bill."""
    part = PathPrice((), READ_ELSEWHERE, (), WHAT_TELLS[model.PathClass.GOOGLE_APIS])
    waiting = _Open(part, "google-apis, received", facts.gib_per_month(byte_count))
    return Bill((), (waiting,), is_priced=False)


def _bounded(one: _Open, meter: Meter) -> model.Unpriced:
    low = high = None
    if one.part.choices:
        low, high = span(one.part.choices, one.gib, meter.used)
    return model.Unpriced(
        name=one.name,
        quantity=one.gib,
        unit="GiB",
        reason=one.part.reason,
        lowest_usd_per_month=low,
        highest_usd_per_month=high,
        what_tells=one.part.what_tells,
    )


def _name(priced_paths: Iterable[PricedPath], work: str) -> str:
    first = next(iter(priced_paths))
    ends = list(dict.fromkeys(priced.ends for priced in priced_paths if priced.ends))
    more = f" and {len(ends) - _NAMED:,} more" if len(ends) > _NAMED else ""
    places = f"{'; '.join(ends[:_NAMED])}{more}"
    return ", ".join(filter(None, (work, first.path_class.value, places)))


class MeanPrice(NamedTuple):
    """The mean price of a path's bytes."""

    usd_per_byte: Decimal | None
    """None where no part of it has a known price."""
    unknown: str
    """Why it has none, or a part of it; empty where all is known."""


class _Means(NamedTuple):
    by_path: dict[PricedPath, MeanPrice]


def mean_prices(facts: model.Facts) -> Mapping[PricedPath, MeanPrice]:
    """Return the mean price of each path that is paid for, in dollars a byte and month.

    All that is paid shares the steps of its prices.
    """
    found = facts.memo.get(_Means)
    if not isinstance(found, _Means):
        found = facts.memo[_Means] = _Means(_mean_prices(facts, billed_volumes(facts)))
    return found.by_path


def _mean_prices(
    facts: model.Facts, volumes: Mapping[PricedPath, int]
) -> dict[PricedPath, MeanPrice]:
    parts = {path: path_prices_of(facts.prices, path) for path in sorted(volumes)}
    paying: dict[Price, int] = defaultdict(int)
    for path, of_path in parts.items():
        for part in of_path:
            if part.tiers:
                paying[Price.of(part.tiers)] += volumes[path]
    meter = Meter()
    means = {
        price: model.total_usd(meter.lines("", facts.gib_per_month(byte_count), price.tiers))
        / byte_count
        for price, byte_count in paying.items()
        if byte_count
    }
    return {path: _mean(of_path, means) for path, of_path in parts.items()}


def _mean(parts: tuple[PathPrice, ...], means: Mapping[Price, Decimal]) -> MeanPrice:
    """Return the mean price of a path, which is the sum of its parts'."""
    asked = [Price.of(part.tiers) for part in parts if part.tiers]
    known = [means[price] for price in asked if price in means]
    unknown = next((part.reason for part in parts if not part.tiers), "")
    return MeanPrice(sum(known, Decimal(0)) if known else None, unknown)
