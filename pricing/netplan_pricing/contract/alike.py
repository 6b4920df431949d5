"""A discount that is one over all SKUs of a kind in the bill: taken for those that are not in it.

What is paid is compared with what would be paid, and not with a list price.
"""

from collections.abc import Iterable
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import Price
from netplan_pricing.texts import joined

_SAME_RATIO = Decimal("0.01")
_TENTH = Decimal("0.1")


def alike(ratios: Iterable[tuple[str, Decimal]]) -> Decimal | None:
    """Return what a bill leaves of list prices, where it is one ratio; None: it is not.

    Args:
        ratios: Of each price that the bill names, with what it is of: one series or one route may
            have a discount of its own, which says nothing of the others.

    >>> alike([("n2", Decimal("0.8")), ("c3", Decimal("0.805"))])
    Decimal('0.8025')
    >>> alike([("n2", Decimal("0.8")), ("c3", Decimal("0.9"))])
    >>> alike([("n2", Decimal("0.8")), ("n2", Decimal("0.8"))])
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
    return any(ratio != 1 for _, ratio in named) and alike(named) is None


def assumed(price: Price, ratio: Decimal | None, kind: str) -> Price:
    """Return a list price with the discount of its kind, which its note says.

    Args:
        price: That the bill does not name.
        ratio: What the bill leaves of its kind; None or 1: nothing is assumed.
        kind: What has the discount, in words: `data transfer`.
    """
    if ratio is None or ratio == 1:
        return price
    percent = ((1 - ratio) * 100).quantize(_TENTH)
    said = (
        f"not in the bill: {abs(percent)} % {'less' if percent > 0 else 'more'} than the list"
        f" assumed, as for all {kind} that is"
    )
    return replace(price, usd=price.usd * ratio, note=joined(said, price.note))
