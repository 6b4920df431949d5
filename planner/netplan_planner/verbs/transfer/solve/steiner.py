"""The cheapest tree from the source to every target, by a dynamic programme over sets of targets.

Dreyfus and Wagner, "The Steiner problem in graphs", 1971 (also Levin, 1971; Erickson, Monma and
Veinott, 1987), for directed edges: exact for a few targets. For more it is a good one: target after
target joined by its nearest path.
"""

import numpy as np

from netplan_planner.optimise.highs import Floats
from netplan_planner.verbs.transfer.solve.network import Network

MOST_EXACT = 8
"""Targets: the work grows with three to their power."""
_TIE = 1e-12
"""Of edges without a weight, so that ways go straight."""


def cheapest_tree(network: Network, weights: Floats) -> tuple[int, ...] | None:
    """Return the edges of a tree that reaches every target, in order; None: none does.

    Args:
        network: Places and edges.
        weights: Of each edge, at least 0; infinite: it may not be used.
    """
    distance, via = _ways(network, weights)
    if len(network.targets) > MOST_EXACT:
        return _joined(network, distance, via)
    return _exact(network, distance, via)


def _ways(network: Network, weights: Floats) -> tuple[Floats, np.ndarray[tuple[int, int]]]:
    """Return distances between all places (to × from), and the first edge of each way."""
    count = len(network.places)
    distance = np.full((count, count), np.inf)
    via = np.full((count, count), -1, dtype=int)
    np.fill_diagonal(distance, 0.0)
    steps = weights + _TIE
    order = np.argsort(-steps, kind="stable")
    order = order[np.isfinite(steps[order]) & (network.src[order] != network.dst[order])]
    # Of edges between the same places the last, which is the cheapest, stays.
    ends = network.src[order], network.dst[order]
    distance[ends], via[ends] = steps[order], order
    for middle in range(count):
        through = distance[:, middle, None] + distance[None, middle, :]
        is_less = through < distance - 1e-15
        distance = np.where(is_less, through, distance)
        via = np.where(is_less, via[:, middle, None], via)
    return distance, via


def _exact(
    network: Network, distance: Floats, via: np.ndarray[tuple[int, int]]
) -> tuple[int, ...] | None:
    targets = network.targets
    full = (1 << len(targets)) - 1
    # Costs of trees from each place to a set of targets; where they part, and where they go first.
    cost = {1 << at: distance[:, target] for at, target in enumerate(targets)}
    parted: dict[int, np.ndarray[tuple[int]]] = {}
    walked: dict[int, np.ndarray[tuple[int]]] = {}
    for group in range(1, full + 1):
        if group in cost:
            continue
        best = np.full(len(network.places), np.inf)
        choice = np.zeros(len(network.places), dtype=int)
        part = (group - 1) & group
        while part:
            if part > group ^ part:
                together = cost[part] + cost[group ^ part]
                is_less = together < best
                best, choice = np.where(is_less, together, best), np.where(is_less, part, choice)
            part = (part - 1) & group
        first = distance + best[None, :]
        walked[group] = np.argmin(first, axis=1)
        cost[group] = np.min(first, axis=1)
        parted[group] = choice
    if not np.isfinite(cost[full][network.source]):
        return None
    found: set[int] = set()
    left = [(network.source, full)]
    while left:
        place, group = left.pop()
        if group not in parted:
            target = targets[group.bit_length() - 1]
            found.update(_way(network, via, place, target))
            continue
        meeting = int(walked[group][place])
        found.update(_way(network, via, place, meeting))
        part = int(parted[group][meeting])
        left += [(meeting, part), (meeting, group ^ part)]
    return _pruned(network, found)


def _way(network: Network, via: np.ndarray[tuple[int, int]], place: int, target: int) -> list[int]:
    found = []
    while place != target:
        edge = int(via[place, target])
        found.append(edge)
        place = int(network.dst[edge])
    return found


def _joined(
    network: Network, distance: Floats, via: np.ndarray[tuple[int, int]]
) -> tuple[int, ...] | None:
    reached = [network.source]
    left = list(network.targets)
    found: set[int] = set()
    while left:
        rows = distance[np.ix_(reached, left)]
        at = np.unravel_index(int(np.argmin(rows)), rows.shape)
        if not np.isfinite(rows[at]):
            return None
        way = _way(network, via, reached[at[0]], left[at[1]])
        found.update(way)
        reached += [int(network.dst[edge]) for edge in way]
        left = [target for target in left if target not in reached]
    return _pruned(network, found)


def _pruned(network: Network, edges: set[int]) -> tuple[int, ...]:
    """Return a tree of such edges: each place is entered once, and leads on to a target."""
    into: dict[int, int] = {}
    reached, border = {network.source}, [network.source]
    while border:
        place = border.pop(0)
        for edge in sorted(edge for edge in edges if network.src[edge] == place):
            end = int(network.dst[edge])
            if end not in reached:
                into[end] = edge
                reached.add(end)
                border.append(end)
    found: set[int] = set()
    for target in network.targets:
        place = target
        while place != network.source and into[place] not in found:
            found.add(into[place])
            place = int(network.src[into[place]])
    return tuple(sorted(found))
