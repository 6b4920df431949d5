"""What the facts come to after a set of changes: money, rates, use; each set is asked once.

Limits that flows share, before and after: how many flows, and what each gets.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import NetplanError
from netplan_planner.judging.month import Committed, lines_of, month_bill, tables_of
from netplan_planner.machines.known import Known
from netplan_planner.model import Facts, MachineChange, MachineRow, SelfLink, total_usd
from netplan_planner.throughput.sharing.links import NAMES
from netplan_planner.verbs.whatif.answer import WhatifLimit
from netplan_planner.verbs.whatif.apply import apply_aimed
from netplan_planner.verbs.whatif.order import Chosen, Outcome, Paid
from netplan_planner.verbs.whatif.rates import FlowRates, Matrix
from netplan_planner.verbs.whatif.scenario import Aimed, Scenario

_ZERO = Decimal(0)
_NAMED = 3
_SAME = 1e-6


class Reckoner:
    """Answers for sets of changes, by number."""

    def __init__(
        self, facts: Facts, aims: Sequence[Aimed], known: Known, before: Scenario, matrix: Matrix
    ) -> None:
        self._facts = facts
        self._aims = aims
        self._known = known
        self._before = before
        self._matrix = matrix
        self._found: dict[Chosen, Outcome] = {}

    def __call__(self, chosen: Chosen) -> Outcome:
        """Return what a set of changes comes to; why not, where it cannot be made."""
        if chosen not in self._found:
            self._found[chosen] = self._worked_out(chosen)
        return self._found[chosen]

    def _worked_out(self, chosen: Chosen) -> Outcome:
        aims = [aim for number, aim in enumerate(self._aims) if number in chosen]
        try:
            scenario = apply_aimed(self._facts, aims, self._known) if aims else self._before
        except NetplanError as error:
            return impossible(str(error))
        return self.outcome(scenario._replace(pods={**self._before.pods, **scenario.pods}))

    def outcome(self, scenario: Scenario) -> Outcome:
        """Return what a scenario comes to."""
        facts = scenario.facts
        tables = tables_of(facts)
        covered, why = commitments_usd(self._facts, facts)
        money = month_bill(tables, Committed(covered))
        unpriced = {f"{row.name}: {row.price_unknown}" for row in tables.machines}
        reasons = {f"{one.path_class}: {p.reason}" for one in tables.classes for p in one.unpriced}
        rates = self._matrix.rates(scenario)
        owner_count = len(facts.traffic.owners) if facts.traffic is not None else 0
        paid = None
        if facts.even is not facts:
            listed, _ = commitments_usd(self._facts.even, facts.even)
            at_list = month_bill(tables_of(facts.even), Committed(listed))
            paid = Paid(facts.prices, money, at_list, tuple(lines_of(facts, tables)))
        return Outcome(
            usd=money.least_usd_per_month,
            paid=paid,
            unpriced=frozenset({one for one in unpriced if not one.endswith(": ")} | reasons)
            | ({why} if why else frozenset()),
            total_gbps=rates.total_gbps,
            gbps=rates.gbps,
            src=rates.src,
            used_ratio=fuller(used_ratios(facts, tables.machines, owner_count)),
        )


def impossible(why: str) -> Outcome:
    """Return the outcome of changes that cannot be made."""
    none = np.empty(0)
    return Outcome(_ZERO, frozenset(), None, none, none.astype(np.intp), none, why_not=why)


def used_ratios(facts: Facts, rows: Sequence[MachineRow], owner_count: int) -> NDArray[np.float64]:
    """Return the use of each owner's two limits, NaN where one is none or not known.

    Returns:
        Owners × (of all that it sends, of what leaves the VPC).
    """
    found = np.full((owner_count, 2), np.nan)
    if facts.traffic is None:
        return found
    of_link = {owner.link: number for number, owner in enumerate(facts.traffic.owners)}
    for instance, row in zip(facts.inventory.instances, rows, strict=True):
        number = of_link.get(instance.ref.self_link)
        if number is not None:
            found[number] = [np.nan if ratio is None else ratio for ratio in _ratios(row)]
    return found


def fuller(used: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the use of each owner's fuller limit, NaN where none is known."""
    return np.fmax(used[:, 0], used[:, 1])


def used_ratio(row: MachineRow) -> float | None:
    """Return the use of the fuller of a machine's two limits, None where none is known."""
    return max((ratio for ratio in _ratios(row) if ratio is not None), default=None)


def _ratios(row: MachineRow) -> tuple[float | None, float | None]:
    ways = (
        (row.egress_p95_gbps, row.egress_gbps),
        (row.external_p95_gbps, row.external_gbps),
    )
    inside, outside = (p95 / cap if p95 is not None and cap else None for p95, cap in ways)
    return inside, outside


def commitments_usd(before: Facts, after: Facts) -> tuple[Decimal | None, str]:
    """Return what commitments add to a bill by changes of machines, else why it is not known.

    Below 0 where unused ones take over, above it where what they covered is paid without use.
    """
    ledger = before.machines.ledger(before.inventory, before.today)
    usd = _ZERO
    for old, new in zip(before.inventory.instances, after.inventory.instances, strict=True):
        if (old.machine_type, old.region) == (new.machine_type, new.region):
            continue
        if new.is_to_run and not old.is_to_run and before.inventory.commitments:
            return None, f"{new.name} is off today and runs after the change"
        change = MachineChange(instance=old, machine_type=new.machine_type, region=new.region)
        cover = ledger.change(change)
        if cover.unknown:
            return None, cover.unknown
        usd -= total_usd(cover.items)
        ledger.take(change)
    return usd, ""


class _Link(NamedTuple):
    capacity_gbps: float
    flows: int
    bound: int
    share_gbps: float | None


def shared_limits(
    before: FlowRates, after: FlowRates, facts: Facts, changed: frozenset[SelfLink]
) -> tuple[WhatifLimit, ...]:
    """Return the limits that hold flows back, before or after, and are not as before.

    Those of changed machines first, then where the flows gain or lose most together.
    """
    if facts.traffic is None or not len(after.flows):
        return ()
    old, new = _links(before), _links(after)
    owners = facts.traffic.owners
    unknown = [set(side.src[np.isnan(side.gbps)].tolist()) for side in (before, after)]
    found = []
    for number in sorted({*old, *new}):
        was, now = old.get(number), new.get(number)
        if not ((was and was.bound) or (now and now.bound)) or _is_same(was, now):
            continue
        machine = int(after.links.machine[number])
        owner = owners[machine]
        # Where no flow on it has a rate any more, it is not known how many it holds back.
        none_before, none_after = (None if machine in side else 0 for side in unknown)
        is_unknown = (not was and none_before is None) or (not now and none_after is None)
        weight = 0.0 if is_unknown else abs(_all_of(now) - _all_of(was))
        one = WhatifLimit(
            machine=owner.name,
            limit=NAMES[int(after.links.name[number])],
            capacity_before_gbps=was.capacity_gbps if was else None,
            capacity_after_gbps=now.capacity_gbps if now else None,
            flows_before=was.flows if was else none_before,
            flows_after=now.flows if now else none_after,
            bound_before=was.bound if was else none_before,
            bound_after=now.bound if now else none_after,
            share_before_gbps=was.share_gbps if was else None,
            share_after_gbps=now.share_gbps if now else None,
            with_whom=_peers(after, facts, number),
        )
        found.append((owner.link not in changed, is_unknown, -weight, number, one))
    return tuple(one for *_, one in sorted(found, key=lambda item: item[:4]))


def _all_of(link: _Link | None) -> float:
    return (link.share_gbps or 0.0) * link.bound if link is not None else 0.0


def _is_same(was: _Link | None, now: _Link | None) -> bool:
    if was is None or now is None or (was.flows, was.bound) != (now.flows, now.bound):
        return False
    rates = ((was.capacity_gbps, now.capacity_gbps), (was.share_gbps, now.share_gbps))
    return all(abs((one or 0.0) - (other or 0.0)) <= _SAME * (one or 1.0) for one, other in rates)


def _links(rates: FlowRates) -> dict[int, _Link]:
    """Return the links on which flows are, by number; alike in all scenarios of one traffic."""
    count = len(rates.links.capacity_gbps)
    if not count:
        return {}
    on = rates.links.of_flow
    flows = np.bincount(on[on >= 0], minlength=count)
    binding, gbps = rates.binding[rates.flows], rates.gbps[rates.flows]
    is_bound = binding >= 0
    bound = np.bincount(binding[is_bound], minlength=count)
    sums = np.bincount(binding[is_bound], gbps[is_bound], minlength=count)
    return {
        int(number): _Link(
            capacity_gbps=float(rates.links.capacity_gbps[number]),
            flows=int(flows[number]),
            bound=int(bound[number]),
            share_gbps=float(sums[number] / bound[number]) if bound[number] else None,
        )
        for number in np.flatnonzero(flows)
    }


def _peers(rates: FlowRates, facts: Facts, number: int) -> tuple[str, ...]:
    """Return the other ends of the flows on a link, the first few by name."""
    machine = int(rates.links.machine[number])
    rows = np.flatnonzero((rates.links.of_flow == number).any(axis=1))
    edges = rates.flows[rows]
    ends = np.where(rates.src[edges] == machine, rates.dst[edges], rates.src[edges])
    names = sorted({facts.seen_traffic.owners[int(end)].name for end in ends})
    return tuple(names[:_NAMED])
