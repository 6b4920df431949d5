"""What changes of machines do to flexible commitments, one after the other.

A flexible commitment covers an amount of eligible spend each hour, in all projects and regions of
the billing account, and is paid whether the spend is there or not
(docs.cloud.google.com/docs/cuds-multiprice, read 2026-11-22). So what a change saves at prices on
demand comes off the bill only in the hours in which at least as much eligible spend is above what
the commitments cover; the rest of it stays paid. The hours are those of the billing export, and
each is taken as it was.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    SPEND_UNIT,
    FlexibleCommitments,
    LineItem,
    MachineChange,
    PriceBook,
    Usage,
    cover_usd,
    series_of,
)
from netplan_planner.optimise.bill import machine_price
from netplan_planner.units import HOURS_PER_MONTH

_ELIGIBLE = frozenset({"core", "ram", "custom_core", "custom_ram", "extended_ram"})
_DIGITS = Decimal("1e-6")
"""Of a line of spend: a ten-thousandth of a cent."""
_KEPT_TYPES = 2**14


class FlexibleLedger:
    """Eligible spend on top of what is covered; changes that are taken stay."""

    def __init__(self, found: FlexibleCommitments, prices: PriceBook) -> None:
        self._found = found
        self._prices = prices
        self._spend = lru_cache(_KEPT_TYPES)(self._ask)
        self._above = _Above(found.uncovered_usd_by_hour)
        self._added = Decimal(0)
        """On-demand dollars an hour by which changes so far moved the eligible spend."""

    @property
    def names(self) -> str:
        """The commitments in words."""
        plans = ", ".join(self._found.use.plans)
        return f"flexible commitments ({plans})" if plans else "flexible commitments"

    def doubts(self, change: MachineChange) -> set[str]:
        """Return why it cannot be known what a change does."""
        asked = [spend for spend, _ in self._sides(change)]
        return {doubt for doubt in (self._found.doubt, *(one for one in asked)) if doubt}

    def line(self, change: MachineChange, covered: Iterable[LineItem]) -> LineItem | None:
        """Return the line that they add to a change's saving now; None where they do not matter.

        Args:
            change: What becomes of a machine; without `doubts`.
            covered: The lines of resource-based commitments, which go first.
        """
        moved = self._moved(change, covered)
        before, after = (self._above.mean(self._added + one) for one in (Decimal(0), moved))
        # On demand the bill would move by all of it.
        usd = ((before - after + moved) * HOURS_PER_MONTH).quantize(_DIGITS)
        if not usd:
            return None
        use = self._found.use
        name = (
            f"on-demand spend that {self.names} cover, paid all the same"
            if usd < 0
            else f"on-demand spend that {self.names}, not used up, cover"
        )
        return LineItem(
            name=name,
            quantity=usd,
            unit=SPEND_UNIT,
            unit_price_usd=Decimal(1),
            usd_per_month=usd,
            as_of=use.end.date(),
            source=use.source,
            sku_id=None,
        )

    def take(self, change: MachineChange, covered: Iterable[LineItem]) -> None:
        """Count a change as made."""
        self._added += self._moved(change, covered)

    def _moved(self, change: MachineChange, covered: Iterable[LineItem]) -> Decimal:
        """Return by how much an hour of eligible spend on demand grows."""
        spend = sum((usd for _, usd in self._sides(change)), Decimal(0))
        return spend - cover_usd(covered) / HOURS_PER_MONTH

    def _sides(self, change: MachineChange) -> Sequence[tuple[str, Decimal]]:
        """Return a doubt and the spend of what goes, below 0, and of what comes."""
        instance = change.instance
        doubt, usd = self._spend(instance.region, instance.machine_type)
        sides = [(doubt, -usd)]
        if change.machine_type is not None:
            region = change.region or instance.region
            doubt, usd = self._spend(region, change.machine_type)
            sides.append((doubt, usd * change.count))
        return sides

    def _ask(self, region: str, machine_type: str) -> tuple[str, Decimal]:
        """Return the eligible spend of an hour of a machine, or why it is not known."""
        shape = self._prices.shape(machine_type)
        if shape is not None and shape.is_shared_core:
            return f"whether {self.names} cover shared-core types", Decimal(0)
        try:
            price = machine_price(self._prices, region, machine_type, Usage.SUSTAINED_USE)
        except MissingDatum as missing:
            return f"what {self.names} cover of {machine_type}: {missing}", Decimal(0)
        parts = [part for part in price.parts if part.component in _ELIGIBLE]
        is_documented = series_of(machine_type) in self._found.series
        is_seen = bool(parts) and all(part.sku_id in self._found.sku_ids for part in parts)
        if not parts or len(parts) < len(price.parts) or not (is_documented or is_seen):
            return f"whether {self.names} cover all of {machine_type}", Decimal(0)
        amounts = (part.unit_price_usd * part.ratio * part.quantity for part in parts)
        return "", sum(amounts, Decimal(0))


class _Above:
    """The mean of what is above 0 over hours that move together."""

    def __init__(self, usd_by_hour: Sequence[Decimal]) -> None:
        self._sorted = sorted(usd_by_hour)
        self._sums = (Decimal(0), *accumulate(self._sorted))

    def mean(self, added: Decimal) -> Decimal:
        """Return the mean over the hours of what is above 0 with `added` in each."""
        count = len(self._sorted)
        first = bisect_right(self._sorted, -added)
        return (self._sums[-1] - self._sums[first] + added * (count - first)) / count
