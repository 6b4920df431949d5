"""What changes of machines do to what commitments cover, one after the other."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.optimise.commitments import Cover, Demand, Key, Pool, Uses, cover_line
from netplan_planner.optimise.flexible_commitments import FlexibleLedger

_SHARED_BEYOND = "which part of the commitments other projects of the billing account use"
_SHARED_OR_NOT = (
    "whether the billing account shares commitments between projects (set --commitment-scope)"
)


class Moved(NamedTuple):
    """Usage that commitments no longer cover, or cover now, as a line of a saving."""

    pool: Pool
    line: model.LineItem


class Ledger:
    """What commitments cover under one way of sharing; changes that are taken stay."""

    def __init__(self, cover: Cover, uses: Uses) -> None:
        self._cover = cover
        self._uses = uses
        self._demand: dict[Key, Demand] = {}

    def serves(self, instance: model.Instance, machine_type: str) -> bool:
        """Return whether commitments may serve a machine as one of a type."""
        return self._cover.pool(instance.project, instance.region, machine_type) is not None

    def doubts(self, change: model.MachineChange) -> set[str]:
        """Return why it cannot be known what a change does."""
        instance = change.instance
        found = set(self._cover.doubts(instance, instance.region, instance.machine_type))
        if change.machine_type is not None:
            region = change.region or instance.region
            found.update(self._cover.doubts(instance, region, change.machine_type))
        return found

    def moved(self, change: model.MachineChange) -> tuple[Moved, ...]:
        """Return the difference in covered usage that a change makes."""
        found: list[Moved] = []
        for pool, demand in self._after(change):
            before, after = pool.covered(self._now(pool)), pool.covered(demand)
            for resource, rate in sorted({**before, **after}, key=str):
                place = resource, rate
                units = after.get(place, Decimal(0)) - before.get(place, Decimal(0))
                if units:
                    found.append(Moved(pool, cover_line(pool, resource, rate, units)))
        return tuple(found)

    def take(self, change: model.MachineChange) -> None:
        """Count a change as made."""
        for pool, demand in tuple(self._after(change)):
            self._demand[pool.key] = demand

    def mark(self) -> object:
        """Return what was taken so far, for `go_back`."""
        return dict(self._demand)

    def go_back(self, mark: object) -> None:
        """Count nothing as made that was taken after a mark."""
        assert isinstance(mark, dict)
        self._demand = dict(mark)

    def _now(self, pool: Pool) -> Demand:
        return self._demand.get(pool.key, pool.demand)

    def _after(self, change: model.MachineChange) -> Iterator[tuple[Pool, Demand]]:
        """Yield what a change leaves of the demand on each pool that it touches."""
        if _leaves_cover(change):
            return
        instance = change.instance
        steps = [(instance.region, instance.machine_type, -1)]
        if change.machine_type is not None:
            steps.append((change.region or instance.region, change.machine_type, change.count))
        touched: dict[Key, tuple[Pool, Demand]] = {}
        for region, machine_type, count in steps:
            pool = self._cover.pool(instance.project, region, machine_type)
            if pool is None:
                continue
            _, demand = touched.setdefault(pool.key, (pool, dict(self._now(pool))))
            for resource, rate, units in self._uses.of(region, machine_type).units:
                place = resource, rate
                demand[place] = demand.get(place, Decimal(0)) + units * count
        yield from touched.values()


class Commitments:
    """Makes ledgers for an inventory; what was worked out of the last one is kept."""

    def __init__(self, prices: model.PriceBook, scope: model.CommitmentScope) -> None:
        self._prices = prices
        self._uses = Uses(prices)
        self._scope = scope
        self._last: tuple[model.Inventory, date, tuple[Cover, ...]] | None = None

    def ledger(self, inventory: model.Inventory, today: date) -> model.CoverLedger:
        """Return a new ledger, before any change."""
        covers = self._covers(inventory, today)
        found = self._prices.flexible
        return ScopedLedger(
            [Ledger(cover, self._uses) for cover in covers],
            self._scope,
            FlexibleLedger(found, self._prices) if found is not None else None,
        )

    def _covers(self, inventory: model.Inventory, today: date) -> tuple[Cover, ...]:
        last = self._last
        if last is not None and last[0] is inventory and last[1] == today:
            return last[2]
        covers = covers_of(inventory, self._uses, today, self._scope)
        self._last = inventory, today, covers
        return covers


def covers_of(
    inventory: model.Inventory, uses: Uses, today: date, scope: model.CommitmentScope
) -> tuple[Cover, ...]:
    """Return what commitments cover, for every way of sharing them that may hold."""
    ways = {
        model.CommitmentScope.UNKNOWN: (False, True),
        model.CommitmentScope.PROJECT: (False,),
        model.CommitmentScope.PROJECTS_READ: (True,),
        model.CommitmentScope.BILLING_ACCOUNT: (True,),
    }[scope]
    projects = {instance.project for instance in inventory.instances}
    projects.update(commitment.project for commitment in inventory.commitments)
    if len(projects) < 2:
        ways = ways[:1]
    return tuple(Cover(inventory, uses, today, is_shared=way) for way in ways)


class ScopedLedger:
    """The ledgers of every way of sharing that may hold; it implements `CoverLedger`.

    What resource-based commitments leave is spend that flexible ones may cover.
    """

    def __init__(
        self,
        ledgers: Sequence[Ledger],
        scope: model.CommitmentScope,
        flexible: FlexibleLedger | None = None,
    ) -> None:
        self._ledgers = tuple(ledgers)
        self._scope = scope
        self._flexible = flexible

    def serves(self, instance: model.Instance, machine_type: str) -> bool:
        """Return whether commitments may serve a machine as one of a type."""
        return any(ledger.serves(instance, machine_type) for ledger in self._ledgers)

    def change(self, change: model.MachineChange) -> model.CoverChange:
        """Return what a change would do now, after all that were taken."""
        if _leaves_cover(change):
            return model.CoverChange()
        doubts = set().union(*(ledger.doubts(change) for ledger in self._ledgers))
        if self._scope is model.CommitmentScope.BILLING_ACCOUNT:
            doubts.add(_SHARED_BEYOND)
        if self._flexible is not None:
            doubts |= self._flexible.doubts(change)
        if doubts:
            return model.CoverChange(unknown="; ".join(sorted(doubts)))
        answers = [ledger.moved(change) for ledger in self._ledgers]
        items = [tuple(moved.line for moved in answer) for answer in answers]
        if len({model.total_usd(lines) for lines in items}) > 1:
            return model.CoverChange(unknown=_SHARED_OR_NOT)
        note = _note(answers[0])
        line = self._flexible.line(change, items[0]) if self._flexible is not None else None
        if line is None:
            return model.CoverChange(items=items[0], note=note)
        # Without the amount, which the line has: notes that are equal stand once for many places.
        said = f"{line.name} ({line.source})"
        return model.CoverChange(
            items=(*items[0], line), note="; ".join(filter(None, (note, said)))
        )

    def take(self, change: model.MachineChange) -> None:
        """Count a change as made."""
        if self._flexible is not None and not _leaves_cover(change):
            lines = [moved.line for moved in self._ledgers[0].moved(change)]
            self._flexible.take(change, lines)
        for ledger in self._ledgers:
            ledger.take(change)

    def mark(self) -> object:
        """Return what was taken so far, for `go_back`."""
        flexible = self._flexible.mark() if self._flexible is not None else None
        return tuple(ledger.mark() for ledger in self._ledgers), flexible

    def go_back(self, mark: object) -> None:
        """Count nothing as made that was taken after a mark."""
        assert isinstance(mark, tuple)
        for ledger, one in zip(self._ledgers, mark[0], strict=True):
            ledger.go_back(one)
        if self._flexible is not None:
            self._flexible.go_back(mark[1])


def cover_today(ledger: model.CoverLedger, instance: model.Instance) -> model.Text:
    """Return what of a machine's price commitments cover, for an answer that leaves them out."""
    cover = ledger.change(model.MachineChange(instance=instance, machine_type=None))
    if cover.unknown:
        return f"commitments are not counted; unknown: {cover.unknown}"
    covered = -model.total_usd(cover.items)
    if not covered:
        return ""
    return model.worded(
        model.Amount(usd=covered),
        f" of it is covered by commitments, which are not included here: {cover.note};"
        " `netplan audit` includes them",
    )


def _leaves_cover(change: model.MachineChange) -> bool:
    """Return whether commitments are not touched, whatever they are.

    Stopped and Spot machines use none; one that stays what and where it is uses the same.
    """
    instance = change.instance
    if instance.is_spot or not instance.is_to_run:
        return True
    return (
        change.machine_type == instance.machine_type
        and change.count == 1
        and change.region in {None, instance.region}
    )


def _note(moved: Sequence[Moved]) -> str:
    """Return what the lines mean for the reader."""
    said = [
        f"{one.pool.names} is billed{one.pool.paid_until} in any case"
        if one.line.usd_per_month < 0
        else f"{one.pool.names} is not fully used today and covers the new usage"
        for one in moved
    ]
    return "; ".join(dict.fromkeys(said))
