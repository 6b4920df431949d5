"""Limits that flows share, before and after: how many flows, and what each gets."""

from typing import NamedTuple

import numpy as np

from netplan_planner.model import Facts, SelfLink
from netplan_planner.model.whatif import WhatifLimit
from netplan_planner.optimise.whatif.rates import FlowRates
from netplan_planner.throughput.sharing.links import NAMES

_NAMED = 3
_SAME = 1e-6


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
    found = []
    for number in sorted({*old, *new}):
        was, now = old.get(number), new.get(number)
        if not ((was and was.bound) or (now and now.bound)) or _is_same(was, now):
            continue
        owner = owners[int(after.links.machine[number])]
        weight = abs(_sum(now) - _sum(was))
        one = WhatifLimit(
            machine=owner.name,
            limit=NAMES[int(after.links.name[number])],
            capacity_before_gbps=was.capacity_gbps if was else None,
            capacity_after_gbps=now.capacity_gbps if now else None,
            flows_before=was.flows if was else 0,
            flows_after=now.flows if now else 0,
            bound_before=was.bound if was else 0,
            bound_after=now.bound if now else 0,
            share_before_gbps=was.share_gbps if was else None,
            share_after_gbps=now.share_gbps if now else None,
            with_whom=_peers(after, facts, number),
        )
        found.append((owner.link not in changed, -weight, number, one))
    return tuple(one for *_, one in sorted(found, key=lambda item: item[:3]))


def _sum(link: _Link | None) -> float:
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
    assert facts.traffic is not None
    machine = int(rates.links.machine[number])
    rows = np.flatnonzero((rates.links.of_flow == number).any(axis=1))
    edges = rates.flows[rows]
    ends = np.where(rates.src[edges] == machine, rates.dst[edges], rates.src[edges])
    names = sorted({facts.traffic.owners[int(end)].name for end in ends})
    return tuple(names[:_NAMED])
