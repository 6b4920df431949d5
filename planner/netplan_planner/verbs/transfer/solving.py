"""The best transfer: cheapest within a time, fastest within a budget, and the front between.

Spans of time follow one another, each solved by itself: in a short span a program with whole
machines is nearly as tight as without. On a network of many places the whole machines stand where
the program without them wants any; the bound is of all places.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.optimise.highs import Floats
from netplan_planner.verbs.transfer import program
from netplan_planner.verbs.transfer.network import Network, fewest, kept, transfer_s
from netplan_planner.verbs.transfer.program import Aim, Found, Span
from netplan_planner.verbs.transfer.routes import Route, cheapest_tree, paths, shares_of, trees

MOST_PLACES = 9
"""Up to which all places may have whole machines."""
_RATIO = 1.6
"""Of the ends of a span."""
_MOST_SPANS = 16
_SAME = 1e-5
TREE_RATIO = 1e-3
"""How much dearer one tree may be than the bound of all plans, and still be taken: it is simple."""
_ALIKE = 1e-9
_NEAR = 1e-6
"""Of times: what a solver's tolerance may add."""


class Solution(NamedTuple):
    """Machines and ways, in the numbers of the whole network."""

    counts: Floats
    """Options: machines."""
    routes: tuple[Route, ...]
    transfer_s: float
    """In steady state."""
    usd: float
    """At the prices of the program."""


class Searched(NamedTuple):
    """What was found."""

    best: Solution | None
    front: tuple[Solution, ...]
    """Candidates: some may be beaten by others."""
    bound_usd: float
    """No plan within the deadline costs less."""
    fastest: Solution | None
    cheapest: Solution | None
    """Whatever the deadline."""


def up_s(network: Network, transfer: float) -> float:
    """Return how long machines are up, and paid, for so long a transfer."""
    return max(network.overhead_s + transfer, network.least_s)


def searched(
    network: Network,
    *,
    is_time: bool,
    deadline_s: float | None,
    budget_usd: float | None,
    has_front: bool,
) -> Searched:
    """Return the best plan of a network as it stands, as `searching.search` says."""
    least_s = max(network.overhead_s, network.least_s)
    endless = Span(least_s, longest_s(network))
    fast = program.relaxed(network, endless, Aim(is_time=True))
    if fast is None:
        return Searched(None, (), 0.0, None, None)
    slow = program.relaxed(network, endless)
    assert slow is not None
    part = _kept(network, fast, slow, endless)
    fastest = part.best(Span(fast.up_s, longest_s(network)), Aim(is_time=True), is_first=True)
    most_s = np.inf if deadline_s is None else max(deadline_s, least_s) * (1 + _ALIKE)
    spans = list(_spans(part, slow, fast.up_s, most_s))
    aim = Aim(most_usd=np.inf if budget_usd is None else budget_usd * (1 + _ALIKE))
    listed, best = [fastest] if fastest else [], None
    for span in spans:
        if span.low_s >= most_s and not has_front:
            break
        if not has_front and not is_time and _cannot_be_cheaper(network, span, listed):
            continue
        found = part.best(span, Aim())
        listed += [found] if found else []
    usable = [one for one in listed if _fits(network, one, most_s, aim.most_usd)]
    if is_time:
        best = _fastest(part, spans, most_s, aim.most_usd, usable)
    elif usable:
        best = _cheapest(part, spans, usable, most_s)
    own_s = most_s if not is_time or best is None else up_s(network, best.transfer_s)
    bound = program.relaxed(network, Span(least_s, min(max(own_s, fast.up_s), endless.high_s)))
    return Searched(
        best=best,
        front=tuple(listed),
        bound_usd=max(bound.bound if bound else 0.0, 0.0),
        fastest=min(listed, key=lambda one: one.transfer_s, default=None),
        cheapest=min(listed, key=lambda one: one.usd, default=None),
    )


def _cannot_be_cheaper(network: Network, span: Span, listed: list[Solution]) -> bool:
    """Return whether no plan of a span is cheaper than the cheapest so far, by a cent in 1,000."""
    found = program.relaxed(network, span)
    least = min((one.usd for one in listed), default=np.inf)
    return found is None or found.bound >= least * (1 - _SAME)


def _fits(network: Network, one: Solution, most_s: float, most_usd: float) -> bool:
    in_time = up_s(network, one.transfer_s) <= most_s * (1 + _NEAR)
    return in_time and one.usd <= most_usd * (1 + _NEAR)


def _cheapest(part: "_Part", spans: list[Span], usable: list[Solution], most_s: float) -> Solution:
    """Return the cheapest; of equal costs the fastest, in its own span too."""
    least = min(one.usd for one in usable) * (1 + _NEAR) + 1e-9
    best = min((one for one in usable if one.usd <= least), key=lambda one: one.transfer_s)
    if part.network.is_priced and len(part.network.targets) > 1 and len(best.routes) == 1:
        return best
    up = up_s(part.network, best.transfer_s)
    span = next((one for one in spans if one.low_s <= up <= one.high_s * (1 + _NEAR)), None)
    if span is None:
        return best
    again = part.best(Span(span.low_s, up), Aim(is_time=True, most_usd=least))
    return again if again and again.usd <= least and again.transfer_s < best.transfer_s else best


def _fastest(
    part: "_Part", spans: list[Span], most_s: float, most_usd: float, usable: list[Solution]
) -> Solution | None:
    """Return the fastest within a budget, the cheapest of equally fast ones."""
    found = None
    for span in spans:
        if span.low_s >= most_s:
            break
        found = part.best(span, Aim(is_time=True, most_usd=most_usd))
        if found is not None:
            break
    found = min([*([found] if found else []), *usable], key=lambda s: s.transfer_s, default=None)
    if found is None:
        return None
    up = up_s(part.network, found.transfer_s)
    later = _SAME if len(part.network.targets) > 1 else _NEAR
    cheaper = part.best(Span(up * (1 - _NEAR), up * (1 + later)), Aim(most_usd=most_usd))
    return cheaper if cheaper and cheaper.usd <= found.usd else found


def longest_s(network: Network) -> float:
    """Return a time in which the slowest machines move all over the slowest edge."""
    rates = network.limits.gbps[network.limits.gbps > 0]
    slowest = min(float(rates.min(initial=1.0)), float(network.quotas.gbps.min(initial=np.inf)))
    return max(network.overhead_s + network.gbit / slowest, network.least_s) * 1.01


def _kept(network: Network, fast: Found, slow: Found, endless: Span) -> "_Part":
    """Return the part of a network where whole machines may stand."""
    every = np.ones(network.edges, dtype=bool)
    is_one_flow = not network.is_priced and len(network.targets) == 1
    if len(network.places) <= MOST_PLACES or is_one_flow:
        return _Part(network, np.ones(len(network.places), dtype=bool), every)
    places: NDArray[np.bool_] = np.zeros(len(network.places), dtype=bool)
    places[[network.source, *network.targets]] = True
    founds = [fast, slow]
    for share in (0.0, 0.25, 0.5, 0.75):
        middle = fast.up_s ** (1 - share) * slow.up_s**share * (1 + _SAME)
        founds.append(program.relaxed(network, Span(fast.up_s, max(middle, fast.up_s))) or slow)
    for found in founds:
        places[program.places_used(network, found.shares)] = True
    return _Part(network, places, every)


def _spans(part: "_Part", slow: Found, low_s: float, most_s: float) -> Iterator[Span]:
    """Yield spans from the fastest time on to where one machine a place is enough."""
    network = part.network
    ones = np.minimum(1.0, np.ceil(slow.counts - 1e-9))
    alone = up_s(network, transfer_s(network, ones, slow.shares))
    high_s = min(max(alone, low_s * _RATIO, min(most_s, alone)) * (1 + _NEAR), longest_s(network))
    ratio = max(_RATIO, (high_s / low_s) ** (1 / _MOST_SPANS))
    ends = [low_s]
    while ends[-1] < high_s:
        ends.append(min(ends[-1] * ratio, high_s))
    if low_s < most_s < high_s:
        ends = sorted({*ends, most_s})
    for low, high in pairwise(ends):
        yield Span(low, high)


class _Part:
    """The part of a network where whole machines may stand."""

    def __init__(
        self, network: Network, places: NDArray[np.bool_], edges: NDArray[np.bool_]
    ) -> None:
        self.network = network
        self._own = kept(network, places, edges)
        self._edges = np.flatnonzero(edges & places[network.src] & places[network.dst])
        self._options = np.flatnonzero(places[network.option_place])

    def best(self, span: Span, aim: Aim, *, is_first: bool = False) -> Solution | None:
        """Return the best within a span; None: there is none.

        Args:
            span: How long machines are up.
            aim: What is to be least.
            is_first: Whether the least time of all is looked for, so that the span can be short.
        """
        own = self._own
        if not own.is_priced:
            counts = np.full(own.options, float(own.most))
            found = program.with_counts(own, counts, span, aim)
            if found is not None and not aim.is_time:
                most = found.usd * (1 + _ALIKE) + 1e-9
                found = program.with_counts(own, counts, span, Aim(is_time=True, most_usd=most))
        elif is_first:
            found = self._first(span)
        else:
            tree = self._one_tree(span, aim)
            if tree is not None:
                return tree
            found = program.whole(own, span, aim)
        if found is None:
            return None
        return self._solution(found, span, aim)

    def _one_tree(self, span: Span, aim: Aim) -> Solution | None:
        """Return the best along one tree to several targets, where none is much cheaper."""
        own = self._own
        if len(own.targets) == 1 or aim.is_time:
            return None
        weights = own.usd.copy()
        limits = own.limits
        each = np.full(len(limits.names), np.inf)
        costs = own.option_usd[limits.option] / np.maximum(limits.gbps, 1e-12)
        np.minimum.at(each, limits.option_row, costs)
        np.add.at(weights, limits.edge, own.gbit * each[limits.edge_row])
        tree = cheapest_tree(own, weights)
        if tree is None:
            return None
        on = np.zeros(own.edges, dtype=bool)
        on[list(tree)] = True
        single = kept(own, np.ones(len(own.places), dtype=bool), on)
        found = program.whole(single, span, aim)
        lowest = program.relaxed(own, span, aim)
        if found is None or lowest is None or found.usd > lowest.bound * (1 + TREE_RATIO):
            return None
        return self._of_routes(found.counts, (Route(1.0, tree),))

    def _first(self, span: Span) -> Found | None:
        for ratio in (1.05, _RATIO, _RATIO**4):
            short = Span(span.low_s, min(span.low_s * ratio + 1e-6, span.high_s))
            found = program.whole(self._own, short, Aim(is_time=True))
            if found is not None:
                return found
        return None

    def _solution(self, found: Found, span: Span, aim: Aim) -> Solution | None:
        own, counts = self._own, found.counts
        if len(own.targets) == 1:
            routes = self._straight(paths(own, found.shares), counts, span, aim)
            if not routes:
                return None
        else:
            packed = None
            for more in range(3):
                counts = np.where(found.counts > 0, np.minimum(found.counts + more, own.most), 0)
                packed = self._packed(counts, span, aim)
                if packed is not None:
                    break
            if packed is None:
                return None
            routes = packed
        return self._of_routes(counts, routes)

    def _of_routes(self, counts: Floats, routes: tuple[Route, ...]) -> Solution:
        """Return machines and ways in the numbers of the whole network."""
        own = self._own
        shares = shares_of(own, routes)
        seconds = transfer_s(own, counts, shares)
        counts = fewest(own, shares, seconds, counts)
        usd = float(own.usd @ shares + own.option_usd @ counts * up_s(own, seconds))
        whole = np.zeros(self.network.options)
        whole[self._options] = counts
        moved = tuple(
            Route(one.share, tuple(int(self._edges[edge]) for edge in one.edges)) for one in routes
        )
        return Solution(whole, moved, seconds, usd)

    def _straight(
        self, routes: tuple[Route, ...], counts: Floats, span: Span, aim: Aim
    ) -> tuple[Route, ...]:
        """Return the best paths over the edges of such ones: what noise added is gone."""
        own = self._own
        on = shares_of(own, routes) > 0
        part = kept(own, np.ones(len(own.places), dtype=bool), on)
        found = program.with_counts(part, counts, span, aim)
        if found is None:
            return routes
        at = np.flatnonzero(on)
        return tuple(
            Route(one.share, tuple(int(at[edge]) for edge in one.edges))
            for one in paths(part, found.shares)
        )

    def _packed(self, counts: Floats, span: Span, aim: Aim) -> tuple[Route, ...] | None:
        own = self._own
        found = trees(own, counts, span, aim)
        if found is None:
            return None
        if own.is_priced or aim.is_time:
            return found.routes
        usd = float(own.usd @ shares_of(own, found.routes))
        faster = trees(own, counts, span, Aim(is_time=True, most_usd=usd * (1 + _ALIKE) + 1e-9))
        return faster.routes if faster is not None else found.routes
