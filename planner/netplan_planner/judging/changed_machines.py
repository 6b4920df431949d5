"""Machines with the changes made so far: what one more change of type or region is worth.

A machine that moves to another region has the prices of that region, and one that became another
type moves as that: what each brings alone does not add up.
"""

from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.errors import MissingDatum
from netplan_planner.judging.moment import Moved
from netplan_planner.model import (
    Change,
    ChangeKind,
    CoverLedger,
    Facts,
    Instance,
    MachineChange,
    SelfLink,
    Zone,
    region_of,
    total_usd,
    usage_of,
)


class ChangedMachines:
    """The machines of the facts after changes, each of which can go back.

    One ledger of what commitments cover follows every change, whichever finding makes it.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._zones: dict[SelfLink, Zone] = {}
        self._types: dict[SelfLink, Change] = {}
        self._ledger: CoverLedger = facts.machines.ledger(facts.inventory, facts.today)

    def take(self, change: Change, *, is_on: bool = True) -> None:
        """Change a machine's type or Tier_1, or undo that."""
        before = self._now(change.target)
        if is_on:
            self._types[change.target] = change
        else:
            self._types.pop(change.target, None)
        self._count(before, change.target)

    def move(self, target: SelfLink, zone: Zone | None) -> None:
        """Put a machine into a zone; None: back to where it is."""
        before = self._now(target)
        if zone is None:
            self._zones.pop(target, None)
        else:
            self._zones[target] = zone
        self._count(before, target)

    @property
    def moved(self) -> tuple[Moved, ...]:
        """The machines that are in another zone now."""
        machines = self._facts.inventory.instance_by_link
        return tuple(Moved(machines[link], zone) for link, zone in self._zones.items())

    def taken(self, target: SelfLink) -> Change | None:
        """Return the change of a machine's type that was made."""
        return self._types.get(target)

    def is_elsewhere(self, target: SelfLink) -> bool:
        """Return whether a change moved a machine to another region."""
        machine = self._facts.inventory.instance_by_link.get(target)
        zone = self._zones.get(target)
        return machine is not None and zone is not None and region_of(zone) != machine.region

    def type_usd(self, change: Change) -> Decimal | None:
        """Return what another type saves a month where the machine stands now, with its cover.

        None: it has no price there, or what commitments cover of it is not known, or the change is
        that of its Tier_1, whose fee is the region's.
        """
        now = self._now(change.target)
        if now is None or change.kind is not ChangeKind.MACHINE_TYPE or change.to is None:
            return None
        return self._saved(now, replace(now, machine_type=change.to))

    def type_cover_usd(self, change: Change) -> Decimal | None:
        """Return what commitments make of a change of type now; None where that is not known."""
        now = self._now(change.target)
        if now is None or change.kind is not ChangeKind.MACHINE_TYPE or change.to is None:
            return Decimal(0)
        return self._cover_usd(now, replace(now, machine_type=change.to))

    def move_usd(self, target: SelfLink, zone: Zone) -> Decimal | None:
        """Return what a machine costs a month less in a zone, with its cover.

        None: it has no price there, or what commitments cover of it is not known.
        """
        now = self._now(target)
        if now is None or now.region == region_of(zone):
            return Decimal(0)
        return self._saved(now, replace(now, zone=zone))

    def _now(self, target: SelfLink) -> Instance | None:
        machine = self._facts.inventory.instance_by_link.get(target)
        if machine is None:
            return None
        zone, change = self._zones.get(target), self._types.get(target)
        if zone is not None:
            machine = replace(machine, zone=zone)
        if change is not None and change.kind is ChangeKind.MACHINE_TYPE and change.to:
            machine = replace(machine, machine_type=change.to)
        return machine

    def _count(self, before: Instance | None, target: SelfLink) -> None:
        """Let the ledger follow a machine that is no longer as it was."""
        now = self._now(target)
        if before is not None and now is not None and now != before:
            self._ledger.take(_between(before, now))

    def _saved(self, now: Instance, then: Instance) -> Decimal | None:
        costs = self._facts.machines.cost_today
        try:
            saved = total_usd(costs(now, usage_of(now))) - total_usd(costs(then, usage_of(then)))
        except MissingDatum:
            return None
        cover_usd = self._cover_usd(now, then)
        return None if cover_usd is None else saved + cover_usd

    def _cover_usd(self, now: Instance, then: Instance) -> Decimal | None:
        cover = self._ledger.change(_between(now, then))
        return None if cover.unknown else total_usd(cover.items)


def _between(now: Instance, then: Instance) -> MachineChange:
    return MachineChange(instance=now, machine_type=then.machine_type, region=then.region)
