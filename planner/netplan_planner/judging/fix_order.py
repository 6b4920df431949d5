"""The order of fixes: after each one, what every other still brings on the changed facts.

Savings do not add up: an address that is corrected takes the money from a move, one of two moves
of a triangle brings nothing after the other, a machine gets one type. So the fix that is worth
most is taken first, its changes are made to the traffic, and the rest is asked again. What is
worth most is a matter of severity, then of what is lost or held back, then of money (`fix_gain`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.judging.changed_machines import ChangedMachines
from netplan_planner.judging.fix_gain import (
    Gain,
    Judge,
    Made,
    Proposal,
    Standing,
    by_gain,
    is_full,
    is_losing,
    is_unseen_gain,
    lifts,
)
from netplan_planner.judging.moment import as_of, named_as_of
from netplan_planner.model import (
    Change,
    ChangeKind,
    Edge,
    Estimate,
    Facts,
    Hit,
    PathQuery,
    PlannedChange,
    SelfLink,
    Zone,
    cover_usd,
)
from netplan_planner.paths.changed_traffic import ChangedTraffic, Pair
from netplan_planner.throughput import apply_change, edge_query, predict
from netplan_planner.units import cents

_UNPRICED = "what its traffic costs after the fixes before it is not known"
_UNCOVERED = "other changes leave commitments unused that it counts on"
_OF_A_MACHINE = frozenset({ChangeKind.MACHINE_TYPE, ChangeKind.TIER_1})


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
    search = _Search(facts, held_back_ratio)
    standing: dict[str, Standing] = {}
    changes: dict[str, tuple[PlannedChange, ...]] = {}

    def made(proposal: Proposal, gain: Gain) -> bool:
        if gain.brings:
            changes[proposal.fingerprint] = tuple(search.make(gain.made))
        return gain.brings and search.depends(proposal)

    for proposal, gain in by_gain(proposals, search.gain, judge, made, search.depends):
        rank = len([s for s in standing.values() if s.rank is not None]) + 1
        standing[proposal.fingerprint] = Standing(
            rank=rank if gain.brings else None,
            marginal_usd_per_month=gain.usd,
            overlap="; ".join(gain.reasons),
            now=gain.now,
            fixed=gain.fixed,
            place_count=len(gain.made),
            lost=gain.losing.lost if gain.losing is not None else "",
            used_ratio=gain.full.used_ratio if gain.full is not None else None,
            changes=changes.get(proposal.fingerprint, ()),
        )
    return standing


class _Search:
    """The facts with the changes that were made so far."""

    def __init__(self, facts: Facts, held_back_ratio: float) -> None:
        self._facts = facts
        self._held_back_ratio = held_back_ratio
        self._traffic = ChangedTraffic(facts) if facts.traffic is not None else None
        self._machines = ChangedMachines(facts)
        self._reached: Counter[SelfLink] = Counter()
        """Machines that moves were made to: their gain rests on where those stand."""
        self._owners = {
            link: index
            for index, owner in enumerate(facts.traffic.owners if facts.traffic else ())
            if (link := owner.link) is not None
        }
        self._saved_usd: dict[tuple[int, object], Decimal | None] = {}
        """Of pairs, by hit and where both ends stand: most rounds change nothing for most."""

    def depends(self, proposal: Proposal) -> bool:
        """Return whether what a finding brings may have changed by what was made."""
        return any(hit.change is not None for hit in proposal.hits)

    def gain(self, proposal: Proposal) -> Gain:
        """Return what a finding brings now, its hits made one after the other, and undo them."""
        made: list[Made] = []
        reasons: dict[str, int] = {}
        usd: Decimal | None = None
        best: tuple[float, Hit, Estimate, Estimate] | None = None
        for hit, place in zip(proposal.hits, proposal.places, strict=True):
            worth, why = self._worth(hit)
            rates = self._lift(proposal, hit)
            if why:
                reasons[why] = reasons.get(why, 0) + 1
            if (worth is None or worth <= 0) and rates is None and _may_cost(hit):
                # The place stays: its fix would cost and bring nothing now.
                if worth is not None:
                    usd = usd if usd is not None else Decimal(0)
                continue
            if worth is not None:
                usd = (usd or Decimal(0)) + worth
            if rates is not None and (best is None or rates[0] > best[0]):
                best = (rates[0], hit, rates[1], rates[2])
            made.append(Made(hit, place, worth))
            self._apply(hit)
        hits = [one.hit for one in made]
        for hit in reversed(hits):
            self._apply(hit, is_on=False)
        return Gain(
            usd=usd,
            lifted=best[1] if best else None,
            now=best[2] if best else None,
            fixed=best[3] if best else None,
            made=tuple(made),
            reasons=tuple(_told(reasons, len(proposal.hits))),
            losing=next((hit for hit in hits if is_losing(proposal, hit)), None),
            full=max(
                (hit for hit in hits if is_full(proposal, hit, self._held_back_ratio)),
                key=lambda hit: hit.used_ratio or 0.0,
                default=None,
            ),
        )

    def make(self, places: Sequence[Made]) -> Iterator[PlannedChange]:
        """Make the changes of a finding; yield each as it is when its turn comes."""
        for hit, place, usd in places:
            moved = self._machines.moved
            yield PlannedChange(
                subject=named_as_of(hit.subject, moved),
                place=place,
                change=hit.change,
                saving_usd_per_month=usd,
                fix=as_of(hit.fix, moved) if hit.fix is not None else None,
            )
            self._apply(hit)

    def _apply(self, hit: Hit, *, is_on: bool = True) -> None:
        change = hit.change
        if change is None:
            return
        if change.kind in _OF_A_MACHINE:
            self._machines.take(change, is_on=is_on)
        elif change.kind is ChangeKind.ZONE and self._traffic is not None:
            owner = self._owners.get(change.target)
            if owner is not None:
                zone = Zone(change.to or "") if is_on else None
                self._traffic.move(owner, zone)
                self._machines.move(change.target, zone)
                self._reached.update({_beside(hit): 1 if is_on else -1})
        elif change.kind is ChangeKind.INTERNAL_ADDRESS and self._traffic is not None:
            pair = self._pair(change)
            if pair is not None:
                self._traffic.use_internal(pair, is_on=is_on)

    def _pair(self, change: Change) -> Pair | None:
        ends = [self._owners.get(link) for link in (change.target, change.destination) if link]
        known = sorted(end for end in ends if end is not None)
        return (known[0], known[1]) if len(known) == 2 else None

    def _worth(self, hit: Hit) -> tuple[Decimal | None, str]:
        """Return what a hit's fix saves after the changes so far, and why less than alone."""
        alone = hit.saving_usd_per_month
        change = hit.change
        if change is None:
            return alone, ""
        if change.kind in _OF_A_MACHINE:
            return self._retyped(hit, change)
        if self._traffic is None:
            return alone, ""
        if alone is None:
            return self._saved_later(hit)
        if (
            change.kind is ChangeKind.ZONE
            and (owner := self._owners.get(change.target)) is not None
        ):
            if why := self._why_no_move(hit, owner):
                return Decimal(0), why
            return self._moved(hit, alone, owner)
        if change.kind is ChangeKind.INTERNAL_ADDRESS and (pair := self._pair(change)) is not None:
            if self._traffic.uses_internal(pair):
                return Decimal(0), "another fix already gives the pair internal addresses"
            where = tuple(self._traffic.zone(end) for end in pair)
            worth = self._saved(hit, self._traffic.edges_between(pair), where)
            return (None, _UNPRICED) if worth is None else (worth, _less(worth, alone))
        return alone, ""

    def _why_no_move(self, hit: Hit, owner: int) -> str:
        """Return why a move no longer makes sense beside those that were made, or nothing."""
        assert self._traffic is not None
        assert hit.change is not None
        if self._traffic.is_moved(owner):
            return "another fix already moves the machine"
        if self._reached[hit.change.target] > 0:
            return "another fix moves a machine to where it stands"
        peer = self._owners.get(_beside(hit))
        stands = self._traffic.zone(peer) if peer is not None else None
        if stands is not None and stands != hit.change.to:
            return "what it would stand beside stands elsewhere then"
        return ""

    def _saved_later(self, hit: Hit) -> tuple[Decimal | None, str]:
        """Return what an address that has the same price today saves after a move, if anything."""
        change = hit.change
        is_known = change is not None and not hit.saving.unknown and not hit.saving.items
        if change is None or not is_known or change.kind is not ChangeKind.INTERNAL_ADDRESS:
            return None, ""
        pair = self._pair(change)
        if pair is None or self._traffic is None or self._traffic.uses_internal(pair):
            return None, ""
        where = tuple(self._traffic.zone(end) for end in pair)
        worth = self._saved(hit, self._traffic.edges_between(pair), where)
        is_worth = worth is not None and worth > 0
        return (worth, "once the fixes before it are made") if is_worth else (None, "")

    def _moved(self, hit: Hit, alone: Decimal, owner: int) -> tuple[Decimal | None, str]:
        """Return what a move saves now: in traffic, and in the machine where regions differ."""
        assert self._traffic is not None
        assert hit.change is not None
        worth = self._saved(hit, self._traffic.edges_of(owner), None)
        if worth is None:
            return None, _UNPRICED
        machine_usd = self._machines.move_usd(hit.change.target, Zone(hit.change.to or ""))
        if machine_usd is None:
            return Decimal(0), "what the machine costs there after the fixes before it is not known"
        worth += machine_usd
        return worth, _less(worth, alone)

    def _retyped(self, hit: Hit, change: Change) -> tuple[Decimal | None, str]:
        """Return what another type saves now: at the prices of where the machine stands."""
        alone = hit.saving_usd_per_month
        if self._machines.taken(change.target) is not None:
            return (None if alone is None else Decimal(0)), "another fix already changes the type"
        if alone is None:
            return None, ""
        if self._machines.is_elsewhere(change.target):
            worth = self._machines.type_usd(change)
            if worth is None:
                return Decimal(0), "another fix moves the machine to where its price is not known"
            return worth, _less(worth, alone)
        cover = self._machines.type_cover_usd(change)
        if cover is None:
            return alone, ""  # ranked last, as it is before commitments
        worth = alone - cover_usd(hit.saving.items) + cover
        return worth, _UNCOVERED if _less(worth, alone) else ""

    def _saved(self, hit: Hit, edges: Sequence[Edge], state: object) -> Decimal | None:
        """Return what traffic costs less after a change; None where a part loses its price by it.

        A part without a price before and after is not what the change is about.
        """
        assert self._traffic is not None
        key = id(hit), state
        if state is not None and key in self._saved_usd:
            return self._saved_usd[key]
        before = self._traffic.cost(edges)
        self._apply(hit)
        after = self._traffic.cost(edges)
        self._apply(hit, is_on=False)
        is_known = after.unpriced <= before.unpriced
        saved = before.usd_per_month - after.usd_per_month if is_known else None
        # Where prices have steps, what others send bears on them, and that changes.
        if state is not None and not before.is_stepped and not after.is_stepped:
            self._saved_usd[key] = saved
        return saved

    def _lift(self, proposal: Proposal, hit: Hit) -> tuple[float, Estimate, Estimate] | None:
        """Return what a change lifts, where its traffic is held back: gain, before, after."""
        is_held = hit.used_ratio is not None and hit.used_ratio >= self._held_back_ratio
        if not is_held and not is_unseen_gain(proposal, hit):
            return None
        now, fixed = hit.throughput_now, hit.throughput_fixed
        change = hit.change
        if change and change.kind in _OF_A_MACHINE and self._machines.taken(change.target):
            return None
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
        if change is None or traffic is None or self._traffic is None:
            return None
        if change.kind is ChangeKind.ZONE:
            return None
        owner = self._owners.get(change.target)
        sent = traffic.edges_by_src.get(owner, ()) if owner is not None else ()
        if change.destination is not None:
            other = self._owners.get(change.destination)
            sent = tuple(edge for edge in sent if edge.dst == other)
        if not sent:
            return None
        greatest = max(sent, key=lambda edge: (edge.wire_bytes, -edge.dst))
        one_flow = change.kind is ChangeKind.MORE_FLOWS
        query = edge_query(self._facts, greatest, streams=1 if one_flow else None)
        if self._traffic.priced(greatest).path_class is not greatest.path_class:
            query = _over_internal(query, change.target)
        taken = self._machines.taken(change.target)
        if taken is not None:
            query = apply_change(query, taken)
        return query


def _over_internal(query: PathQuery, target: SelfLink) -> PathQuery:
    return apply_change(query, Change(kind=ChangeKind.INTERNAL_ADDRESS, target=target))


def _beside(hit: Hit) -> SelfLink:
    """Return the machine that a move is made to."""
    return hit.resources[1].self_link if len(hit.resources) > 1 else SelfLink("")


def _less(worth: Decimal, alone: Decimal) -> str:
    if cents(worth) >= cents(alone):
        return ""  # the last digits of unit prices differ between one line and two
    return "the fixes before it save part of that already"


def _may_cost(hit: Hit) -> bool:
    """Return whether a fix that brings nothing is better left: it moves or changes a machine."""
    return hit.change is not None and hit.change.kind in {*_OF_A_MACHINE, ChangeKind.ZONE}


def _told(reasons: dict[str, int], place_count: int) -> Iterator[str]:
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        yield reason if count == place_count else f"at {count:,} of {place_count:,} places {reason}"
