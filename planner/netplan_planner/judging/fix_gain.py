"""What a fix brings, and how one gain stands beside another: losses, rates and money.

What changes are worth where the window leaves a month's volumes open: at the least, at the most.

Both are accounts of their own, in which the plan is carried out once more: prices have steps, so
half of a volume is not worth half of the money.
"""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.guards import is_final
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_planner.units import SECONDS_PER_MINUTE

Bounds = model.Interval[Decimal]
"""What a change is worth a month in USD, at least, as stated and at most."""
NOTHING: Bounds = model.Interval(Decimal(0), Decimal(0), Decimal(0))


class MonthBounds:
    """A plan's changes, one after the other, with the least and the most that a month can have."""

    def __init__(self, facts: model.Facts) -> None:
        ratios = facts.traffic.month_ratios if facts.traffic is not None else (1.0, 1.0)
        self.is_open = ratios != (1.0, 1.0)
        self.least_ratio = Decimal(str(ratios[0]))
        """Of the volume that is stated, what a month has surely."""
        self._ledgers = [Ledger(scaled(facts, ratio)) for ratio in ratios] if self.is_open else []

    def make(self, change: model.Change | None, usd: Decimal | None) -> Bounds | None:
        """Return what a change is worth that the plan makes now; None where that is not known.

        Args:
            change: None: it is none that the account can make, and worth what is said.
            usd: What it is worth at the volume that is stated.
        """
        if not self.is_open:
            return None
        if change is None:
            return None if usd is None else model.Interval(usd, usd, usd)
        ledgers = self._ledgers if usd is not None else ()
        found = [ledger.value(change).usd for ledger in ledgers]
        for ledger in self._ledgers:
            ledger.make(change)
        known = sorted(one for one in found if one is not None)
        if usd is None or len(known) < len(found):
            return None
        return model.Interval(known[0], usd, known[-1])


def scaled(facts: model.Facts, ratio: float) -> model.Facts:
    """Return facts of which a month has so many times the volume."""
    traffic = facts.traffic
    assert traffic is not None
    minutes = round(traffic.month_seconds / SECONDS_PER_MINUTE / ratio)
    return replace(facts, traffic=replace(traffic, span_minutes=minutes))


def _rank(severity: model.Severity) -> int:
    return severity.rank


Judge = Callable[[Decimal | None, float | None], model.Severity]
"""Severity of a fix by what it still saves a month and the share of a limit in use."""
_LEAST = model.Severity.MEDIUM
"""Below it a loss or a rate that no traffic is seen to need is not among what to do first."""


class Proposal(model.Value, frozen=True, kw_only=True):
    """The hits of one finding, with its fingerprint."""

    fingerprint: str
    hits: tuple[model.Hit, ...]
    """The greatest first."""
    places: tuple[str, ...] = ()
    """The fingerprint of each hit's place."""
    severity: model.Severity = model.Severity.INFO
    """The rule's own, for what neither money nor a rate measures."""
    is_of_machines: bool = False
    """The fix changes machines or replaces them; else a limit in use is reason enough for it."""
    is_inquiry: bool = False
    """The fix finds out more, and changes nothing by itself."""
    is_unsure: bool = False
    """Of low confidence: it is no graver than medium."""
    is_before_commitments: bool = False
    """Its saving may not be had: what commitments cover is not known. Such come last."""

    @property
    def is_final(self) -> bool:
        """Whether nothing brings back what it takes away."""
        return any(is_final(hit.change) for hit in self.hits)


class Standing(model.Brought, frozen=True, kw_only=True):
    """What became of a finding's fix in the order."""

    rank: int | None
    """From 1; None: it brings nothing that can be measured, or nothing any more."""
    marginal_usd_per_month: Decimal | None
    """What it still saves after those before it; None where no saving is stated."""
    lifted_place: str = ""
    """The place of that path, by fingerprint; empty where none waits."""
    is_held: bool = False
    """Something holds its fix back at every place: it waits, and is worth what it is alone."""
    why_held: tuple[tuple[str, str], ...] = ()
    """The places at which something holds its fix back, by fingerprint, and what it is."""
    same_as: str = ""
    """The finding whose fix makes all of its changes, by fingerprint."""
    bounds: Bounds | None = None
    """Of what it still saves, where the window leaves a month's volumes open."""
    is_sure: bool = True
    """Neither it nor one before it stands apart."""
    sure_usd: Decimal | None = None
    """What a month has surely of what it still saves, about."""

    @property
    def least_usd_per_month(self) -> Decimal | None:
        """What it still saves at least; None where no saving is stated."""
        usd, sure = self.marginal_usd_per_month, self.sure_usd
        if self.bounds is not None and self.changes:
            sure = self.bounds.low
        return usd if usd is None or sure is None else min(sure, usd)


class Made(NamedTuple):
    """A place at which a fix is made, and what it saves a month there, where that is stated."""

    hit: model.Hit
    place: str
    """Its fingerprint."""
    usd: Decimal | None


class Gain(model.Value, frozen=True, kw_only=True):
    """What a finding would still bring, and the hits that would be made."""

    usd: Decimal | None
    lifted: model.Hit | None
    now: model.Estimate | None
    fixed: model.Estimate | None
    made: tuple[Made, ...]
    reasons: tuple[str, ...]
    sure_usd: Decimal | None = None
    """What a month has surely of it, about."""
    is_held: bool = False
    """Nothing may be made at any place, for a reason that no fix before it gives."""
    why_held: tuple[tuple[str, str], ...] = ()
    """The places at which nothing may be made for such a reason, by fingerprint, and the reason."""
    same_as: str = ""
    """The finding whose fix makes all of its changes."""
    losing: model.Hit | None = None
    """The greatest place where something is lost without the fix."""
    full: model.Hit | None = None
    """The place with the fullest limit that the fix lifts, without a rate for what comes then."""

    @property
    def brings(self) -> bool:
        """Whether there is enough to gain."""
        seen = (self.lifted, self.losing, self.full)
        return any(seen) or (self.usd is not None and self.usd >= LEAST_SAVING_USD)

    @property
    def is_open(self) -> bool:
        """Whether it is about money alone, and a month may have too little of it."""
        seen = (self.lifted, self.losing, self.full)
        if any(seen) or self.usd is None or self.sure_usd is None:
            return False
        return self.sure_usd < LEAST_SAVING_USD <= self.usd


def is_apart(proposal: Proposal, gain: Gain) -> bool:
    """Return whether a fix stands behind all that are sure, and is in no sum."""
    return proposal.is_unsure or gain.is_open


def rank_key(proposal: Proposal, gain: Gain, judge: Judge) -> tuple[object, ...]:
    """Order gains: what is sure first, of it what can be undone; then by harm, then by money.

    Harm is severity, then what is lost, held back or nearly full.
    """
    waits = [hit for hit in (gain.lifted, gain.full) if hit is not None]
    sure = gain.usd if gain.sure_usd is None else gain.sure_usd
    severities = [judge(sure, None)]
    for hit in waits:
        of_rate = judge(None, hit.used_ratio)
        severities.append(max(of_rate, _LEAST, key=_rank) if hit.why_not_high else of_rate)
    is_unseen = gain.lifted is not None and gain.lifted.used_ratio is None
    is_waiting = gain.lifted is not None and not is_unseen
    if gain.losing is not None or is_unseen:
        severities.append(proposal.severity)
    gravest = min(severity.rank for severity in severities)
    return (
        not gain.brings,
        proposal.is_before_commitments,
        is_apart(proposal, gain),
        proposal.is_final,
        max(gravest, _LEAST.rank if proposal.is_unsure else 0),
        0 if gain.losing is not None or is_waiting else 1 if gain.full is not None else 2,
        -(sure or Decimal(0)),
        proposal.fingerprint,
    )


def by_gain(
    proposals: Sequence[Proposal],
    ask: Callable[[Proposal], Gain],
    judge: Judge,
    make: Callable[[Proposal, Gain], bool],
    depends: Callable[[Proposal], bool] = lambda _: True,
) -> Iterator[tuple[Proposal, Gain]]:
    """Yield proposals with what they bring, each time the one that brings most after all before.

    Args:
        proposals: What is put in order.
        ask: What one brings now.
        judge: How grave that is; it decides the order first.
        make: Makes one; returns whether others may bring something else after it.
        depends: Whether what one brings may have changed by what was made.
    """
    waiting = {proposal.fingerprint: proposal for proposal in proposals}
    gains = {key: ask(proposal) for key, proposal in waiting.items()}
    while waiting:
        best = min(waiting, key=lambda key: rank_key(waiting[key], gains[key], judge))
        gain, proposal = gains.pop(best), waiting.pop(best)
        is_felt = make(proposal, gain)
        yield proposal, gain
        if is_felt:
            gains = {
                key: ask(other) if depends(other) else gains[key] for key, other in waiting.items()
            }


def is_losing(proposal: Proposal, hit: model.Hit) -> bool:
    """Return whether a hit's fix ends a loss that is worth telling."""
    return bool(hit.lost) and hit.fix is not None and _is_grave(proposal, hit)


def is_full(proposal: Proposal, hit: model.Hit, held_back_ratio: float) -> bool:
    """Return whether a hit's fix lifts a limit in use, by how much no rate tells.

    A machine that is changed for it takes a stop: such a fix needs a rate that it lifts.
    """
    if proposal.is_of_machines or hit.change is not None or hit.fix is None:
        return False
    is_used = hit.used_ratio is not None and hit.used_ratio >= held_back_ratio
    return is_used and hit.throughput_fixed is None


def is_unseen_gain(proposal: Proposal, hit: model.Hit) -> bool:
    """Return whether settings alone show that a hit's fix makes a path faster.

    Where traffic was looked at and needs nothing more, nothing is gained: that is known then.
    """
    is_unseen = hit.used_ratio is None and hit.gib_per_month is None and hit.change is None
    return is_unseen and not proposal.is_inquiry and _is_grave(proposal, hit)


def lifts(now: model.Estimate | None, fixed: model.Estimate | None) -> bool:
    """Return whether a path gets faster by more than two runs of it differ."""
    if now is None or fixed is None or now.gbps is None or fixed.gbps is None:
        return False
    return fixed.gbps >= now.gbps * model.LIFT_RATIO


def _is_grave(proposal: Proposal, hit: model.Hit) -> bool:
    return (hit.severity or proposal.severity).rank <= _LEAST.rank


_REASONS = 3
"""Why places are left as they are; further ones are counted."""


def told_reasons(reasons: dict[str, int], place_count: int) -> Iterator[str]:
    """Yield why places are left as they are, the most frequent reason first."""
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    rest = ranked[_REASONS:]
    if len(rest) > 1:
        ranked[_REASONS:] = [("other reasons hold", sum(count for _, count in rest))]
    for reason, count in ranked:
        where = "" if count == place_count else f"At {count:,} of {place_count:,} places "
        yield where + reason
