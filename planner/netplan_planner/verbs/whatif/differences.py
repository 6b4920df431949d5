"""Before and after changes: machines one by one, and findings place by place."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.judging.judged import Judged
from netplan_planner.judging.unjudged import Unjudged
from netplan_planner.model import (
    Facts,
    Finding,
    MachineRow,
    Member,
    Need,
    OwnerKind,
    SelfLink,
    taken,
)
from netplan_planner.paths.priced_paths import billed_edges
from netplan_planner.planning.traffic_bill import mean_prices
from netplan_planner.units import cents
from netplan_planner.verbs.whatif.answer import (
    FindingState,
    WhatifFinding,
    WhatifMachine,
    WhatifPair,
)
from netplan_planner.verbs.whatif.rates import FlowRates
from netplan_planner.verbs.whatif.reckoning import used_ratio
from netplan_rules.registry import all_rules

_ZERO = Decimal(0)
_SAME_RATIO = 1e-6
"""Rates that differ by less are the same, but for rounding."""


class Side(NamedTuple):
    """What machines are made of, before or after."""

    facts: Facts
    rows: Sequence[MachineRow]
    """In the order of the inventory's machines."""
    rates: FlowRates


class _Sent(NamedTuple):
    usd: Decimal | None = None
    """None: no part has a price."""
    unknown: str = ""


_NOTHING = _Sent(_ZERO)


def pairs(before: Side, after: Side, changed: frozenset[SelfLink]) -> tuple[WhatifPair, ...]:
    """Return the machines that change, and those on which it bears; the changed first.

    Args:
        before: The project as it is.
        after: The project after the changes, its machines in the same order.
        changed: Machines that a change is about.
    """
    old, new = machines(before), machines(after)
    found = [
        WhatifPair(
            name=instance.name,
            link=instance.ref.self_link,
            is_changed=instance.ref.self_link in changed,
            before=old[instance.ref.self_link],
            after=new[instance.ref.self_link],
        )
        for instance in before.facts.inventory.instances
    ]
    felt = [one for one in found if one.is_changed or not is_same(one.before, one.after)]
    return tuple(sorted(felt, key=_rank))


def is_same(before: WhatifMachine, after: WhatifMachine) -> bool:
    """Return whether a machine is as it was, but for rounding."""
    about = ("zone", "machine_type", "is_tier1", "egress_gbps", "external_gbps")
    if any(getattr(before, name) != getattr(after, name) for name in about):
        return False
    for name in ("traffic_usd_per_month", "machine_usd_per_month"):
        if not _is_alike(getattr(before, name), getattr(after, name)):
            return False
    return all(_is_near(getattr(before, name), getattr(after, name)) for name in _RATES)


_RATES = ("gbps", "used_ratio")


def _is_alike(one: Decimal | None, other: Decimal | None) -> bool:
    if one is None or other is None:
        return one is other
    return cents(one) == cents(other)


def _is_near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _SAME_RATIO * max(abs(one), abs(other))


def _rank(pair: WhatifPair) -> tuple[object, ...]:
    """Return the key of the order: what changes most first, and last what nobody knows of."""
    old, new = pair.before, pair.after
    parts = (
        (old.machine_usd_per_month, new.machine_usd_per_month),
        (old.traffic_usd_per_month, new.traffic_usd_per_month),
    )
    usd = [now - was for was, now in parts if was is not None and now is not None]
    gbps = None if old.gbps is None or new.gbps is None else -abs(old.gbps - new.gbps)
    money = -abs(sum(usd, _ZERO))
    return not pair.is_changed, not usd, money, gbps is None, gbps, pair.link


def machines(side: Side) -> dict[SelfLink, WhatifMachine]:
    """Return every machine of a side."""
    facts, rates = side.facts, side.rates
    sent = _sent_usd(facts)
    owners = facts.traffic.owners if facts.traffic is not None else ()
    number_of = {owner.link: number for number, owner in enumerate(owners)}
    gbps = rates.by_sender(len(owners))
    flows: dict[int, int] = defaultdict(int)
    for owner in rates.src[rates.flows].tolist():
        flows[owner] += 1
    unknown = Counter(rates.src[np.isnan(rates.gbps)].tolist())
    found = {}
    for instance, row in zip(facts.inventory.instances, side.rows, strict=True):
        number = number_of.get(instance.ref.self_link)
        nothing = _NOTHING if facts.traffic is not None else _Sent()
        traffic = sent.get(number, nothing) if number is not None else nothing
        usd, address_usd = row.machine_usd_per_month, row.address_usd_per_month
        found[instance.ref.self_link] = taken(
            WhatifMachine,
            row,
            p95_gbps=row.egress_p95_gbps,
            used_ratio=used_ratio(row),
            gbps=_gbps(rates, gbps, number, flows, unknown),
            flow_count=flows.get(number, 0) if number is not None else 0,
            unknown_flow_count=unknown[number] if number is not None else 0,
            machine_usd_per_month=None if usd is None or address_usd is None else usd + address_usd,
            traffic_usd_per_month=traffic.usd,
            traffic_unknown=traffic.unknown,
        )
    return found


def _gbps(
    rates: FlowRates,
    sent_gbps: NDArray[np.float64],
    number: int | None,
    flows: Mapping[int, int],
    unknown: Mapping[int, int],
) -> float | None:
    """Return what a machine sends; None where nothing tells it, 0 where it was seen to be idle."""
    if rates.total_gbps is None:
        return None
    if number is None:
        return 0.0
    is_known = number in flows or number not in unknown
    return float(sent_gbps[number]) if is_known else None


def _sent_usd(facts: Facts) -> Mapping[int, _Sent]:
    """Return what each machine's traffic costs, at the mean price of each path."""
    prices = mean_prices(facts)
    found: dict[int, _Sent] = {}
    for edge, path in billed_edges(facts):
        if facts.src(edge).kind is not OwnerKind.VM:
            continue
        was, price = found.get(edge.src, _Sent()), prices[path]
        usd = was.usd
        if price.usd_per_byte is not None:
            usd = (usd or _ZERO) + price.usd_per_byte * edge.wire_bytes
        found[edge.src] = _Sent(usd, was.unknown or price.unknown)
    return found


# Findings before and after changes, place by place: gone, new, unchanged, or not judged


_STATES = list(FindingState)


class _Place(NamedTuple):
    """A rule and the resources at fault, which keep their links through all changes."""

    rule: str
    links: tuple[SelfLink, ...]


class _At(NamedTuple):
    finding: Finding
    member: Member


def findings(
    before: Judged, after: Judged, *, is_plugin_changed: bool
) -> tuple[WhatifFinding, ...]:
    """Return what becomes of every finding at every place: gone, new, then the rest.

    Args:
        before: The report on the facts as they are.
        after: That on the facts after the changes.
        is_plugin_changed: Rules on the cluster's network still see the plugin that is there.
    """
    old, new = _by_place(before), _by_place(after)
    unjudged = _Rules(before, after, is_plugin_changed=is_plugin_changed)
    found: list[WhatifFinding] = []
    for place in sorted({*old, *new}):
        was, now = old.get(place, []), new.get(place, [])
        for number in range(max(len(was), len(now))):
            one = was[number] if number < len(was) else None
            other = now[number] if number < len(now) else None
            found.append(_compared(place, one, other, unjudged))
    return tuple(
        sorted(found, key=lambda one: (_STATES.index(one.state), one.severity.rank, one.rule))
    )


def _by_place(report: Judged) -> dict[_Place, list[_At]]:
    found: dict[_Place, list[_At]] = defaultdict(list)
    for finding in report.findings:
        for member in finding.members:
            links = tuple(sorted(ref.self_link for ref in member.resources))
            found[_Place(finding.rule, links)].append(_At(finding, member))
    for places in found.values():
        places.sort(key=lambda at: (at.finding.fingerprint, at.member.subject))
    return found


def _compared(place: _Place, was: _At | None, now: _At | None, unjudged: "_Rules") -> WhatifFinding:
    shown = now or was
    assert shown is not None
    why = unjudged.why(place) if was is not None and (now is None or unjudged.is_own(place)) else ""
    if why:
        state = FindingState.UNJUDGED
    elif was is None:
        state = FindingState.NEW
    else:
        state = FindingState.GONE if now is None else FindingState.UNCHANGED
    return WhatifFinding(
        state=state,
        rule=place.rule,
        severity=shown.finding.severity,
        subject=shown.member.subject,
        message=shown.member.message,
        saving_before_usd_per_month=was.member.saving_usd_per_month if was else None,
        saving_after_usd_per_month=now.member.saving_usd_per_month if now else None,
        why=why,
    )


class _Rules:
    """Why a rule says nothing of a place after the changes, where it did not pass it."""

    def __init__(self, before: Judged, after: Judged, *, is_plugin_changed: bool) -> None:
        self._gaps = Unjudged(before.not_evaluated, after.not_evaluated)
        self._of_network = (
            {check.rule.id for check in all_rules() if Need.CLUSTER_NETWORKS in check.rule.needs}
            if is_plugin_changed
            else set[str]()
        )

    def is_own(self, place: _Place) -> bool:
        """Return whether the rule looks at what netplan does not change."""
        return place.rule in self._of_network

    def why(self, place: _Place) -> str:
        """Return why a place is not judged after the changes; empty where it is."""
        if self.is_own(place):
            return "the rule sees the current plugin, not the new one"
        return self._gaps.why(place.rule, place.links)
