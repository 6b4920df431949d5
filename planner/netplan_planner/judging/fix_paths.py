"""What the paths of fixes carry, and what more traffic on them costs, after the changes so far."""

from collections.abc import Iterable
from math import ceil

import numpy as np

from netplan_planner import model
from netplan_planner.judging.made_so_far import MadeSoFar
from netplan_planner.throughput import apply_change, apply_to_receiver, edge_query, predict
from netplan_planner.throughput.limits.shared_by import OF_VM
from netplan_planner.throughput.sharing.rates import fair_rates
from netplan_planner.units import GIB_PER_TIB
from netplan_rules.wording import gbps

_OF_ONE_PATH = frozenset(
    {
        model.ChangeKind.INTERNAL_ADDRESS,
        model.ChangeKind.MORE_FLOWS,
        model.ChangeKind.MACHINE_TYPE,
        model.ChangeKind.TIER_1,
    }
)
_OF_A_FLOW = frozenset({model.ChangeKind.INTERNAL_ADDRESS, model.ChangeKind.MORE_FLOWS})
"""What lets a flow take more of its sender's limit, which stays."""
_SAME_GAIN = 1 + 1e-9


class Paths:
    """The paths that fixes are about."""

    def __init__(self, facts: model.Facts, made: MadeSoFar) -> None:
        self._facts = facts
        self._made = made

    def rates(self, hit: model.Hit) -> tuple[model.Estimate | None, model.Estimate | None]:
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

    def further(self, hit: model.Hit) -> model.FurtherCost:
        """Return what a further TiB costs on the path that a change has lifted.

        The greatest path of those that the change is about; of a fix that is told in words alone
        that of its pair.
        """
        edge = self._greatest(hit) or self._of_ends(hit)
        usd = self._made.ledger.traffic.further_usd_per_gib(edge) if edge is not None else None
        return model.FurtherCost(usd_per_tib=None if usd is None else usd * GIB_PER_TIB)

    def crowded(self, hit: model.Hit) -> str:
        """Return which flow of its sender a lifted path takes most from, and how much; or nothing.

        At worst, for the busiest minutes of all may be one: flows share the limit by max-min
        fairness, the lifted one by as many connections as its new rate takes.
        """
        (now, fixed), greatest, query = self.rates(hit), self._greatest(hit), self._query(hit)
        limit = fixed.binding if fixed is not None else None
        if greatest is None or query is None or now is None or limit is None or not now.gbps:
            return ""
        if hit.change is None or hit.change.kind not in _OF_A_FLOW or limit.name not in OF_VM:
            return ""
        sent = [
            one for one in self._facts.seen_traffic.edges_by_src[greatest.src] if one != greatest
        ]
        if limit.name != "vm-egress":
            priced = self._made.ledger.traffic.priced
            sent = [one for one in sent if priced(one).path_class.leaves_vpc]
        count = query.streams or 1
        if hit.change.kind is model.ChangeKind.MORE_FLOWS:
            count = ceil(limit.gbps / now.gbps)
        wanted = [one.series.max_gbps for one in sent]
        rates = fair_rates(
            capacity_gbps=np.array([limit.gbps]),
            links=np.zeros((1 + len(sent), 1), dtype=np.intp),
            bound_gbps=np.array([np.inf, *wanted]),
            weight=np.array([float(count), *([1.0] * len(sent))]),
        )
        taken = [most - gets for most, gets in zip(wanted, rates.gbps[1:].tolist(), strict=True)]
        worst = max(range(len(sent)), key=lambda at: taken[at], default=None)
        if worst is None or wanted[worst] < float(rates.gbps[1 + worst]) * model.LIFT_RATIO:
            return ""
        ends = f"{self._facts.src(sent[worst]).name} → {self._facts.dst(sent[worst]).name}"
        gets = gbps(float(rates.gbps[1 + worst]))
        return f"{ends} may then get {gets} instead of {gbps(wanted[worst])}"

    def _of_ends(self, hit: model.Hit) -> model.Edge | None:
        """Return the path between the two machines that a hit is of; None where it is of others."""
        owners, traffic = self._made.ledger.state.owners, self._facts.traffic
        ends = [owners.get(ref.self_link) for ref in hit.resources]
        if traffic is None or len(ends) != 2 or ends[0] is None or ends[1] is None:
            return None
        sent = (one for one in traffic.edges_by_src.get(ends[0], ()) if one.dst == ends[1])
        return max(sent, key=lambda edge: edge.wire_bytes, default=None)


def _over_internal(query: model.PathQuery, target: model.SelfLink) -> model.PathQuery:
    return apply_change(query, model.Change(kind=model.ChangeKind.INTERNAL_ADDRESS, target=target))


def cost_words(further: model.FurtherCost) -> model.Text:
    """Return what more traffic costs, in a sentence; nothing where it is free."""
    usd = further.usd_per_tib
    if usd is None:
        return "The cost of its additional traffic is unknown."
    if not usd:
        return ""
    return model.worded(
        "Each additional TiB/month that it then sends costs ",
        model.Amount(usd=usd),
        " at the last volume tier of its path.",
    )


def most_lifted(
    found: Iterable[tuple[model.Hit, model.Estimate | None, model.Estimate | None]],
) -> tuple[model.Hit, model.Estimate | None, model.Estimate | None] | None:
    """Return the path that gains most, the one named first of those that gain the same."""
    best, most = None, 0.0
    for one in found:
        now, then = (estimate.gbps or 0.0 if estimate else 0.0 for estimate in one[1:])
        if best is None or then - now > most * _SAME_GAIN:
            best, most = one, then - now
    return best
