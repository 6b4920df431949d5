"""Which regions lack prices of traffic: named and left without, so that the others are built.

A region's machines come into the catalogue before its traffic. Where many lack something, it is no
new region but a damaged answer.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from netplan_planner.model import RegionLack
from netplan_pricing.guards import thresholds


def lacking_pairs(
    regions: Sequence[str], missing: Iterable[tuple[str, str]]
) -> tuple[RegionLack, ...]:
    """Return the regions between which traffic has no price, those with most gaps first.

    Each gap is counted with the region that has most of them.
    """
    left = set(missing)
    found = []
    while left:
        count = Counter(region for pair in left for region in pair)
        worst = min(count, key=lambda region: (-count[region], region))
        own = {pair for pair in left if worst in pair}
        to = sum(src == worst for src, _ in own)
        others = len(regions) - 1
        what = f"traffic to {to} and from {len(own) - to} of the {others} other regions"
        found.append(RegionLack(region=worst, what=what))
        left -= own
    return tuple(found)


def are_few(count: int, total: int) -> bool:
    """Return whether so many of a total may be missing."""
    return count <= thresholds.MOST_LACKING_RATIO * total
