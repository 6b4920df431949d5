"""What changes of machines do to flexible commitments, one after the other.

A flexible commitment covers an amount of eligible spend each hour, in all projects and regions of
the billing account, and is paid whether the spend is there or not
(docs.cloud.google.com/docs/cuds-multiprice, read 2026-11-22). It counts spend at prices on demand:
sustained-use discounts are on what it does not cover
(docs.cloud.google.com/compute/docs/sustained-use-discounts). So what a change saves comes off the
bill only in the hours in which at least as much eligible spend is above what the commitments cover,
and at what is paid for that spend; the rest of it stays paid. The hours are those of the billing
export, and each is taken as it was. What resource-based commitments cover goes first, and is taken
off in proportion.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.optimise.bill import machine_price
from netplan_planner.units import HOURS_PER_MONTH

_ALIKE = Decimal("0.02")
"""Below this share two discounts for sustained use are one."""
_KEPT_TYPES = 2**14


class _Spend(NamedTuple):
    """The eligible spend of an hour of a machine, or a move of it."""

    on_demand: Decimal
    net: Decimal
    """After sustained-use discounts, as its price counts it."""


class FlexibleLedger:
    """Eligible spend on top of what is covered; changes that are taken stay."""

    def __init__(self, found: model.FlexibleCommitments, prices: model.PriceBook) -> None:
        self._found = found
        self._prices = prices
        self._spend = lru_cache(_KEPT_TYPES)(self._ask)
        self._above = _Above(found.uncovered_usd_by_hour)
        self._added = Decimal(0)
        """Dollars an hour by which changes so far moved the eligible spend, at prices on demand."""
        self._has_unknown = False
        """Whether a change was taken of which that is not known."""

    @property
    def names(self) -> str:
        """The commitments in words."""
        plans = ", ".join(self._found.use.plans)
        return f"flexible commitments ({plans})" if plans else "flexible commitments"

    def doubts(self, change: model.MachineChange) -> set[str]:
        """Return why it cannot be known what a change does."""
        unknown = set(self._unknown(change))
        if self._found.doubt:
            unknown.add(self._found.doubt)
        if self._has_unknown and self._is_bound(self._moved(change, ())):
            unknown.add(f"what {self.names} cover after the changes before it")
        return unknown

    def line(
        self, change: model.MachineChange, covered: Iterable[model.LineItem]
    ) -> model.LineItem | None:
        """Return the line that they add to a change's saving now; None where they do not matter.

        Args:
            change: What becomes of a machine; without `doubts`.
            covered: The lines of resource-based commitments, which go first.
        """
        moved = self._moved(change, covered)
        own = moved.net / moved.on_demand if moved.on_demand else Decimal(1)
        paid = self._found.net_ratio or (own if own > 0 else Decimal(1))
        then = self._added + moved.on_demand
        is_bound = self._is_bound(moved)
        if not is_bound and abs(paid - own) <= _ALIKE * abs(own):
            return None
        bill = paid * (self._above.mean(then) - self._above.mean(self._added))
        # By its prices alone the bill would move by all of the net spend.
        usd = (moved.net - bill) * HOURS_PER_MONTH
        if not usd:
            return None
        use = self._found.use
        return model.LineItem(
            name=self._name(usd, is_bound=is_bound),
            quantity=usd,
            unit=model.SPEND_UNIT,
            unit_price_usd=Decimal(1),
            usd_per_month=usd,
            as_of=use.end.date(),
            source=use.source,
            sku_id=None,
        )

    def take(self, change: model.MachineChange, covered: Iterable[model.LineItem]) -> None:
        """Count a change as made."""
        self._added += self._moved(change, covered).on_demand
        self._has_unknown |= bool(self._unknown(change))

    def mark(self) -> object:
        """Return what was taken so far, for `go_back`."""
        return self._added, self._has_unknown

    def go_back(self, mark: object) -> None:
        """Count nothing as made that was taken after a mark."""
        assert isinstance(mark, tuple)
        self._added, self._has_unknown = mark

    def _unknown(self, change: model.MachineChange) -> list[str]:
        return [spend for spend, _ in self._sides(change) if isinstance(spend, str)]

    def _is_bound(self, moved: _Spend) -> bool:
        """Return whether there are hours, before or after a move, in which not all is used."""
        return self._above.least + self._added + min(Decimal(0), moved.on_demand) < 0

    def _name(self, usd: Decimal, *, is_bound: bool) -> str:
        if not is_bound:
            return f"{self.names} cover other spend instead, of another sustained-use discount"
        if usd < 0:
            return f"spend that {self.names} cover, billed in any case"
        return f"spend that {self.names}, not used up, cover"

    def _moved(self, change: model.MachineChange, covered: Iterable[model.LineItem]) -> _Spend:
        """Return by how much an hour of eligible spend grows."""
        known = [(spend, n) for spend, n in self._sides(change) if not isinstance(spend, str)]
        on_demand = sum((spend.on_demand * n for spend, n in known), Decimal(0))
        net = sum((spend.net * n for spend, n in known), Decimal(0))
        taken_over = model.cover_usd(covered) / HOURS_PER_MONTH
        if not taken_over:
            return _Spend(on_demand, net)
        left = net - taken_over
        return _Spend(on_demand * left / net if net else left, left)

    def _sides(self, change: model.MachineChange) -> Sequence[tuple[_Spend | str, int]]:
        """Return the spend of what goes, of which there is one less, and of what comes."""
        instance = change.instance
        sides = [(self._spend(instance.region, instance.machine_type), -1)]
        if change.machine_type is not None:
            region = change.region or instance.region
            sides.append((self._spend(region, change.machine_type), change.count))
        return sides

    def _ask(self, region: str, machine_type: str) -> _Spend | str:
        """Return the eligible spend of an hour of a machine, or what is not known of it."""
        shape = self._prices.shape(machine_type)
        if shape is not None and shape.is_shared_core:
            return f"whether {self.names} cover shared-core types"
        try:
            price = machine_price(self._prices, region, machine_type, model.Usage.SUSTAINED_USE)
        except MissingDatum as missing:
            return f"what {self.names} cover of {machine_type}: {missing}"
        skus = {part.sku_id for part in price.parts}
        if not skus or not skus <= self._found.sku_ids:
            return f"whether {self.names} cover all of {machine_type}"
        on_demand = (part.unit_price_usd * part.quantity for part in price.parts)
        return _Spend(sum(on_demand, Decimal(0)), price.usd)


class _Above:
    """The mean of what is above 0 over hours that move together, and the least of them."""

    def __init__(self, usd_by_hour: Sequence[Decimal]) -> None:
        self._sorted = sorted(usd_by_hour)
        self.least = self._sorted[0]
        self._sums = (Decimal(0), *accumulate(self._sorted))

    def mean(self, added: Decimal) -> Decimal:
        """Return the mean over the hours of what is above 0 with `added` in each."""
        count = len(self._sorted)
        first = bisect_right(self._sorted, -added)
        return (self._sums[-1] - self._sums[first] + added * (count - first)) / count
