"""What changes are worth where the window leaves a month's volumes open: at the least, at the most.

Both are accounts of their own, in which the plan is carried out once more: prices have steps, so
half of a volume is not worth half of the money.
"""

from decimal import Decimal
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.ledger import Ledger
from netplan_planner.model import Change, Facts
from netplan_planner.units import SECONDS_PER_MINUTE


class Bounds(NamedTuple):
    """What a change is worth a month, at least and at most."""

    low_usd: Decimal
    high_usd: Decimal

    def plus(self, other: "Bounds") -> "Bounds":
        """Return the bounds of both together."""
        return Bounds(self.low_usd + other.low_usd, self.high_usd + other.high_usd)


NOTHING = Bounds(Decimal(0), Decimal(0))


class MonthBounds:
    """A plan's changes, one after the other, with the least and the most that a month can have."""

    def __init__(self, facts: Facts) -> None:
        ratios = facts.traffic.month_ratios if facts.traffic is not None else (1.0, 1.0)
        self.is_open = ratios != (1.0, 1.0)
        self.least_ratio = Decimal(str(ratios[0]))
        """Of the volume that is stated, what a month has surely."""
        self._ledgers = [Ledger(_scaled(facts, ratio)) for ratio in ratios] if self.is_open else []

    def make(self, change: Change | None, usd: Decimal | None) -> Bounds | None:
        """Return what a change is worth that the plan makes now; None where that is not known.

        Args:
            change: None: it is none that the account can make, and worth what is said.
            usd: What it is worth at the volume that is stated.
        """
        if not self.is_open:
            return None
        if change is None:
            return None if usd is None else Bounds(usd, usd)
        found = [None if usd is None else ledger.value(change).usd for ledger in self._ledgers]
        for ledger in self._ledgers:
            ledger.make(change)
        known = sorted(one for one in found if one is not None)
        return Bounds(known[0], known[-1]) if len(known) == len(found) else None


def _scaled(facts: Facts, ratio: float) -> Facts:
    """Return facts of which a month has so many times the volume."""
    traffic = facts.traffic
    assert traffic is not None
    minutes = round(traffic.month_seconds / SECONDS_PER_MINUTE / ratio)
    return replace(facts, traffic=replace(traffic, span_minutes=minutes))
