"""Types that a plan takes for money alone, and what the whole of it leaves of commitments for them.

A type is chosen for commitments that nothing uses yet. Changes after it may use them up: then it
costs more than the type of today, though it saved something when its turn came.
"""

from decimal import Decimal
from heapq import heapify, heappop, heappush

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import Ledger

Place = tuple[str, str]
"""A finding and one of its places, by fingerprint."""
_LEAST_USD = Decimal("0.01")


class CommittedUse:
    """The types that were taken so far, whose saving commitments bear on."""

    def __init__(self, ledger: Ledger) -> None:
        """Look at the account in which the plan is made."""
        self._ledger = ledger
        self._taken: dict[Place, model.Change] = {}

    def take(self, hit: model.Hit, at: Place) -> None:
        """Count a hit's change, which is made for money alone."""
        change = hit.change
        is_type = change is not None and change.kind is model.ChangeKind.MACHINE_TYPE
        if change is not None and is_type and model.cover_usd(hit.saving.items):
            self._taken[at] = change

    def spoiled(self) -> frozenset[Place]:
        """Return where types cost more than those of today once all of the plan is made.

        One after the other, the most expensive first: each that goes leaves the others what it
        took. The account is of no more use then.
        """
        found: set[Place] = set()
        waiting = [(-self._back_usd(change), at) for at, change in self._taken.items()]
        heapify(waiting)
        while waiting and waiting[0][0] < -_LEAST_USD:
            _, at = heappop(waiting)
            usd = self._back_usd(self._taken[at])
            if waiting and -usd > waiting[0][0]:
                heappush(waiting, (-usd, at))  # worth less after those that went before it
            elif usd > _LEAST_USD:
                self._ledger.make(self._back(self._taken[at]))
                found.add(at)
        return frozenset(found)

    def _back(self, change: model.Change) -> model.Change:
        """Return the change that gives machines the type that they were read with."""
        was = self._ledger.state.facts.inventory.instance_by_link[change.target]
        return replace(change, to=was.machine_type, cpu_platform="")

    def _back_usd(self, change: model.Change) -> Decimal:
        """Return what the bill falls by if machines get their own type back; 0: not known."""
        machines = [self._ledger.state.machine(link) for link in change.targets]
        if any(one is None or one.machine_type != change.to for one in machines):
            return Decimal(0)
        return self._ledger.value(self._back(change)).usd or Decimal(0)
