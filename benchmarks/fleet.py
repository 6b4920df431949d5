"""Machine types and commitments of made fleets: time, gap to the bound, and greedy beside it.

`python benchmarks/fleet.py --repeat 3`. A fleet is made from a seed: groups in four regions, on all
day or for some hours of it, either from templates or every one different. Prices and limits are
the shipped ones. The rival takes for each group the cheapest type by itself, on demand, and then
the best commitments for what it took: what one gets who picks types first and commitments after.
"""

import argparse
import random
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.model import Zone
from netplan_planner.optimise.highs import Clock
from netplan_planner.planning.fleet import plan as planning
from netplan_planner.planning.fleet.candidates import Choices
from netplan_planner.planning.fleet.market import Market
from netplan_planner.planning.fleet.need import CommitmentChoice, FleetNeed, hours_of
from netplan_planner.planning.fleet.plan import Planned, plan_fleet
from netplan_planner.planning.fleet.program import Infeasible, Program, Solution
from netplan_planner.throughput import load_caps
from netplan_pricing import open_prices

AS_OF = date(2026, 11, 1)
ZONES = ("us-central1-a", "us-east1-b", "europe-west1-b", "asia-northeast1-a")
SIZES = ((1_000, 50), (10_000, 150), (1_000, 1_000), (10_000, 10_000))
"""Machines, and the templates that they are made from."""


class Run(NamedTuple):
    """What one plan took and came to."""

    solve_s: float
    whole_s: float
    gap: float
    greedy: float
    """How much dearer the rival is."""
    columns: int


def needs(count: int, templates: int, seed: int) -> list[FleetNeed]:
    """Return groups of one machine each, the same for a seed."""
    dice = random.Random(seed)
    made = [_template(dice) for _ in range(templates)]
    return [_need(f"vm-{at:06}", made[at % templates]) for at in range(count)]


Template = tuple[str, float, float, int, float, tuple[int, ...]]


def _template(dice: random.Random) -> Template:
    first, length = dice.randrange(24), dice.choice((8, 10, 12, 16, 24, 24, 24))
    active = tuple(sorted((first + step) % 24 for step in range(length)))
    return (
        dice.choice(ZONES),
        round(dice.lognormvariate(0.5, 1.0) % 60, 2) + 0.01,
        round(dice.choice((0, 0, 0, dice.uniform(0, 3))), 2),
        dice.choice((1, 2, 4, 8, 12, 16, 24, 32, 48)),
        dice.choice((2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 64.0, 100.0, 128.0)),
        active,
    )


def _need(name: str, of: Template) -> FleetNeed:
    zone, gbps, outside, vcpus, memory, active = of
    return FleetNeed(
        name=name,
        zone=Zone(zone),
        count=1,
        gbps=gbps,
        outside_gbps=outside,
        vcpus=vcpus,
        memory_gib=memory,
        hours_per_month=hours_of(frozenset(active)),
        active_hours=active,
    )


_SOLVE = planning.solve


def measured(fleet: list[FleetNeed]) -> Run:
    """Return what the plan of a fleet takes; the solver's part is timed by itself."""
    times: list[float] = []
    columns: list[int] = []

    def timed(program: Program, clock: Clock) -> Solution | Infeasible:
        start = time.perf_counter()
        found = _SOLVE(program, clock)
        times.append(time.perf_counter() - start)
        columns.append(program.columns)
        return found

    planning.solve = timed
    prices = open_prices()
    market = Market(prices, CommitmentChoice.ALL, (1, 3), (), is_shared=False)
    start = time.perf_counter()
    found = plan_fleet(fleet, prices, load_caps(AS_OF), Choices(), market)
    whole = time.perf_counter() - start
    if not isinstance(found, Planned) or found.same_types is None:
        raise SystemExit(f"no plan: {found}")
    usd, bound = found.bill.usd_per_month, found.bound_usd_per_month
    greedy = found.same_types.usd_per_month
    return Run(times[0], whole, float((usd - bound) / usd), _over(greedy, usd), columns[0])


def _over(usd: Decimal, least: Decimal) -> float:
    return float(usd / least) - 1


def rows(repeat: int, seed: int, most: int) -> Iterator[str]:
    """Yield the table of figures."""
    yield "| machines | templates | offers | solving | whole plan | gap | greedy |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    sizes = dict.fromkeys((min(count, most), min(of, most)) for count, of in SIZES)
    for count, templates in sizes:
        runs = [measured(needs(count, templates, seed)) for _ in range(repeat)]
        last = runs[-1]
        solve = statistics.median(run.solve_s for run in runs)
        whole = statistics.median(run.whole_s for run in runs)
        yield (
            f"| {count:,} | {templates:,} | {last.columns:,} | {solve:.2f} s | {whole:.2f} s |"
            f" {last.gap:.1e} | +{last.greedy:.2%} |"
        )


def main() -> None:
    """Print time, gap and rival for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--machines", type=int, default=SIZES[-1][0], help="at most")
    options = parser.parse_args()
    for row in rows(options.repeat, options.seed, options.machines):
        print(row, flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"peak {peak:.2f} GiB", file=sys.stderr)


if __name__ == "__main__":
    main()
