"""Changes in the order of what each still brings, and sets that help together alone.

A set of changes is asked for as a whole: what it saves and what every flow gets follow from the
facts after all of its changes, so nothing has to add up.
"""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.judging.fix_gain import Gain, Judge, Proposal, by_gain
from netplan_planner.ledger.compared import is_at_list, most_saved, stopped_usd
from netplan_planner.model import LIFT_RATIO, Hit, LineItem, PriceBook, ResourceRef, SelfLink
from netplan_planner.model.report_rows import MonthBill
from netplan_planner.verbs.whatif.answer import WhatifField, WhatifGain
from netplan_planner.verbs.whatif.scenario import Aimed

Chosen = frozenset[int]
"""Numbers of changes."""
MOST_CHANGES = 6
"""Of which all sets are tried; of more, the pairs only."""
MOST_SETS = 64
MOST_RANKED = 20
"""Of which each is weighed again after every other; of more, the order is by what each brings
alone: what is said of a step counts those before it all the same."""
_SAME_GBPS = 1e-9


class Outcome(NamedTuple):
    """What the facts come to after a set of changes."""

    usd: Decimal
    """A month, of what has a known price."""
    unpriced: frozenset[str]
    """What has none."""
    total_gbps: float | None
    """None: there is no traffic between ends."""
    gbps: NDArray[np.float64]
    """By flow; NaN where it is not known."""
    src: NDArray[np.intp]
    """By flow: the machine that sends it."""
    used_ratio: NDArray[np.float64]
    """By machine: 95th percentile against its limit; NaN where it is not known."""
    paid: "Paid | None" = None
    """Where the bill's discounts are not one, what decides on which prices it is compared."""
    why_not: str = ""
    """Why the changes cannot be made so; then nothing else is said."""


class Paid(NamedTuple):
    """A month as it is paid and at list prices."""

    prices: PriceBook
    bill: MonthBill
    at_list: MonthBill
    lines: tuple[LineItem, ...]
    """As they are paid."""


def is_compared_at_list(before: Outcome, after: Outcome) -> bool:
    """Return whether what lies between two outcomes is told at list prices."""
    old, new = before.paid, after.paid
    return old is not None and new is not None and is_at_list(old.prices, old.lines, new.lines)


def saved_usd(before: Outcome, after: Outcome) -> Decimal:
    """Return what lies between two outcomes; at list prices at most what stops being paid."""
    old, new = before.paid, after.paid
    if old is None or new is None or not is_compared_at_list(before, after):
        return before.usd - after.usd
    fees = (new.bill.commitments_usd or Decimal(0)) - (old.bill.commitments_usd or Decimal(0))
    # What commitments paid of it goes on being paid.
    stopped = stopped_usd(old.lines, new.lines) - max(Decimal(0), fees)
    listed = old.at_list.least_usd_per_month - new.at_list.least_usd_per_month
    return most_saved(listed, stopped)


Evaluate = Callable[[Chosen], Outcome]


class Step(NamedTuple):
    """A change in the order."""

    number: int
    alone: WhatifGain
    marginal: WhatifGain


class Together(NamedTuple):
    """A set that lifts flows which no part of it lifts."""

    chosen: Chosen
    flow: int
    """The one that is lifted most."""
    flow_count: int
    now_gbps: float
    most_without_gbps: float
    together_gbps: float


def order_changes(
    aims: Sequence[Aimed], evaluate: Evaluate, judge: Judge, held_back_ratio: float
) -> Iterator[Step]:
    """Yield the changes: what happens anyway first, then what still brings most.

    Args:
        aims: The changes.
        evaluate: What a set of them comes to.
        judge: How grave what a change ends is; it decides the order first.
        held_back_ratio: Share of a limit in use from which traffic counts as held back by it.
    """
    none = evaluate(frozenset())
    made: set[int] = set()
    given = given_of(aims)
    for number in sorted(given):
        yield _step(number, frozenset(made), evaluate, none)
        made.add(number)

    def ask(proposal: Proposal) -> Gain:
        before = evaluate(frozenset(made))
        after = evaluate(frozenset({*made, int(proposal.fingerprint)}))
        return _gain(before, after, held_back_ratio)

    def make(proposal: Proposal, _: Gain) -> bool:
        made.add(int(proposal.fingerprint))
        return len(aims) <= MOST_RANKED

    # The number is of as many digits as the last one has, so that ties go by the order of changes.
    width = len(str(len(aims)))
    rest = [
        Proposal(fingerprint=f"{number:0{width}}", hits=())
        for number in range(len(aims))
        if number not in given
    ]
    before = frozenset(made)
    for proposal, _ in by_gain(rest, ask, judge, make):
        number = int(proposal.fingerprint)
        yield _step(number, before, evaluate, none)
        before = frozenset({*before, number})


def given_of(aims: Sequence[Aimed]) -> Chosen:
    """Return the changes that nobody chooses: traffic grows whatever is done."""
    return frozenset(
        number for number, aim in enumerate(aims) if aim.change.field is WhatifField.GROWTH
    )


def _step(number: int, before: Chosen, evaluate: Evaluate, none: Outcome) -> Step:
    after = evaluate(before | {number})
    alone = gain_of(none, evaluate(frozenset({number})))
    return Step(number, alone, gain_of(evaluate(before), after))


def gain_of(before: Outcome, after: Outcome) -> WhatifGain:
    """Return what lies between two outcomes."""
    if before.why_not or after.why_not:
        why = after.why_not or f"a step before it is not possible without it: {before.why_not}"
        return WhatifGain(saves_usd_per_month=None, gains_gbps=None, is_possible=False, unknown=why)
    new = sorted(after.unpriced - before.unpriced)
    return WhatifGain(
        saves_usd_per_month=None if new else saved_usd(before, after),
        gains_gbps=_difference(before, after),
        unknown="; ".join(new),
        unknown_flow_count=_unknown_count(before, after),
    )


def _difference(before: Outcome, after: Outcome) -> float | None:
    """Return what the flows gain whose rates are known; None where there is none.

    What becomes unknown, or known, is neither lost nor gained: then what all gain is not known.
    """
    if before.total_gbps is None or after.total_gbps is None or _unknown_count(before, after):
        return None
    gained = float(np.nansum(after.gbps - before.gbps))
    return 0.0 if abs(gained) <= _SAME_GBPS * max(1.0, before.total_gbps) else gained


def _gain(before: Outcome, after: Outcome, held_back_ratio: float) -> Gain:
    """Return what a change brings, as the fixes of findings are put in order."""
    found = gain_of(before, after)
    is_lifted = _is_lifted(before, after) if _is_known(before, after) else ()
    waits = [
        float(ratio)
        for ratio, lifted in zip(before.used_ratio, is_lifted, strict=False)
        if lifted and ratio >= held_back_ratio
    ]
    lifted = None
    if waits:
        place = ResourceRef(self_link=SelfLink("whatif"), source="")
        lifted = Hit(resources=(place,), subject="", message="", used_ratio=max(waits))
    return Gain(
        usd=found.saves_usd_per_month, lifted=lifted, now=None, fixed=None, made=(), reasons=()
    )


def _unknown_count(before: Outcome, after: Outcome) -> int:
    """Return of how many flows the rate is known on one side only."""
    return int(np.count_nonzero(np.isnan(before.gbps) != np.isnan(after.gbps)))


def _is_lifted(before: Outcome, after: Outcome) -> NDArray[np.bool_]:
    """Return by machine whether it sends more by the flows whose rates are known on both sides."""
    known = np.flatnonzero(~np.isnan(before.gbps) & ~np.isnan(after.gbps))
    src, count = before.src[known], len(before.used_ratio)
    was, now = (np.bincount(src, one.gbps[known], minlength=count) for one in (before, after))
    found: NDArray[np.bool_] = (now > was) & (now >= was * LIFT_RATIO)
    return found


def _is_known(*outcomes: Outcome) -> bool:
    return not any(one.why_not for one in outcomes)


def sets_tried(count: int) -> int:
    """Return of how many changes the greatest sets are that are looked at."""
    return count if count <= MOST_CHANGES else 2


def only_together(aims: Sequence[Aimed], evaluate: Evaluate) -> tuple[Together, ...]:
    """Return the sets of changes that lift a flow together, no part of them alone; greatest first.

    A flow is lifted by more than two runs of it differ, against the best of all parts of the set.
    """
    given = given_of(aims)
    free = [number for number in range(len(aims)) if number not in given]
    found = []
    sizes = range(2, sets_tried(len(free)) + 1)
    chosen_sets = [frozenset(one) for size in sizes for one in combinations(free, size)]
    for chosen in chosen_sets[:MOST_SETS]:
        one = _lifted(chosen, given, evaluate)
        if one is not None:
            found.append(one)
    return tuple(sorted(found, key=lambda one: one.most_without_gbps - one.together_gbps))


def _lifted(chosen: Chosen, given: Chosen, evaluate: Evaluate) -> Together | None:
    whole = evaluate(chosen | given)
    now = evaluate(given)
    if not _is_known(whole, now) or not len(whole.gbps):
        return None
    best = now.gbps
    for size in range(1, len(chosen)):
        for part in combinations(sorted(chosen), size):
            outcome = evaluate(frozenset(part) | given)
            if _is_known(outcome):
                best = np.fmax(best, outcome.gbps)
    lifted = np.flatnonzero(whole.gbps >= np.maximum(best, _SAME_GBPS) * LIFT_RATIO)
    if not len(lifted):
        return None
    flow = int(max(lifted, key=lambda one: (whole.gbps[one] - best[one], -one)))
    return Together(
        chosen=chosen,
        flow=flow,
        flow_count=len(lifted),
        now_gbps=float(now.gbps[flow]),
        most_without_gbps=float(best[flow]),
        together_gbps=float(whole.gbps[flow]),
    )
