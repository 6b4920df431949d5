"""What was made of a plan so far, and what one more fix is worth after it."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.judging.moment import Moved
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.account import OF_A_MACHINE, OF_TRAFFIC
from netplan_planner.ledger.account import Made as MadeChange
from netplan_planner.ledger.guards import why_made, why_refused
from netplan_planner.ledger.state import Pair
from netplan_planner.model import Change, ChangeKind, Facts, Hit, SelfLink, cover_usd
from netplan_planner.units import cents

_UNPRICED = "what its traffic costs after the fixes before it is not known"
_UNCOVERED = "other changes leave commitments unused that it counts on"


class Now(NamedTuple):
    """What a hit's fix saves after the changes so far."""

    usd: Decimal | None
    """None: no saving is stated."""
    why: str = ""
    """Why that is less than it would save alone."""
    is_needless: bool = False
    """Nothing is left to be changed, or nothing may be."""
    is_held: bool = False
    """Nothing may be."""
    same_as: str = ""
    """The finding whose fix makes this very change, by fingerprint."""


class MadeSoFar:
    """The facts with the changes that were made so far."""

    def __init__(self, facts: Facts) -> None:
        self.ledger = Ledger(facts)
        self.taken: dict[SelfLink, Change] = {}
        """Changes of types that were made."""
        self._facts = facts
        self._reached: Counter[SelfLink] = Counter()
        """Machines that moves were made to: their gain rests on where those stand."""
        self._by: dict[Pair, str] = {}
        """Of pairs that use internal addresses since: the finding whose fix it was."""
        self._told: Counter[SelfLink] = Counter()
        """Ends of traffic that fixes change which are told in words alone."""
        self._saved_usd: dict[tuple[object, ...], Decimal | None] = {}
        """Of pairs, by change and where the ends stand: most rounds change nothing for most."""

    def moved(self) -> Iterator[Moved]:
        """Yield the machines that are in another zone now."""
        for link, now in self.ledger.state.machines.items():
            was = self._facts.inventory.instance_by_link[link]
            if now.zone != was.zone:
                yield Moved(was, now.zone)

    def apply(self, hit: Hit, finding: str = "") -> object:
        """Make a hit's change; return what `_go_back` needs, which takes back the last one."""
        change = hit.change
        if change is None:
            self._count_told(hit, 1)
            return None
        if change.kind is ChangeKind.ZONE and not change.members:
            self._reached[_beside(hit)] += 1
        if change.kind in OF_A_MACHINE and change.kind is not ChangeKind.SPOT:
            self.taken.update(dict.fromkeys(change.targets, change))
        if finding and change.kind is ChangeKind.INTERNAL_ADDRESS:
            self._by.update(dict.fromkeys(self._pairs(change), finding))
        return self.ledger.make(change)

    def go_back(self, hit: Hit, mark: object) -> None:
        """Take back a hit's change, the one that was made last."""
        change = hit.change
        if change is None:
            self._count_told(hit, -1)
            return
        if change.kind is ChangeKind.ZONE and not change.members:
            self._reached[_beside(hit)] -= 1
        if change.kind in OF_A_MACHINE and change.kind is not ChangeKind.SPOT:
            for link in change.targets:
                self.taken.pop(link, None)
        assert isinstance(mark, MadeChange)
        self.ledger.go_back(mark)

    def _pairs(self, change: Change) -> list[Pair]:
        """Return the pairs that use internal addresses after a change; none of another kind."""
        if change.kind is not ChangeKind.INTERNAL_ADDRESS:
            return []
        found = (self.ledger.state.pair(link, change.destination) for link in change.targets)
        return [pair for pair in found if pair is not None]

    def _count_told(self, hit: Hit, step: int) -> None:
        if hit.gib_per_month is not None and hit.saving_usd_per_month is not None:
            self._told.update({ref.self_link: step for ref in hit.resources})

    def worth(self, hit: Hit) -> Now:
        """Return what a hit's fix saves after the changes so far, and why less than alone."""
        alone, change = hit.saving_usd_per_month, hit.change
        if change is None:
            return self._told_worth(hit, alone)
        if why := self._why_told(change):
            return Now(None if alone is None else Decimal(0), why, is_needless=True)
        why = why_made(self.ledger.state, change)
        if not why and change.kind is ChangeKind.ZONE:
            why = self._why_no_move(hit, change)
        held = "" if why else why_refused(self.ledger.state, change)
        if why or held:
            none = None if alone is None else Decimal(0)
            by = {self._by.get(pair, "") for pair in self._pairs(change)} if why else set()
            same = by.pop() if len(by) == 1 else ""
            return Now(none, why or held, is_needless=True, is_held=bool(held), same_as=same)
        if alone is None:
            return self._saved_later(hit, change)
        if change.kind is ChangeKind.MACHINE_TYPE:
            return self._retyped(hit, change, alone)
        worth = self._value(change)
        if worth is None:
            return Now(None, _UNPRICED)
        return Now(worth, _less(worth, alone))

    def _told_worth(self, hit: Hit, alone: Decimal | None) -> Now:
        """Return what a fix saves that is told in words alone.

        What it says of traffic holds as long as no change has touched its ends.
        """
        if hit.gib_per_month is None or alone is None:
            return Now(alone)
        state = self.ledger.state
        touched = {state.owners.get(link) for link in state.machines}
        touched.update(owner for pair in state.internal for owner in pair)
        ends = {state.owners.get(ref.self_link) for ref in hit.resources} - {None}
        return Now(None, _UNPRICED, is_needless=True) if ends & touched else Now(alone)

    def _why_told(self, change: Change) -> str:
        """Return why a change of traffic is not made beside a fix that is told in words alone."""
        ends = {*change.targets, change.destination}
        is_told = change.kind in OF_TRAFFIC and any(self._told[link] > 0 for link in ends if link)
        return "another fix already changes its traffic" if is_told else ""

    def _why_no_move(self, hit: Hit, change: Change) -> str:
        """Return why a move no longer makes sense beside those that were made, or nothing."""
        if any(self._reached[link] > 0 for link in change.targets):
            return "another fix moves a machine to where it stands"
        if change.members:
            return ""
        peer = self.ledger.state.machine(_beside(hit))
        if peer is not None and peer.zone != change.to:
            return "what it would stand beside stands elsewhere then"
        return ""

    def _saved_later(self, hit: Hit, change: Change) -> Now:
        """Return what an address that has the same price today saves after a move, if anything."""
        is_known = not hit.saving.unknown and not hit.saving.items
        if not is_known or change.kind is not ChangeKind.INTERNAL_ADDRESS:
            return Now(None)
        worth = self._value(change)
        is_worth = worth is not None and worth > 0
        return Now(worth, "once the fixes before it are made") if is_worth else Now(None)

    def _retyped(self, hit: Hit, change: Change, alone: Decimal) -> Now:
        """Return what another type saves now: of the machine as the fixes before it leave it."""
        if any(link in self.ledger.state.machines for link in change.targets):
            worth = self._value(change)
            if worth is None:
                why = "another fix changes the machine to one whose price is not known"
                return Now(Decimal(0), why)
            return Now(worth, _less(worth, alone))
        cover = self.ledger.cover_usd(change)
        if cover is None:
            return Now(alone)  # ranked last, as it is before commitments
        worth = alone - cover_usd(hit.saving.items) + cover
        return Now(worth, _UNCOVERED if _less(worth, alone) else "")

    def _value(self, change: Change) -> Decimal | None:
        """Return what a change takes off the bill now; None where that is not known."""
        if change.kind is not ChangeKind.INTERNAL_ADDRESS:
            return self.ledger.value(change).usd
        state = self.ledger.state
        ends = (*change.targets, change.destination or SelfLink(""))
        inside = (state.pair(link, change.destination) in state.internal for link in ends)
        key = (change, *map(state.place, ends), *inside)
        if key in self._saved_usd:
            return self._saved_usd[key]
        worth = self.ledger.value(change)
        # Where prices have steps, what others send bears on them, and that changes.
        if not worth.is_stepped:
            self._saved_usd[key] = worth.usd
        return worth.usd


def _beside(hit: Hit) -> SelfLink:
    """Return the machine that a move is made to."""
    return hit.resources[1].self_link if len(hit.resources) > 1 else SelfLink("")


def _less(worth: Decimal, alone: Decimal) -> str:
    if cents(worth) >= cents(alone):
        return ""  # the last digits of unit prices differ between one line and two
    return "the fixes before it save part of that already"
