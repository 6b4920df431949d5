"""Rows that hold of every placement, found where a relaxed one breaks them.

Along a way from one member of a group to another that stands apart, some traffic crosses zones.
From a machine on, no more stands in its zone than a zone holds: who is joined to it by ways that do
not cross counts. Both are looked for along the shortest ways, by how far pairs are apart in the
relaxed placement.
"""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from netplan_planner.optimise.placement.problem import Floats, Zones

_VIOLATED = 1e-3
_NONE = -9999
"""What SciPy writes where a way begins."""

Cut = tuple[dict[int, float], float]
"""How much each pair counts that crosses zones, and what the sum is at least."""


class CutFinder:
    """Finds rows for one graph of pairs."""

    def __init__(
        self,
        pairs: list[tuple[int, int]],
        groups: list[Zones],
        vcpus: Floats,
        most_vcpus: float,
    ) -> None:
        """Take what does not change.

        Args:
            pairs: Machines that exchange traffic; each pair counts by its place here.
            groups: Machines of which no two share a zone.
            vcpus: Of the machines.
            most_vcpus: That any zone holds.
        """
        self._ends = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        self._number = {pair: number for number, pair in enumerate(pairs)}
        self._groups, self._vcpus, self._most = groups, vcpus, most_vcpus

    def broken(self, crossing: Floats) -> list[Cut]:
        """Return rows that a relaxed placement breaks.

        Args:
            crossing: How far each pair is apart in it, 0 to 1.
        """
        count = len(self._vcpus)
        one, other = self._ends[:, 0], self._ends[:, 1]
        # SciPy takes 0 for no edge.
        lengths = csr_array((np.maximum(crossing, 1e-7), (one, other)), shape=(count, count))
        distance, before = dijkstra(lengths, directed=False, return_predecessors=True)
        found = [*self._paths(distance, before), *self._trees(distance, before)]
        new: dict[tuple[tuple[int, float], ...], Cut] = {}
        for counts, least in found:
            met = sum(count * float(crossing[number]) for number, count in counts.items())
            if met < least - _VIOLATED * max(1.0, least):
                new[tuple(sorted(counts.items()))] = counts, least
        return list(new.values())

    def _pair(self, one: int, other: int) -> int:
        return self._number[min(one, other), max(one, other)]

    def _paths(self, distance: Floats, before: NDArray[np.int32]) -> Iterator[Cut]:
        for members in self._groups:
            for number, one in enumerate(members.tolist()):
                for other in members[number + 1 :].tolist():
                    if distance[one, other] >= 1.0 - _VIOLATED:
                        continue
                    way = {}
                    at = other
                    while at != one:
                        previous = int(before[one, at])
                        way[self._pair(previous, at)] = 1.0
                        at = previous
                    yield way, 1.0

    def _trees(self, distance: Floats, before: NDArray[np.int32]) -> Iterator[Cut]:
        if not np.isfinite(self._most):
            return
        near = np.maximum(1.0 - distance, 0.0) @ self._vcpus
        for root in np.flatnonzero(near > self._most + _VIOLATED).tolist():
            reached = np.flatnonzero(distance[root] < 1.0)
            excess = float(self._vcpus[reached].sum()) - self._most
            below: dict[int, float] = defaultdict(float)
            tree: dict[int, float] = {}
            for machine in reached[np.argsort(-distance[root, reached], kind="stable")].tolist():
                if machine == root:
                    continue
                previous = int(before[root, machine])
                if previous == _NONE:
                    continue
                weight = below[machine] + float(self._vcpus[machine])
                below[previous] += weight
                tree[self._pair(previous, machine)] = min(weight, excess)
            yield tree, excess
