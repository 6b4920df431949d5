"""The best transfer: cheapest within a time, fastest within a budget, and the front between.

Spans of time follow one another, each solved by itself: in a short span a program with whole
machines is nearly as tight as without.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from netplan_planner.optimise.highs import Floats
from netplan_planner.verbs.transfer.solve import program
from netplan_planner.verbs.transfer.solve.network import (
    Network,
    Route,
    fewest,
    shares_of,
    transfer_s,
    up_s,
)
from netplan_planner.verbs.transfer.solve.packing import Packing
from netplan_planner.verbs.transfer.solve.program import Aim, Found, Span

_RATIO = 1.6
"""Of the ends of a span."""
_MOST_SPANS = 16
_SAME = 1e-5
TREE_RATIO = 1e-3
"""How much dearer one tree may be than the bound of all plans, and still be taken: it is simple."""
_TRIED = 12
"""Single trees that a mix of them starts from."""
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
    is_out_of_time: bool = False
    """Whether the clock ended a search, not what is counted: another run may find more."""


NOTHING = Searched(None, (), 0.0, None, None)


def searched(
    network: Network,
    *,
    is_time: bool,
    deadline_s: float | None,
    budget_usd: float | None,
    has_front: bool,
) -> Searched:
    """Return the best plan of a network as it stands, over the bounds that are given."""
    least_s = max(network.overhead_s, network.least_s)
    endless = Span(least_s, longest_s(network))
    part = _Part(network)
    fast = part.relaxed(endless, Aim(is_time=True))
    slow = fast and part.relaxed(endless, Aim())
    if fast is None or slow is None:
        return NOTHING
    most_s = np.inf if deadline_s is None else max(deadline_s, least_s) * (1 + _ALIKE)
    part.most_s = max(most_s, fast.up_s)
    spans = list(_spans(network, slow, fast.up_s, most_s))
    fastest = part.first(Span(fast.up_s, longest_s(network)))
    if fastest is not None:
        up = up_s(network, fastest.transfer_s)
        cheaper = part.best(Span(up * (1 - _NEAR), up * (1 + _NEAR)), Aim())
        fastest = min((fastest, cheaper or fastest), key=lambda one: one.usd)
    aim = Aim(most_usd=np.inf if budget_usd is None else budget_usd * (1 + _ALIKE))
    listed, best = [fastest] if fastest else [], None
    for span in spans:
        if span.low_s >= most_s and not has_front:
            break
        if not has_front and not is_time and _cannot_be_cheaper(part, span, listed):
            continue
        found = part.best(span, Aim(), min((one.usd for one in listed), default=np.inf))
        listed += [found] if found else []
    usable = [one for one in listed if _fits(network, one, most_s, aim.most_usd)]
    if is_time:
        best = _fastest(part, spans, most_s, aim.most_usd, usable)
    elif usable:
        best = _cheapest(part, spans, usable)
    own_s = most_s if not is_time or best is None else up_s(network, best.transfer_s)
    return Searched(
        best=best,
        front=tuple(listed),
        bound_usd=part.lowest(Span(least_s, min(max(own_s, fast.up_s), endless.high_s))),
        fastest=min(listed, key=lambda one: one.transfer_s, default=None),
        cheapest=min(listed, key=lambda one: one.usd, default=None),
        is_out_of_time=part.clock.has_struck,
    )


def _cannot_be_cheaper(part: "_Part", span: Span, listed: list[Solution]) -> bool:
    """Return whether no plan of a span is cheaper than the cheapest so far, by a cent in 1,000."""
    least = min((one.usd for one in listed), default=np.inf)
    return part.lowest(span) >= least * (1 - _SAME)


def _fits(network: Network, one: Solution, most_s: float, most_usd: float) -> bool:
    in_time = up_s(network, one.transfer_s) <= most_s * (1 + _NEAR)
    return in_time and one.usd <= most_usd * (1 + _NEAR)


def _cheapest(part: "_Part", spans: list[Span], usable: list[Solution]) -> Solution:
    """Return the cheapest; of equal costs the fastest, in its own span too."""
    least = min(one.usd for one in usable) * (1 + _NEAR) + 1e-9
    best = min((one for one in usable if one.usd <= least), key=lambda one: one.transfer_s)
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


def _spans(network: Network, slow: Found, low_s: float, most_s: float) -> Iterator[Span]:
    """Yield spans from the fastest time on to where one machine a place is enough.

    Where machines are free, to where all of them carry the cheapest ways.
    """
    counts = np.minimum(1.0, np.ceil(slow.counts - 1e-9))
    if not network.is_priced:
        counts = np.full(network.options, float(network.most))
    alone = up_s(network, transfer_s(network, counts, slow.shares))
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
    """A network, and how it is solved within a span of time: bytes are copied along trees.

    To one target trees are paths.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.most_s = np.inf
        """The deadline."""
        self._packing = Packing(network)
        self.clock = self._packing.clock

    def relaxed(self, span: Span, aim: Aim) -> Found | None:
        """Return the best mix of trees with fractions of machines; None: there is none."""
        mix = self._packing.mixed(span, aim, self._all_machines())
        return mix and mix.found

    def lowest(self, span: Span) -> float:
        """Return what no plan within a span undercuts; infinite: there is none.

        Of many targets it is what is proven of flows.
        """
        if self._packing.is_exact:
            found = self.relaxed(span, Aim())
        else:
            found = program.relaxed(self.network, span)
        return np.inf if found is None else max(found.bound, 0.0)

    def best(self, span: Span, aim: Aim, faster_usd: float = np.inf) -> Solution | None:
        """Return the best mix of trees; of priced machines one tree where that is good enough.

        So it is where a faster plan costs `faster_usd`, and no mix could save what matters.
        """
        packing, counts = self._packing, self._all_machines()
        mix = packing.mixed(span, aim, counts)
        if mix is None:
            return None
        if counts is not None:
            most = mix.found.usd * (1 + _ALIKE) + 1e-9
            mix = (None if aim.is_time else packing.mixed(span, Aim(True, most), counts)) or mix
            lean = packing.leanest(self._as_long(mix.found), max(most, mix.found.usd))
            return self._solved(lean.found.counts if lean else counts, (lean or mix).routes)
        least = mix.found.bound if packing.is_exact and not aim.is_time else mix.found.usd
        single = [] if aim.is_time else packing.single(span, _TRIED)
        good_usd = least * (1 + TREE_RATIO)
        if single and min(single[0].found.usd, faster_usd) <= good_usd:
            return self._solved(single[0].found.counts, single[0].routes)
        trees = [one.edges for both in (mix, *single) for one in both.routes]
        whole = packing.whole(list(dict.fromkeys(trees)), span, aim)
        if whole is None:
            return self._solved(single[0].found.counts, single[0].routes) if single else None
        # With the machines that are decided further trees may be of use.
        again = packing.mixed(span, aim, whole.found.counts) or whole
        every = [self._solved(one.found.counts, one.routes) for one in (again, whole, *single[:1])]
        return min(every, key=lambda one: one.transfer_s if aim.is_time else one.usd)

    def first(self, span: Span) -> Solution | None:
        """Return the fastest of all, of which a span begins with what no plan undercuts."""
        for ratio in (1.05, _RATIO, _RATIO**4):
            short = Span(span.low_s, min(span.low_s * ratio + 1e-6, span.high_s))
            found = self.best(short, Aim(is_time=True))
            if found is not None:
                return found
        return None

    def _solved(self, counts: Floats, routes: tuple[Route, ...]) -> Solution:
        """Return machines and ways as a plan, with no more machines than they take."""
        own = self.network
        shares = shares_of(own, routes)
        seconds = transfer_s(own, counts, shares)
        counts = fewest(own, shares, seconds, counts)
        usd = float(own.usd @ shares + own.option_usd @ counts * up_s(own, seconds))
        return Solution(counts, routes, seconds, usd)

    def _as_long(self, found: Found) -> float:
        """Return a time that is the same to people, within the deadline."""
        longer = max(found.up_s * (1 + _NEAR), found.up_s + self.network.same_s)
        return max(found.up_s, min(longer, self.most_s))

    def _all_machines(self) -> Floats | None:
        """Return as many machines as there may be, where they are free; None: they are not."""
        own = self.network
        return None if own.is_priced else np.full(own.options, float(own.most))
