"""The best way to move bytes: ways, relays and machines, held against the direct way."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

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
from netplan_planner.optimise.transfer.hops import Tables, kind_of
from netplan_planner.optimise.transfer.infeasible import why_infeasible
from netplan_planner.optimise.transfer.likely import probability_of
from netplan_planner.optimise.transfer.market import market_of
from netplan_planner.optimise.transfer.solved import Asked
from netplan_planner.optimise.transfer.tries import AS_FAST, key, solve, without_relays


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
    straight = without_relays(market, need)
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
        deadline_probability=probability_of(need, market, best, caps) if best else None,
        bound_usd=bound,
        direct=direct.best,
        why_no_direct="" if direct.best else words.why_no_direct(need, direct),
        front=_front(need, [*solved.options, *direct.options]),
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


def _better(
    need: TransferNeed, best: TransferOption | None, direct: TransferOption | None
) -> TransferOption | None:
    """Return the better of two plans; of equal ones the direct way."""
    if best is None or direct is None:
        return best or direct
    if need.goal is TransferGoal.TIME:
        is_alike = direct.duration_s <= best.duration_s * AS_FAST
        return direct if is_alike and direct.usd_total <= best.usd_total else best
    return direct if key(direct) <= key(best) else best


def _front(need: TransferNeed, options: Sequence[TransferOption]) -> tuple[TransferOption, ...]:
    """Return what no other beats in both cost, in whole cents, and time, cheapest first.

    What is in time is not the same as what is a little late.
    """
    ordered = sorted(options, key=lambda one: (*key(one), len(one.relays)))
    front: list[TransferOption] = []
    for one in ordered:
        is_faster = not front or one.duration_s * AS_FAST < front[-1].duration_s
        is_late = bool(front) and not need.is_in_time(front[-1].duration_s)
        if is_faster or (is_late and need.is_in_time(one.duration_s)):
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
