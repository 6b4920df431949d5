"""The order of fixes: after each one, what every other still brings on the changed facts.

Savings do not add up: an address that is corrected takes the money from a move, one of two moves
of a triangle brings nothing after the other, a machine gets one type. So the fix that is worth
most is taken first, its changes are made to the traffic, and the rest is asked again. What is
worth most is a matter of severity, then of what is lost or held back, then of money (`fix_gain`).
"""

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from operator import add

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.committed_use import CommittedUse
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
    is_apart,
    is_full,
    is_losing,
    is_unseen_gain,
    lifts,
    told_reasons,
)
from netplan_planner.judging.fix_paths import Paths, cost_words, most_lifted
from netplan_planner.judging.made_so_far import MadeSoFar, Now, as_of, beside, named_as_of
from netplan_planner.judging.move_steps import (
    Renaming,
    moved_subject,
    moves_of,
    tiers_of,
    under_new_name,
    with_last_changes,
    with_move,
    with_tiers,
)
from netplan_planner.judging.one_stop import with_one_stop
from netplan_planner.ledger.account import OF_TRAFFIC
from netplan_planner.ledger.guards import MOVED_FAR, is_far
from netplan_planner.machines.groups import with_groups
from netplan_planner.machines.stores import data_caution
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_planner.throughput import instance_cap

_FREE = frozenset({model.ChangeKind.INTERNAL_ADDRESS, model.ChangeKind.MORE_FLOWS})
"""What may be made though it brings nothing: it costs nothing either."""


def order_fixes(
    facts: model.Facts, proposals: Sequence[Proposal], judge: Judge, held_back_ratio: float
) -> dict[str, Standing]:
    """Return where the fix of each finding stands, by fingerprint.

    Args:
        facts: The facts as they are.
        proposals: The findings' fixes; those that the user suppressed are not among them, so
            their paths stay as they are.
        judge: How grave a fix is by what it still brings; it decides the order first.
        held_back_ratio: Share of a limit in use from which traffic counts as held back by it.
    """
    kept: frozenset[tuple[str, str]] = frozenset()
    while True:
        search = _Search(facts, held_back_ratio, proposals, kept)
        standing = _order(search, proposals, judge)
        spoiled = search.committed.spoiled()
        if not spoiled:
            return standing
        # What the whole plan leaves of commitments decides, so that it is planned without them.
        kept |= spoiled


def _order(search: "_Search", proposals: Sequence[Proposal], judge: Judge) -> dict[str, Standing]:
    """Return where the fix of each finding stands in the order of one search."""
    standing: dict[str, Standing] = {}
    changes: dict[str, tuple[model.PlannedChange, ...]] = {}

    def made(proposal: Proposal, gain: Gain) -> bool:
        search.waiting.pop(proposal.fingerprint)
        if gain.brings:
            changes[proposal.fingerprint] = tuple(search.make(proposal, gain.made))
        return gain.brings and search.depends(proposal)

    is_sure = True
    for proposal, gain in by_gain(proposals, search.gain, judge, made, search.depends):
        is_sure = is_sure and not is_apart(proposal, gain)
        rank = len([s for s in standing.values() if s.rank is not None]) + 1
        standing[proposal.fingerprint] = model.taken(
            Standing,
            gain,
            rank=rank if gain.brings else None,
            marginal_usd_per_month=gain.usd,
            overlap=". ".join(gain.reasons),
            lifted_place=next((one.place for one in gain.made if one.hit is gain.lifted), ""),
            place_count=len(gain.made),
            bounds=search.bounds.get(proposal.fingerprint),
            is_sure=is_sure,
            lost=gain.losing.lost if gain.losing is not None else "",
            used_ratio=gain.full.used_ratio if gain.full is not None else None,
        )
    unsure = {key for key, one in standing.items() if not one.is_sure}
    last = with_last_changes(changes, search.renamings)
    last = with_one_stop(last, search.renamings, unsure)
    return {key: replace(one, changes=last.get(key, ())) for key, one in standing.items()}


_OF_CAPS = frozenset({model.ChangeKind.MACHINE_TYPE, model.ChangeKind.NO_TIER_1})
"""Kinds of changes after which a machine may carry less."""
_LIFTED = "another fix raises what the VM sends: check its need after that fix"
_RELIEVED = "another fix lifts the limit of its flow"
_TIER_FIRST = "another fix sets the network tier of its region first"
_SPOILED = "other fixes use the commitments that it needs"


class _Search:
    """The facts with the changes that were made so far."""

    def __init__(
        self,
        facts: model.Facts,
        held_back_ratio: float,
        proposals: Sequence[Proposal],
        kept: Collection[tuple[str, str]],
    ) -> None:
        self._facts = facts
        self._kept = kept
        """Findings and places at which nothing is changed: the plan spoils what it would save."""
        self._held_back_ratio = held_back_ratio
        self._made = MadeSoFar(facts)
        self._paths = Paths(facts, self._made)
        self.committed = CommittedUse(self._made.ledger)
        self._bounds = MonthBounds(facts)
        self.bounds: dict[str, Bounds | None] = {}
        """Of each finding whose fix is made, where the window leaves a month open."""
        self.waiting = {one.fingerprint: one for one in proposals}
        """Those whose turn has not come."""
        self._far: dict[model.SelfLink, list[tuple[str, model.Hit]]] = {}
        """Moves of machines to another region, with their findings."""
        for one in proposals:
            for hit in one.hits:
                if hit.change is not None and is_far(self._made.ledger.state, hit.change):
                    for link in hit.change.targets:
                        self._far.setdefault(link, []).append((one.fingerprint, hit))
        self._tiers = [
            (one.fingerprint, hit)
            for one in proposals
            for hit in one.hits
            if hit.change is not None and hit.change.kind is model.ChangeKind.NETWORK_TIER
        ]
        self._lifted: set[model.SelfLink] = set()
        """Senders from which a change has taken a limit: what they need then nobody has seen."""
        self.renamings: list[Renaming] = []
        """Changes that may be written where nothing comes after them."""
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
        lifted: list[model.Hit] = []
        undone: list[tuple[model.Hit, object]] = []
        held: list[tuple[str, str]] = []
        same_as: set[str] = set()
        sure = Decimal(0)
        for hit, place in zip(proposal.hits, proposal.places, strict=True):
            now = self._worth(hit, (proposal.fingerprint, place))
            worth = now.usd
            if now.is_held:
                held.append((place, now.why))
            same_as.add(now.same_as)
            is_lifted = not now.is_needless and self._is_lifted(proposal, hit)
            if now.why:
                reasons[now.why] = reasons.get(now.why, 0) + 1
            brings = is_lifted or (worth is not None and worth > 0)
            if now.is_needless or (not brings and self._is_needless(proposal, hit)):
                # The place stays: its fix would cost and bring nothing now.
                if worth is not None:
                    usd = usd if usd is not None else Decimal(0)
                continue
            if worth is not None:
                usd = (usd or Decimal(0)) + worth
                sure += worth * self._sure_ratio(hit)
            if is_lifted:
                lifted.append(hit)
            made.append(Made(hit, place, worth))
            undone.append((hit, self._made.apply(hit)))
        # Once all of it is made: a sender gets what its receiver then takes.
        after = [self._paths.rates(hit)[1] for hit in lifted]
        for hit, mark in reversed(undone):
            self._made.go_back(hit, mark)
        best = most_lifted(
            (hit, self._paths.rates(hit)[0], then) for hit, then in zip(lifted, after, strict=True)
        )
        hits = [one.hit for one in made]
        return Gain(
            usd=usd,
            lifted=best[0] if best else None,
            now=best[1] if best else None,
            fixed=best[2] if best else None,
            made=tuple(made),
            reasons=tuple(told_reasons(reasons, len(proposal.hits))),
            is_held=bool(held) and len(held) == len(proposal.hits),
            why_held=tuple(held),
            same_as=same_as.pop() if len(same_as) == 1 else "",
            sure_usd=None if usd is None else sure,
            losing=next((hit for hit in hits if is_losing(proposal, hit)), None),
            full=max(
                (hit for hit in hits if is_full(proposal, hit, self._held_back_ratio)),
                key=lambda hit: hit.used_ratio or 0.0,
                default=None,
            ),
        )

    def _worth(self, hit: model.Hit, at: tuple[str, str]) -> Now:
        """Return what a hit's fix saves now, and whether it waits for another one.

        Args:
            hit: What is proposed.
            at: Its finding and its place, by fingerprint.
        """
        now = self._made.worth(hit)
        why = ""
        if self._narrows_lifted(hit):
            why = _LIFTED
        elif self._is_relieved(hit):
            why = _RELIEVED
        elif self._moves_first(hit, now):
            why = MOVED_FAR
        elif self._waits_for_tier(hit, at[0]):
            why = _TIER_FIRST
        elif at in self._kept:
            why = _SPOILED
        none = None if hit.saving_usd_per_month is None else Decimal(0)
        return Now(none, why, is_needless=True) if why else now

    def _is_relieved(self, hit: model.Hit) -> bool:
        """Return whether more connections lift nothing now: they would take from other flows."""
        if hit.change is None or hit.change.kind is not model.ChangeKind.MORE_FLOWS:
            return False
        is_lift = lifts(hit.throughput_now, hit.throughput_fixed)
        return is_lift and not lifts(*self._paths.rates(hit))

    def _moves_first(self, hit: model.Hit, now: Now) -> bool:
        """Return whether a type waits for a move to another region that is worth more.

        Types have other prices there, and the one that is cheapest is chosen after the move.
        """
        change = hit.change
        if change is None or change.kind is not model.ChangeKind.MACHINE_TYPE or now.usd is None:
            return False
        none = Decimal(0)
        moves = (
            self._made.worth(move)
            for link in change.targets
            for key, move in self._far.get(link, ())
            if key in self.waiting
        )
        return any(not one.is_needless and (one.usd or none) > max(now.usd, none) for one in moves)

    def _waits_for_tier(self, hit: model.Hit, finding: str) -> bool:
        """Return whether a new external address waits for the tier that its region gets."""
        change = hit.change
        if change is None or change.kind is not model.ChangeKind.EXTERNAL_ADDRESS:
            return False
        regions = set(map(self._region, change.targets))
        own = self.waiting[finding]
        return any(
            (self._made.worth(tier).usd or Decimal(0)) >= LEAST_SAVING_USD
            for other, tier in self._tiers
            if other in self.waiting and (own.is_unsure or not self.waiting[other].is_unsure)
            if tier.change is not None and self._region(tier.change.target) in regions
        )

    def _region(self, link: model.SelfLink) -> str:
        machine = self._made.ledger.state.machine(link)
        return machine.region if machine is not None else ""

    def _narrows_lifted(self, hit: model.Hit) -> bool:
        """Return whether a machine that just got free gets less bandwidth, with its whole group."""
        change = hit.change
        if change is None or change.kind not in _OF_CAPS:
            return False
        caps, to = self._facts.caps, change.to
        for link in self._lifted.intersection(change.targets):
            machine = self._made.ledger.state.machine(link)
            now = instance_cap(machine, caps) if machine is not None else None
            if machine is None or now is None:
                continue
            platform = change.cpu_platform or None
            of_type = caps.cap(to, tier1=False, cpu_platform=platform) if to else None
            cap = of_type if to else instance_cap(machine, caps, tier1=False)
            if cap is None or cap.egress_gbps < now.egress_gbps:
                return True
        return False

    def _sure_ratio(self, hit: model.Hit) -> Decimal:
        """Return how much of a saving a month has surely: what traffic saves goes by its volume."""
        of_traffic = hit.gib_per_month is not None or (
            hit.change is not None and hit.change.kind in OF_TRAFFIC
        )
        return self._bounds.least_ratio if of_traffic else Decimal(1)

    def _is_needless(self, proposal: Proposal, hit: model.Hit) -> bool:
        """Return whether a fix that brings neither money nor a rate is better left.

        It changes what runs; or it is told in words alone, and nothing else measures it.
        """
        if hit.change is not None:
            return hit.change.kind not in _FREE
        is_measured = is_losing(proposal, hit) or is_full(proposal, hit, self._held_back_ratio)
        return hit.saving_usd_per_month is None and not is_measured

    def make(self, proposal: Proposal, places: Sequence[Made]) -> Iterator[model.PlannedChange]:
        """Make the changes of a finding; yield each as it is when its turn comes."""
        key = proposal.fingerprint
        self.bounds[key] = NOTHING if self._bounds.is_open else None
        for index, (hit, place, usd) in enumerate(places):
            bounds, so_far = self._bounds.make(hit.change, usd), self.bounds[key]
            self.bounds[key] = (
                None
                if bounds is None or so_far is None
                else model.Interval(*map(add, so_far, bounds))
            )
            moved = tuple(self._made.moved())
            fix = as_of(hit.fix, moved, usd) if hit.fix is not None else None
            tiers = tiers_of(hit.change, self._made.ledger.state)
            moves = moves_of(hit.change, self._made.ledger.state, beside(hit))
            if fix is not None and hit.change is not None:
                data = dict.fromkeys(data_caution(one.data) for one in moves)
                fix = replace(fix, caution=model.spaced(fix.caution, *data)) if data else fix
                fix = with_tiers(fix, hit.change, self._made.ledger.state)
                fix = self._with_commands(fix, hit.change, key, index)
            is_lifted = self._is_lifted(proposal, hit)
            is_opened = is_lifted or is_full(proposal, hit, self._held_back_ratio)
            crowded = self._paths.crowded(hit) if is_lifted else ""
            self._made.apply(hit, key)
            if not is_lifted:
                self.committed.take(hit, (key, place))
            if is_lifted and hit.change is not None:
                found = map(self._facts.inventory.instance_by_link.get, hit.change.targets)
                alike = with_groups(self._facts, filter(None, found))
                self._lifted.update(one.ref.self_link for one in alike)
            further = self._paths.further(hit) if is_opened else None
            if fix is not None and further is not None:
                further = replace(further, crowded=crowded)
                said = (cost_words(further), f"{crowded}." if crowded else "")
                fix = replace(fix, caution=model.spaced(fix.caution, *said))
            yield model.PlannedChange(
                subject=moved_subject(moves) if moves else named_as_of(hit.subject, moved),
                place=place,
                change=hit.change,
                saving_usd_per_month=usd,
                fix=self._unrepeated(fix) if fix is not None else None,
                further=further,
                moves=moves,
                tiers=tiers,
            )

    def _with_commands(
        self, fix: model.Fix, change: model.Change, key: str, index: int
    ) -> model.Fix:
        """Return a fix with the commands of its move; those that rename a machine are kept."""
        state = self._made.ledger.state
        moved = with_move(fix, change, state)
        renamed = under_new_name(fix, change, state) if moved is fix else None
        if renamed is not None:
            found = (state.machine(link) for link in change.targets)
            names = frozenset(one.name for one in found if one is not None)
            self.renamings.append(Renaming(key, index, renamed, names))
        return moved

    def _unrepeated(self, fix: model.Fix) -> model.Fix:
        """Return a fix without the peerings that one before it has made."""
        new = tuple(one for one in fix.commands if one not in self._peerings)
        self._peerings.update(one for one in new if "networks peerings create" in one)
        return replace(fix, commands=new) if new != fix.commands else fix

    def _is_lifted(self, proposal: Proposal, hit: model.Hit) -> bool:
        """Return whether a change lifts what holds traffic back."""
        is_held = hit.used_ratio is not None and hit.used_ratio >= self._held_back_ratio
        return (is_held or is_unseen_gain(proposal, hit)) and lifts(*self._paths.rates(hit))
