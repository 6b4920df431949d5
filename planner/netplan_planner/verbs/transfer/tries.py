"""A transfer solved with the start of its connections within its deadline.

The start is known when the ways are. A plan that its own start makes late is made again with that
much less time: first all ways, then its own places alone, where no other way's start counts.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Usage
from netplan_planner.verbs.transfer.answer import TransferOption
from netplan_planner.verbs.transfer.ask import TransferGoal, TransferNeed
from netplan_planner.verbs.transfer.hops import region_of_bucket
from netplan_planner.verbs.transfer.market import SAME_S, Market
from netplan_planner.verbs.transfer.option import Asked, Solved, option_of
from netplan_planner.verbs.transfer.pairs import direct_ramp_s
from netplan_planner.verbs.transfer.solve import program
from netplan_planner.verbs.transfer.solve.network import Network, kept, scaled
from netplan_planner.verbs.transfer.solve.program import Aim, Span
from netplan_planner.verbs.transfer.solve.solving import (
    NOTHING,
    Searched,
    Solution,
    longest_s,
    searched,
)

CENT = Decimal("0.01")
AS_FAST = 1 + 1e-4
"""A time that is so little longer is the same."""
_TRIES = 6
_LONGER = 1.05
"""Than what comes before the steady state alone: some time is left for the bytes."""


class _Tries(NamedTuple):
    """What was found with more and more time for the start."""

    solved: list[Solved]
    late: list[TransferOption]
    """What its own start made late, of each try but the last."""


def solve(market: Market, need: TransferNeed, asked: Asked, *, has_front: bool = True) -> Solved:
    """Return the best plan on a network, with exact times and bills."""
    if not market.hops or not market.machines:
        return Solved(market, NOTHING, None, ())
    ramp_s = direct_ramp_s(market, need, asked.caps)
    tries = _tries(market, need, asked, ramp_s, has_front=has_front)
    last = tries.solved[-1]
    if not tries.late:
        return last
    found = _in_time(need, tries)
    for own in (*tries.late, *_best_of(need, found)):
        part = _part_of(market, own)
        found += _in_time(need, _tries(part, need, asked, own.ramp_s, has_front=False))
    # The bound is the first try's: no other left so little time for the start.
    bound_usd = tries.solved[0].found.bound_usd
    return last._replace(
        found=last.found._replace(
            bound_usd=bound_usd,
            is_out_of_time=any(one.found.is_out_of_time for one in tries.solved),
        ),
        best=_best(need, [one for one in found if fits(need, one)]),
        options=(*last.options, *_best_of(need, found)),
    )


def _tries(
    market: Market, need: TransferNeed, asked: Asked, ramp_s: float, *, has_front: bool
) -> _Tries:
    """Return what is found with so much time for the start, then with as much as it takes."""
    found = _Tries([], [])
    while len(found.solved) < _TRIES:
        network = market.network._replace(overhead_s=(need.startup_s or 0.0) + ramp_s)
        searched = search(
            network,
            is_time=need.goal is TransferGoal.TIME,
            deadline_s=need.deadline_s,
            budget_usd=None if need.budget_usd is None else float(need.budget_usd),
            has_front=has_front or need.usage is Usage.SPOT,
        )
        found.solved.append(_evaluated(market._replace(network=network), need, asked, searched))
        late = _late(need, found, ramp_s)
        if late is None:
            break
        found.late.append(late)
        ramp_s = late.ramp_s
    return found


def _late(need: TransferNeed, tries: _Tries, ramp_s: float) -> TransferOption | None:
    """Return what its own start makes late, where `ramp_s` was left for it; None: nothing.

    It is what the program chose, or what costs less than all that is in time.
    """
    if need.deadline_s is None or (need.usage is Usage.SPOT and need.interruptions_per_day):
        return None
    in_time = _in_time(need, tries)
    if need.goal is TransferGoal.TIME and in_time:
        return None
    least = min((key(one)[0] for one in in_time), default=Decimal("Infinity"))
    last = tries.solved[-1]
    chosen = last.options[:1] if last.found.best is not None else ()
    before_s = (need.startup_s or 0.0) + ramp_s
    late = [
        one
        for one in last.options
        if need.is_in_time(before_s + one.transfer_s)
        and not need.is_in_time(one.duration_s)
        and (key(one)[0] < least or one in chosen)
    ]
    return min(late, key=key, default=None)


def _in_time(need: TransferNeed, tries: _Tries) -> list[TransferOption]:
    every = (one for each in tries.solved for one in each.options)
    return [one for one in every if need.is_in_time(one.duration_s)]


def _best_of(need: TransferNeed, found: Sequence[TransferOption]) -> list[TransferOption]:
    """Return the best of the plans within the budget; where none is, the best of all."""
    best = _best(need, [one for one in found if fits(need, one)]) or _best(need, found)
    return [best] if best is not None else []


def key(option: TransferOption) -> tuple[Decimal, float]:
    """Return by what the cheapest is found: whole cents, then the time."""
    return option.usd_total.quantize(CENT), option.duration_s


def _evaluated(market: Market, need: TransferNeed, asked: Asked, found: Searched) -> Solved:
    every = [*([found.best] if found.best else []), *found.front]
    options = tuple(
        option
        for one in _distinct(every)
        if (option := option_of(market, need, one, asked.prices, asked.caps)) is not None
    )
    return Solved(market, found, _best(need, [one for one in options if fits(need, one)]), options)


def _best(need: TransferNeed, usable: Sequence[TransferOption]) -> TransferOption | None:
    """Return the best of the plans that keep the bounds; None: there are none."""
    if not usable:
        return None
    alike = usable
    if need.goal is TransferGoal.COST:
        least = min(one.usd_total for one in usable).quantize(CENT)
        alike = [one for one in usable if one.usd_total.quantize(CENT) == least]
    least_s = min(one.duration_s for one in alike)
    as_fast = [one for one in alike if one.duration_s <= max(least_s * AS_FAST, least_s + SAME_S)]
    if need.goal is TransferGoal.COST:
        return min(as_fast, key=lambda one: (machine_count(one), one.duration_s, one.usd_total))
    return min(as_fast, key=lambda one: (one.usd_total, machine_count(one), one.duration_s))


def machine_count(option: TransferOption) -> int:
    """Return how many machines a plan takes."""
    return sum(one.count for one in option.machines)


def _distinct(solutions: Sequence[Solution]) -> list[Solution]:
    seen: dict[object, Solution] = {}
    for one in solutions:
        seen.setdefault((tuple(one.counts.tolist()), one.routes), one)
    return list(seen.values())


def fits(need: TransferNeed, option: TransferOption) -> bool:
    """Return whether a plan keeps the deadline and the budget."""
    if not need.is_in_time(option.duration_s):
        return False
    return need.budget_usd is None or option.usd_total <= need.budget_usd


def without_relays(market: Market, need: TransferNeed) -> Market:
    """Return the network with the direct ways alone."""
    network = market.network
    ends = {region_of_bucket(one) for one in (need.source, *need.targets)}
    ends |= {need.source, *need.targets}
    places = np.array([name in ends for name in network.places], dtype=bool)
    return _part(market, places, market.is_direct)


def _part_of(market: Market, option: TransferOption) -> Market:
    """Return the network of a plan's own places and ways."""
    ways = {(one.src, one.dst) for one in option.flows}
    own = {place for way in ways for place in way}
    places = np.array([name in own for name in market.network.places], dtype=bool)
    edges = np.array([(hop.src, hop.dst) in ways for hop in market.hops], dtype=bool)
    return _part(market, places, edges)


def _part(market: Market, places: NDArray[np.bool_], edges: NDArray[np.bool_]) -> Market:
    """Return the network of some places and some of the ways between them."""
    network = market.network
    on = edges & places[network.src] & places[network.dst]
    options = places[network.option_place]
    return market._replace(
        network=kept(network, places, edges),
        hops=tuple(one for one, is_on in zip(market.hops, on, strict=True) if is_on),
        machines=tuple(one for one, is_on in zip(market.machines, options, strict=True) if is_on),
        is_direct=market.is_direct[on],
    )


def search(
    network: Network,
    *,
    is_time: bool = False,
    deadline_s: float | None = None,
    budget_usd: float | None = None,
    has_front: bool = True,
) -> Searched:
    """Return the best plan within the bounds, and what there is whatever the deadline.

    Args:
        network: Places, edges, machines.
        is_time: Whether time is to be least, else cost.
        deadline_s: Until the last byte, start-up included.
        budget_usd: Most that it may cost.
        has_front: Whether the candidates of the front are wanted, too.
    """
    own, unit_s = scaled(network)
    found = searched(
        own,
        is_time=is_time,
        deadline_s=None if deadline_s is None else deadline_s / unit_s,
        budget_usd=budget_usd,
        has_front=has_front,
    )
    quick = _within_the_least(own, unit_s, is_time=is_time, deadline_s=deadline_s)
    if quick is not None:
        other = searched(
            quick,
            is_time=is_time,
            deadline_s=None if deadline_s is None else deadline_s / unit_s,
            budget_usd=budget_usd,
            has_front=False,
        )
        found = _joined(found, other)

    def timed(one: Solution | None) -> Solution | None:
        return one and one._replace(transfer_s=one.transfer_s * unit_s)

    return found._replace(
        best=timed(found.best),
        front=tuple(one._replace(transfer_s=one.transfer_s * unit_s) for one in found.front),
        fastest=timed(found.fastest),
        cheapest=timed(found.cheapest),
    )


def _within_the_least(
    network: Network, unit_s: float, *, is_time: bool, deadline_s: float | None
) -> Network | None:
    """Return the network of plans that end before the least time that is paid; None: of no use.

    To the program a machine is up as long as it is paid. Where that is a minute whatever it does, a
    machine-second of a shorter time costs so much more.
    """
    least_s = network.least_s
    low_s = least_s if deadline_s is None else deadline_s / unit_s
    if not network.is_priced or not (is_time or low_s < least_s):
        return None
    if is_time:
        free = network._replace(least_s=0.0)
        fast = program.relaxed(free, Span(free.overhead_s, longest_s(free)), Aim(is_time=True))
        if fast is None or fast.up_s > low_s:
            return None
        low_s = max(fast.up_s, network.overhead_s * _LONGER)
    if not network.overhead_s < low_s < least_s:
        return None
    return network._replace(least_s=low_s, option_usd=network.option_usd * (least_s / low_s))


def _joined(found: Searched, quick: Searched) -> Searched:
    """Return what two searches found; what is proven is the first one's, for as long or longer."""
    every = (*found.front, *quick.front, *(one for one in (quick.best, found.best) if one))
    return found._replace(
        is_out_of_time=found.is_out_of_time or quick.is_out_of_time,
        best=quick.best or found.best,
        front=every,
        fastest=min(every, key=lambda one: one.transfer_s, default=None),
    )
