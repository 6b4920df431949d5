"""Why a transfer cannot be done, by how little it misses, and what to change."""

import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, Decimal

from msgspec.structs import replace

from netplan_planner.model import Amount, Text, worded
from netplan_planner.model.transfer import (
    INTERNET,
    TransferInfeasible,
    TransferNeed,
    TransferOption,
)
from netplan_planner.optimise.transfer import program
from netplan_planner.optimise.transfer.hops import region_of_bucket
from netplan_planner.optimise.transfer.market import market_of
from netplan_planner.optimise.transfer.option import option_of
from netplan_planner.optimise.transfer.program import Aim, Span
from netplan_planner.optimise.transfer.solved import Asked, Solved, seconds_text
from netplan_planner.optimise.transfer.solving import search
from netplan_planner.units import counted

MOST_COUNT = 1024
"""How many machines are tried, to say how many it takes."""


def why_infeasible(need: TransferNeed, solved: Solved, asked: Asked) -> TransferInfeasible:
    """Return why nothing keeps the bounds, by how little, and what to change."""
    if not solved.options:
        return _no_way(need, solved)
    fastest = min(solved.options, key=lambda one: one.duration_s)
    cheapest = min(solved.options, key=lambda one: (one.usd_total, one.duration_s))
    deadline = need.deadline_s
    if deadline is not None and fastest.duration_s > deadline * (1 + 1e-6):
        return _too_slow(need, solved, asked, fastest, deadline)
    budget = need.budget_usd or Decimal(0)
    if deadline is not None and cheapest.usd_total <= budget:
        within = [one for one in solved.options if one.duration_s <= deadline * (1 + 1e-6)]
        own = min(within, key=lambda one: one.usd_total)
        short = own.usd_total - budget
        return TransferInfeasible(
            binding="the deadline and the budget cannot both be kept",
            shortfall=worded(
                "within the deadline it costs at least ",
                Amount(usd=own.usd_total),
                ", ",
                Amount(usd=short),
                " above the budget",
            ),
            shortfall_usd=short,
            changes=(
                f"--budget {_usd(own.usd_total)}",
                worded(
                    f"--deadline {_for_option(cheapest.duration_s)}: then it costs ",
                    Amount(usd=cheapest.usd_total),
                ),
            ),
        )
    short = cheapest.usd_total - budget
    traffic = cheapest.traffic_usd
    why = " by its traffic alone" if traffic > budget else ""
    fits = Decimal(need.volume_bytes) * budget / cheapest.usd_total
    return TransferInfeasible(
        binding=f"the cheapest way costs more than the budget{why}",
        shortfall=worded(
            "it costs ", Amount(usd=cheapest.usd_total), ", ", Amount(usd=short), " too much"
        ),
        shortfall_usd=short,
        changes=(
            f"--budget {_usd(cheapest.usd_total)}",
            f"fewer bytes: about {int(fits):,} fit",
        ),
    )


def _no_way(need: TransferNeed, solved: Solved) -> TransferInfeasible:
    market = solved.market
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
            binding=f"no price is known for the only way: {unpriced[0]}",
            shortfall="",
            changes=tuple(_for_a_price(need)),
        )
    if market.hops and not market.machines:
        kinds = ", ".join(sorted({one.reason for one in market.unknown}))
        example = market.unknown[0] if market.unknown else None
        told = f": {example.machine_type}: {example.detail}" if example else ""
        return TransferInfeasible(
            binding=f"no machine that passes has a price and a known bandwidth ({kinds}){told}",
            shortfall="",
            changes=("another --machine-type or --series", "netplan caps lists what is known"),
        )
    lacking = sorted(
        place
        for place in {region_of_bucket(one) for one in (need.source, *need.targets)}
        if place not in {one.place for one in market.machines}
    )
    if market.hops and lacking and not market.is_given:
        return TransferInfeasible(
            binding=f"no machine that passes is offered in {', '.join(lacking)}",
            shortfall="",
            changes=("another --machine-type or --series",),
        )
    return TransferInfeasible(
        binding=f"nothing leads from {ends[0]} to {ends[1]}",
        shortfall="no hop has both a rate and a price",
        changes=("more rows in --grid and --edge-prices", "more places that may relay (--relay)"),
    )


def _for_a_price(need: TransferNeed) -> Iterator[str]:
    yield "a table of prices with that row: --edge-prices FILE"
    if INTERNET in need.targets and need.area is None:
        yield "--area, where on the internet it goes"


def _too_slow(
    need: TransferNeed,
    solved: Solved,
    asked: Asked,
    fastest: TransferOption,
    deadline: float,
) -> TransferInfeasible:
    short = fastest.duration_s - deadline
    return TransferInfeasible(
        binding=f"the deadline is too short, held back by {_held_back_by(fastest, deadline)}",
        shortfall=f"the fastest takes {seconds_text(fastest.duration_s)}:"
        f" {seconds_text(short)} too long",
        shortfall_s=short,
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
    yield f"--deadline {_for_option(fastest.duration_s)}"
    over = fastest.duration_s - fastest.transfer_s
    left = deadline - over
    if left <= 0:
        yield "less start-up time (--start-up)"
        return
    network = solved.market.network
    count = need.max_count
    while count < MOST_COUNT:
        count = min(count * 2, MOST_COUNT)
        wide = network._replace(most=count)
        found = program.relaxed(wide, Span(0.0, deadline), Aim(is_time=True))
        if found is not None:
            low, high = need.max_count, count
            while high - low > 1:
                middle = (low + high) // 2
                fewer = network._replace(most=middle)
                fits = program.relaxed(fewer, Span(0.0, deadline), Aim(is_time=True)) is not None
                low, high = (low, middle) if fits else (middle, high)
            yield f"--max-count {high}: at least so many machines in each place"
            break
    ratio = fastest.transfer_s / left
    for quotas, option in (
        (need.inside_quotas, "--quota"),
        (need.outside_quotas, "--internet-quota"),
    ):
        for quota in quotas:
            larger = math.ceil(quota.gbps * ratio * 10) / 10
            grown = tuple(replace(one, gbps=larger) if one == quota else one for one in quotas)
            other = (
                replace(need, inside_quotas=grown)
                if option == "--quota"
                else replace(need, outside_quotas=grown)
            )
            if _is_in_time(other, asked, deadline):
                yield (
                    f"a greater quota of {quota.place} (console, Quotas page): {option}"
                    f" {quota.place}={larger:g}"
                )
    fits_bytes = int(need.volume_bytes * left / fastest.transfer_s)
    yield f"fewer bytes: about {fits_bytes:,} fit"


def _is_in_time(need: TransferNeed, asked: Asked, deadline: float) -> bool:
    market = market_of(need, asked.prices, asked.caps, asked.tables)
    network = market.network._replace(overhead_s=need.startup_s or 0.0)
    found = search(network, is_time=True, has_front=False)
    if found.fastest is None:
        return False
    option = option_of(market, need, found.fastest, asked.prices, asked.caps)
    return option.duration_s <= deadline * (1 + 1e-6)


def _held_back_by(fastest: TransferOption, deadline: float) -> str:
    if fastest.duration_s - fastest.transfer_s >= deadline or not fastest.binding:
        return "the start-up and the start of the connections"
    first = fastest.binding[0]
    machines = counted(first.count, "machine")
    most = f"as many machines as are allowed, {first.count}" if first.is_most else machines
    return f"{first.name} of {first.place}" + (f", {most}" if first.count else "")


def _usd(usd: Decimal) -> str:
    return str(usd.quantize(Decimal("0.01"), ROUND_CEILING))


def _for_option(seconds: float) -> str:
    return f"{math.ceil(seconds)}s"
