"""Shares of edges taken apart into ways: paths to one target, trees to several.

To one target every flow is a sum of paths. To several, shares that carry each target's bytes by
themselves need not be a sum of trees along which bytes are copied: trees are found by column
generation, each time the cheapest one by the worth of the limits (Dreyfus and Wagner, "The Steiner
problem in graphs", 1971, for directed edges). That is exact for a few targets; for more a good one:
target after target joined by its nearest path.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from netplan_planner.optimise.highs import Floats, Places, Rows, run_priced
from netplan_planner.verbs.transfer.network import Network, carried, crossing
from netplan_planner.verbs.transfer.program import Aim, Model, Span

_LEAST = 1e-5
"""A lesser share of the bytes is the noise of a solver, or not worth a machine."""
_SHORT = 1e-7
_ROUNDS = 400
"""Trees at most, once they carry all bytes: a further one would only make the plan better."""
_ALIKE = 1e-9
MOST_EXACT = 8
"""Targets: the work grows with three to their power."""
_TIE = 1e-12
"""Of edges without a weight, so that ways go straight."""


class Route(NamedTuple):
    """A way of a share of the bytes."""

    share: float
    edges: tuple[int, ...]


def shares_of(network: Network, routes: Sequence[Route]) -> Floats:
    """Return what share of the bytes crosses each edge."""
    found = np.zeros(network.edges)
    for route in routes:
        found[list(route.edges)] += route.share
    return found


def paths(network: Network, shares: Floats) -> tuple[Route, ...]:
    """Return the paths to one target that a flow is made of, the greatest first, without noise."""
    left = shares.copy()
    (target,) = network.targets
    found: dict[tuple[int, ...], float] = {}
    for _ in range(network.edges):
        path = _widest(network, left, target)
        share = float(np.min(left[list(path)])) if path else 0.0
        if share < _LEAST:
            break
        left[list(path)] -= share
        found[path] = found.get(path, 0.0) + share
    return _whole([Route(share, path) for path, share in found.items()])


def _whole(routes: Sequence[Route]) -> tuple[Route, ...]:
    """Return routes that carry all bytes together, without those of next to none."""
    kept = [route for route in routes if route.share >= _LEAST]
    total = sum(route.share for route in kept)
    ordered = sorted(kept, key=lambda route: (-round(route.share, 9), route.edges))
    return tuple(Route(route.share / total, route.edges) for route in ordered)


def _widest(network: Network, left: Floats, target: int) -> tuple[int, ...]:
    """Return the path whose least share is the greatest; empty: there is none."""
    width = np.zeros(len(network.places))
    width[network.source] = np.inf
    by: dict[int, int] = {}
    is_done = np.zeros(len(network.places), dtype=bool)
    on = np.flatnonzero(left >= _LEAST)
    while True:
        reach = np.where(is_done, 0.0, width)
        at = int(np.argmax(reach))
        if reach[at] <= 0 or at == target:
            break
        is_done[at] = True
        for edge in on[network.src[on] == at].tolist():
            end = int(network.dst[edge])
            wide = min(width[at], left[edge])
            if wide > width[end] and not is_done[end]:
                width[end], by[end] = wide, edge
    if width[target] <= 0:
        return ()
    found = []
    at = target
    while at != network.source:
        found.append(by[at])
        at = int(network.src[by[at]])
    return tuple(reversed(found))


class Packed(NamedTuple):
    """Trees, and how long the machines are up."""

    routes: tuple[Route, ...]
    up_s: float


def trees(network: Network, counts: Floats, span: Span, aim: Aim) -> Packed | None:
    """Return the best trees to several targets for machines that are decided; None: none fit.

    The cheapest next tree is exact up to `trees.MOST_EXACT` targets, and one that joins targets by
    their nearest paths above: the plan is then good, and the bound says how good.
    """
    columns = _Columns(network, counts, span)
    tree = cheapest_tree(network, _start_weights(network, counts))
    if tree is None:
        return None
    while True:
        columns.add(tree)
        answer = columns.solved(aim)
        if answer is None:
            return None
        # That no trees carry all bytes is known only where no further one would carry more.
        if len(columns.trees) >= _ROUNDS and answer.short <= _SHORT:
            break
        tree = cheapest_tree(network, answer.weights)
        if tree is None or tree in columns.trees or not _is_worth_it(tree, answer):
            break
    if answer.short > _SHORT:
        return None
    return Packed(
        _whole([Route(s, t) for s, t in zip(answer.shares, columns.trees, strict=True)]),
        answer.up_s,
    )


def _start_weights(network: Network, counts: Floats) -> Floats:
    rates = np.full(network.edges, np.inf)
    found = carried(network, counts)
    np.minimum.at(rates, network.limits.edge, found[network.limits.edge_row])
    total = float(network.usd.sum()) or 1.0
    return np.where(rates > 0, network.usd / total + 1e-6 / np.maximum(rates, 1e-12), np.inf)


class _Master(NamedTuple):
    shares: Floats
    up_s: float
    short: float
    """Of the bytes: what no tree carries."""
    weights: Floats
    """Edges: what one more tree across it would cost."""
    worth: float
    """What a tree for all bytes may cost at most to be worth taking."""


def _is_worth_it(tree: tuple[int, ...], answer: _Master) -> bool:
    """Return whether one more tree would make a solution better."""
    cost = float(answer.weights[list(tree)].sum())
    return cost < answer.worth - _ALIKE * max(1.0, abs(answer.worth))


class _Cells(NamedTuple):
    """What one tree crosses, as a column of the program: rows, the column, values."""

    rows: Places
    columns: Places
    values: Floats


class _Columns:
    """Trees so far, and the program that shares the bytes out over them.

    Bytes that no tree carries cost more than any plan, so that every program has a solution.
    """

    def __init__(self, network: Network, counts: Floats, span: Span) -> None:
        self.network = network
        self.trees: list[tuple[int, ...]] = []
        self._uses: list[Floats] = []
        self._of_limits: list[_Cells] = []
        self._of_quotas: list[_Cells] = []
        self._rates = carried(network, counts)
        self._usd_per_s = float(network.option_usd @ counts)
        self._span = span

    def add(self, tree: tuple[int, ...]) -> None:
        """Add a tree, and what of the limits a share of the bytes along it takes."""
        column = len(self.trees)
        self.trees.append(tree)
        use = shares_of(self.network, (Route(1.0, tree),))
        self._uses.append(use)
        cells = (self._of_limits, self._of_quotas)
        for group, crossed in zip(cells, crossing(self.network, use), strict=True):
            at = np.flatnonzero(crossed)
            group.append(_Cells(at, np.full(len(at), column), crossed[at] * self.network.gbit))

    def solved(self, aim: Aim) -> _Master | None:
        """Return the best shares of the trees; None: there is no solution."""
        network, count = self.network, len(self.trees)
        usd = network.usd @ np.column_stack(self._uses)
        time, short = count, count + 1
        spent = np.concatenate([usd, [self._usd_per_s, 0.0]])
        cost = np.zeros(count + 2)
        cost[time] = 1.0 if aim.is_time else self._usd_per_s
        if not aim.is_time:
            cost[:count] = usd
        cost[short] = 1e3 * (float(network.usd.sum()) + self._usd_per_s * self._high_s + 1.0)
        if aim.is_time:
            cost[short] = 1e3 * (self._high_s + 1.0)
        rows = Rows()
        rows.add(np.zeros(count + 1, int), np.array([*range(count), short]), np.ones(count + 1))
        rows.bounds(np.ones(1), np.ones(1))
        for cells, rates in (
            (self._of_limits, self._rates),
            (self._of_quotas, network.quotas.gbps),
        ):
            for one in cells:
                rows.add(*one)
            rows.add(np.arange(len(rates)), np.full(len(rates), time), -rates)
            rows.bounds(np.full(len(rates), -np.inf), -rates * network.overhead_s)
        if np.isfinite(aim.most_usd):
            rows.add(np.zeros(count + 1, int), np.arange(count + 1), spent[: count + 1])
            rows.bounds(np.array([-np.inf]), np.array([aim.most_usd]))
        low, high = np.zeros(count + 2), np.ones(count + 2)
        low[time], high[time] = self._span
        answer = run_priced(Model(cost, low, high, *rows.done(count + 2)))
        if answer is None:
            return None
        return self._priced(answer.values, answer.duals, aim)

    @property
    def _high_s(self) -> float:
        return self._span.high_s

    def _priced(self, values: Floats, duals: Floats, aim: Aim) -> _Master:
        """Return a solution with what its limits are worth, by edge."""
        network, count = self.network, len(self.trees)
        limits, quotas = network.limits, network.quotas
        of_limits = duals[1 : 1 + len(limits.names)]
        of_quotas = duals[1 + len(limits.names) : 1 + len(limits.names) + len(quotas.names)]
        per_usd = -duals[-1] if np.isfinite(aim.most_usd) else 0.0
        weights = network.usd * ((0.0 if aim.is_time else 1.0) + per_usd)
        np.add.at(weights, limits.edge, -of_limits[limits.edge_row] * network.gbit)
        np.add.at(weights, quotas.edge, -of_quotas[quotas.edge_row] * network.gbit)
        return _Master(
            shares=values[:count],
            up_s=float(values[count]),
            short=float(values[count + 1]),
            weights=np.maximum(weights, 0.0),
            worth=float(duals[0]),
        )


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
    for edge in np.argsort(-steps, kind="stable").tolist():
        start, end = network.src[edge], network.dst[edge]
        if start != end and steps[edge] < distance[start, end]:
            distance[start, end], via[start, end] = steps[edge], edge
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
