"""The order of fixes: after each one, what every other still brings on the changed facts.

Savings do not add up: an address that is corrected takes the money from a move, one of two moves
of a triangle brings nothing after the other, a machine gets one type. So the fix that is worth
most is taken first, its changes are made to the traffic, and the rest is asked again. What is
worth most is a matter of severity, then of what is lost or held back, then of money (`fix_gain`).
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from operator import add

from msgspec.structs import replace

from netplan_planner import model
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
from netplan_planner.judging.move_steps import (
    Renaming,
    under_new_name,
    with_last_changes,
    with_move,
)
from netplan_planner.judging.one_stop import with_one_stop
from netplan_planner.ledger.account import OF_TRAFFIC
from netplan_planner.ledger.guards import MOVED_FAR, is_far
from netplan_planner.throughput import (
    apply_change,
    apply_to_receiver,
    edge_query,
    instance_cap,
    predict,
)
from netplan_planner.units import GIB_PER_TIB

_OF_ONE_PATH = frozenset(
    {
        model.ChangeKind.INTERNAL_ADDRESS,
        model.ChangeKind.MORE_FLOWS,
        model.ChangeKind.MACHINE_TYPE,
        model.ChangeKind.TIER_1,
    }
)
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
    search = _Search(facts, held_back_ratio, proposals)
    standing: dict[str, Standing] = {}
    changes: dict[str, tuple[model.PlannedChange, ...]] = {}

    def made(proposal: Proposal, gain: Gain) -> bool:
        search.waiting.pop(proposal.fingerprint)
        if gain.brings:
            changes[proposal.fingerprint] = tuple(search.make(proposal, gain.made))
        return gain.brings and search.depends(proposal)

    for proposal, gain in by_gain(proposals, search.gain, judge, made, search.depends):
        rank = len([s for s in standing.values() if s.rank is not None]) + 1
        standing[proposal.fingerprint] = model.taken(
            Standing,
            gain,
            rank=rank if gain.brings else None,
            marginal_usd_per_month=gain.usd,
            overlap="; ".join(gain.reasons),
            lifted_place=next((one.place for one in gain.made if one.hit is gain.lifted), ""),
            place_count=len(gain.made),
            bounds=search.bounds.get(proposal.fingerprint),
            lost=gain.losing.lost if gain.losing is not None else "",
            used_ratio=gain.full.used_ratio if gain.full is not None else None,
        )
    last = with_one_stop(with_last_changes(changes, search.renamings))
    return {key: replace(one, changes=last.get(key, ())) for key, one in standing.items()}


_SAME_GAIN = 1 + 1e-9
_LIFTED = "another fix lifts what the machine sends: see then what it needs"


class _Search:
    """The facts with the changes that were made so far."""

    def __init__(
        self, facts: model.Facts, held_back_ratio: float, proposals: Sequence[Proposal]
    ) -> None:
        self._facts = facts
        self._held_back_ratio = held_back_ratio
        self._made = MadeSoFar(facts)
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
        is_held = bool(proposal.hits)
        same_as: set[str] = set()
        sure = Decimal(0)
        for hit, place in zip(proposal.hits, proposal.places, strict=True):
            now = self._made.worth(hit)
            if self._moves_first(hit, now):
                now = Now(Decimal(0), MOVED_FAR, is_needless=True)
            if self._narrows_lifted(hit):
                now = Now(Decimal(0), _LIFTED, is_needless=True)
            worth = now.usd
            is_held = is_held and now.is_held
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
        after = [self._rates(hit)[1] for hit in lifted]
        for hit, mark in reversed(undone):
            self._made.go_back(hit, mark)
        best = _most_lifted(
            (hit, self._rates(hit)[0], then) for hit, then in zip(lifted, after, strict=True)
        )
        hits = [one.hit for one in made]
        return Gain(
            usd=usd,
            lifted=best[0] if best else None,
            now=best[1] if best else None,
            fixed=best[2] if best else None,
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

    def _narrows_lifted(self, hit: model.Hit) -> bool:
        """Return whether another type gives less bandwidth to a machine that just got free."""
        change = hit.change
        if change is None or change.kind is not model.ChangeKind.MACHINE_TYPE:
            return False
        caps = self._facts.caps
        cap = caps.cap(change.to or "", tier1=False, cpu_platform=change.cpu_platform or None)
        for link in self._lifted.intersection(change.targets):
            machine = self._made.ledger.state.machine(link)
            now = instance_cap(machine, caps) if machine is not None else None
            if now is not None and (cap is None or cap.egress_gbps < now.egress_gbps):
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
            fix = as_of(hit.fix, moved) if hit.fix is not None else None
            if fix is not None and hit.change is not None:
                fix = self._with_commands(fix, hit.change, key, index)
            is_lifted = self._is_lifted(proposal, hit)
            is_opened = is_lifted or is_full(proposal, hit, self._held_back_ratio)
            self._made.apply(hit, key)
            if is_lifted and hit.change is not None:
                self._lifted.update(hit.change.targets)
            further = self._further(hit) if is_opened else None
            if fix is not None and further is not None:
                fix = replace(fix, caution=model.spaced(fix.caution, _cost_words(further)))
            yield model.PlannedChange(
                subject=named_as_of(hit.subject, moved),
                place=place,
                change=hit.change,
                saving_usd_per_month=usd,
                fix=self._unrepeated(fix) if fix is not None else None,
                further=further,
            )

    def _further(self, hit: model.Hit) -> model.FurtherCost:
        """Return what a further TiB costs on the path that a change has lifted.

        The greatest path of those that the change is about; of a fix that is told in words alone
        that of its pair.
        """
        edge = self._greatest(hit) or self._of_ends(hit)
        usd = self._made.ledger.traffic.further_usd_per_gib(edge) if edge is not None else None
        return model.FurtherCost(usd_per_tib=None if usd is None else usd * GIB_PER_TIB)

    def _of_ends(self, hit: model.Hit) -> model.Edge | None:
        """Return the path between the two machines that a hit is of; None where it is of others."""
        owners, traffic = self._made.ledger.state.owners, self._facts.traffic
        ends = [owners.get(ref.self_link) for ref in hit.resources]
        if traffic is None or len(ends) != 2 or ends[0] is None or ends[1] is None:
            return None
        sent = (one for one in traffic.edges_by_src.get(ends[0], ()) if one.dst == ends[1])
        return max(sent, key=lambda edge: edge.wire_bytes, default=None)

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
        return (is_held or is_unseen_gain(proposal, hit)) and lifts(*self._rates(hit))

    def _rates(self, hit: model.Hit) -> tuple[model.Estimate | None, model.Estimate | None]:
        """Return what the path of a hit carries after the changes so far, and with its own."""
        query = self._query(hit)
        if query is None or hit.change is None:
            return hit.throughput_now, hit.throughput_fixed
        fixed = predict(apply_change(query, hit.change), self._facts.caps)
        return predict(query, self._facts.caps), fixed

    def _query(self, hit: model.Hit) -> model.PathQuery | None:
        """Return the greatest path that a change is about, with the changes so far."""
        change, greatest = hit.change, self._greatest(hit)
        if change is None or greatest is None:
            return None
        one_flow = change.kind is model.ChangeKind.MORE_FLOWS
        query = edge_query(self._facts, greatest, streams=1 if one_flow else None)
        if self._made.ledger.traffic.priced(greatest).path_class is not greatest.path_class:
            query = _over_internal(query, change.target)
        taken = self._made.taken.get(change.target)
        if taken is not None:
            query = apply_change(query, taken)
        there = self._facts.dst(greatest).link
        taken = self._made.taken.get(there) if there is not None else None
        return query if taken is None else apply_to_receiver(query, taken)

    def _greatest(self, hit: model.Hit) -> model.Edge | None:
        """Return the greatest path that a change is about."""
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
        return max(sent, key=lambda edge: (edge.wire_bytes, -edge.dst), default=None)


def _cost_words(further: model.FurtherCost) -> model.Text:
    """Return what more traffic costs, in a sentence; nothing where it is free."""
    usd = further.usd_per_tib
    if usd is None:
        return "What it then sends beyond today's traffic costs is not known."
    if not usd:
        return ""
    return model.worded(
        "Each TiB a month that it then sends beyond today's costs ",
        model.Amount(usd=usd),
        " more, at the last volume step of its path.",
    )


def _most_lifted(
    found: Iterable[tuple[model.Hit, model.Estimate | None, model.Estimate | None]],
) -> tuple[model.Hit, model.Estimate | None, model.Estimate | None] | None:
    """Return the path that gains most, the one named first of those that gain the same."""
    best, most = None, 0.0
    for one in found:
        now, then = (estimate.gbps or 0.0 if estimate else 0.0 for estimate in one[1:])
        if best is None or then - now > most * _SAME_GAIN:
            best, most = one, then - now
    return best


def _over_internal(query: model.PathQuery, target: model.SelfLink) -> model.PathQuery:
    return apply_change(query, model.Change(kind=model.ChangeKind.INTERNAL_ADDRESS, target=target))


def _told(reasons: dict[str, int], place_count: int) -> Iterator[str]:
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        yield reason if count == place_count else f"at {count:,} of {place_count:,} places {reason}"
