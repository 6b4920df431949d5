"""The order of fixes: after each one, what every other still brings on the changed facts.

Savings do not add up: an address that is corrected takes the money from a move, one of two moves
of a triangle brings nothing after the other, a machine gets one type. So the fix that is worth
most is taken first, its changes are made to the traffic, and the rest is asked again. What is
worth most is a matter of severity, then of what is lost or held back, then of money (`fix_gain`).

The commands of a move, written for the machine as the fixes before it leave it.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from operator import add

from msgspec.structs import replace

from netplan_planner.judging.fix_gain import (
    NOTHING,
    Bounds,
    Gain,
    Judge,
    Made,
    MonthBounds,
    Proposal,
    Standing,
    by_gain,
    is_full,
    is_losing,
    is_unseen_gain,
    lifts,
)
from netplan_planner.judging.made_so_far import MadeSoFar, Now, as_of, named_as_of
from netplan_planner.ledger.account import OF_TRAFFIC
from netplan_planner.ledger.guards import MOVED_FAR, is_far
from netplan_planner.ledger.state import State
from netplan_planner.model import (
    Change,
    ChangeKind,
    Estimate,
    Facts,
    Fix,
    Hit,
    Instance,
    Instruction,
    NetworkInterface,
    PathQuery,
    PlannedChange,
    ProjectId,
    SelfLink,
    Zone,
    region_of,
)
from netplan_planner.model.base import Interval, taken
from netplan_planner.planning.steps.by_image import move_to_zone
from netplan_planner.throughput import apply_change, apply_to_receiver, edge_query, predict


def with_move(fix: Fix, change: Change, state: State) -> Fix:
    """Return a fix with the commands that make its move now; as it is where it has some.

    A machine whose name is taken in the other zone is left to whoever makes the move: commands
    after it name the machine as it is called now.
    """
    if change.kind is not ChangeKind.ZONE or fix.commands:
        return fix
    machines = [one for link in change.targets if (one := state.machine(link)) is not None]
    zone = Zone(change.to or "")
    taken = _names_in(state, zone)
    if any((one.project, one.name) in taken for one in machines) or not machines:
        return fix
    steps = [move_to_zone(one, zone, tuple(_there(state, one, zone))).fix for one in machines]
    kept = [name for one in machines for name in _left_behind(state, one, zone)]
    cautions = dict.fromkeys(step.caution for step in steps)
    return replace(
        fix,
        commands=tuple(command for step in steps for command in step.commands),
        verify=_joined([step.verify for step in steps]) or fix.verify,
        clean_up=_and_kept(_joined([step.clean_up for step in steps]) or fix.clean_up, kept),
        undo=_joined([step.undo for step in steps]) or fix.undo,
        caution=" ".join(filter(None, (fix.caution, *cautions))),
    )


def _names_in(state: State, zone: Zone) -> set[tuple[ProjectId, str]]:
    """Return project and name of the machines that stand in a zone now."""
    found = (state.machine(one.ref.self_link) or one for one in state.facts.inventory.instances)
    return {(one.project, one.name) for one in found if one.zone == zone}


def _there(state: State, machine: Instance, zone: Zone) -> Iterator[NetworkInterface]:
    """Yield the interfaces in another region, each in its network's first subnetwork there."""
    region = region_of(zone)
    if region == machine.region:
        return
    for nic in machine.interfaces:
        found = (
            one
            for one in state.facts.inventory.subnetworks
            if (one.network, one.region) == (nic.network, region)
        )
        chosen = min(found, key=lambda one: one.name, default=None)
        if chosen is not None:
            yield replace(nic, subnetwork=chosen.ref.self_link)


def _left_behind(state: State, machine: Instance, zone: Zone) -> Iterator[str]:
    """Yield the reserved addresses that a machine leaves in its region, by name."""
    if region_of(zone) == machine.region:
        return
    for nic in machine.interfaces:
        reserved = state.facts.inventory.address_by_ip.get(nic.external_ipv4 or "")
        if reserved is not None:
            yield reserved.name


def _and_kept(step: Instruction | None, kept: Sequence[str]) -> Instruction | None:
    """Return the clean-up with what is paid for until somebody releases it."""
    if step is None or not kept:
        return step
    noun = "address stays" if len(kept) == 1 else "addresses stay"
    said = f"The reserved {noun} in the old region, paid for unused: {', '.join(kept)}."
    return replace(step, text=f"{step.text} {said}")


def _joined(parts: Sequence[Instruction | None]) -> Instruction | None:
    """Return the instructions of several machines as one."""
    known = [one for one in parts if one is not None]
    if not known:
        return None
    text = " ".join(dict.fromkeys(one.text for one in known))
    return Instruction(text=text, commands=tuple(c for one in known for c in one.commands))


_OF_ONE_PATH = frozenset(
    {
        ChangeKind.INTERNAL_ADDRESS,
        ChangeKind.MORE_FLOWS,
        ChangeKind.MACHINE_TYPE,
        ChangeKind.TIER_1,
    }
)
_FREE = frozenset({ChangeKind.INTERNAL_ADDRESS, ChangeKind.MORE_FLOWS})
"""What may be made though it brings nothing: it costs nothing either."""


def order_fixes(
    facts: Facts, proposals: Sequence[Proposal], judge: Judge, held_back_ratio: float
) -> dict[str, Standing]:
    """Return where the fix of each finding stands, by fingerprint.

    Args:
        facts: The facts as they are.
        proposals: The findings' fixes; those that the user suppressed are not among them, so
            their paths stay as they are.
        judge: How grave a fix is by what it still brings; it decides the order first.
        held_back_ratio: Share of a limit in use from which traffic counts as held back by it.
    """
    search = _Search(facts, held_back_ratio, proposals)
    standing: dict[str, Standing] = {}
    changes: dict[str, tuple[PlannedChange, ...]] = {}

    def made(proposal: Proposal, gain: Gain) -> bool:
        search.waiting.pop(proposal.fingerprint)
        if gain.brings:
            changes[proposal.fingerprint] = tuple(search.make(proposal.fingerprint, gain.made))
        return gain.brings and search.depends(proposal)

    for proposal, gain in by_gain(proposals, search.gain, judge, made, search.depends):
        rank = len([s for s in standing.values() if s.rank is not None]) + 1
        standing[proposal.fingerprint] = taken(
            Standing,
            gain,
            rank=rank if gain.brings else None,
            marginal_usd_per_month=gain.usd,
            overlap="; ".join(gain.reasons),
            place_count=len(gain.made),
            bounds=search.bounds.get(proposal.fingerprint),
            lost=gain.losing.lost if gain.losing is not None else "",
            used_ratio=gain.full.used_ratio if gain.full is not None else None,
            changes=changes.get(proposal.fingerprint, ()),
        )
    return standing


class _Search:
    """The facts with the changes that were made so far."""

    def __init__(self, facts: Facts, held_back_ratio: float, proposals: Sequence[Proposal]) -> None:
        self._facts = facts
        self._held_back_ratio = held_back_ratio
        self._made = MadeSoFar(facts)
        self._bounds = MonthBounds(facts)
        self.bounds: dict[str, Bounds | None] = {}
        """Of each finding whose fix is made, where the window leaves a month open."""
        self.waiting = {one.fingerprint: one for one in proposals}
        """Those whose turn has not come."""
        self._far: dict[SelfLink, list[tuple[str, Hit]]] = {}
        """Moves of machines to another region, with their findings."""
        for one in proposals:
            for hit in one.hits:
                if hit.change is not None and is_far(self._made.ledger.state, hit.change):
                    for link in hit.change.targets:
                        self._far.setdefault(link, []).append((one.fingerprint, hit))
        self._peerings: set[str] = set()
        """Commands that make peerings, which were given."""

    def depends(self, proposal: Proposal) -> bool:
        """Return whether what a finding brings may have changed by what was made."""
        return any(one.change is not None or one.gib_per_month is not None for one in proposal.hits)

    def gain(self, proposal: Proposal) -> Gain:
        """Return what a finding brings now, its hits made one after the other, and undo them."""
        made: list[Made] = []
        reasons: dict[str, int] = {}
        usd: Decimal | None = None
        best: tuple[float, Hit, Estimate, Estimate] | None = None
        undone: list[tuple[Hit, object]] = []
        is_held = bool(proposal.hits)
        same_as: set[str] = set()
        sure = Decimal(0)
        for hit, place in zip(proposal.hits, proposal.places, strict=True):
            now = self._made.worth(hit)
            if self._moves_first(hit, now):
                now = Now(Decimal(0), MOVED_FAR, is_needless=True)
            worth = now.usd
            is_held = is_held and now.is_held
            same_as.add(now.same_as)
            rates = None if now.is_needless else self._lift(proposal, hit)
            if now.why:
                reasons[now.why] = reasons.get(now.why, 0) + 1
            brings = rates is not None or (worth is not None and worth > 0)
            if now.is_needless or (not brings and self._is_needless(proposal, hit)):
                # The place stays: its fix would cost and bring nothing now.
                if worth is not None:
                    usd = usd if usd is not None else Decimal(0)
                continue
            if worth is not None:
                usd = (usd or Decimal(0)) + worth
                sure += worth * self._sure_ratio(hit)
            if rates is not None and (best is None or rates[0] > best[0]):
                best = (rates[0], hit, rates[1], rates[2])
            made.append(Made(hit, place, worth))
            undone.append((hit, self._made.apply(hit)))
        for hit, mark in reversed(undone):
            self._made.go_back(hit, mark)
        hits = [one.hit for one in made]
        return Gain(
            usd=usd,
            lifted=best[1] if best else None,
            now=best[2] if best else None,
            fixed=best[3] if best else None,
            made=tuple(made),
            reasons=tuple(_told(reasons, len(proposal.hits))),
            is_held=is_held,
            same_as=same_as.pop() if len(same_as) == 1 else "",
            sure_usd=None if usd is None else sure,
            losing=next((hit for hit in hits if is_losing(proposal, hit)), None),
            full=max(
                (hit for hit in hits if is_full(proposal, hit, self._held_back_ratio)),
                key=lambda hit: hit.used_ratio or 0.0,
                default=None,
            ),
        )

    def _moves_first(self, hit: Hit, now: Now) -> bool:
        """Return whether a type waits for a move to another region that is worth more.

        Types have other prices there, and the one that is cheapest is chosen after the move.
        """
        change = hit.change
        if change is None or change.kind is not ChangeKind.MACHINE_TYPE or now.usd is None:
            return False
        none = Decimal(0)
        moves = (
            self._made.worth(move)
            for link in change.targets
            for key, move in self._far.get(link, ())
            if key in self.waiting
        )
        return any(not one.is_needless and (one.usd or none) > max(now.usd, none) for one in moves)

    def _sure_ratio(self, hit: Hit) -> Decimal:
        """Return how much of a saving a month has surely: what traffic saves goes by its volume."""
        of_traffic = hit.gib_per_month is not None or (
            hit.change is not None and hit.change.kind in OF_TRAFFIC
        )
        return self._bounds.least_ratio if of_traffic else Decimal(1)

    def _is_needless(self, proposal: Proposal, hit: Hit) -> bool:
        """Return whether a fix that brings neither money nor a rate is better left.

        It changes what runs; or it is told in words alone, and nothing else measures it.
        """
        if hit.change is not None:
            return hit.change.kind not in _FREE
        is_measured = is_losing(proposal, hit) or is_full(proposal, hit, self._held_back_ratio)
        return hit.saving_usd_per_month is None and not is_measured

    def make(self, key: str, places: Sequence[Made]) -> Iterator[PlannedChange]:
        """Make the changes of a finding; yield each as it is when its turn comes."""
        self.bounds[key] = NOTHING if self._bounds.is_open else None
        for hit, place, usd in places:
            bounds, so_far = self._bounds.make(hit.change, usd), self.bounds[key]
            self.bounds[key] = (
                None if bounds is None or so_far is None else Interval(*map(add, so_far, bounds))
            )
            moved = tuple(self._made.moved())
            fix = as_of(hit.fix, moved) if hit.fix is not None else None
            if fix is not None and hit.change is not None:
                fix = with_move(fix, hit.change, self._made.ledger.state)
            yield PlannedChange(
                subject=named_as_of(hit.subject, moved),
                place=place,
                change=hit.change,
                saving_usd_per_month=usd,
                fix=self._unrepeated(fix) if fix is not None else None,
            )
            self._made.apply(hit, key)

    def _unrepeated(self, fix: Fix) -> Fix:
        """Return a fix without the peerings that one before it has made."""
        new = tuple(one for one in fix.commands if one not in self._peerings)
        self._peerings.update(one for one in new if "networks peerings create" in one)
        return replace(fix, commands=new) if new != fix.commands else fix

    def _lift(self, proposal: Proposal, hit: Hit) -> tuple[float, Estimate, Estimate] | None:
        """Return what a change lifts, where its traffic is held back: gain, before, after."""
        is_held = hit.used_ratio is not None and hit.used_ratio >= self._held_back_ratio
        if not is_held and not is_unseen_gain(proposal, hit):
            return None
        now, fixed = hit.throughput_now, hit.throughput_fixed
        query = self._query(hit)
        if query is not None and hit.change is not None:
            now = predict(query, self._facts.caps)
            fixed = predict(apply_change(query, hit.change), self._facts.caps)
        if now is None or fixed is None or not lifts(now, fixed):
            return None
        return (fixed.gbps or 0.0) - (now.gbps or 0.0), now, fixed

    def _query(self, hit: Hit) -> PathQuery | None:
        """Return the greatest path that a change is about, with the changes so far."""
        change, traffic = hit.change, self._facts.traffic
        if change is None or traffic is None or change.kind not in _OF_ONE_PATH:
            return None
        owners = self._made.ledger.state.owners
        owner = owners.get(change.target)
        sent = traffic.edges_by_src.get(owner, ()) if owner is not None else ()
        if change.destination is not None:
            other = owners.get(change.destination)
            sent = tuple(edge for edge in sent if edge.dst == other)
        if hit.limit is not None and hit.limit.name == "external-egress":
            sent = tuple(edge for edge in sent if edge.path_class.leaves_vpc)
        if not sent:
            return None
        greatest = max(sent, key=lambda edge: (edge.wire_bytes, -edge.dst))
        one_flow = change.kind is ChangeKind.MORE_FLOWS
        query = edge_query(self._facts, greatest, streams=1 if one_flow else None)
        if self._made.ledger.traffic.priced(greatest).path_class is not greatest.path_class:
            query = _over_internal(query, change.target)
        taken = self._made.taken.get(change.target)
        if taken is not None:
            query = apply_change(query, taken)
        there = self._facts.dst(greatest).link
        taken = self._made.taken.get(there) if there is not None else None
        return query if taken is None else apply_to_receiver(query, taken)


def _over_internal(query: PathQuery, target: SelfLink) -> PathQuery:
    return apply_change(query, Change(kind=ChangeKind.INTERNAL_ADDRESS, target=target))


def _told(reasons: dict[str, int], place_count: int) -> Iterator[str]:
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        yield reason if count == place_count else f"at {count:,} of {place_count:,} places {reason}"
