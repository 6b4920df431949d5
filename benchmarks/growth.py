"""Measures what every rule and stage costs as projects grow, and prints the exponent of each.

    python benchmarks/growth.py
    python benchmarks/growth.py --only mesh --share 0.25

Each world of `growth_worlds` is made at a quarter, a half and all of its size; every rule, the
order of fixes, the tables of traffic and every output format are timed alone, in CPU seconds of
this process. The exponent is the slope between the smallest and the greatest size on logarithmic
scales: 1 is linear. What takes less than 50 ms at full size is not judged, and outputs are also
counted in bytes, for a text must not grow with the places of a finding.
"""

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from math import log
from typing import NamedTuple, TypeVar

from growth_worlds import WORLDS, World
from netplan_planner.judging.fixes import answer
from netplan_planner.judging.judged import judge
from netplan_planner.model import Facts
from netplan_planner.planning.traffic_bill import traffic_by_class, zone_pairs
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.output import RENDERERS, render
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.run import report_on
from netplan_planner.world.request import InputRequest
from netplan_rules.registry import all_rules

SHARES = (0.25, 0.5, 1.0)
LEAST_SECONDS = 0.05
"""Below this at full size a slope says more of the clock than of the code."""
MOST = 1.2


Result = TypeVar("Result")


class Cost(NamedTuple):
    """What one stage took at one size: CPU seconds, and bytes written."""

    seconds: float
    byte_count: int = 0


def main() -> int:
    """Run the command line; exit 1 when a stage grows faster than its input."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="worlds whose name holds this text")
    parser.add_argument("--share", type=float, default=1.0, help="of the full sizes")
    options = parser.parse_args()
    worst = 0.0
    for world in WORLDS:
        if options.only in world.name:
            worst = max(worst, _measure(world, options.share))
    print(f"greatest exponent {worst:.2f}, {MOST:.1f} is the most that should be")
    return int(worst > MOST)


def _measure(world: World, share: float) -> float:
    sizes = [max(4, int(world.size * share * part)) for part in SHARES]
    print(f"\n{world.name}: {', '.join(f'{n:,}' for n in sizes)} {world.unit}")
    # Tables that are read once, and answers that are remembered, are no growth.
    list(_stages(world.make(sizes[0])))
    # They stay: the search for garbage before each stage need not look at them.
    gc.freeze()
    costs: dict[str, list[Cost]] = {}
    amounts = []
    for size in sizes:
        facts = world.make(size)
        amounts.append(_amount(facts))
        for stage, cost in _stages(facts):
            costs.setdefault(stage, []).append(cost)
    worst = 0.0
    for stage, found in sorted(costs.items(), key=lambda item: -item[1][-1].seconds):
        if len(found) < len(sizes) or found[-1].seconds < LEAST_SECONDS:
            continue
        slope = _slope(amounts, [cost.seconds for cost in found])
        worst = max(worst, slope)
        times = "  ".join(f"{cost.seconds:8.2f} s" for cost in found)
        size_text = f"  {found[-1].byte_count:>12,} bytes" if found[-1].byte_count else ""
        print(f"  {stage:34} {times}  exponent {slope:5.2f}{size_text}")
    return worst


def _amount(facts: Facts) -> int:
    """Return what the input has: machines, pairs, subnetworks, peerings and addresses."""
    inventory, traffic = facts.inventory, facts.traffic
    peerings = sum(len(network.peerings) for network in inventory.networks)
    pairs = len(traffic.edges) if traffic is not None else 0
    return (
        len(inventory.instances)
        + len(inventory.subnetworks)
        + len(inventory.addresses)
        + peerings
        + pairs
    )


def _slope(amounts: list[int], seconds: list[float]) -> float:
    if seconds[0] <= 0 or amounts[-1] == amounts[0]:
        return 0.0
    return log(seconds[-1] / seconds[0]) / log(amounts[-1] / amounts[0])


def _stages(facts: Facts) -> Iterator[tuple[str, Cost]]:
    judgements = []
    for check in all_rules():
        cost, judged = _timed(partial(judge, check, facts))
        judgements.append(judged)
        yield f"rule {check.rule.id}", cost
    kept = [(judged.rule, judged.hits) for judged in judgements]
    cost, _ = _timed(lambda: answer(facts, kept))
    yield "order of fixes", cost
    cost, _ = _timed(lambda: traffic_by_class(facts))
    yield "traffic by class", cost
    cost, _ = _timed(lambda: zone_pairs(facts))
    yield "between zones", cost
    yield from _outputs(report_on(InputRequest(today=facts.today), facts))


def _outputs(report: Report) -> Iterator[tuple[str, Cost]]:
    for name in RENDERERS:
        cost, text = _timed(partial(render, report, name, RenderOptions()))
        yield f"output {name}", cost._replace(byte_count=len(text.encode()))


def _timed(work: Callable[[], Result]) -> tuple[Cost, Result]:
    gc.collect()
    start = time.process_time()
    result = work()
    return Cost(time.process_time() - start), result


if __name__ == "__main__":
    sys.exit(main())
