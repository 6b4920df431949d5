"""The cheapest machine types that carry a wanted bandwidth."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import cached_property, partial
from math import ceil, isfinite
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum, UsageError
from netplan_planner.ledger.compared import at_list_line, compared_usd, is_at_list
from netplan_planner.optimise.bill import MachineBill, attached_of, with_attached
from netplan_planner.optimise.commitment_changes import Commitments
from netplan_planner.optimise.offers import Pool, RankKey, Size, build_pool, pool_key, rounded
from netplan_planner.optimise.vm_today import bill_today, lines_when_off
from netplan_planner.units import counted

ROUNDING = 1e-9
"""Relative slack of a comparison, so that 0.8 times 12.5 carries 10."""
NEVER = 1_000_000_000
"""Machines for what no number of them is known to do."""
REMEMBERED_NEEDS = 20_000
REMEMBERED_POOLS = 256
"""Of machines that are tied alike; few kinds of disks and policies fill a project."""
_Ranked = tuple[RankKey, model.Candidate]


class _Today(NamedTuple):
    """What a machine that stands costs a month."""

    machine_type: str
    lines: tuple[model.LineItem, ...]
    """As they are paid."""
    listed_usd: Decimal
    """The same by prices that can be compared."""


def _as_it_is(found: _Ranked) -> _Ranked:
    return found


class Chooser:
    """Finds the cheapest machines for a need; it implements `MachineChooser`.

    What needs have in common (region, usage, filters) is prepared once; answers are remembered.
    Only predefined types that the region offers and that have a price there are proposed. Custom
    types are not searched.
    """

    def __init__(
        self,
        prices: model.PriceBook,
        caps: model.CapsBook,
        scope: model.CommitmentScope = model.CommitmentScope.UNKNOWN,
    ) -> None:
        self._prices = prices
        self._caps = caps
        self._scope = scope
        self._commitments = Commitments(prices, scope)
        self._pools: dict[model.MachineNeed, Pool] = {}
        self._tied: dict[tuple[model.MachineNeed, model.Ties], Pool] = {}
        self._answers: dict[object, model.MachinePlan | model.Infeasible] = {}

    @cached_property
    def even(self) -> "Chooser":
        """The same by prices that can be compared."""
        prices = self._prices.even
        return self if prices is self._prices else Chooser(prices, self._caps, self._scope)

    def choose(self, need: model.MachineNeed) -> model.MachinePlan | model.Infeasible:
        """Return every way to meet a need, cheapest first, or what binds.

        Raises:
            UsageError: If the need asks for what cannot be (a headroom of 1, no machine).
        """
        return self._remembered(need, need, _as_it_is)

    def choose_from(
        self, instance: model.Instance, need: model.MachineNeed
    ) -> model.MachinePlan | model.Infeasible:
        """Return the same for a machine that stands, by prices that compare with its own.

        What the bill names of both is as it is paid. Where it names one alone, and has no one
        discount, a candidate costs what the machine is paid and what list prices differ by.
        """
        if self.even is self:
            return self.choose(need)
        try:
            paid, listed = (
                bill_today(instance, need.usage, one, self._caps, need.month_ratio)
                for one in (self._prices, self._prices.even)
            )
        except MissingDatum:
            return self.even.choose(need)
        if paid.usd_per_month is None or listed.usd_per_month is None:
            return self.even.choose(need)
        today = _Today(instance.machine_type, paid.lines(1), listed.usd_per_month)
        return self._remembered((need, today), need, partial(self._compared, need, today))

    def _remembered(
        self, key: object, need: model.MachineNeed, seen: Callable[[_Ranked], _Ranked]
    ) -> model.MachinePlan | model.Infeasible:
        answer = self._answers.get(key)
        if answer is None:
            if len(self._answers) >= REMEMBERED_NEEDS:
                self._answers.clear()
            answer = self._answers[key] = self._search(need, seen)
        return answer

    def _compared(self, need: model.MachineNeed, today: "_Today", found: _Ranked) -> _Ranked:
        """Return a candidate at what compares with the machine of today."""
        rank, one = found
        lines = one.line_items
        if one.usd_per_month is None or not is_at_list(self._prices, today.lines, lines):
            return found
        pool = self.even._pool(need)
        _, listed = pool.candidate(pool.place[one.machine_type, one.is_tier1], one.count)
        if listed.usd_per_month is None:
            return found
        paid = model.total_usd(today.lines)
        usd = compared_usd(paid, today.listed_usd, listed.usd_per_month)
        kinds = f"{today.machine_type} to {one.machine_type}"
        added = at_list_line(kinds, usd - one.usd_per_month, 1, self._prices.info.as_of)
        compared = replace(one, usd_per_month=usd, line_items=(*lines, added))
        return rank._replace(usd=usd), compared

    def cost_today(
        self, instance: model.Instance, usage: model.Usage
    ) -> tuple[model.LineItem, ...]:
        """Return what a machine costs a month as it stands: its Tier_1 fee and GPUs included.

        A stopped machine costs nothing: no lines; a suspended one pays for its memory.

        Raises:
            MissingDatum: If the machine has no such price, or a part of it is not known.
        """
        if instance.is_off:
            return lines_when_off(instance, self._prices)
        bill = bill_today(instance, usage, self._prices, self._caps)
        if bill.unknown:
            raise MissingDatum(bill.unknown)
        return bill.lines(1)

    def ledger(self, inventory: model.Inventory, today: date) -> model.CoverLedger:
        """Return what the commitments of an inventory cover, before any change."""
        return self._commitments.ledger(inventory, today)

    def _search(
        self, need: model.MachineNeed, seen: Callable[[_Ranked], _Ranked]
    ) -> model.MachinePlan | model.Infeasible:
        _check(need)
        pool = self._pool(need)
        fitting: list[_Ranked] = []
        needless: list[_Ranked] = []
        short: list[model.Rejected] = []
        refused: list[model.Rejected] = []
        plain_count = 0
        most = need.max_count
        for index, (size, is_tier1) in enumerate(zip(pool.sizes, pool.has_tier1, strict=True)):
            count, short_of = _count(need, size)
            if count > most:
                short.append(pool.refusal(index, short_of, most))
                count = 0
            elif is_tier1 and 0 < plain_count <= count:
                refused.append(pool.refusal(index, "dominated", most))
                needless.append(seen(pool.candidate(index, count)))
            else:
                fitting.append(seen(pool.candidate(index, count)))
            # Tier_1 follows the default variant of its type.
            plain_count = 0 if is_tier1 else count
        rejected = (*short, *pool.unjudged, *refused, *pool.filtered)
        if not fitting:
            binding, shortfall = _what_binds(need, pool)
            shortfall += _tied_out(need, pool)
            return model.Infeasible(
                need=need, binding=binding, shortfall=shortfall, rejected=rejected
            )
        fitting.sort()
        return model.MachinePlan(
            need=need,
            ranked=tuple(candidate for _, candidate in fitting),
            front=_front(sorted([*fitting, *needless])),
            rejected=rejected,
        )

    def _pool(self, need: model.MachineNeed) -> Pool:
        key = pool_key(need)
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pools[key] = build_pool(key, self._prices, self._caps)
        if need.ties is None:
            return pool
        tied = self._tied.get((key, need.ties))
        if tied is None:
            if len(self._tied) >= REMEMBERED_POOLS:
                self._tied.clear()
            tied = self._tied[key, need.ties] = pool.keeping(
                need.ties, partial(self._with_attached, need=key, ties=need.ties)
            )
        return tied

    def _with_attached(
        self,
        bill: MachineBill,
        shape: model.MachineShape,
        *,
        need: model.MachineNeed,
        ties: model.Ties,
    ) -> MachineBill:
        return with_attached(bill, self._prices, need, attached_of(ties, shape))


def _check(need: model.MachineNeed) -> None:
    amounts = (need.gbps, need.outside_gbps, need.memory_gib, need.min_flow_gbps)
    problems = {
        "a required amount is not a number": not all(map(isfinite, amounts)),
        "a required amount is below 0": min(*amounts, need.vcpus) < 0,
        "the headroom must be from 0 to below 1": not 0 <= need.headroom_ratio < 1,
        "at least one VM must be allowed": need.max_count < 1,
        "the share of the month must be above 0 and at most 1": not 0 < need.month_ratio <= 1,
    }
    for text, is_wrong in problems.items():
        if is_wrong:
            raise UsageError(text)


def _count(need: model.MachineNeed, size: Size) -> tuple[int, str]:
    """Return how many machines the need takes, and which amount asks for most of them."""
    count, short_of = _ratio_up(need.gbps, size.usable_gbps), "bandwidth"
    if need.outside_gbps:
        if size.usable_outside_gbps is None:
            return NEVER, "outside-unknown"
        if need.outside_gbps > count * size.usable_outside_gbps * (1 + ROUNDING):
            count, short_of = _ratio_up(need.outside_gbps, size.usable_outside_gbps), "outside"
    if need.vcpus > count * size.vcpus:
        count, short_of = _ratio_up(need.vcpus, size.vcpus), "vcpus"
    if need.memory_gib > count * size.memory_gib * (1 + ROUNDING):
        count, short_of = _ratio_up(need.memory_gib, size.memory_gib), "memory"
    return count, short_of


def _ratio_up(wanted: float, one: float) -> int:
    return max(1, ceil(wanted / one * (1 - ROUNDING)))


def _front(ranked: list[_Ranked]) -> tuple[model.Candidate, ...]:
    """Return the single machines with a known price that no other beats in price and bandwidth.

    Peaks, other architectures and types that have to be checked first are not compared.
    """
    front: list[model.Candidate] = []
    for rank, candidate in ranked:
        if any(rank[:4]) or candidate.count > 1:
            continue
        if front and candidate.cap_gbps <= front[-1].cap_gbps:
            continue
        if front and front[-1].usd_per_month == candidate.usd_per_month:
            front.pop()
        front.append(candidate)
    return tuple(front)


def _what_binds(need: model.MachineNeed, pool: Pool) -> tuple[str, str]:
    """Return the amount that no offer reaches, or that they do not reach together."""
    if not pool.offers:
        return _why_empty(need, pool)
    amounts = (
        ("bandwidth", need.gbps, "Gbit/s", [o.usable_gbps for o in pool.offers]),
        (
            "bandwidth to external addresses",
            need.outside_gbps,
            "Gbit/s",
            [o.usable_outside_gbps or 0.0 for o in pool.offers],
        ),
        ("vcpus", float(need.vcpus), "vCPUs", [float(o.shape.vcpus) for o in pool.offers]),
        ("memory", need.memory_gib, "GiB", [o.shape.memory_gib for o in pool.offers]),
    )
    for name, wanted, unit, each in amounts:
        best = max(range(len(each)), key=each.__getitem__)
        total = each[best] * need.max_count
        if total * (1 + ROUNDING) < wanted:
            machine = pool.offers[best].shape.machine_type
            if name.startswith("bandwidth") and pool.offers[best].cap.is_tier1:
                machine += " with Tier_1"
            return name, (
                f"{need.max_count} × {machine} reach {rounded(total):g} of {wanted:g}"
                f" {unit}{', after headroom' if name.startswith('bandwidth') else ''}"
            )
    wanted_counts = [_count(need, size) for size in pool.sizes]
    closest = min(range(len(wanted_counts)), key=wanted_counts.__getitem__)
    count, short_of = wanted_counts[closest]
    machine = pool.offers[closest].shape.machine_type
    return (
        "combination",
        f"no type has enough bandwidth, vCPUs and memory; {machine} is closest and needs {count}"
        f" VMs for its {short_of}, but {need.max_count} are allowed",
    )


TIES = {
    "disks": "disks",
    "placement": "placement policy",
    "reservation": "reservation",
    "nodes": "sole-tenant nodes",
}
"""Reasons that come from what a machine holds, in words."""


def _tied_out(need: model.MachineNeed, pool: Pool) -> str:
    """Return how many types a machine cannot become for what it holds, with a semicolon before."""
    if need.ties is None:
        return ""
    found = {r.machine_type: TIES[r.reason] for r in pool.filtered if r.reason in TIES}
    if not found:
        return ""
    held = " or ".join(sorted(set(found.values())))
    return f"; {counted(len(found), 'more type')} cannot take its {held}"


def _why_empty(need: model.MachineNeed, pool: Pool) -> tuple[str, str]:
    counts: dict[str, int] = {}
    for refused in (*pool.unjudged, *pool.filtered):
        if refused.reason != "not-offered":
            counts[refused.reason] = counts.get(refused.reason, 0) + 1
    if not counts:
        return "not-offered", f"no machine type is offered in {need.region}"
    reason = max(sorted(counts), key=lambda name: counts[name])
    listed = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return reason, f"no type offered in {need.region} fits: {listed}"
