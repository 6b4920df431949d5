"""What months of volume cost, reckoned from the price book alone.

It shares no code with the product: its own steps, its own sharing among paths.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

Steps = Sequence[tuple[Decimal, Decimal]]
"""From how many GiB of a month on a GiB costs so many dollars; rising."""


def month_usd(gib: Fraction, steps: Steps) -> Fraction:
    """Return the cost of one month."""
    whole = Fraction(0)
    for at, (start, price) in enumerate(steps):
        end = Fraction(steps[at + 1][0]) if at + 1 < len(steps) else None
        top = gib if end is None else min(gib, end)
        whole += max(top - Fraction(start), Fraction(0)) * Fraction(price)
    return whole


def total_usd(
    months: Mapping[str, Sequence[Decimal]], steps_of: Mapping[str, tuple[str, Steps]]
) -> Fraction:
    """Return the cost of paths over months; paths of one SKU share its steps in each month.

    Args:
        months: GiB of each path by month.
        steps_of: Of each path the SKU and its steps.
    """
    whole = Fraction(0)
    for number in range(max(map(len, months.values()))):
        by_sku: dict[str, Fraction] = {}
        for path, volumes in months.items():
            sku, _ = steps_of[path]
            by_sku[sku] = by_sku.get(sku, Fraction(0)) + Fraction(volumes[number])
        for sku, gib in by_sku.items():
            steps = next(steps for name, steps in steps_of.values() if name == sku)
            whole += month_usd(gib, steps)
    return whole
