"""Branch and bound of a small placement over its relaxed program, rows added where they bite.

A node says which zones each machine may still take. Its bound is the program without whole numbers;
rows that its relaxed placement breaks hold of every placement and stay. The node of the least bound
is next, and is split by the zones of the machine that brings its parts closest to the best plan. A
zone whose price in the relaxed program lifts the bound above that plan is none of the node's.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.verbs.place.solve.formulation import Formulation
from netplan_planner.verbs.place.solve.problem import Floats, Zones
from netplan_planner.verbs.place.solve.program import Effort, Relaxation, Relaxed

_ROOT_ROUNDS, _NODE_ROUNDS = 40, 3
"""Of rows that are looked for."""
_WORTH = 0.02
"""Share of what is still open that a round has to close to be followed by another."""
_WHOLE = 1e-6
_SURE = 0.9
"""Share of a machine in a zone from which on it is settled there on the way to a placement."""
_FAILURES = 20
"""After which a way to a placement is given up."""
_TRIED = 8
"""Machines that a node is tried to be split by."""
_SHARPNESS = 4.0
"""How much a part close to the best plan counts less than one at the node's bound."""
_TOLERANCE_RATIO, _TOLERANCE_USD = 1e-8, 1e-7
"""Share of the dollars, or dollars, below which nothing better is looked for."""

Mask = NDArray[np.bool_]
"""Machines × zones: where each may stand."""


class Bounded(NamedTuple):
    """What a search found."""

    zones: Zones
    usd: float
    bound_usd: float
    """No placement is below it."""


class _Node(NamedTuple):
    usd: float
    mask: Mask
    shares: Floats
    """Machines × zones: of the relaxed placement."""


class Branching:
    """One search."""

    def __init__(
        self, model: Formulation, start: Zones, usd_of: Callable[[Zones], float | None]
    ) -> None:
        """Take a program, where to begin, and what counts a placement.

        Args:
            model: The program.
            start: Zones of its machines.
            usd_of: What zones cost; None where they break a constraint.
        """
        self._usd_of, self._zones, self._usd = usd_of, start, np.inf
        self._take(start)
        self._relaxed = Relaxed(model.program)
        self._broken = model.cut_finder()
        shape = model.part.allowed.shape
        self._column = np.full(shape, -1, dtype=np.intp)
        for machine, zones in enumerate(model.at):
            for zone, column in zones.items():
                self._column[machine, zone] = column
        self._known = self._column >= 0
        self._weight = np.zeros(shape[0])
        for pair in model.part.pairs:
            self._weight[[pair.one, pair.other]] += float(np.ptp(pair.usd))

    @property
    def _enough(self) -> float:
        """The bound from which on a node is not worth a look."""
        return self._usd - max(_TOLERANCE_RATIO * abs(self._usd), _TOLERANCE_USD)

    def run(self, *, most_work: float, effort: Effort) -> Bounded:
        """Search until all is proven, or so much was done.

        Args:
            most_work: As the relaxed program counts it; the same on every machine.
            effort: What this adds to, and a last resort.
        """

        def is_over() -> bool:
            return self._relaxed.work > most_work or not effort.left_s()

        heap: list[tuple[float, int, Mask]] = [(-np.inf, 0, self._known)]
        count, next_dive, rounds = 1, 1, _ROOT_ROUNDS
        while heap and heap[0][0] < self._enough and not is_over():
            usd, _, mask = heappop(heap)
            node = self._node(usd, mask, rounds, is_over)
            rounds = _NODE_ROUNDS
            if node is not None and count >= next_dive:
                next_dive = 2 * count
                self._dive(node, is_over)
            for part_usd, part in [] if node is None else self._parts(node, is_over):
                # Of equals the latest, which is closest to a whole placement.
                heappush(heap, (part_usd, -count, part))
                count += 1
        effort.work += self._relaxed.work
        least = min([self._enough, *(usd for usd, _, _ in heap[:1])])
        return Bounded(self._zones, self._usd, float(least))

    def _node(
        self, usd: float, mask: Mask, rounds: int, is_over: Callable[[], bool]
    ) -> _Node | None:
        """Return a node with its bound and the zones that it leaves; None: nothing better in it."""
        found = self._looked(mask)
        for number in range(rounds):
            if found is None:
                return None
            self._take(self._of(found.values).argmax(axis=1).astype(np.intp))
            gained, usd = found.usd - usd, max(usd, found.usd)
            is_slow = number > 1 and gained < _WORTH * (self._enough - usd)
            rows = [] if is_slow or is_over() else list(self._broken(found.values))
            if not rows:
                break
            self._relaxed.add(rows)
            found = self._looked(mask)
        if found is None:
            return None
        usd, shares = max(usd, found.usd), self._of(found.values)
        self._take(shares.argmax(axis=1).astype(np.intp))
        dear = self._of(found.reduced_usd) >= self._enough - found.usd
        mask = mask & ~dear
        return _Node(usd, mask, shares) if mask.any(axis=1).all() else None

    def _dive(self, node: _Node, is_over: Callable[[], bool]) -> None:
        """Settle machines where the relaxed placement nearly has them, again and again."""
        mask, shares = node.mask.copy(), node.shares.copy()
        least, failures = _SURE, 0
        while (is_open := mask.sum(axis=1) > 1).any() and not is_over():
            surest = np.where(is_open, shares.max(axis=1), -1.0)
            settled = surest >= least
            if not settled.any():
                settled = np.arange(len(surest)) == surest.argmax()
            trial, shares = mask.copy(), np.where(mask, shares + _WHOLE, 0.0)
            trial[settled] = shares[settled].argmax(axis=1)[:, None] == np.arange(mask.shape[1])
            found = self._looked(trial)
            if found is not None:
                mask, shares = trial & mask, self._of(found.values)
                self._take(shares.argmax(axis=1).astype(np.intp))
                continue
            failures += 1
            if failures > _FAILURES:
                return
            if settled.sum() > 1:
                least = np.inf
                continue
            # Not there, after all that was settled before.
            mask[settled] &= ~trial[settled]

    def _looked(self, mask: Mask) -> Relaxation | None:
        """Return the relaxed placement of a node; None where nothing better is in it."""
        self._relaxed.limit(self._column[self._known], mask[self._known].astype(float))
        found = self._relaxed.solve()
        return None if found is None or found.usd >= self._enough else found

    def _of(self, values: Floats) -> Floats:
        return np.where(self._known, values[self._column], 0.0)

    def _take(self, zones: Zones) -> None:
        """Remember a placement that costs less."""
        usd = self._usd_of(zones)
        if usd is not None and usd < self._usd:
            self._usd, self._zones = usd, zones

    def _parts(self, node: _Node, is_over: Callable[[], bool]) -> list[tuple[float, Mask]]:
        """Return a node's parts by zone of one machine, those that are worth a look."""
        mask = node.mask.copy()
        if (mask.sum(axis=1) == 1).all():
            self._take(mask.argmax(axis=1).astype(np.intp))
            return []
        best, least = [(node.usd, mask)], np.inf
        for machine in self._tried(node):
            parts = []
            for zone in np.flatnonzero(mask[machine]).tolist():
                if is_over():
                    return best
                part = mask.copy()
                part[machine] = np.arange(mask.shape[1]) == zone
                found = self._looked(part)
                if found is None:
                    # What has nothing better here has none in any part.
                    mask[machine, zone] = False
                else:
                    parts.append((max(node.usd, found.usd), part))
            left = self._left(node.usd, [usd for usd, _ in parts])
            if left < least:
                best, least = parts, left
            if not parts:
                break
        kept = ((usd, part & mask) for usd, part in best)
        return [(usd, part) for usd, part in kept if part.any(axis=1).all()]

    def _left(self, usd: float, parts_usd: list[float]) -> float:
        """Return how much is left to do in a node's parts; what closes the gap counts least."""
        if not np.isfinite(usd) or not np.isfinite(self._enough):
            return float(len(parts_usd))
        closed = (np.array(parts_usd) - usd) / (self._enough - usd)
        return float(np.exp(-_SHARPNESS * closed).sum())

    def _tried(self, node: _Node) -> list[int]:
        """Return machines to split a node by, those most torn between zones first."""
        torn = (1.0 - (node.shares**2).sum(axis=1)) * self._weight
        is_open = node.mask.sum(axis=1) > 1
        torn[~is_open] = 0.0
        order = np.argsort(-torn, kind="stable")[:_TRIED]
        found: list[int] = order[torn[order] > _WHOLE * self._weight.max()].tolist()
        return found or np.flatnonzero(is_open)[:1].tolist()
