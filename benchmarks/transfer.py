"""Transfers over made networks: time and gap to the bound by the number of places, beside rivals.

`python benchmarks/transfer.py --repeat 3`. A network is made from a seed: places on a sphere, rates
that fall with the distance, prices by region with some that break the triangle. The rivals of the
same run take the direct way alone, and the best single relay for all bytes (or none), each with as
many whole machines as are best for it. All have the same deadline.
"""

import argparse
import math
import random
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.model import PriceBook
from netplan_planner.throughput import CapsTable, load_caps
from netplan_planner.verbs.transfer.answer import EdgePrice, GridEdge, TransferPlan
from netplan_planner.verbs.transfer.ask import TransferNeed
from netplan_planner.verbs.transfer.hops import Tables
from netplan_planner.verbs.transfer.plan import plan_transfer
from netplan_pricing import open_prices

AS_OF = date(2026, 11, 1)
SIZES = (5, 10, 20, 40, 80)
TERABYTES = 10


class Run(NamedTuple):
    """What one plan took and came to; costs over the plan's."""

    seconds: float
    gap: float
    direct: float | None
    relay: float | None


def network(count: int, seed: int) -> Tables:
    """Return a made network, the same for a seed."""
    dice = random.Random(f"{count} {seed}")
    names = [f"place-{at:02}" for at in range(count)]
    where = [(dice.uniform(-60, 70), dice.uniform(-180, 180)) for _ in names]
    zone = [dice.randrange(4) for _ in names]
    grid, prices = [], []
    for at, src in enumerate(names):
        for to, dst in enumerate(names):
            if at == to:
                continue
            far = math.dist(where[at], where[to])
            rate = round(7 * dice.uniform(0.5, 1) / (1 + far / 90), 3)
            usd = 0.02 if zone[at] == zone[to] else dice.choice((0.05, 0.08, 0.08, 0.12))
            grid.append(GridEdge(src=src, dst=dst, gbps_per_vm=rate))
            prices.append(EdgePrice(src=src, dst=dst, usd_per_gib=Decimal(str(usd))))
    return Tables(tuple(grid), tuple(prices))


def need(count: int, targets: int) -> TransferNeed:
    """Return what is moved: from the first place to the last ones."""
    names = [f"place-{at:02}" for at in range(count)]
    return TransferNeed(
        source=names[0],
        targets=tuple(names[-targets:]),
        volume_bytes=TERABYTES * 10**12,
        deadline_s=3 * 3600.0,
        max_count=8,
        machine_usd_per_hour=Decimal("1.60"),
    )


def measured(count: int, targets: int, seed: int, prices: PriceBook, caps: CapsTable) -> Run | None:
    """Return what a plan takes and what its rivals cost; None: nothing keeps the deadline."""
    tables, asked = network(count, seed), need(count, targets)
    start = time.perf_counter()
    plan = plan_transfer(asked, prices, caps, tables)
    seconds = time.perf_counter() - start
    if plan.plan is None or plan.bound_usd is None:
        return None
    usd = plan.plan.usd_total
    direct = plan.direct or (None if plan.why_no_direct else plan.plan)
    over = None if direct is None else float(direct.usd_total / usd) - 1
    relay = _single_relay(asked, tables, prices, caps, plan) if targets == 1 else None
    return Run(seconds, float((usd - plan.bound_usd) / usd), over, relay)


def _single_relay(
    asked: TransferNeed, tables: Tables, prices: PriceBook, caps: CapsTable, plan: TransferPlan
) -> float | None:
    """Return how much dearer the greedy choice is: one relay for all bytes, the cheapest hops."""
    assert tables.prices is not None
    assert tables.grid is not None
    assert plan.plan is not None
    usd = {(one.src, one.dst): one.usd_per_gib for one in tables.prices}
    source, (target,) = asked.source, asked.targets
    names = sorted({one.src for one in tables.grid} - {source, target})
    ranked = sorted(names, key=lambda name: (usd[source, name] + usd[name, target], name))
    direct = plan.direct or (None if plan.why_no_direct else plan.plan)
    found = [] if direct is None else [direct.usd_total]
    for name in ranked[:3]:
        ends = {(source, name), (name, target)}
        only = Tables(
            tuple(one for one in tables.grid if (one.src, one.dst) in ends), tables.prices
        )
        way = plan_transfer(asked, prices, caps, only).plan
        found += [way.usd_total] if way else []
    return float(min(found) / plan.plan.usd_total) - 1 if found else None


def rows(sizes: list[int], repeat: int) -> Iterator[str]:
    """Yield the table of figures."""
    prices, caps = open_prices(), load_caps(AS_OF)
    yield "| places | targets | whole plan | gap to the bound | direct | one relay |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for count in sizes:
        for targets in (1, 3):
            if targets >= count:
                continue
            runs = [measured(count, targets, seed, prices, caps) for seed in range(repeat)]
            done = [run for run in runs if run is not None]
            if not done:
                yield f"| {count} | {targets} | nothing keeps the deadline | | | |"
                continue
            relay = _over([run.relay for run in done]) if targets == 1 else "none does it"
            seconds = statistics.median(run.seconds for run in done)
            gap = max(run.gap for run in done)
            yield (
                f"| {count} | {targets} | {seconds:.2f} s | {gap:.1e} |"
                f" {_over([run.direct for run in done])} | {relay} |"
            )


def _over(ratios: list[float | None]) -> str:
    known = [one for one in ratios if one is not None]
    late = len(ratios) - len(known)
    told = f"+{statistics.median(known):.1%}" if known else ""
    return f"{told}{'; ' if told and late else ''}{f'{late} too late' if late else ''}"


def main() -> None:
    """Print time, gap and rivals for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="networks of each size")
    parser.add_argument("--places", type=int, default=SIZES[-1], help="at most")
    options = parser.parse_args()
    for row in rows([one for one in SIZES if one <= options.places], options.repeat):
        print(row, flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"peak {peak:.2f} GiB", file=sys.stderr)


if __name__ == "__main__":
    main()
