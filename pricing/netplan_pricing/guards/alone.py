"""What a snapshot may not hold, whatever the one before says."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

from netplan_planner.model import RegionLack
from netplan_planner.shipped import shipped_rows
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.guards.quotes import Quoted
from netplan_pricing.schema import NetworkKind

# From where on a price is not believed; each with what was seen on 2026-04-30 beside it


MOST_AGAINST_LIKE = Decimal(5)
"""Times the median of the same price in all places; at most 3.67 (N1's extended memory in Turin),
otherwise 2.8 (traffic from Sao Paulo to Europe)."""
LEAST_AGAINST_LIKE = Decimal("0.1")
"""At least 0.12 (VPN traffic inside the Americas)."""
MOST_SPOT_AGAINST_LIKE = Decimal(8)
"""At most 4.64 (C4D's local SSD in Paris)."""
FEWEST_LIKE = 3
"""Places that a median is taken of."""

MOST_NEW_AGAINST_AREA = Decimal(2)
"""A new price of machines against the median of its area (the first word of a region); 0.55 to 1.44
of the median of all regions."""
MOST_NEW_TRAFFIC_AGAINST_LIKE = Decimal(4)
"""A new price of traffic either way; up to 2.8 times the median, down to 0.4 of it."""
MOST_NEW_SPOT_AGAINST_LIKE = Decimal(6)

MOST_CHANGE = Decimal(3)
"""Times, or the inverse, that one price may have moved. The carrier peering of 2026-05-01 doubled;
nothing known moved by more."""
MOST_SPOT_CHANGE = Decimal(10)
"""Spot moves within weeks, up to 4.64 times the median of the regions."""
MUCH = Decimal("0.2")
"""A move of a price that counts into the share that may move."""
MOST_MOVED_RATIO = Decimal("0.05")
"""Share of the prices of one kind that may vanish, or move by more than `MUCH`. Within half a year
a sixth of machine prices move, nearly all by less; more is likely a damaged answer."""
FEWEST_FOR_A_SHARE = 20
"""Prices of a kind below which a share says nothing: each is then judged alone."""

CEILING_FACTOR = Decimal(5)
"""Times the dearest price of its kind (facts/dearest_prices.csv) that none may exceed."""

MOST_LACKING_RATIO = Decimal("0.1")
"""Share of the regions, or of their ordered pairs, that may be without prices of traffic: a new
region's come later than its machines'. One of 43 regions is in 4.7 % of the pairs."""


# Which regions lack prices of traffic: named and left without, so that the others are built
#
# A region's machines come into the catalogue before its traffic. Where many lack something, it is
# no new region but a damaged answer.


def lacking_pairs(
    regions: Sequence[str], missing: Iterable[tuple[str, str]]
) -> tuple[RegionLack, ...]:
    """Return the regions between which traffic has no price, those with most gaps first.

    Each gap is counted with the region that has most of them.
    """
    left = set(missing)
    found = []
    while left:
        count = Counter(region for pair in left for region in pair)
        worst = min(count, key=lambda region: (-count[region], region))
        own = {pair for pair in left if worst in pair}
        to = sum(src == worst for src, _ in own)
        others = len(regions) - 1
        what = f"traffic to {to} and from {len(own) - to} of the {others} other regions"
        found.append(RegionLack(region=worst, what=what))
        left -= own
    return tuple(found)


def are_few(count: int, total: int) -> bool:
    """Return whether so many of a total may be missing."""
    return count <= MOST_LACKING_RATIO * total


# What a snapshot may not hold, whatever the one before says


_DEAREST = Path(__file__).parent.parent / "facts" / "dearest_prices.csv"
_FREE = frozenset(
    {
        *(NetworkKind.INTRAZONE.value, NetworkKind.GOOGLE_SERVICES.value),
        *("ingress", "psc_data"),
    }
)
"""Kinds of which the catalogue states that they cost nothing."""
_PARTLY_FREE = frozenset(
    {
        *(NetworkKind.PEERING.value, NetworkKind.INTERREGION.value),
        *(NetworkKind.VPN_INTERREGION.value, "interconnect_attachment", "interconnect_port"),
    }
)
"""Kinds of which some are free (a partner's circuits, a region to itself): free in one place where
another place pays is a fault all the same."""
_IN = "_in"
"""How the kinds end of what is received, which the sender has paid."""


class Doubt(NamedTuple):
    """A price that is not believed."""

    quoted: Quoted
    reason: str

    @property
    def text(self) -> str:
        """Who it is about, and why."""
        one = self.quoted
        step = f" from {one.step:f} on" if one.step else ""
        sku = f" ({one.sku_id})" if one.sku_id else ""
        return f"{one.what}{step}{sku}: {one.usd:f} USD, {self.reason}"


def families(quoted: Sequence[Quoted]) -> dict[tuple[object, ...], list[Quoted]]:
    """Return the same price in all places, by family and step."""
    found: dict[tuple[object, ...], list[Quoted]] = defaultdict(list)
    for one in quoted:
        found[*one.family, one.step].append(one)
    return found


def in_the_future(book: SnapshotPriceBook, today: date) -> Iterator[tuple[str, str] | None]:
    """Yield, for each table, the dates after today (and a day, for the other side of the world)."""
    last = today + timedelta(days=1)
    header = book.file.header
    for name, day in (("catalogue", header.as_of), ("network prices", header.network_as_of)):
        yield (
            (name, f"dated {day.isoformat()}, today is {today.isoformat()}") if day > last else None
        )
    for place in header.tables:
        table = book.file.table(place.name)
        late = sorted(day for day in table["as_of"].values if day > last.isoformat())
        rows = [row for row in range(table.row_count) if late and table["as_of"][row] in late]
        yield (
            (place.name, f"{len(rows):,} rows dated after today, up to {late[-1]}")
            if late
            else None
        )


@cache
def ceilings() -> Mapping[str, Decimal]:
    """Return the price above which none of a kind is believed, by kind."""
    factor = CEILING_FACTOR
    return {row["kind"]: Decimal(row["usd"]) * factor for row in shipped_rows(_DEAREST)}


def absurd(quoted: Sequence[Quoted]) -> Iterator[Doubt | None]:
    """Yield a doubt for each price that is far above the dearest that was ever seen of its kind."""
    for one in quoted:
        most = ceilings().get(one.kind)
        is_over = not one.usd.is_finite() or one.usd < 0 or (most is not None and one.usd > most)
        why = "" if most is None else f"over {most:f}, {CEILING_FACTOR} times the most expensive"
        yield Doubt(one, f"{why} known of its kind" if why else "no price") if is_over else None


def far_from_like(quoted: Sequence[Quoted]) -> Iterator[Doubt | None]:
    """Yield a doubt for each price that is far from the same one in other places."""
    for like in families(quoted).values():
        paid = [one.usd for one in like if one.usd > 0]
        if len({one.place for one in like}) < FEWEST_LIKE or not paid:
            continue
        middle = median(paid)
        for one in like:
            most = MOST_SPOT_AGAINST_LIKE if one.is_spot else MOST_AGAINST_LIKE
            is_far = one.usd > most * middle or 0 < one.usd < LEAST_AGAINST_LIKE * middle
            reason = f"but the median of {len(paid)} places is {middle:f}"
            yield Doubt(one, reason) if is_far else None


def free_where_paid(quoted: Sequence[Quoted]) -> Iterator[Doubt | None]:
    """Yield a doubt for each price of 0 that no source states to be free.

    A first step may be free. A later one after a paid one may not, nor a whole price, unless it is
    of a kind that is free, or free everywhere.
    """
    steps: dict[tuple[object, ...], list[Quoted]] = defaultdict(list)
    for one in quoted:
        steps[*one.family, one.place, one.kind].append(one)
    paid_families = {one.family for one in quoted if one.usd > 0}
    for several in steps.values():
        several.sort(key=lambda one: one.step)
        has_paid = False
        is_free = not any(one.usd for one in several)
        for one in several:
            if one.usd:
                has_paid = True
                yield None
            elif has_paid:
                yield Doubt(one, "after a step that costs something")
            elif is_free and one.family in paid_families and not _is_to_itself(one):
                yield Doubt(one, "but another place has a price")
            elif is_free and not _may_be_free(one.kind):
                yield Doubt(one, "of a kind that is never free")
            else:
                yield None


def _may_be_free(kind: str) -> bool:
    return kind in _FREE | _PARTLY_FREE or kind.endswith(_IN)


def _is_to_itself(one: Quoted) -> bool:
    """Return whether it is the traffic of a place to itself, or of a kind that is free."""
    return one.family[-1] == one.place or one.kind in _FREE or one.kind.endswith(_IN)
