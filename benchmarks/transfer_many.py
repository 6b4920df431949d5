"""One to many at scale: made networks of 70 places with complete edges, beside the exact tree.

`python benchmarks/transfer_many.py --repeat 5`. The networks are those of `transfer_worlds.py`,
whose rates and prices lie beside the checkout; where they are absent the benchmark says so and
ends. The rival of the same run is the cheapest tree of egress, by other hands: over sets of targets
as plain dictionaries (Dreyfus and Wagner, with Dijkstra's search), or, on small networks, every
tree there is (`--exhaustive`). There is no deadline; free machines make a plan's cost its traffic.
"""

import argparse
import heapq
import itertools
import math
import statistics
import time
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal

from netplan_planner.throughput import load_caps
from netplan_planner.verbs.transfer.answer import EdgePrice, GridEdge, TransferPlan
from netplan_planner.verbs.transfer.ask import TransferNeed
from netplan_planner.verbs.transfer.hops import Tables
from netplan_planner.verbs.transfer.plan import plan_transfer
from netplan_pricing import open_prices
from transfer_worlds import Edge, World, shared_folder, world

AS_OF = date(2026, 11, 1)
TERABYTES = 10
GIB = TERABYTES * 10**12 / 2**30
SMALL = 6
"""Places of the networks whose every tree is tried."""


def exact_usd(usd: Mapping[Edge, float], source: str, targets: tuple[str, ...]) -> float:
    """Return what a GiB costs along the cheapest tree from a place to all targets.

    For each set of targets what it costs from each place: sets that part there, then Dijkstra's
    search against the edges.
    """
    into: dict[str, list[tuple[str, float]]] = {}
    for (src, dst), price in usd.items():
        into.setdefault(dst, []).append((src, price))
    places = {place for edge in usd for place in edge}
    full = (1 << len(targets)) - 1
    cost: list[dict[str, float]] = [{} for _ in range(full + 1)]
    for group in range(1, full + 1):
        if group & (group - 1) == 0:
            start = {targets[group.bit_length() - 1]: 0.0}
        else:
            parts = [part for part in range(1, group) if part & group == part]
            start = {
                place: min(
                    (cost[part][place] + cost[group ^ part][place] for part in parts),
                    default=math.inf,
                )
                for place in places
            }
        cost[group] = _to_all(start, into)
    return cost[full][source]


def _to_all(
    start: Mapping[str, float], into: Mapping[str, list[tuple[str, float]]]
) -> dict[str, float]:
    found: dict[str, float] = {}
    heap = [(price, place) for place, price in start.items()]
    heapq.heapify(heap)
    while heap:
        price, place = heapq.heappop(heap)
        if place not in found:
            found[place] = price
            for other, step in into.get(place, ()):
                if other not in found:
                    heapq.heappush(heap, (price + step, other))
    return found


def tried_usd(usd: Mapping[Edge, float], source: str, targets: tuple[str, ...]) -> float:
    """Return the same by every choice of relays and of where each place gets its bytes from."""
    places = {place for edge in usd for place in edge}
    relays = sorted(places - {source, *targets})
    least = math.inf
    for size in range(len(relays) + 1):
        for some in itertools.combinations(relays, size):
            own = (*targets, *some)
            for parents in itertools.product((source, *own), repeat=len(own)):
                edges = list(zip(parents, own, strict=True))
                if all(edge in usd for edge in edges) and _is_tree(source, edges):
                    least = min(least, sum(usd[edge] for edge in edges))
    return least


def _is_tree(source: str, edges: list[Edge]) -> bool:
    reached = {source}
    for _ in edges:
        reached |= {dst for src, dst in edges if src in reached}
    return len(reached) == len(edges) + 1


def planned(found: World, *, usd_per_hour: str | None = None, count: int = 8) -> TransferPlan:
    """Return the planner's answer to a made network."""
    tables = Tables(
        tuple(GridEdge(src=s, dst=d, gbps_per_vm=rate) for (s, d), rate in found.gbps.items()),
        tuple(
            EdgePrice(src=s, dst=d, usd_per_gib=Decimal(str(usd)))
            for (s, d), usd in found.usd_per_gib.items()
        ),
    )
    need = TransferNeed(
        source=found.source,
        targets=found.targets,
        volume_bytes=TERABYTES * 10**12,
        max_count=count,
        machine_usd_per_hour=None if usd_per_hour is None else Decimal(usd_per_hour),
    )
    return plan_transfer(need, open_prices(), load_caps(AS_OF), tables)


def rows(repeat: int, *, exhaustive: bool) -> Iterator[str]:
    """Yield the table of figures."""
    folder = shared_folder()
    assert folder is not None
    yield "| places | targets | machines | CPU s | worst | above the exact tree | above the bound |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    sizes = [(SMALL, 2), (SMALL, 3)] if exhaustive else [(20, 4), (40, 6), (70, 6), (70, 7)]
    for places, targets in sizes:
        for usd in (None, "1.60"):
            seconds, over, gaps = [], [], []
            for seed in range(repeat):
                found = world(folder, seed, places=places, targets=targets)
                start = time.process_time()
                plan = planned(found, usd_per_hour=usd)
                seconds.append(time.process_time() - start)
                rival = tried_usd if exhaustive else exact_usd
                least = GIB * rival(found.usd_per_gib, found.source, found.targets)
                assert plan.plan is not None
                assert plan.bound_usd is not None
                over.append(float(plan.plan.traffic_usd) / least - 1)
                gaps.append(float(plan.plan.usd_total / plan.bound_usd) - 1)
            paid = "free" if usd is None else f"${usd} an hour"
            yield (
                f"| {places} | {targets} | {paid} | {statistics.median(seconds):.2f}"
                f" | {max(seconds):.2f} | {max(over):.2%} | {max(gaps):.2%} |"
            )


def main() -> None:
    """Print time and gaps for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="networks of each size")
    parser.add_argument("--exhaustive", action="store_true", help="small ones, every tree tried")
    options = parser.parse_args()
    if shared_folder() is None:
        print("transfer_many: skipped, the published grid is not beside this checkout")
        return
    for row in rows(options.repeat, exhaustive=options.exhaustive):
        print(row, flush=True)


if __name__ == "__main__":
    main()
