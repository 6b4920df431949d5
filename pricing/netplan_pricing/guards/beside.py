"""What a new snapshot may not hold beside the one before it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from statistics import median
from typing import NamedTuple

from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.guards import alone
from netplan_pricing.guards.alone import Doubt
from netplan_pricing.guards.quotes import LIST, Quoted, quotes
from netplan_pricing.schema import NetworkKind

_TRAFFIC = frozenset(kind.value for kind in NetworkKind)


class Key(NamedTuple):
    """What a price is of, whatever SKU it has today."""

    family: tuple[str, ...]
    place: str
    step: Decimal


class Upheaval(NamedTuple):
    """How many prices of a kind are gone, or moved by more than a fifth; Spot is not counted."""

    kind: str
    price_count: int
    vanished_count: int
    moved_count: int

    @property
    def text(self) -> str:
        """The counts in words."""
        return (
            f"{self.kind.replace('_', ' ')}: {self.vanished_count:,} of {self.price_count:,} prices"
            f" are gone and {self.moved_count:,} moved by more than 20 %"
        )


def doubts_beside(
    old: SnapshotPriceBook,
    new: SnapshotPriceBook,
    *,
    accepted: Collection[str] = (),
    counts_vanished: bool = True,
) -> tuple[str, ...]:
    """Return why a new snapshot is not believed beside the one before, a line each.

    Args:
        old: The one before.
        new: The new one.
        accepted: Kinds, SKU ids, or names of prices that are believed all the same.
        counts_vanished: Whether what the old one has alone counts; not where they are of two
            catalogues.
    """
    before = {_key(one): one for one in quotes(old)}
    after = {_key(one): one for one in quotes(new)}
    lines = [
        found.text
        for found in _upheavals(before, after, counts_vanished=counts_vanished)
        if found.kind not in accepted
    ]
    lines += [
        f"{doubt.quoted.place or 'everywhere'}: {doubt.text}"
        for doubt in (*_jumps(before, after), *_odd_new_ones(before, after))
        if not {doubt.quoted.kind, doubt.quoted.sku_id, doubt.quoted.name} & set(accepted)
    ]
    return tuple(lines)


def _key(one: Quoted) -> Key:
    return Key(one.family, one.place, one.step)


def _upheavals(
    before: dict[Key, Quoted], after: dict[Key, Quoted], *, counts_vanished: bool
) -> Iterator[Upheaval]:
    """Yield the kinds of which too many prices changed."""
    total: Counter[str] = Counter()
    vanished: Counter[str] = Counter()
    moved: Counter[str] = Counter()
    for key, one in before.items():
        if one.is_spot or not one.usd:
            continue
        now = after.get(key)
        if now is None and (not counts_vanished or one.kind == LIST):
            # A list's price goes when the catalogue has one of its own.
            continue
        for kind in (one.kind, _group(one)):
            total[kind] += 1
            vanished[kind] += now is None
            moved[kind] += now is not None and abs(now.usd - one.usd) > alone.MUCH * one.usd
    for kind, count in sorted(total.items()):
        changed = vanished[kind] + moved[kind]
        if count >= alone.FEWEST_FOR_A_SHARE and changed > alone.MOST_MOVED_RATIO * count:
            yield Upheaval(kind, count, vanished[kind], moved[kind])


def _group(one: Quoted) -> str:
    """Return what a kind belongs to: of a small catalogue, kinds alone are too few to judge."""
    if one.kind in _TRAFFIC:
        return "all traffic"
    return "all parts of VMs" if one.usage else "all services"


def _jumps(before: dict[Key, Quoted], after: dict[Key, Quoted]) -> Iterator[Doubt]:
    """Yield single prices that moved many times over, or became free."""
    for key, now in after.items():
        old = before.get(key)
        if old is None or old.usd == now.usd:
            continue
        most = alone.MOST_SPOT_CHANGE if now.is_spot else alone.MOST_CHANGE
        if not now.usd:
            yield Doubt(now, f"was {old.usd:f}")
        elif old.usd and not old.usd / most < now.usd < old.usd * most:
            yield Doubt(now, f"was {old.usd:f}, {float(now.usd / old.usd):.3g} times as much now")


def _odd_new_ones(before: dict[Key, Quoted], after: dict[Key, Quoted]) -> Iterator[Doubt]:
    """Yield new prices that are far from the same ones near them."""
    like: dict[tuple[object, ...], list[Quoted]] = defaultdict(list)
    for key, one in before.items():
        if one.usd > 0:
            like[key.family, key.step].append(one)
    for key, one in after.items():
        if key in before or one.usd <= 0:
            continue
        known = like.get((key.family, key.step), ())
        near = [other.usd for other in known if _area(other) == _area(one)]
        far = [other.usd for other in known]
        compared = near if len(near) > 1 else far
        if len(far) < alone.FEWEST_LIKE:
            continue
        middle, most = median(compared), _most_of_new(one)
        if not middle / most <= one.usd <= middle * most:
            where = "of its area" if compared is near else "of all places"
            yield Doubt(one, f"new, but the median {where} is {middle:f}")


def _most_of_new(one: Quoted) -> Decimal:
    if one.is_spot:
        return alone.MOST_NEW_SPOT_AGAINST_LIKE
    is_traffic = one.kind in _TRAFFIC
    return alone.MOST_NEW_TRAFFIC_AGAINST_LIKE if is_traffic else alone.MOST_NEW_AGAINST_AREA


def _area(one: Quoted) -> str:
    return one.place.partition("-")[0]


def shown(lines: Sequence[str], most: int = 10) -> str:
    """Return the first lines of many, indented, and how many more there are."""
    more = f"\n  and {len(lines) - most:,} more" if len(lines) > most else ""
    return "".join(f"\n  {line}" for line in lines[:most]) + more
