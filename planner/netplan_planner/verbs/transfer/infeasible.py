"""Why a transfer cannot be done, by how little it misses, and what to change."""

import math
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, Decimal

from msgspec.structs import replace

from netplan_planner.model import Amount, Rejected, Text, worded
from netplan_planner.optimise.job.plan import deadline_of, seconds_text
from netplan_planner.verbs.transfer.answer import TransferInfeasible, TransferOption
from netplan_planner.verbs.transfer.ask import PlaceLimit, TransferNeed
from netplan_planner.verbs.transfer.hops import region_of_bucket
from netplan_planner.verbs.transfer.market import market_of
from netplan_planner.verbs.transfer.option import Asked, Solved, option_of
from netplan_planner.verbs.transfer.solve import program
from netplan_planner.verbs.transfer.solve.network import scaled
from netplan_planner.verbs.transfer.solve.program import Aim, Span
from netplan_planner.verbs.transfer.tries import search

NO_PRICE = "no price is known for the only way"
_BYTES_PER_GB = 10**9
MOST_COUNT = 1000
"""How many machines are tried, to say how many it takes: no more may be asked for."""
_MORE = (1.0, 1.01, 1.1, 1.25, 1.5, 2.0)
"""Times what is least: a start takes longer with more machines, and these are whole."""


def why_infeasible(need: TransferNeed, solved: Solved, asked: Asked) -> TransferInfeasible:
    """Return why nothing keeps the bounds, by how little, and what to change."""
    if not solved.options:
        return _no_way(need, solved)
    fastest = min(solved.options, key=lambda one: one.duration_s)
    cheapest = min(solved.options, key=lambda one: (one.usd_total, one.duration_s))
    deadline = need.deadline_s
    if deadline is not None and not need.is_in_time(fastest.duration_s):
        return _too_slow(need, solved, asked, fastest, deadline)
    budget = need.budget_usd or Decimal(0)
    if deadline is not None and cheapest.usd_total <= budget:
        within = [one for one in solved.options if need.is_in_time(one.duration_s)]
        own = min(within, key=lambda one: one.usd_total)
        short = own.usd_total - budget
        return TransferInfeasible(
            binding="no plan meets both the deadline and the budget",
            shortfall=worded(
                "a plan within the deadline costs at least ",
                Amount(usd=own.usd_total),
                ", ",
                Amount(usd=short),
                " above the budget",
            ),
            shortfall_usd=short,
            changes=(
                _budget(own.usd_total),
                worded(
                    f"{deadline_of(cheapest.duration_s)}: then it costs ",
                    Amount(usd=cheapest.usd_total),
                ),
            ),
        )
    short = cheapest.usd_total - budget
    traffic = cheapest.traffic_usd
    why = " for traffic alone" if traffic > budget else ""
    fits = Decimal(need.volume_bytes) * budget / cheapest.usd_total
    return TransferInfeasible(
        binding=f"the cheapest path costs more than the budget{why}",
        shortfall=worded(
            "the cost is ", Amount(usd=cheapest.usd_total), ", ", Amount(usd=short), " too much"
        ),
        shortfall_usd=short,
        changes=(
            _budget(cheapest.usd_total),
            *_fewer_bytes(float(fits)),
        ),
    )


def _fewer_bytes(fitting: float) -> Iterator[str]:
    """Yield the option that asks for so many bytes, in gigabytes where they are some."""
    if fitting >= 1:
        giga = int(fitting / _BYTES_PER_GB)
        size = f"{giga}GB" if giga else f"{int(fitting)}B"
        yield f"fewer bytes: approximately {size} fit (--bytes {size})"


def _no_way(need: TransferNeed, solved: Solved) -> TransferInfeasible:
    market = solved.market
    if solved.found.fastest is not None:
        return TransferInfeasible(
            binding="Spot VMs would be interrupted before they finish",
            changes=(
                "on-demand VMs: without --spot",
                "less work lost per interruption: --spot-lost-work",
            ),
        )
    reached = {hop.dst for hop in market.hops} | {need.source}
    missing = [one for one in need.targets if one not in reached] or list(need.targets)
    ends = (need.source, ", ".join(missing))
    unpriced = [
        told
        for told in market.unpriced.unpriced
        if told.startswith(f"{region_of_bucket(need.source)} to {region_of_bucket(missing[0])}:")
        or told.startswith(f"{need.source} to {missing[0]}:")
    ]
    if unpriced:
        return TransferInfeasible(
            binding=f"{NO_PRICE}: {unpriced[0]}",
            changes=("a price table with that row: --edge-prices FILE",),
        )
    if market.hops and not market.machines:
        return _no_machine(need, market.unknown)
    lacking = sorted(
        place
        for place in {region_of_bucket(one) for one in (need.source, *need.targets)}
        if place not in {one.place for one in market.machines}
    )
    if market.hops and lacking and not market.is_given:
        return TransferInfeasible(
            binding=f"no suitable machine type is offered in {', '.join(lacking)}",
            changes=("another machine type or series (--machine-type, --series)",),
        )
    return TransferInfeasible(
        binding=f"no path from {ends[0]} to {ends[1]}",
        shortfall="no hop has both a rate and a price",
        changes=("more rows (--grid, --edge-prices)", "more places that may relay (--relay)"),
    )


def _no_machine(need: TransferNeed, unknown: Sequence[Rejected]) -> TransferInfeasible:
    """Return that no machine type is left, by what was asked of them or for want of figures."""
    why, changes = "no machine type meets the requirements", []
    if unknown:
        kinds = ", ".join(sorted({one.reason for one in unknown}))
        example = f"{unknown[0].machine_type}: {unknown[0].detail}"
        why = f"no suitable machine type has a price and a known bandwidth ({kinds}): {example}"
    if need.memory_gib:
        changes.append(f"less memory than {need.memory_gib:g} GiB (--memory-gib)")
    if need.machine_types or need.series or need.architecture or not changes:
        changes.append("another machine type, series or architecture (--machine-type, --series)")
    return TransferInfeasible(binding=why, changes=(*changes, "netplan caps lists what is known"))


def _too_slow(
    need: TransferNeed,
    solved: Solved,
    asked: Asked,
    fastest: TransferOption,
    deadline: float,
) -> TransferInfeasible:
    short = fastest.duration_s - deadline
    return TransferInfeasible(
        binding=f"the deadline is too short{_for_the_start(fastest, deadline)}",
        shortfall=f"the fastest plan takes {seconds_text(fastest.duration_s)}: "
        f"{seconds_text(short)} too long",
        shortfall_s=short,
        held_back_by=None if _is_start(fastest, deadline) else fastest.binding[0],
        changes=tuple(_faster(need, solved, asked, fastest, deadline)),
    )


def _faster(
    need: TransferNeed,
    solved: Solved,
    asked: Asked,
    fastest: TransferOption,
    deadline: float,
) -> Iterator[Text]:
    """Yield each change that alone is enough, the deadline first."""
    yield deadline_of(fastest.duration_s)
    over = fastest.duration_s - fastest.transfer_s
    left = deadline - over
    if left <= 0:
        yield "less start-up time (--start-up)"
        return
    count = _enough_machines(need, solved, asked, deadline)
    if count is not None:
        yield f"more VMs per place: {count} (--max-count {count})"
    yield from _greater_quotas(need, asked, fastest.transfer_s / left)
    yield from _fewer_bytes(need.volume_bytes * left / fastest.transfer_s)


def _enough_machines(
    need: TransferNeed, solved: Solved, asked: Asked, deadline: float
) -> int | None:
    """Return how many machines a place are enough; None: no number that may be asked for.

    Fractions of machines say from which number on it is worth a look.
    """
    network = solved.market.network

    def is_possible(count: int) -> bool:
        own = scaled(network._replace(most=count))
        span = Span(0.0, deadline / own.unit_s)
        return program.relaxed(own.network, span, Aim(is_time=True)) is not None

    if need.max_count >= MOST_COUNT or not is_possible(MOST_COUNT):
        return None
    low, high = need.max_count, MOST_COUNT
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_possible(middle) else (middle, high)
    for more in _MORE:
        count = min(math.ceil(high * more), MOST_COUNT)
        if _is_in_time(replace(need, max_count=count), asked):
            return count
    return None


def _greater_quotas(need: TransferNeed, asked: Asked, ratio: float) -> Iterator[Text]:
    """Yield each quota that alone is enough when it grows; where none is, all of them together.

    Faster machines may take longer to start: a little more than the ratio of the times is tried.
    """
    every = {*need.inside_quotas, *need.outside_quotas}
    found = [_enough(need, {one}, asked, ratio) for one in sorted(every, key=_by_place)]
    if not any(found) and len(every) > 1:
        found = [_enough(need, every, asked, ratio)]
    yield from (told for told in found if told)


def _by_place(quota: PlaceLimit) -> tuple[str, float]:
    return quota.place, quota.gbps


def _enough(need: TransferNeed, grown: set[PlaceLimit], asked: Asked, ratio: float) -> str:
    """Return the quotas that are enough when they grow, as options; empty: they are not."""
    for more in _MORE:
        by = ratio * more
        inside = [_grown(one, by) if one in grown else one for one in need.inside_quotas]
        out = [_grown(one, by) if one in grown else one for one in need.outside_quotas]
        other = replace(need, inside_quotas=tuple(inside), outside_quotas=tuple(out))
        if _is_in_time(other, asked):
            old = {*need.inside_quotas, *need.outside_quotas}
            changed = [(one, "--quota") for one in inside if one not in old]
            changed += [(one, "--internet-quota") for one in out if one not in old]
            what = "a quota" if len(changed) == 1 else "quotas"
            rates = " and ".join(f"{one.gbps:g} Gbit/s in {one.place}" for one, _ in changed)
            told = " ".join(f"{option} {one.place}={one.gbps:g}" for one, option in changed)
            return f"{what} of {rates} (console, Quotas page): {told}"
    return ""


def _grown(quota: PlaceLimit, ratio: float) -> PlaceLimit:
    return replace(quota, gbps=math.ceil(quota.gbps * ratio * 10) / 10)


def _is_in_time(need: TransferNeed, asked: Asked) -> bool:
    market = market_of(need, asked.prices, asked.caps, asked.tables)
    network = market.network._replace(overhead_s=need.startup_s or 0.0)
    found = search(network, is_time=True, has_front=False)
    if found.fastest is None:
        return False
    option = option_of(market, need, found.fastest, asked.prices, asked.caps)
    return option is not None and need.is_in_time(option.duration_s)


def _is_start(fastest: TransferOption, deadline: float) -> bool:
    """Return whether what comes before the steady state takes the time."""
    return fastest.duration_s - fastest.transfer_s >= deadline or not fastest.binding


def _for_the_start(fastest: TransferOption, deadline: float) -> str:
    is_start = _is_start(fastest, deadline)
    return " for start-up and connection start" if is_start else ""


def _budget(usd: Decimal) -> Text:
    enough = usd.quantize(Decimal("0.01"), ROUND_CEILING)
    return worded("a budget of ", Amount(usd=enough), f" (--budget {enough})")
