"""On which prices a change is compared: the one place that decides it.

A bill that names some SKUs has one discount for all of a kind, and then what it does not name is
taken to have it too (`netplan_pricing.contract`); or it has several, and then nothing tells the
price of what it does not name. A change between what it names and what it does not is then compared
at list prices on both sides; every other one as it is paid.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import LineItem, PriceBook
from netplan_planner.model.report_rows import MonthBill

AT_LIST = "at list prices on both sides: the bill has no price of one, and no one discount"
_DUST_USD = Decimal("1e-9")
"""What decimals leave of two equal sums."""
KINDS = (
    *("machines_usd", "addresses_usd", "traffic_usd", "services_usd", "commitments_usd"),
    "unpriced_low_usd",
)
"""The sums that a total is made of."""


def is_at_list(
    prices: PriceBook, before: Iterable[LineItem], after: Iterable[LineItem] = ()
) -> bool:
    """Return whether what differs between two bills is compared at list prices."""
    return prices.even is not prices and prices.is_mixed(_differing(before, after))


def _differing(before: Iterable[LineItem], after: Iterable[LineItem]) -> Iterator[str]:
    """Yield the SKUs of which one bill has more than the other."""
    sums: defaultdict[tuple[str, ...], Decimal] = defaultdict(Decimal)
    for sign, lines in ((1, before), (-1, after)):
        for line in lines:
            sums[line.sku_ids] += sign * line.usd_per_month
    for sku_ids, usd in sums.items():
        if abs(usd) > _DUST_USD:
            yield from sku_ids


def plus_change(bill: MonthBill, before: MonthBill, after: MonthBill) -> MonthBill:
    """Return a bill with what lies between two others, kind by kind."""
    zero = Decimal(0)
    return replace(
        bill,
        **{
            kind: getattr(bill, kind)
            if getattr(before, kind) == getattr(after, kind)
            else (getattr(bill, kind) or zero)
            + (getattr(after, kind) or zero)
            - (getattr(before, kind) or zero)
            for kind in KINDS
        },
    )
