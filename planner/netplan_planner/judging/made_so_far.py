"""What was made of a plan so far, and what one more fix is worth after it.

Fixes as they stand once those before them are made: a machine that moved is named where it is.

A rule writes a fix for the project as it was read. In the order of fixes a machine may have been
moved before its turn comes, and a command that names its old zone finds nothing there.
"""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import Ledger, ledger_of
from netplan_planner.ledger.account import OF_A_MACHINE, OF_TRAFFIC
from netplan_planner.ledger.account import Made as MadeChange
from netplan_planner.ledger.guards import why_made, why_refused
from netplan_planner.units import cents
from netplan_rules.wording import PRICE_STAYS

_PAIR = re.compile(r"(\S+) (→|↔) (\S+) \(([a-z0-9-]+-[a-z])(?:(?: → |, )([a-z0-9-]+-[a-z]))?\)")
"""The name of a place that is a pair, with the zone of both or of each."""


class Moved(NamedTuple):
    """A machine as it was read, and the zone that it is in by then."""

    machine: model.Instance
    zone: model.Zone


def as_of(fix: model.Fix, moved: Sequence[Moved], usd: Decimal | None = None) -> model.Fix:
    """Return a fix with the zones that machines are in by then, in its words and its commands.

    Args:
        fix: For the project as it was read.
        moved: The machines that are elsewhere by then.
        usd: What it saves a month by then: what costs the same today may not cost the same then.
    """
    if not moved:
        return fix
    text = fix.text.replace(f" {PRICE_STAYS}", "") if usd else fix.text
    return replace(
        fix,
        text=_without_old_addresses(_each(text, moved, _in_words), moved),
        commands=_commands(fix.commands, moved),
        verify=_step(fix.verify, moved),
        clean_up=_step(fix.clean_up, moved),
        undo=_step(fix.undo, moved),
    )


def named_as_of(subject: str, moved: Sequence[Moved]) -> str:
    """Return the name of a place with the zones that machines are in by then."""
    pair = _PAIR.fullmatch(subject)
    if pair is None:
        return _each(subject, moved, _in_words)
    one, joint, other, here, there = pair.groups()
    zones = [_now(one, here, moved), _now(other, there or here, moved)]
    apart = "→" if joint == "→" else ","
    between = f"{zones[0]} {apart} {zones[1]}" if apart == "→" else f"{zones[0]}, {zones[1]}"
    return f"{one} {joint} {other} ({zones[0] if zones[0] == zones[1] else between})"


def _now(name: str, zone: str, moved: Sequence[Moved]) -> str:
    """Return where a machine of a name in a zone stands by then."""
    found = (one.zone for one in moved if (one.machine.name, one.machine.zone) == (name, zone))
    return next(found, zone)


def _step(step: model.Instruction | None, moved: Sequence[Moved]) -> model.Instruction | None:
    if step is None:
        return None
    return replace(
        step, text=_each(step.text, moved, _in_words), commands=_commands(step.commands, moved)
    )


def _commands(commands: Iterable[str], moved: Sequence[Moved]) -> tuple[str, ...]:
    return tuple(_each(command, moved, _in_command) for command in commands)


def _each(text: str, moved: Sequence[Moved], change: Callable[[str, Moved], str]) -> str:
    for one in moved:
        if one.machine.name in text:
            text = change(text, one)
    return text


def _without_old_addresses(text: str, moved: Sequence[Moved]) -> str:
    """Take away the internal addresses that machines had before their moves."""
    for machine, _ in moved:
        for nic in machine.interfaces:
            for address in filter(None, (nic.internal_ipv4, nic.internal_ipv6)):
                own = rf"{re.escape(address)}(?![\w.:])"
                new = f"the new internal address of {machine.name} (before its move {address})"
                text = re.sub(rf"(?<=\.internal), currently {own}", "", text)
                text = re.sub(rf"(connect to|must use) {own}", rf"\g<1> {new}", text)
    return text


def _in_words(text: str, moved: Moved) -> str:
    """Change names with their zone: `web-1.us-east1-b.c.p.internal`, `web-1 (us-east1-b`."""
    name, before = re.escape(moved.machine.name), re.escape(moved.machine.zone)
    named = rf"(?<![\w-])({name}(?:\.| \())({before})(?=\.c\.|[,)])"
    return _in_paths(re.sub(named, rf"\g<1>{moved.zone}", text), moved)


def _in_command(command: str, moved: Moved) -> str:
    """Change the zone of a command that names the machine; other machines may have its name."""
    machine = moved.machine
    command = _in_paths(command, moved)
    flag = f"--zone={machine.zone}"
    words = shlex.split(command)
    is_of_another = any(
        word.startswith("--project=") and word != f"--project={machine.project}" for word in words
    )
    if machine.name not in words or flag not in words or is_of_another:
        return command
    return command.replace(flag, f"--zone={moved.zone}")


def _in_paths(text: str, moved: Moved) -> str:
    path, before = moved.machine.ref.self_link, f"/zones/{moved.machine.zone}/"
    there = path.replace(before, f"/zones/{moved.zone}/")
    return re.sub(rf"{re.escape(path)}(?![\w-])", lambda _: there, text)


_TOLD = "another fix already changes its traffic"
_UNPRICED = "the cost of its traffic after the earlier fixes is unknown"
_UNCOVERED = "other changes leave commitments unused that it needs"


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

    def __init__(self, facts: model.Facts) -> None:
        self.ledger = Ledger(facts)
        self.taken: dict[model.SelfLink, model.Change] = {}
        """Changes of types that were made."""
        self._facts = facts
        self._reached: Counter[model.SelfLink] = Counter()
        """Machines that moves were made to: their gain rests on where those stand."""
        self._by: dict[object, str] = {}
        """By what was made (`_parts`): the finding whose fix it was."""
        self._told: Counter[model.SelfLink] = Counter()
        """Ends of traffic that fixes change which are told in words alone."""
        self._told_edges: Counter[int] = Counter()
        """Edges whose cost they save, by identity."""
        self._saved_usd: dict[tuple[object, ...], Decimal | None] = {}
        """Of pairs, by change and where the ends stand: most rounds change nothing for most."""

    def moved(self) -> Iterator[Moved]:
        """Yield the machines that are in another zone now."""
        for link, now in self.ledger.state.machines.items():
            was = self._facts.inventory.instance_by_link[link]
            if now.zone != was.zone:
                yield Moved(was, now.zone)

    def apply(self, hit: model.Hit, finding: str = "") -> object:
        """Make a hit's change; return what `_go_back` needs, which takes back the last one."""
        change = hit.change
        if change is None:
            self._count_told(hit, 1)
            return None
        if change.kind is model.ChangeKind.ZONE and not change.members:
            self._reached[beside(hit)] += 1
        if change.kind in OF_A_MACHINE and change.kind is not model.ChangeKind.SPOT:
            self.taken.update(dict.fromkeys(change.targets, change))
        if finding:
            self._by.update(dict.fromkeys(self._parts(change), finding))
        return self.ledger.make(change)

    def go_back(self, hit: model.Hit, mark: object) -> None:
        """Take back a hit's change, the one that was made last."""
        change = hit.change
        if change is None:
            self._count_told(hit, -1)
            return
        if change.kind is model.ChangeKind.ZONE and not change.members:
            self._reached[beside(hit)] -= 1
        if change.kind in OF_A_MACHINE and change.kind is not model.ChangeKind.SPOT:
            for link in change.targets:
                self.taken.pop(link, None)
        assert isinstance(mark, MadeChange)
        self.ledger.go_back(mark)

    def _parts(self, change: model.Change) -> Iterator[object]:
        """Yield what a change makes, by which another one that makes it too is known."""
        if change.kind in OF_A_MACHINE:
            yield change
        for link in change.targets:
            if change.kind is model.ChangeKind.ZONE:
                yield link, change.to
            pair = self.ledger.state.pair(link, change.destination)
            if change.is_of_internal_pair and pair is not None:
                yield pair

    def _count_told(self, hit: model.Hit, step: int) -> None:
        if hit.saving_usd_per_month is None:
            return
        self._told_edges.update(dict.fromkeys(map(id, hit.edges), step))
        if hit.gib_per_month is not None:
            self._told.update({ref.self_link: step for ref in hit.resources})

    def worth(self, hit: model.Hit) -> Now:
        """Return what a hit's fix saves after the changes so far, and why less than alone."""
        alone, change = hit.saving_usd_per_month, hit.change
        if change is None:
            return self._told_worth(hit, alone)
        if why := self._why_told(change):
            return Now(None if alone is None else Decimal(0), why, is_needless=True)
        why = why_made(self.ledger.state, change)
        if not why and change.kind is model.ChangeKind.ZONE:
            why = self._why_no_move(hit, change)
        # What is refused today is not held back by another fix, which may have come first.
        before = ledger_of(self._facts) if why else self.ledger
        held = why_refused(before.state, change)
        if why or held:
            none = None if alone is None else Decimal(0)
            by = {self._by.get(part, "") for part in self._parts(change)} if why else set()
            same = by.pop() if len(by) == 1 else ""
            return Now(none, held or why, is_needless=True, is_held=bool(held), same_as=same)
        if alone is None:
            return self._saved_later(hit, change)
        if change.kind is model.ChangeKind.MACHINE_TYPE:
            return self._retyped(hit, change, alone)
        worth = self._value(change)
        if worth is None:
            return Now(None, _UNPRICED)
        return Now(worth, _less(worth, alone))

    def _told_worth(self, hit: model.Hit, alone: Decimal | None) -> Now:
        """Return what a fix saves that is told in words alone.

        What it says of traffic holds as long as no fix has changed that, or its ends.
        """
        if alone is None or (hit.gib_per_month is None and not hit.edges):
            return Now(alone)
        state = self.ledger.state
        if any(self._told_edges[id(edge)] > 0 for edge in hit.edges):
            return Now(None, _TOLD, is_needless=True)
        if any(map(state.is_rerouted, hit.edges)):
            return Now(None, _UNPRICED, is_needless=True)
        touched = {state.owners.get(link) for link in state.machines}
        touched.update(owner for pair in state.internal for owner in pair)
        ends = {state.owners.get(ref.self_link) for ref in hit.resources} - {None}
        return Now(None, _UNPRICED, is_needless=True) if ends & touched else Now(alone)

    def _why_told(self, change: model.Change) -> str:
        """Return why a change of traffic is not made beside a fix that is told in words alone."""
        ends = {*change.targets, change.destination}
        if change.kind not in OF_TRAFFIC:
            return ""
        is_told = any(self._told[link] > 0 for link in ends if link) or (
            self._told_edges.total() > 0
            and any(self._told_edges[id(edge)] > 0 for edge in self.ledger.edges(change))
        )
        return _TOLD if is_told else ""

    def _why_no_move(self, hit: model.Hit, change: model.Change) -> str:
        """Return why a move no longer makes sense beside those that were made, or nothing."""
        if any(self._reached[link] > 0 for link in change.targets):
            return "another fix moves a VM to its place"
        if change.members:
            return ""
        peer = self.ledger.state.machine(beside(hit))
        if peer is not None and peer.zone != change.to:
            return "the VM it moves next to is elsewhere by then"
        return ""

    def _saved_later(self, hit: model.Hit, change: model.Change) -> Now:
        """Return what an address that has the same price today saves after a move, if anything."""
        is_known = not hit.saving.unknown and not hit.saving.items
        if not is_known or change.kind is not model.ChangeKind.INTERNAL_ADDRESS:
            return Now(None)
        worth = self._value(change)
        is_worth = worth is not None and worth > 0
        return Now(worth, "after the earlier fixes") if is_worth else Now(None)

    def _retyped(self, hit: model.Hit, change: model.Change, alone: Decimal) -> Now:
        """Return what another type saves now: of the machine as the fixes before it leave it."""
        if any(link in self.ledger.state.machines for link in change.targets):
            worth = self._value(change)
            if worth is None:
                why = "another fix changes the VM to a type of unknown price"
                return Now(Decimal(0), why)
            return Now(worth, _less(worth, alone))
        cover = self.ledger.cover_usd(change)
        if cover is None:
            return Now(alone)  # ranked last, as it is before commitments
        worth = alone - model.cover_usd(hit.saving.items) + cover
        return Now(worth, _UNCOVERED if _less(worth, alone) else "")

    def _value(self, change: model.Change) -> Decimal | None:
        """Return what a change takes off the bill now; None where that is not known."""
        if change.kind is not model.ChangeKind.INTERNAL_ADDRESS:
            return self.ledger.value(change).usd
        state = self.ledger.state
        ends = (*change.targets, change.destination or model.SelfLink(""))
        inside = (state.pair(link, change.destination) in state.internal for link in ends)
        key = (change, *map(state.place, ends), *inside)
        if key in self._saved_usd:
            return self._saved_usd[key]
        worth = self.ledger.value(change)
        # Where prices have steps, what others send bears on them, and that changes.
        if not worth.is_stepped:
            self._saved_usd[key] = worth.usd
        return worth.usd


def beside(hit: model.Hit) -> model.SelfLink:
    """Return the machine that a move is made to."""
    return hit.resources[1].self_link if len(hit.resources) > 1 else model.SelfLink("")


def _less(worth: Decimal, alone: Decimal) -> str:
    if cents(worth) >= cents(alone):
        return ""  # the last digits of unit prices differ between one line and two
    return "earlier fixes already save part of it"
