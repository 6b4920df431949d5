"""What a byte of each priced path costs in the mean: an edge's part of a bill.

All traffic of one price shares the price's steps, whichever paths pay it: whose bytes stand on
which step nobody can say.
"""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.engine.traffic_bill import Meter, Tiers, price_key
from netplan_planner.model import Facts, total_usd
from netplan_planner.paths.priced_paths import PathPrice, PricedPath, path_prices_of


class MeanPrice(NamedTuple):
    """The mean price of a path's bytes."""

    usd_per_byte: Decimal | None
    """None where no part of it has a known price."""
    unknown: str
    """Why it has none, or a part of it; empty where all is known."""


def mean_prices(
    facts: Facts, bytes_by_path: Mapping[PricedPath, int]
) -> dict[PricedPath, MeanPrice]:
    """Return the mean price of each path of what own machines send, in dollars a byte and month.

    Args:
        facts: What the prices are looked up in.
        bytes_by_path: All bytes that are sent, in the window: the steps of prices follow from them.
    """
    parts = {path: path_prices_of(facts, path) for path in sorted(bytes_by_path)}
    paying: dict[_Steps, int] = defaultdict(int)
    tiers: dict[_Steps, Tiers] = {}
    for path, of_path in parts.items():
        for part in of_path:
            if part.tiers:
                paying[_steps(part.tiers)] += bytes_by_path[path]
                tiers[_steps(part.tiers)] = part.tiers
    meter = Meter()
    means = {
        steps: total_usd(meter.lines("", facts.gib_per_month(byte_count), tiers[steps]))
        / byte_count
        for steps, byte_count in paying.items()
        if byte_count
    }
    return {path: _mean(of_path, means) for path, of_path in parts.items()}


_Steps = tuple[str, tuple[tuple[Decimal, Decimal], ...]]
"""What is sold, and the start and price of each step."""


def _steps(tiers: Tiers) -> _Steps:
    """Return what prices of several regions have in common that are one on the bill."""
    return price_key(tiers), tuple((tier.start, tier.price.usd) for tier in tiers)


def _mean(parts: tuple[PathPrice, ...], means: Mapping[_Steps, Decimal]) -> MeanPrice:
    """Return the mean price of a path, which is the sum of its parts'."""
    asked = [_steps(part.tiers) for part in parts if part.tiers]
    known = [means[steps] for steps in asked if steps in means]
    unknown = next((part.reason for part in parts if not part.tiers), "")
    return MeanPrice(sum(known, Decimal(0)) if known else None, unknown)
