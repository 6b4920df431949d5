"""A solution as an answer: machines, flows, times, and the bill to the cent."""

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from netplan_planner import model
from netplan_planner.optimise.bill import USAGE_NAMES
from netplan_planner.optimise.highs import Floats
from netplan_planner.optimise.job import times
from netplan_planner.optimise.job.grid import billed_s
from netplan_planner.optimise.job.times import QUANTILES, deadline_probability
from netplan_planner.planning.traffic_bill import Meter
from netplan_planner.units import SECONDS_PER_HOUR
from netplan_planner.verbs.transfer.answer import (
    TransferBinding,
    TransferFlow,
    TransferMachines,
    TransferOption,
    TransferRoute,
)
from netplan_planner.verbs.transfer.ask import TransferNeed
from netplan_planner.verbs.transfer.hops import (
    GIVEN_PRICE,
    Tables,
    billed_gib,
    hop_bill,
    region_of_bucket,
)
from netplan_planner.verbs.transfer.machines import Machine, job_need
from netplan_planner.verbs.transfer.market import Market
from netplan_planner.verbs.transfer.pairs import Pairs, Start, ramp_s
from netplan_planner.verbs.transfer.solve.network import shares_of, used_in_full
from netplan_planner.verbs.transfer.solve.solving import Searched, Solution

SENDER, RELAY, RECEIVER, BOTH = "sender", "relay", "receiver", "relay and receiver"


def option_of(
    market: Market,
    need: TransferNeed,
    solution: Solution,
    prices: model.PriceBook,
    caps: model.CapsBook,
) -> TransferOption | None:
    """Return a solution with its exact times and bill; None: Spot machines never get it done."""
    network = market.network
    shares = shares_of(network, solution.routes)
    counts = solution.counts
    pairs = Pairs(market, need, shares, counts, caps)
    starts = pairs.starts()
    ramp = ramp_s(market, solution.routes, starts)
    steady = pairs.transfer_s()
    before_s = need.startup_s or 0.0
    run = before_s + ramp + steady
    mean, low, high = (
        _finish_s(need, before_s + one, counts) for one in pairs.total_s(solution.routes)
    )
    if not math.isfinite(mean):
        return None
    chain = max(len(_longest(market, solution)), 2)
    up = int(billed_s(np.array([_expected_s(need, run, chain)]))[0])
    machines = tuple(_machines(market, need, solution))
    traffic = tuple(_traffic(market, need, shares, prices))
    paid = tuple(_paid(market, need, counts, up))
    has_prices = all(market.machines[k].prices for k in np.flatnonzero(counts))
    flows = tuple(_flows(market, need, shares, counts, starts, steady, prices))
    machine_usd = model.total_usd(paid) if has_prices else None
    return TransferOption(
        machines=machines,
        flows=flows,
        routes=tuple(
            TransferRoute(
                share_ratio=one.share,
                hops=tuple((market.hops[e].src, market.hops[e].dst) for e in one.edges),
            )
            for one in solution.routes
        ),
        gbps=network.gbit / steady,
        duration_s=mean,
        low_duration_s=low,
        high_duration_s=high if math.isfinite(high) else None,
        transfer_s=steady,
        ramp_s=ramp,
        billed_s=up,
        usd_total=model.total_usd(traffic) + (machine_usd or Decimal(0)),
        traffic_usd=model.total_usd(traffic),
        machine_usd=machine_usd,
        line_items=(*traffic, *(paid if has_prices else ())),
        relays=tuple(one.place for one in machines if one.role in {RELAY, BOTH}),
        binding=tuple(_binding(market, need, counts, shares)),
    )


def _finish_s(need: TransferNeed, run: float, counts: Floats) -> float:
    """Return when all is done, as if any interruption held up all."""
    return _expected_s(need, run, int(counts.sum()))


def _expected_s(need: TransferNeed, run: float, machines: int) -> float:
    if need.usage is not model.Usage.SPOT:
        return run
    job = job_need(need, need.source, is_outside=False)
    per_day = need.interruptions_per_day or 0.0
    found = times.expected_s(job, np.array([run]), per_day, np.array([float(machines)]))
    return float(found[0])


def _longest(market: Market, solution: Solution) -> set[str]:
    """Return the places of the way with the most of them."""
    found: set[str] = set()
    for route in solution.routes:
        own = {market.hops[e].src for e in route.edges} | {market.hops[e].dst for e in route.edges}
        found = own if len(own) > len(found) else found
    return found


def _machines(market: Market, need: TransferNeed, solution: Solution) -> Iterator[TransferMachines]:
    counts = solution.counts
    roles = roles_of(market, need, solution)
    order = {SENDER: 0, RELAY: 1, BOTH: 2, RECEIVER: 3}
    options = sorted(
        np.flatnonzero(counts).tolist(),
        key=lambda k: (order[roles[market.machines[k].place]], market.machines[k].place),
    )
    for option in options:
        machine = market.machines[option]
        yield model.taken(
            TransferMachines,
            machine,
            machine_type=machine.name,
            cpu_platform=machine.platform,
            count=int(counts[option]),
            role=roles[machine.place],
        )


def roles_of(market: Market, need: TransferNeed, solution: Solution) -> dict[str, str]:
    """Return what the machines of each place in use do."""
    used = {edge for route in solution.routes for edge in route.edges}
    sends = {market.hops[edge].src for edge in used}
    ends = {region_of_bucket(target) for target in need.targets}
    found = {}
    for place in sorted(sends | {market.hops[edge].dst for edge in used}):
        if place == region_of_bucket(need.source):
            found[place] = SENDER
        elif place in ends:
            passes_on = any(
                market.hops[edge].src == place and region_of_bucket(market.hops[edge].dst) != place
                for edge in used
            )
            found[place] = BOTH if passes_on else RECEIVER
        else:
            found[place] = RELAY
    return found


def _traffic(
    market: Market, need: TransferNeed, shares: Floats, prices: model.PriceBook
) -> Iterator[model.LineItem]:
    meter = Meter()
    for edge in np.flatnonzero(shares).tolist():
        yield from hop_bill(need, market.hops[edge], float(shares[edge]), prices, meter)


def _paid(market: Market, need: TransferNeed, counts: Floats, up: int) -> Iterator[model.LineItem]:
    for option in np.flatnonzero(counts).tolist():
        machine = market.machines[option]
        count = int(counts[option])
        hours = Decimal(up * count) / SECONDS_PER_HOUR
        yield from (
            model.line_item(f"{count} × {what}", hours, price)
            for what, price in zip(_parts(machine, need), machine.prices, strict=True)
        )


def _parts(machine: Machine, need: TransferNeed) -> list[str]:
    """Return what the prices of a machine are for."""
    name = machine.name or "VM"
    found = [f"{name}, {USAGE_NAMES[need.usage]}, {machine.place}"]
    if machine.offer is None:
        return found[: len(machine.prices)]
    if machine.is_tier1:
        found.append(f"Tier_1 of {name}, up to {machine.offer.cap.egress_gbps:g} Gbit/s")
    if len(found) < len(machine.prices):
        found.append(f"external address of {name}, {machine.place}")
    return found


def _flows(
    market: Market,
    need: TransferNeed,
    shares: Floats,
    counts: Floats,
    starts: dict[int, Start],
    steady: float,
    prices: model.PriceBook,
) -> Iterator[TransferFlow]:
    full, meter = used_in_full(market.network, counts, shares), Meter()
    for edge in np.flatnonzero(shares).tolist():
        hop, start = market.hops[edge], starts[edge]
        share = float(shares[edge])
        own = (int(market.network.src[edge]), int(market.network.dst[edge]))
        is_given = hop.price is not None and hop.price.source == GIVEN_PRICE
        yield TransferFlow(
            src=hop.src,
            dst=hop.dst,
            gbps=share * market.network.gbit / steady,
            gib=billed_gib(need, share, has_headers=not is_given),
            usd=model.total_usd(hop_bill(need, hop, share, prices, meter)),
            streams=start.streams,
            rtt_ms=start.rtt_ms,
            ramp_s=start.ramp_s,
            network_tier=hop.network_tier.value if hop.network_tier else "",
            bound_by=next((name for name, place in full if place in own), ""),
        )


def _binding(
    market: Market, need: TransferNeed, counts: Floats, shares: Floats
) -> Iterator[TransferBinding]:
    """Yield what is used in full."""
    network = market.network
    held = np.zeros(len(network.places))
    np.add.at(held, network.option_place, counts)
    for name, place in used_in_full(network, counts, shares):
        is_machines = name not in network.quotas.names
        yield TransferBinding(
            name=name,
            place=network.places[place],
            count=int(held[place]) if is_machines else 0,
            is_most=is_machines and bool(held[place] >= need.max_count),
        )


class Asked(NamedTuple):
    """What a plan rests on."""

    prices: model.PriceBook
    caps: model.CapsBook
    tables: Tables


class Solved(NamedTuple):
    """A transfer as it was solved once."""

    market: Market
    found: Searched
    best: TransferOption | None
    options: tuple[TransferOption, ...]
    """All that came up, the best among them; what the program chose comes first."""


def probability_of(
    need: TransferNeed, market: Market, option: TransferOption, caps: model.CapsBook
) -> float | None:
    """Return how likely a plan meets the deadline; None: no deadline, or rates of a given grid.

    As for the plan's interval, all machines stand at the same quantile and the slowest of them
    holds up all; what comes before the steady rate takes the same time.
    """
    pairs = _pairs_of(need, market, option, caps)
    if need.deadline_s is None or not pairs.queries:
        return None
    before_s = (need.startup_s or 0.0) + option.ramp_s
    seconds = {one: before_s + pairs.transfer_s_at(one) for one in QUANTILES}
    count = sum(one.count for one in option.machines)
    is_spot = need.usage is model.Usage.SPOT
    per_day = (need.interruptions_per_day or 0.0) * count if is_spot else 0.0
    # What is assumed of machines has no interval, and is not sure for all that.
    chance = deadline_probability(need.deadline_s, seconds, per_day)
    return None if chance is None else min(chance, max(QUANTILES))


def _pairs_of(
    need: TransferNeed, market: Market, option: TransferOption, caps: model.CapsBook
) -> Pairs:
    """Return the machines at the ends of the hops that a plan uses."""
    used = {(m.place, m.machine_type, m.is_tier1, m.cpu_platform): m for m in option.machines}
    counts = [
        float(used[key].count) if key in used else 0.0
        for one in market.machines
        if (key := (one.place, one.name, one.is_tier1, one.platform))
    ]
    shares = np.zeros(len(market.hops))
    for route in option.routes:
        for edge, hop in enumerate(market.hops):
            if (hop.src, hop.dst) in route.hops:
                shares[edge] += route.share_ratio
    return Pairs(market, need, shares, np.array(counts), caps)
