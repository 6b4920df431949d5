"""The cheapest machine types that carry a wanted bandwidth."""

from decimal import Decimal
from math import ceil

from netplan_planner.errors import UsageError
from netplan_planner.model import (
    Candidate,
    CapsBook,
    Infeasible,
    MachineNeed,
    MachinePlan,
    PriceBook,
    Rejected,
)
from netplan_planner.optimise.offers import Offer, Pool, build_pool, pool_key, rounded

ROUNDING = 1e-9
"""Relative slack of a comparison, so that 0.8 times 12.5 carries 10."""
REMEMBERED_NEEDS = 20_000


class Chooser:
    """Finds the cheapest machines for a need; it implements `MachineChooser`.

    What needs have in common (region, usage, filters) is prepared once; answers are remembered.
    Only predefined types that the region offers and that have a price there are proposed. Custom
    types are not searched.
    """

    def __init__(self, prices: PriceBook, caps: CapsBook) -> None:
        self._prices = prices
        self._caps = caps
        self._pools: dict[MachineNeed, Pool] = {}
        self._answers: dict[MachineNeed, MachinePlan | Infeasible] = {}

    def choose(self, need: MachineNeed) -> MachinePlan | Infeasible:
        """Return every way to meet a need, cheapest first, or what binds.

        Raises:
            UsageError: If the need asks for what cannot be (a headroom of 1, no machine).
        """
        answer = self._answers.get(need)
        if answer is None:
            if len(self._answers) >= REMEMBERED_NEEDS:
                self._answers.clear()
            answer = self._answers[need] = self._search(need)
        return answer

    def _search(self, need: MachineNeed) -> MachinePlan | Infeasible:
        _check(need)
        pool = self._pool(need)
        candidates: list[Candidate] = []
        singles: list[Candidate] = []
        rejected: list[Rejected] = []
        plain_count = 0
        for index, offer in enumerate(pool.offers):
            count, short_of = _count(need, offer)
            if count > need.max_count:
                rejected.append(pool.refusal(index, short_of, need.max_count))
                count = 0
            elif offer.cap.is_tier1 and 0 < plain_count <= count:
                rejected.append(pool.refusal(index, "dominated", need.max_count))
            else:
                candidates.append(pool.candidate(index, count))
            if count == 1:
                singles.append(pool.candidate(index, 1))
            # Tier_1 follows the default variant of its type.
            plain_count = 0 if offer.cap.is_tier1 else count
        if not candidates:
            return _infeasible(need, pool, rejected)
        return MachinePlan(
            need=need,
            ranked=tuple(sorted(candidates, key=_rank)),
            front=_front(singles),
            rejected=(*pool.rejected, *rejected),
        )

    def _pool(self, need: MachineNeed) -> Pool:
        key = pool_key(need)
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pools[key] = build_pool(key, self._prices, self._caps)
        return pool


def _check(need: MachineNeed) -> None:
    problems = {
        "the wanted bandwidth is below 0": need.gbps < 0,
        "the headroom is not from 0 to below 1": not 0 <= need.headroom_ratio < 1,
        "at least one machine must be allowed": need.max_count < 1,
        "the share of the month is not above 0 and at most 1": not 0 < need.month_ratio <= 1,
    }
    for text, is_wrong in problems.items():
        if is_wrong:
            raise UsageError(text)


def _count(need: MachineNeed, offer: Offer) -> tuple[int, str]:
    """Return how many machines of an offer the need takes, and which amount asks for most."""
    count, short_of = _ratio_up(need.gbps, offer.usable_gbps), "bandwidth"
    if need.vcpus > count * offer.shape.vcpus:
        count, short_of = _ratio_up(need.vcpus, offer.shape.vcpus), "vcpus"
    if need.memory_gib > count * offer.shape.memory_gib * (1 + ROUNDING):
        count, short_of = _ratio_up(need.memory_gib, offer.shape.memory_gib), "memory"
    return count, short_of


def _ratio_up(wanted: float, one: float) -> int:
    return max(1, ceil(wanted / one * (1 - ROUNDING)))


def _rank(candidate: Candidate) -> tuple[bool, Decimal, int, str, bool]:
    usd = candidate.usd_per_month
    return (
        usd is None,
        Decimal(0) if usd is None else usd,
        candidate.count,
        candidate.machine_type,
        candidate.is_tier1,
    )


def _front(singles: list[Candidate]) -> tuple[Candidate, ...]:
    """Return the single machines with a known price that no other beats in price and bandwidth."""
    front: list[Candidate] = []
    known = (c for c in singles if c.usd_per_month is not None)
    for candidate in sorted(known, key=lambda c: (c.usd_per_month, -c.cap_gbps, c.machine_type)):
        if not front or candidate.cap_gbps > front[-1].cap_gbps:
            front.append(candidate)
    return tuple(front)


def _infeasible(need: MachineNeed, pool: Pool, rejected: list[Rejected]) -> Infeasible:
    binding, shortfall = _what_binds(need, pool)
    return Infeasible(
        need=need, binding=binding, shortfall=shortfall, rejected=(*pool.rejected, *rejected)
    )


def _what_binds(need: MachineNeed, pool: Pool) -> tuple[str, str]:
    """Return the amount that no offer reaches, or that they do not reach together."""
    if not pool.offers:
        return _why_empty(need, pool)
    amounts = (
        ("bandwidth", need.gbps, "Gbit/s", [o.usable_gbps for o in pool.offers]),
        ("vcpus", float(need.vcpus), "vCPUs", [float(o.shape.vcpus) for o in pool.offers]),
        ("memory", need.memory_gib, "GiB", [o.shape.memory_gib for o in pool.offers]),
    )
    for name, wanted, unit, each in amounts:
        best = max(range(len(each)), key=each.__getitem__)
        total = each[best] * need.max_count
        if total * (1 + ROUNDING) < wanted:
            machine = pool.offers[best].shape.machine_type
            if name == "bandwidth" and pool.offers[best].cap.is_tier1:
                machine += " with Tier_1"
            return name, (
                f"{need.max_count} x {machine} reach {rounded(total):g} of {wanted:g} {unit}"
                f"{', headroom taken off' if name == 'bandwidth' else ''}"
            )
    closest = min(pool.offers, key=lambda offer: _count(need, offer)[0])
    count, short_of = _count(need, closest)
    return (
        "combination",
        f"no type has the bandwidth, vCPUs and memory at once; {closest.shape.machine_type} comes"
        f" closest and would take {count} machines for its {short_of}, {need.max_count} allowed",
    )


def _why_empty(need: MachineNeed, pool: Pool) -> tuple[str, str]:
    counts: dict[str, int] = {}
    for refused in pool.rejected:
        if refused.reason != "not-offered":
            counts[refused.reason] = counts.get(refused.reason, 0) + 1
    if not counts:
        return "not-offered", f"no machine type is offered in {need.region}"
    reason = max(sorted(counts), key=lambda name: counts[name])
    listed = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return reason, f"no type offered in {need.region} is left: {listed}"
