"""Machines with the changes made so far: what one more change of type or region is worth.

A machine that moves to another region has the prices of that region, and one that became another
type moves as that: what each brings alone does not add up.
"""

from collections.abc import Callable
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.errors import MissingDatum
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
    """The machines of the facts after changes, each of which can go back."""

    def __init__(self, facts: Facts, zone_of: Callable[[SelfLink], Zone | None]) -> None:
        """Take the facts, and what tells where a change put a machine (None: it stays)."""
        self._facts = facts
        self._zone_of = zone_of
        self._types: dict[SelfLink, Change] = {}

    def take(self, change: Change, *, is_on: bool = True) -> None:
        """Change a machine's type or Tier_1, or undo that."""
        if is_on:
            self._types[change.target] = change
        else:
            self._types.pop(change.target, None)

    def taken(self, target: SelfLink) -> Change | None:
        """Return the change of a machine's type that was made."""
        return self._types.get(target)

    def is_elsewhere(self, target: SelfLink) -> bool:
        """Return whether a change moved a machine to another region."""
        machine = self._facts.inventory.instance_by_link.get(target)
        zone = self._zone_of(target)
        return machine is not None and zone is not None and region_of(zone) != machine.region

    def type_usd(self, change: Change) -> Decimal | None:
        """Return what another type saves a month where the machine stands now.

        None: it has no price there, or what commitments cover of it is not known, or the change is
        that of its Tier_1, whose fee is the region's.
        """
        now = self._now(change.target)
        if now is None or change.kind is not ChangeKind.MACHINE_TYPE or change.to is None:
            return None
        return self._saved(now, replace(now, machine_type=change.to))

    def move_usd(self, target: SelfLink, zone: Zone) -> Decimal:
        """Return what a machine of today's type costs a month less in a zone."""
        machine = self._facts.inventory.instance_by_link.get(target)
        if machine is None or machine.region == region_of(zone):
            return Decimal(0)
        try:
            return self._price_saved(machine, replace(machine, zone=zone))
        except MissingDatum:
            return Decimal(0)  # the rule did not propose it then

    def retyped_move_usd(self, target: SelfLink, zone: Zone) -> Decimal | None:
        """Return what a machine of another type by now costs less in a zone, with its cover.

        None: it has no price there, or what commitments cover of it is not known.
        """
        now = self._now(target)
        if now is None or now.region == region_of(zone):
            return Decimal(0)
        return self._saved(now, replace(now, zone=zone))

    def _now(self, target: SelfLink) -> Instance | None:
        machine = self._facts.inventory.instance_by_link.get(target)
        return None if machine is None else self._changed(machine)

    def _changed(self, machine: Instance) -> Instance:
        link = machine.ref.self_link
        zone, change = self._zone_of(link), self._types.get(link)
        if zone is not None:
            machine = replace(machine, zone=zone)
        if change is not None and change.kind is ChangeKind.MACHINE_TYPE and change.to:
            machine = replace(machine, machine_type=change.to)
        return machine

    def _saved(self, now: Instance, then: Instance) -> Decimal | None:
        try:
            saved = self._price_saved(now, then)
        except MissingDatum:
            return None
        cover = self._ledger().change(
            MachineChange(instance=now, machine_type=then.machine_type, region=then.region)
        )
        return None if cover.unknown else saved + total_usd(cover.items)

    def _price_saved(self, now: Instance, then: Instance) -> Decimal:
        costs = self._facts.machines.cost_today
        return total_usd(costs(now, usage_of(now))) - total_usd(costs(then, usage_of(then)))

    def _ledger(self) -> CoverLedger:
        """Return what commitments cover after the changes so far."""
        ledger = self._facts.machines.ledger(self._facts.inventory, self._facts.today)
        for machine in self._facts.inventory.instances:
            now = self._changed(machine)
            if now is not machine:
                ledger.take(
                    MachineChange(
                        instance=machine, machine_type=now.machine_type, region=now.region
                    )
                )
        return ledger
