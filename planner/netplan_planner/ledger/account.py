"""The account of a month: what a change takes off the bill, after all that were made before it.

The bill is of machines, what commitments make of them, external addresses, Cloud NAT gateways and
traffic. A change is worth what its lines cost before it less what they cost after it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.ledger.compared import is_at_list, saved_at_list
from netplan_planner.ledger.resources import (
    Gateways,
    Lines,
    MachineCosts,
    address_lines,
    unused_address_lines,
)
from netplan_planner.ledger.state import GatewayKey, State, Undo, is_elsewhere
from netplan_planner.ledger.traffic import Saved, TrafficCost, TrafficLedger

_DUST_USD = Decimal("1e-9")
"""What decimals leave of two equal sums."""


class Worth(NamedTuple):
    """What a change takes off the bill of a month."""

    saving: model.Saving
    unpriced: tuple[str, ...] = ()
    """Why parts of other traffic have no price, here or there; they are in no line."""
    is_stepped: bool = False
    """Whether a price has steps, so that other traffic bears on it."""

    @property
    def usd(self) -> Decimal | None:
        """Dollars a month; None where they are not known, or before commitments only."""
        is_known = not self.saving.unknown and self.saving.basis is model.SavingBasis.BILL
        return self.saving.usd_per_month if is_known else None


class Made(NamedTuple):
    """A change that was made, for taking it back."""

    undo: Undo
    cover: object
    even: "Made | None" = None
    """The same in the account by prices that can be compared."""


class _Resources(NamedTuple):
    lines: dict[str, Lines]
    """By what they are of."""
    unknown: dict[str, str]
    """Why some have no price."""


class Ledger:
    """The account of one project with the changes made so far."""

    def __init__(self, facts: model.Facts) -> None:
        self.state = State(facts)
        self.traffic = TrafficLedger(self.state)
        self._facts = facts
        self._cover = facts.machines.ledger(facts.inventory, facts.today)
        self._machines = MachineCosts(facts)
        self._gateways = Gateways(self.state)
        self._even = None if facts.even is facts else Ledger(facts.even)

    def make(self, change: model.Change) -> Made:
        """Make a change."""
        mark = self._cover.mark()
        before = [self.state.machine(link) for link in change.targets]
        undo = self.state.apply(change)
        for was, link in zip(before, change.targets, strict=True):
            for taken in _of_cover(was, self.state.machine(link)):
                self._cover.take(taken)
        return Made(undo, mark, None if self._even is None else self._even.make(change))

    def go_back(self, made: Made) -> None:
        """Take back the change that was made last."""
        self.state.go_back(made.undo)
        self._cover.go_back(made.cover)
        if self._even is not None and made.even is not None:
            self._even.go_back(made.even)

    def move(self, machine: model.Instance, zone: model.Zone) -> Made:
        """Put a machine into a zone."""
        return self.make(
            model.Change(kind=model.ChangeKind.ZONE, target=machine.ref.self_link, to=zone)
        )

    def zone(self, owner: int) -> model.Zone | None:
        """Return where an owner stands now."""
        return self.state.zone(owner)

    def cost(self, edges: Iterable[model.Edge]) -> TrafficCost:
        """Return what edges cost now, as the last of all that shares their prices."""
        return self.traffic.cost(edges)

    def value(self, *changes: model.Change) -> Worth:
        """Return what changes made one after the other take off the bill now.

        Unknown where a price that they change is not known. Where the bill has a price of one side
        and, its discounts being several, none is known of the other, both are at list.
        """
        worth = self._value(changes)
        items = worth.saving.items
        if self._even is None or not is_at_list(self._facts.prices, items):
            return worth
        found = self._even.value(*changes)
        return found._replace(saving=saved_at_list(found.saving, worth.saving))

    def _value(self, changes: Sequence[model.Change]) -> Worth:
        links = [link for change in changes for link in change.targets]
        touched = (edge for change in changes for edge in self.edges(change))
        edges = tuple({id(edge): edge for edge in touched}.values())
        if why := self._off(changes):
            return Worth(model.Saving(unknown=why))
        nats = {**self._nats(links), **self._deleted(changes)}
        machines = [self.state.machine(link) for link in links]
        sent = self.traffic.volumes(edges)
        made = [self.make(change) for change in changes]
        nats |= self._nats(links)
        after = self._resources(links, nats)
        sent_after = self.traffic.volumes(edges)
        machines_after = [self.state.machine(link) for link in links]
        for one in reversed(made):
            self.go_back(one)
        before = self._resources(links, nats)
        saved = self.traffic.saved(sent, sent_after)
        is_move = all(change.kind is model.ChangeKind.ZONE for change in changes)
        cover = list(self._covered(zip(machines, machines_after, strict=True)))
        worth = _worth(before, after, saved, cover, is_move=is_move)
        is_stepped = self.traffic.is_stepped({**sent, **sent_after})
        return worth._replace(is_stepped=is_stepped) if is_stepped else worth

    def cover_usd(self, change: model.Change) -> Decimal | None:
        """Return what commitments make of a change now; None where that is not known."""
        made = self.make(change)
        after = [self.state.machine(link) for link in change.targets]
        self.go_back(made)
        before = [self.state.machine(link) for link in change.targets]
        found = list(self._covered(zip(before, after, strict=True)))
        is_known = all(one.basis is model.SavingBasis.BILL for one in found)
        return sum((one.usd_per_month for one in found), Decimal(0)) if is_known else None

    def edges(self, change: model.Change) -> Iterator[model.Edge]:
        """Yield the edges that may cost something else after a change, some twice."""
        owners = self.state.owners
        if self._facts.traffic is None or change.kind not in OF_TRAFFIC:
            return
        for link in change.targets:
            if change.kind is model.ChangeKind.NEAR_ENDPOINTS:
                yield from (one.edge for one in self.state.shares.by_service.get(link, ()))
            elif change.kind is model.ChangeKind.INTERNAL_ADDRESS:
                pair = self.state.pair(link, change.destination)
                yield from self.traffic.edges_between(pair) if pair is not None else ()
            elif link in owners:
                yield from self.traffic.edges_of(owners[link])

    def _off(self, changes: Iterable[model.Change]) -> str:
        """Return that a machine does not run of which only what it runs as changes, or nothing."""
        machines = (
            self.state.machine(link)
            for change in changes
            if change.kind in OF_A_MACHINE
            for link in change.targets
        )
        off = next((one for one in machines if one is not None and one.is_off), None)
        if off is None:
            return ""
        if off.is_suspended:
            return f"{off.name} is suspended: you pay only for its memory"
        return f"{off.name} is stopped and costs nothing now"

    def _nats(self, links: Iterable[model.SelfLink]) -> dict[GatewayKey, model.NatGateway]:
        found: dict[GatewayKey, model.NatGateway] = {}
        for link in links:
            found |= self.state.gateways(link)
        return found

    def _deleted(self, changes: Iterable[model.Change]) -> dict[GatewayKey, model.NatGateway]:
        keys = {
            (c.target, c.to or "") for c in changes if c.kind is model.ChangeKind.DELETE_GATEWAY
        }
        routers = self._facts.inventory.routers
        return {
            (nat.router, nat.name): nat
            for router in routers
            for nat in router.nats
            if (nat.router, nat.name) in keys
        }

    def _resources(
        self, links: Iterable[model.SelfLink], nats: dict[GatewayKey, model.NatGateway]
    ) -> _Resources:
        """Return what machines, addresses and gateways cost now."""
        found = _Resources({}, {})
        facts = self._facts

        def ask(of: str, lines: Callable[[], Lines]) -> None:
            try:
                found.lines[of] = lines()
            except MissingDatum as missing:
                found.unknown[of] = str(missing)

        for link in dict.fromkeys(links):
            machine = self.state.machine(link)
            if machine is not None:
                of = f"VM {link} {self._machines.kind(machine)}"
                ask(of, lambda machine=machine: self._machines.lines(machine))  # type: ignore[misc]
                ask(f"addresses {link}", lambda machine=machine: address_lines(facts, machine))  # type: ignore[misc]
                for freed in self.state.freed(link):
                    ask(f"address {freed}", lambda link=freed: unused_address_lines(facts, link))  # type: ignore[misc]
            elif link not in self.state.released:
                ask(f"address {link}", lambda link=link: unused_address_lines(facts, link))  # type: ignore[misc]
        for key, nat in sorted(nats.items()):
            ask(f"gateway {key}", lambda nat=nat: self._gateways.lines(nat))  # type: ignore[misc]
        return found

    def _covered(
        self, machines: Iterable[tuple[model.Instance | None, model.Instance | None]]
    ) -> Iterator[model.Saving]:
        """Yield what commitments make of each change of a machine, one after the other."""
        mark = self._cover.mark()
        for was, now in machines:
            for change in _of_cover(was, now):
                cover = self._cover.change(change)
                if cover.unknown:
                    note = f"it is unknown {cover.unknown}"
                    yield model.Saving(basis=model.SavingBasis.BEFORE_COMMITMENTS, note=note)
                else:
                    yield model.Saving(items=cover.items, note=cover.note)
                self._cover.take(change)
        self._cover.go_back(mark)


OF_A_MACHINE = frozenset(
    {
        model.ChangeKind.MACHINE_TYPE,
        model.ChangeKind.TIER_1,
        model.ChangeKind.NO_TIER_1,
        model.ChangeKind.SPOT,
    }
)
"""Kinds of changes of what a machine runs as."""
OF_TRAFFIC = frozenset(
    {
        model.ChangeKind.INTERNAL_ADDRESS,
        model.ChangeKind.ZONE,
        model.ChangeKind.NETWORK_TIER,
        model.ChangeKind.EXTERNAL_ADDRESS,
        model.ChangeKind.RELEASE_ADDRESS,
        model.ChangeKind.NEAR_ENDPOINTS,
    }
)
"""Kinds of changes after which traffic may cost something else."""


def ledger_of(facts: model.Facts) -> Ledger:
    """Return the ledger of facts as they are, in which nobody leaves a change."""
    found = facts.memo.get(Ledger)
    if not isinstance(found, Ledger):
        found = facts.memo[Ledger] = Ledger(facts)
    return found


def _of_cover(
    was: model.Instance | None, now: model.Instance | None
) -> Iterator[model.MachineChange]:
    """Yield what happens to a machine as far as commitments see it."""
    if was is None or now is None or was is now:
        return
    if now.is_spot and not was.is_spot:
        yield model.MachineChange(instance=was, machine_type=None)
    elif was.machine_type != now.machine_type or is_elsewhere(now, was):
        yield model.MachineChange(instance=was, machine_type=now.machine_type, region=now.region)


def _worth(
    before: _Resources, after: _Resources, saved: Saved, cover: list[model.Saving], *, is_move: bool
) -> Worth:
    strict, beside = [], set()
    for charge, reason in saved.unknown:
        if is_move and charge.path_class.distance is None:
            beside.add(reason)
        else:
            strict.append(reason)
    differing = [of for of in {**before.lines, **after.lines} if _differs(of, before, after)]
    strict += [
        reason
        for of in {**before.unknown, **after.unknown}
        if before.unknown.get(of) != after.unknown.get(of)
        for reason in (after.unknown.get(of) or before.unknown[of],)
    ]
    if strict:
        return Worth(model.Saving(unknown=min(strict)))
    paid = Counter(line for of in differing for line in before.lines.get(of, ()))
    to_pay = Counter(line for of in differing for line in after.lines.get(of, ()))
    items = [*(paid - to_pay).elements(), *map(model.negated, (to_pay - paid).elements())]
    items += saved.lines
    items += [line for one in cover for line in one.items]
    if abs(model.total_usd(items)) < _DUST_USD:
        items = []
    unknown = next((one for one in cover if one.basis is not model.SavingBasis.BILL), None)
    notes = dict.fromkeys(one.note for one in cover if one.note)
    saving = model.Saving(
        items=tuple(items),
        basis=model.SavingBasis.BILL if unknown is None else unknown.basis,
        note="; ".join(notes) if unknown is None else unknown.note,
    )
    return Worth(saving, tuple(sorted(beside)))


def _differs(of: str, before: _Resources, after: _Resources) -> bool:
    return model.total_usd(before.lines.get(of, ())) != model.total_usd(after.lines.get(of, ()))
