"""Branch and bound of a small placement over its relaxed program, rows added wherever they bite.

A node says which zones each machine may still take. Its bound is the program without whole numbers;
rows that its relaxed placement breaks hold of every placement and stay. The node of the least bound
is next, and is split by the zones of the machine whose choice raises the bound most.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.optimise.placement.formulation import Formulation
from netplan_planner.optimise.placement.problem import Floats, Zones
from netplan_planner.optimise.placement.relaxed import Relaxed

_ROOT_ROUNDS = 40
_NODE_ROUNDS = 3
_WORTH = 0.02
"""Of what is still open, that a round of rows has to close to be followed by another."""
_WHOLE = 1e-6
_TRIED = 8
"""Machines whose zones are looked at before a node is split by one."""
_TOLERANCE = 2e-7
"""Of the dollars, below which nothing better is looked for."""

Mask = NDArray[np.bool_]


class Bounded(NamedTuple):
    """What a search found."""

    zones: Zones
    usd: float
    bound_usd: float
    nodes: int


class Branching:
    """One search."""

    def __init__(
        self, model: Formulation, start: Zones, usd_of: Callable[[Zones], float | None]
    ) -> None:
        """Take a program, a placement that keeps every constraint, and what counts one.

        Args:
            model: The program.
            start: Zones of its machines.
            usd_of: What zones cost; None where they break a constraint.
        """
        self.model, self.usd_of, self.zones = model, usd_of, start
        usd = usd_of(start)
        self.usd = np.inf if usd is None else usd
        self.relaxed = Relaxed(model.program, 1000.0 / max(abs(self.usd - model.program.constant), 1e-9) if np.isfinite(self.usd) else 1.0)
        self.broken = model.cut_finder()
        shape = model.part.allowed.shape
        self.column = np.full(shape, -1, dtype=np.intp)
        for machine, zones in enumerate(model.at):
            for zone, column in zones.items():
                self.column[machine, zone] = column
        self.weight = np.zeros(shape[0])
        for pair in model.part.pairs:
            usd = float(np.ptp(pair.usd))
            self.weight[[pair.one, pair.other]] += usd
        self.nodes = 0

    @property
    def _enough(self) -> float:
        """From which bound on a node is not worth a look."""
        return self.usd - _TOLERANCE * max(1.0, abs(self.usd))

    def run(self, *, node_limit: int, until: float) -> Bounded:
        """Search until all is proven, or so many nodes were split, or a time of the clock."""
        heap: list[tuple[float, int, Mask]] = []
        least = np.inf
        first = self._bound(self.column >= 0, _ROOT_ROUNDS, until)
        self.root = first and first[0]
        self.root_s = monotonic()
        if first is not None and first[0] < self._enough:
            heappush(heap, (first[0], 0, first[1]))
        while heap and heap[0][0] < self._enough:
            if self.nodes >= node_limit or monotonic() > until:
                break
            bound, _, mask = heappop(heap)
            for number, (usd, child) in enumerate(self._children(bound, mask, until)):
                heappush(heap, (usd, -1 - (self.nodes * len(self.column[0]) + number), child))
            self.nodes += 1
        least = min([self.usd, *(one[0] for one in heap[:1])])
        if least >= self._enough:
            least = min(least, self._enough)
        return Bounded(self.zones, self.usd, float(least), self.nodes)

    def _bound(self, mask: Mask, rounds: int, until: float) -> tuple[float, Mask, Floats] | None:
        """Return a node's bound, the zones that it leaves, and its relaxed placement."""
        if not mask.any(axis=1).all():
            return None
        self._allow(mask)
        before = -np.inf
        for number in range(rounds + 1):
            found = self.relaxed.solve()
            if found is None or found.usd >= self._enough:
                return None
            is_last = number == rounds or monotonic() > until
            open_usd = self._enough - found.usd
            if is_last or found.usd - before < _WORTH * open_usd and number > 2 * (rounds > 10):
                break
            before = found.usd
            rows = list(self.broken(found.values))
            if not rows:
                break
            self.relaxed.add(rows)
        shares = np.where(self.column >= 0, found.values[self.column], 0.0)
        price = np.where(self.column >= 0, found.reduced_usd[self.column], 0.0)
        # A zone that would lift the bound above what is known is none.
        mask = mask & ~((price >= self._enough - found.usd) & (shares < _WHOLE))
        self._take(shares)
        if shares.max(axis=1).min() > 1.0 - _WHOLE and found.usd >= self._enough:
            return None
        return found.usd, mask, shares

    def _take(self, shares: Floats) -> None:
        zones = shares.argmax(axis=1).astype(np.intp)
        usd = self.usd_of(zones)
        if usd is not None and usd < self.usd:
            self.usd, self.zones = usd, zones

    def _allow(self, mask: Mask) -> None:
        known = self.column >= 0
        self.relaxed.upper(self.column[known], mask[known].astype(float))

    def _children(self, bound: float, mask: Mask, until: float) -> list[tuple[float, Mask]]:
        """Return a node's parts that are still worth a look."""
        found = self._bound(mask, _NODE_ROUNDS, until)
        if found is None:
            return []
        usd, mask, shares = found
        spread = (1.0 - (shares**2).sum(axis=1)) * self.weight
        spread[mask.sum(axis=1) < 2] = 0.0
        tried = np.argsort(-spread, kind="stable")[:_TRIED]
        tried = tried[spread[tried] > _WHOLE * self.weight.max()]
        if not len(tried):
            tried = np.flatnonzero(mask.sum(axis=1) > 1)[:1]
        best: list[tuple[float, Mask]] = []
        best_score = -np.inf
        for machine in tried.tolist():
            children = []
            score = 0.0
            for zone in np.flatnonzero(mask[machine]).tolist():
                child = mask.copy()
                child[machine] = False
                child[machine, zone] = True
                self._allow(child)
                looked = self.relaxed.solve()
                gap = self._enough - usd
                if looked is None or looked.usd >= self._enough:
                    mask = mask.copy()
                    mask[machine, zone] = False
                    continue
                score += np.log(max(gap - (looked.usd - usd), 1e-12 * gap) / gap)
                if len(mask):
                    children.append((max(usd, looked.usd), child))
            # The fewer and the closer to what is known, the better.
            value = -np.inf if not children else -np.logaddexp.reduce(
                [-4.0 * (one - usd) / max(self._enough - usd, 1e-12) for one, _ in children]
            )
            if not children:
                return []
            if value > best_score:
                best, best_score = children, value
        kept = []
        for usd, child in best:
            child = child & mask
            if child.any(axis=1).all():
                kept.append((usd, child))
        return kept
