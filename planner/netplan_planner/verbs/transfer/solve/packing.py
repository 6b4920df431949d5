"""Trees to several targets, and how the bytes share out over them: column generation.

A tree carries a byte from the source to every target once. The trees so far are the parallel edges
of a network with one target (`columns`), so that one program solves both. What its limits are worth
prices the edges; the cheapest tree at these prices is the next one, until none is worth taking.
That is exact where the search for a tree is, and proves at every step what no plan undercuts.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from netplan_planner.optimise.highs import Clock, Floats, Places
from netplan_planner.verbs.transfer.solve import program
from netplan_planner.verbs.transfer.solve.network import (
    Network,
    Route,
    all_of,
    crossing,
    kept,
    quota_s,
    rows_of,
    shares_of,
)
from netplan_planner.verbs.transfer.solve.program import Aim, Found, Priced, Span
from netplan_planner.verbs.transfer.solve.steiner import MOST_EXACT, cheapest_tree

Tree = tuple[int, ...]
_ROUNDS = 300
"""Trees at most for one answer: a further one would only make it a little better."""
_MOST_ROUNDS = 10_000
"""The same for the least time: that no trees are in time is known only where none is faster."""
_NODES = 200
"""Of a search for whole machines, which a mix of trees starts from."""
_ALIKE = 1e-9
"""Relative, between an answer and what is proven: what more trees are not worth."""
_IN_USE = 1e-7
_MOST_COUNTS = 64
"""Of machines in a place, of which the times of a tree are tried: all, or evenly by ratio."""


class Columns(NamedTuple):
    """A network whose edges are trees, with where its machines stand in the whole one."""

    network: Network
    options: Places
    rows: Places
    """Of the limits."""


def columns(network: Network, trees: Sequence[Tree]) -> Columns:
    """Return the places, machines and limits of some trees, which are its edges."""
    on = np.zeros(network.edges, dtype=bool)
    places = np.zeros(len(network.places), dtype=bool)
    for tree in trees:
        on[list(tree)] = True
    places[network.src[on]] = places[network.dst[on]] = True
    part = kept(network, places, on)
    at = np.cumsum(on) - 1
    uses = np.array([_use(part, at[list(tree)]) for tree in trees]).reshape(len(trees), -1)
    limits, quotas = part.limits, part.quotas
    cells = [_cells(one.edge_row, one.edge, uses) for one in (limits, quotas)]
    count = len(trees)
    return Columns(
        part._replace(
            src=np.full(count, network.source),
            dst=np.full(count, network.targets[0]),
            usd=uses @ part.usd,
            limits=limits._replace(edge_row=cells[0][0], edge=cells[0][1]),
            quotas=quotas._replace(edge_row=cells[1][0], edge=cells[1][1]),
            targets=network.targets[:1],
        ),
        np.flatnonzero(places[network.option_place]),
        np.flatnonzero(rows_of(network.limits, on)),
    )


def _use(network: Network, edges: Places) -> Floats:
    found = np.zeros(network.edges)
    found[edges] = 1.0
    return found


def _cells(rows: Places, edges: Places, uses: Floats) -> tuple[Places, Places]:
    """Return rows and trees, once for each edge by which a tree crosses a row."""
    tree, cell = np.nonzero(uses[:, edges])
    return rows[cell], tree


class Mix(NamedTuple):
    """How the bytes share out over trees."""

    found: Found
    """Shares by tree; machines in the numbers of the whole network."""
    routes: tuple[Route, ...]


class Packing:
    """The trees of a network that were found so far."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.is_exact = len(network.targets) <= MOST_EXACT
        self.trees: dict[Tree, None] = {}
        self.clock = Clock(program.LAST_RESORT_S)
        for weights in self._first_weights():
            tree = cheapest_tree(network, weights)
            if tree is not None:
                self.trees[tree] = None

    def _first_weights(self) -> list[Floats]:
        """Return what edges cost: the traffic alone, with its machines, and the time alone.

        Ties of cost go to the faster edge.
        """
        network, limits = self.network, self.network.limits
        best, dear = np.zeros(len(limits.names)), np.full(len(limits.names), np.inf)
        np.maximum.at(best, limits.option_row, limits.gbps)
        costs = network.option_usd[limits.option] / np.maximum(limits.gbps, 1e-12)
        np.minimum.at(dear, limits.option_row, costs)
        slow = np.zeros(network.edges)
        np.maximum.at(slow, limits.edge, 1 / np.maximum(best[limits.edge_row], 1e-12))
        slow[slow > 1e9] = np.inf
        paid = network.usd.copy()
        np.add.at(paid, limits.edge, network.gbit * dear[limits.edge_row])
        tie = 1e-7 * float(network.usd.max(initial=0.0)) / (float(slow.max(initial=0.0)) or 1.0)
        is_open = np.isfinite(slow)
        tied = np.where(is_open, network.usd + tie * np.where(is_open, slow, 0.0), np.inf)
        return [tied, np.where(is_open, paid, np.inf), slow]

    def mixed(self, span: Span, aim: Aim, counts: Floats | None = None) -> Mix | None:
        """Return the best mix of trees within a span; None: there is none.

        Args:
            span: How long machines are up.
            aim: What is to be least.
            counts: Machines, where they are decided; None: fractions of any.
        """
        if not self.trees:
            return None
        if np.isfinite(aim.most_usd):
            # Trees that keep the bound are among those that cost least.
            cheapest = self.mixed(span, Aim(), counts)
            if cheapest is None or cheapest.found.usd > aim.most_usd * (1 + _ALIKE):
                return None
        bound, answer = -np.inf, None
        for _ in range(_MOST_ROUNDS if aim.is_time else _ROUNDS):
            trees = list(self.trees)
            own = columns(self.network, trees)
            held = None if counts is None else counts[own.options]
            answer = program.priced(own.network, span, aim, held)
            if answer is None:
                return None
            weights = self._weights(answer, own, aim)
            tree = cheapest_tree(self.network, weights)
            value = answer.found.up_s if aim.is_time else answer.found.usd
            less = 0.0 if tree is None else float(weights[list(tree)].sum()) - answer.worth
            bound = max(bound, value + min(less, 0.0))
            is_near = value - bound <= program.GAP * abs(value)
            if tree is None or tree in self.trees or is_near:
                break
            self.trees[tree] = None
        assert answer is not None
        return self._mix(answer.found, own, trees, bound if self.is_exact else 0.0)

    def _weights(self, answer: Priced, own: Columns, aim: Aim) -> Floats:
        """Return what one more tree across each edge would cost."""
        network = self.network
        weights = network.usd * ((0.0 if aim.is_time else 1.0) + answer.per_usd)
        limits, quotas = network.limits, network.quotas
        worth = np.zeros(len(limits.names))
        worth[own.rows] = -answer.limits
        np.add.at(weights, limits.edge, worth[limits.edge_row] * network.gbit)
        np.add.at(weights, quotas.edge, -answer.quotas[quotas.edge_row] * network.gbit)
        return np.maximum(weights, 0.0)

    def _mix(self, found: Found, own: Columns, trees: Sequence[Tree], bound: float) -> Mix:
        counts = np.zeros(self.network.options)
        counts[own.options] = found.counts
        used = [
            Route(share, tree)
            for share, tree in zip(found.shares.tolist(), trees, strict=True)
            if share > _IN_USE
        ]
        routes = all_of(used)
        shares = shares_of(self.network, routes)
        return Mix(found._replace(shares=shares, counts=counts, bound=bound), routes)

    def whole(self, trees: Sequence[Tree], span: Span, aim: Aim) -> Mix | None:
        """Return the best mix of some trees that was found with whole machines."""
        own = columns(self.network, trees)
        found = program.whole(own.network, span, aim, _NODES, self.clock)
        return found and self._mix(found, own, trees, found.bound)

    def leanest(self, up_s: float, most_usd: float) -> Mix | None:
        """Return the trees with the fewest machines that keep a time and a cost of traffic."""
        trees = list(self.trees)
        own = columns(self.network, trees)
        found = program.leanest(own.network, up_s, most_usd, self.clock)
        return found and self._mix(found, own, trees, 0.0)

    def single(self, span: Span, most: int) -> list[Mix]:
        """Return the best of the trees by themselves, the cheapest first."""
        network = self.network
        found: list[Mix] = []
        by_traffic = sorted((float(network.usd[list(one)].sum()), one) for one in self.trees)
        for usd, tree in by_traffic:
            if len(found) == most and usd >= found[-1].found.usd:
                break
            mix = self.alone(tree, span)
            if mix is not None:
                found = sorted([*found, mix], key=lambda one: one.found.usd)[:most]
        return found

    def alone(self, tree: Tree, span: Span) -> Mix | None:
        """Return the cheapest within a span along one tree with whole machines: exact.

        Between the times at which a place needs one machine less the cost only rises.
        """
        own = columns(self.network, (tree,))
        network, seconds = own.network, _machine_s(own.network)
        before_s, places = network.overhead_s, np.unique(network.option_place)
        groups = [np.flatnonzero(network.option_place == place) for place in places]
        most = np.unique(np.geomspace(1, network.most, _MOST_COUNTS).round())
        times = before_s + (seconds[:, None] / most[None, :]).ravel()
        at_least = [float(seconds[at].min()) / network.most for at in groups]
        at_least.append(float(quota_s(network, np.ones(1)).max(initial=0.0)))
        low_s = max(span.low_s, before_s + max(at_least))
        times = np.unique([low_s, *times[(times > low_s) & (times <= span.high_s)]])
        busy_s = np.maximum(times - before_s, 1e-12)
        counts = np.ceil(np.round(seconds[None, :] / busy_s[:, None], 9))
        usd = np.where(counts <= network.most, counts * network.option_usd, np.inf) * times[:, None]
        least, choice = np.zeros(len(times)), []
        for at in groups:
            chosen = at[np.argmin(usd[:, at], axis=1)]
            choice.append(chosen)
            least += usd[np.arange(len(times)), chosen]
        best = int(np.argmin(least))
        if not np.isfinite(least[best]) or times[best] > span.high_s:
            return None
        held = np.zeros(self.network.options)
        for chosen in choice:
            held[own.options[chosen[best]]] = counts[best, chosen[best]]
        total = float(network.usd[0] + least[best])
        shares = shares_of(self.network, (Route(1.0, tree),))
        found = Found(shares, held, float(times[best]), total, 0.0)
        return Mix(found, (Route(1.0, tree),))


def _machine_s(network: Network) -> Floats:
    """Return for how long one machine of each option is at work, by its slowest limit."""
    limits = network.limits
    used, _ = crossing(network, np.ones(1))
    gbps = np.zeros((len(limits.names), network.options))
    gbps[limits.option_row, limits.option] = limits.gbps
    is_own = limits.place[:, None] == network.option_place[None, :]
    seconds = network.gbit * used[:, None] / np.maximum(gbps, 1e-12)
    found: Floats = np.where(is_own, seconds, 0.0).max(axis=0, initial=0.0)
    return found
