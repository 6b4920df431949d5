"""On which prices a change is compared: the one place that decides it.

A bill that names some SKUs has one discount for all of a kind, and then what it does not name is
taken to have it too (`netplan_pricing.contract`); or it has several, and then nothing tells the
price of what it does not name. A change between what it names and what it does not is then compared
at list prices on both sides; every other one as it is paid.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import LineItem, PriceBook, Saving, cover_usd, total_usd
from netplan_planner.model.report_rows import MonthBill

AT_LIST = "at list prices on both sides: the bill prices one side only, and has no common discount"
ALL_PAID = "the saving is at most today's cost"
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


def most_saved(listed_usd: Decimal, stopped_usd: Decimal) -> Decimal:
    """Return what a change saves: at list prices, and at most what stops being paid by it."""
    return min(listed_usd, max(Decimal(0), stopped_usd))


def stopped_usd(before: Iterable[LineItem], after: Iterable[LineItem]) -> Decimal:
    """Return what stops being paid from one bill to another: what of each SKU there is less of."""
    return sum((max(Decimal(0), usd) for usd in _fallen(before, after).values()), Decimal(0))


def over_line(usd: Decimal, as_of: date) -> LineItem:
    """Return the line that keeps a saving at list prices to what is paid today."""
    return LineItem(
        name=f"list price difference above that: {ALL_PAID}",
        quantity=Decimal(1),
        unit="month",
        unit_price_usd=usd,
        usd_per_month=usd,
        as_of=as_of,
        source="today's cost",
    )


def compared_usd(paid_usd: Decimal, listed_usd: Decimal, then_usd: Decimal) -> Decimal:
    """Return what is paid after a change that is compared at list prices: nothing at least.

    Args:
        paid_usd: What is paid today.
        listed_usd: The same at list prices.
        then_usd: After the change, at list prices.
    """
    return paid_usd - most_saved(listed_usd - then_usd, paid_usd)


def saved_at_list(saving: Saving, paid: Saving) -> Saving:
    """Return what a change saves at list prices, bounded by what is paid today.

    Args:
        saving: At list prices.
        paid: The same change by what is paid today and by prices that do not compare.
    """
    # What stops being paid, less what commitments paid of it and go on paying.
    today = [one for one in paid.items if (one.usd_per_month > 0) is not bool(cover_usd([one]))]
    over = saving.usd_per_month - most_saved(saving.usd_per_month, total_usd(today))
    items, notes = _as_paid(saving, paid), [AT_LIST]
    if not saving.unknown and not paid.unknown and over > 0:
        notes.append(ALL_PAID)
        items = (*items, over_line(-over, items[0].as_of))
    return replace(saving, items=items, note="; ".join(filter(None, (*notes, saving.note))))


def _as_paid(saving: Saving, paid: Saving) -> tuple[LineItem, ...]:
    """Return the lines of a saving at list prices with what goes as the bill has it.

    A line of its own holds what list prices differ by, so that the sum stays.
    """
    gone = [one for one in paid.items if one.usd_per_month > 0 and not cover_usd([one])]
    if saving.unknown or paid.unknown or not gone:
        return saving.items
    then = [one for one in saving.items if one.usd_per_month <= 0 or cover_usd([one])]
    rest = saving.usd_per_month - total_usd([*gone, *then])
    if abs(rest) < _DUST_USD:
        return (*gone, *then)
    line = LineItem(
        name=f"minus the difference at list prices: {AT_LIST}",
        quantity=Decimal(1),
        unit="month",
        unit_price_usd=rest,
        usd_per_month=rest,
        as_of=saving.items[0].as_of,
        source="list prices minus today's cost",
    )
    return (*gone, *then, line)


def is_paid_instead(line: LineItem) -> bool:
    """Return whether a line of a saving is of what is paid after the change, not before it."""
    return line.usd_per_month < 0 or line.name.endswith(AT_LIST)


def at_list_line(kinds: str, usd: Decimal, count: int, as_of: date) -> LineItem:
    """Return the line that makes a price differ from today's by what list prices differ by.

    Args:
        kinds: What becomes what, such as `n2-standard-8 to e2-standard-8`.
        usd: A month, of one machine.
        count: Of machines.
        as_of: The day of the list.
    """
    return LineItem(
        name=f"{kinds}: {AT_LIST}",
        quantity=Decimal(count),
        unit="machine",
        unit_price_usd=usd,
        usd_per_month=count * usd,
        as_of=as_of,
        source="billed price of today's VM; the other VM has none",
    )


def _differing(before: Iterable[LineItem], after: Iterable[LineItem]) -> Iterator[str]:
    """Yield the SKUs of which one bill has more than the other."""
    for sku_ids, usd in _fallen(before, after).items():
        if abs(usd) > _DUST_USD:
            yield from sku_ids


def _fallen(
    before: Iterable[LineItem], after: Iterable[LineItem]
) -> dict[tuple[str, ...], Decimal]:
    """Return by SKUs what one bill has more of them than the other, in dollars."""
    sums: defaultdict[tuple[str, ...], Decimal] = defaultdict(Decimal)
    for sign, lines in ((1, before), (-1, after)):
        for line in lines:
            sums[line.sku_ids] += sign * line.usd_per_month
    return sums


def plus_change(
    bill: MonthBill, before: MonthBill, after: MonthBill, over_usd: Decimal = Decimal(0)
) -> MonthBill:
    """Return a bill with what lies between two others, kind by kind.

    Args:
        bill: What it is added to.
        before: As it was.
        after: As it is then.
        over_usd: What it saves above what is paid: it stays with the kind that saves most.
    """
    zero = Decimal(0)
    more = {
        kind: (getattr(after, kind) or zero) - (getattr(before, kind) or zero)
        for kind in KINDS
        if getattr(before, kind) != getattr(after, kind)
    }
    if over_usd:
        more[min(more, key=lambda kind: more[kind])] += over_usd
    sums = {kind: (getattr(bill, kind) or zero) + usd for kind, usd in more.items()}
    return replace(bill, **sums)
