"""Between what two sums a volume costs, where which of several prices applies is not known.

Prices have steps that are counted over all that a billing account uses of them in a month, and the
volume may go to one price or spread over all. What is known to use a price comes first.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.model import PriceTier

Tiers = tuple[PriceTier, ...]


class _Stretch(NamedTuple):
    """So much at one unit price; None: without an end."""

    usd: Decimal
    gib: Decimal | None


def span(
    choices: Sequence[Tiers], gib: Decimal, used: Callable[[Tiers], Decimal] = lambda _: Decimal(0)
) -> tuple[Decimal, Decimal]:
    """Return the least and the greatest that `gib` can cost in a month, in USD.

    Least: all in the cheapest place, after whatever every place gives free. Greatest: each step of
    every place is filled from the dearest down.

    Args:
        choices: The steps of each price that may apply; at least one.
        gib: The volume, of which any part may be of any price.
        used: How much is already known to be used of a price.

    Raises:
        ValueError: If there are no prices to choose from, or the volume is negative.

    """
    if not choices or gib < 0:
        raise ValueError("a span needs prices and a volume of at least 0")
    stretches = [_after(tiers, used(tiers)) for tiers in dict.fromkeys(choices)]
    free = [_free_gib(one) for one in stretches]
    if any(one is None for one in free):
        return Decimal(0), _dearest(stretches, gib)
    given = [one for one in free if one is not None]
    whole = sum(given, Decimal(0))
    least = min(
        _cost(one, max(gib - (whole - own), Decimal(0)))
        for one, own in zip(stretches, given, strict=True)
    )
    return least, _dearest(stretches, gib)


def _after(tiers: Tiers, used: Decimal) -> list[_Stretch]:
    ends = [*(tier.start for tier in tiers[1:]), None]
    found = []
    for tier, end in zip(tiers, ends, strict=True):
        begins = max(tier.start, used)
        if end is None or end > begins:
            found.append(_Stretch(tier.price.usd, None if end is None else end - begins))
    return found


def _free_gib(stretches: list[_Stretch]) -> Decimal | None:
    """Return how much costs nothing before the first paid step; None: all of it."""
    first = stretches[0]
    return first.gib if not first.usd else Decimal(0)


def _cost(stretches: Sequence[_Stretch], gib: Decimal) -> Decimal:
    usd, rest = Decimal(0), gib
    for one in stretches:
        part = rest if one.gib is None else min(rest, one.gib)
        usd += part * one.usd
        rest -= part
    return usd


def _dearest(stretches: Sequence[list[_Stretch]], gib: Decimal) -> Decimal:
    every = sorted((one for of_one in stretches for one in of_one), key=lambda one: -one.usd)
    return _cost(every, gib)
