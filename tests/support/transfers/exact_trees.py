"""The cheapest tree to several places, by other hands: Dijkstra's search over pairs of a place and
a set of targets, all in one heap. Shares no code with the planner.
"""

import heapq
from collections.abc import Mapping, Sequence

Edge = tuple[str, str]


def least_usd(usd: Mapping[Edge, float], source: str, targets: Sequence[str]) -> float:
    """Return the cost of the cheapest tree from the source that reaches every target."""
    into: dict[str, list[tuple[str, float]]] = {}
    for (src, dst), price in usd.items():
        into.setdefault(dst, []).append((src, price))
    full = (1 << len(targets)) - 1
    heap = [(0.0, target, 1 << at) for at, target in enumerate(targets)]
    done: dict[str, dict[int, float]] = {}
    while heap:
        price, place, group = heapq.heappop(heap)
        own = done.setdefault(place, {})
        if group in own:
            continue
        own[group] = price
        if place == source and group == full:
            return price
        for other, step in into.get(place, ()):
            if group not in done.get(other, {}):
                heapq.heappush(heap, (price + step, other, group))
        for beside, cost in list(own.items()):
            if not beside & group and beside | group not in own:
                heapq.heappush(heap, (price + cost, place, beside | group))
    return float("inf")
