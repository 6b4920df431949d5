"""How likely a transfer's plan meets its deadline."""

from collections.abc import Iterator

from netplan_planner.model import CapsBook, Estimate, JobPhase, PathClass, PathQuery, Usage
from netplan_planner.model.transfer import TransferNeed, TransferOption
from netplan_planner.optimise.job.rates import at_quantile, query_of
from netplan_planner.optimise.odds import QUANTILES, deadline_probability
from netplan_planner.optimise.transfer.machines import Machine, job_need, outside_query
from netplan_planner.optimise.transfer.market import Market

_LEAST_GBPS = 1e-9


def probability_of(
    need: TransferNeed, market: Market, option: TransferOption, caps: CapsBook
) -> float | None:
    """Return how likely a plan meets the deadline; None: no deadline, or rates of a given grid.

    As for the plan's interval, all machines stand at the same quantile and the slowest of them
    holds up all; what comes before the steady rate takes the same time.
    """
    asked = list(_rates(need, market, option))
    if need.deadline_s is None or not asked:
        return None
    before_s = (need.startup_s or 0.0) + option.ramp_s
    queries = [query for _, query in asked]
    seconds = {}
    for quantile in QUANTILES:
        rates = at_quantile(queries, caps, quantile)
        ratio = max(
            (estimate.gbps or 0.0) / max(rate, _LEAST_GBPS)
            for (estimate, _), rate in zip(asked, rates, strict=True)
        )
        seconds[quantile] = before_s + option.transfer_s * ratio
    count = sum(one.count for one in option.machines)
    is_spot = need.usage is Usage.SPOT
    per_day = (need.interruptions_per_day or 0.0) * count if is_spot else 0.0
    return deadline_probability(need.deadline_s, seconds, per_day)


def _rates(
    need: TransferNeed, market: Market, option: TransferOption
) -> Iterator[tuple[Estimate, PathQuery]]:
    """Yield the rate that each machine in use is taken to move, with its path."""
    sends = {one.src for one in option.flows}
    for machine in _used(market, option):
        if machine.offer is None:
            continue
        if machine.outside is not None and machine.place in sends:
            to_internet = any(
                hop.path_class is PathClass.INTERNET and hop.src == machine.place
                for hop in market.hops
            )
            yield machine.outside, outside_query(machine.offer, sends_outside=to_internet)
            continue
        job = job_need(need, machine.place, is_outside=False)
        query = query_of(job, JobPhase.OUT, machine.offer)
        assert query is not None
        yield machine.inside, query


def _used(market: Market, option: TransferOption) -> Iterator[Machine]:
    used = {(m.place, m.machine_type, m.is_tier1, m.cpu_platform) for m in option.machines}
    for one in market.machines:
        if (one.place, one.name, one.is_tier1, one.platform) in used:
            yield one
