"""The best way to move bytes: ways, relays and machines, held against the direct way."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

import numpy as np
from msgspec.structs import replace

from netplan_planner.model import CapsBook, PriceBook, Text, Usage, worded
from netplan_planner.model.transfer import (
    AddressKind,
    NetworkTier,
    PlaceKind,
    TransferGoal,
    TransferNeed,
    TransferOption,
    TransferPlan,
    TransferWay,
)
from netplan_planner.optimise.transfer import words
from netplan_planner.optimise.transfer.hops import Tables, kind_of, region_of_bucket
from netplan_planner.optimise.transfer.infeasible import why_infeasible
from netplan_planner.optimise.transfer.market import Market, market_of
from netplan_planner.optimise.transfer.network import kept
from netplan_planner.optimise.transfer.option import option_of
from netplan_planner.optimise.transfer.searching import search
from netplan_planner.optimise.transfer.solved import Asked, Solved
from netplan_planner.optimise.transfer.solving import Searched, Solution
from netplan_planner.optimise.transfer.starts import direct_ramp_s

CENT = Decimal("0.01")
_TRIES = 3
_LATE = 1 + 1e-6
_AS_FAST = 1 + 1e-4
"""A time that is so little longer is the same."""


def plan_transfer(
    need: TransferNeed,
    prices: PriceBook,
    caps: CapsBook,
    tables: Tables = Tables(),  # noqa: B008
) -> TransferPlan:
    """Return the best way to do a transfer, or why there is none.

    Every target gets all bytes; a relay passes them on as they come, and a byte for several
    targets crosses each way once. Costs are compared in whole cents; of equal ones the fastest
    comes first.
    """
    asked = Asked(prices, caps, tables)
    market = market_of(need, prices, caps, tables)
    straight = _without_relays(market, need)
    if need.relays == ():
        market = straight
    solved = solve(market, need, asked)
    direct = solve(straight, need, asked, has_front=False)
    best = _better(need, solved.best, direct.best)
    infeasible = None if best else why_infeasible(need, solved, asked)
    bound = None
    if best is not None:
        bound = min(Decimal(repr(solved.found.bound_usd)), best.usd_total)
    return TransferPlan(
        need=need,
        plan=best,
        bound_usd=bound,
        direct=direct.best,
        why_no_direct="" if direct.best else words.why_no_direct(need, direct),
        front=_front([*solved.options, *direct.options]),
        ways=tuple(_ways(need, asked)) if best is not None else (),
        relay_verdict=words.relay_verdict(need, market, best, direct.best, asked),
        infeasible=infeasible,
        unknown=market.unknown,
        unpriced=market.unpriced.unpriced,
        doubts=words.doubts(need, market, best) if best is not None else (),
        advice=tuple(words.advice(need, market, best)) if best is not None else (),
        assumptions=tuple(words.assumptions(need, market, tables)),
        is_given=tables.has_own_names,
    )


def solve(market: Market, need: TransferNeed, asked: Asked, *, has_front: bool = True) -> Solved:
    """Return the best plan on a network, with exact times and bills.

    The start of the connections is known when the ways are: where it makes a plan late, the plan is
    made again with that much less time.
    """
    if not market.hops or not market.machines:
        return Solved(market, Searched(None, (), 0.0, None, None), None, ())
    ramp = direct_ramp_s(market, need, asked.caps)
    solved = None
    for _ in range(_TRIES):
        network = market.network._replace(overhead_s=(need.startup_s or 0.0) + ramp)
        own = market._replace(network=network)
        found = search(
            network,
            is_time=need.goal is TransferGoal.TIME,
            deadline_s=need.deadline_s,
            budget_usd=None if need.budget_usd is None else float(need.budget_usd),
            has_front=has_front or need.usage is Usage.SPOT,
        )
        solved = _evaluated(own, need, asked, found)
        late = _late_ramp_s(need, solved, ramp)
        if late is None:
            break
        ramp = late
    assert solved is not None
    return solved


def _late_ramp_s(need: TransferNeed, solved: Solved, ramp: float) -> float | None:
    """Return the start that made a plan late; None: none did."""
    if solved.best is not None or solved.found.best is None or need.usage is Usage.SPOT:
        return None
    longest = max((one.ramp_s for one in solved.options), default=0.0)
    return longest if longest > ramp else None


def _evaluated(market: Market, need: TransferNeed, asked: Asked, found: Searched) -> Solved:
    every = [*([found.best] if found.best else []), *found.front]
    options = tuple(
        option
        for one in _distinct(every)
        if (option := option_of(market, need, one, asked.prices, asked.caps)) is not None
    )
    usable = [one for one in options if fits(need, one)]
    best = None
    if need.goal is TransferGoal.TIME:
        least_s = min((one.duration_s for one in usable), default=0.0) * _AS_FAST
        fastest = [one for one in usable if one.duration_s <= least_s]
        best = min(fastest, key=lambda one: (one.usd_total, one.duration_s), default=None)
    elif usable:
        least = min(one.usd_total for one in usable).quantize(CENT)
        alike = [one for one in usable if one.usd_total.quantize(CENT) == least]
        best = min(alike, key=lambda one: (one.duration_s, one.usd_total))
    return Solved(market, found, best, options)


def _distinct(solutions: Sequence[Solution]) -> list[Solution]:
    seen: dict[object, Solution] = {}
    for one in solutions:
        seen.setdefault((tuple(one.counts.tolist()), one.routes), one)
    return list(seen.values())


def fits(need: TransferNeed, option: TransferOption) -> bool:
    """Return whether a plan keeps the deadline and the budget."""
    if need.deadline_s is not None and option.duration_s > need.deadline_s * _LATE:
        return False
    return need.budget_usd is None or option.usd_total <= need.budget_usd


def _better(
    need: TransferNeed, best: TransferOption | None, direct: TransferOption | None
) -> TransferOption | None:
    """Return the better of two plans; of equal ones the direct way."""
    if best is None or direct is None:
        return best or direct
    if need.goal is TransferGoal.TIME:
        is_alike = direct.duration_s <= best.duration_s * _AS_FAST
        return direct if is_alike and direct.usd_total <= best.usd_total else best
    return direct if _key(direct) <= _key(best) else best


def _key(option: TransferOption) -> tuple[Decimal, float]:
    return option.usd_total.quantize(CENT), option.duration_s


def _without_relays(market: Market, need: TransferNeed) -> Market:
    """Return the network with the direct ways alone."""
    network = market.network
    ends = {region_of_bucket(one) for one in (need.source, *need.targets)}
    ends |= {need.source, *need.targets}
    places = np.array([name in ends for name in network.places], dtype=bool)
    on = market.is_direct & places[network.src] & places[network.dst]
    options = places[network.option_place]
    return market._replace(
        network=kept(network, places, market.is_direct),
        hops=tuple(one for one, is_on in zip(market.hops, on, strict=True) if is_on),
        machines=tuple(one for one, is_on in zip(market.machines, options, strict=True) if is_on),
        is_direct=np.ones(int(on.sum()), dtype=bool),
    )


def _front(options: Sequence[TransferOption]) -> tuple[TransferOption, ...]:
    """Return what no other beats in both cost, in whole cents, and time, cheapest first."""
    ordered = sorted(options, key=lambda one: (*_key(one), len(one.relays)))
    front: list[TransferOption] = []
    for one in ordered:
        if not front or one.duration_s * _AS_FAST < front[-1].duration_s:
            front.append(one)
    return tuple(front)


def _ways(need: TransferNeed, asked: Asked) -> Iterator[TransferWay]:
    """Yield what other choices would make of it, each at its own best."""
    if asked.tables.grid is not None:
        return
    regions = frozenset(asked.prices.regions())
    kinds = {kind_of(one, regions, asked.tables) for one in need.targets}
    if PlaceKind.INTERNET in kinds:
        other = (
            NetworkTier.STANDARD
            if need.network_tier is NetworkTier.PREMIUM
            else NetworkTier.PREMIUM
        )
        yield _way(f"{other.value.title()} Tier", replace(need, network_tier=other), asked)
    if kinds == {PlaceKind.REGION} and need.source in regions and len(need.targets) == 1:
        external = need.address is AddressKind.INTERNAL
        kind = AddressKind.EXTERNAL if external else AddressKind.INTERNAL
        yield _way(f"{kind.value} addresses", replace(need, address=kind), asked)
    if need.usage is Usage.ON_DEMAND and need.interruptions_per_day is not None:
        yield _way("Spot machines", replace(need, usage=Usage.SPOT), asked)


def _way(name: str, need: TransferNeed, asked: Asked) -> TransferWay:
    other = replace(need, relays=need.relays if need.relays is not None else ())
    market = market_of(other, *asked)
    solved = solve(market, other, asked, has_front=False)
    why: Text = ""
    if solved.best is None:
        found = why_infeasible(other, solved, asked)
        why = worded(f"{found.binding}: ", found.shortfall) if found.shortfall else found.binding
    return TransferWay(name=name, option=solved.best, why_not=why)
