"""What the machines at both ends of each hop in use carry, and what their start costs.

The program decides by what a machine sends and takes of its like. What it decided is timed by the
two machines that a hop really joins, over the bytes that cross it: as `netplan predict` says.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from netplan_planner.model import CapsBook, PathQuery
from netplan_planner.optimise.highs import Floats
from netplan_planner.throughput.transport.transfer import gbit_from_bytes
from netplan_planner.throughput.volumes import PathRates
from netplan_planner.verbs.transfer.ask import TransferNeed
from netplan_planner.verbs.transfer.machines import hop_query
from netplan_planner.verbs.transfer.market import FIXED, OUTSIDE, Market
from netplan_planner.verbs.transfer.solve.network import Route, quota_s, row_s


class Start(NamedTuple):
    """How a hop's connections start."""

    streams: int | None
    """Of one machine; None: not known."""
    rtt_ms: float | None
    ramp_s: float


class _Side(NamedTuple):
    """Machines of one kind at one end of a hop in use."""

    edge: int
    place: int
    is_sender: bool
    machine_count: float
    alike: int
    """Number of the path to a machine of their own kind."""
    pair: int
    """Of the path that joins one of them with one of the other end."""


class Pairs:
    """The machines at the ends of the hops that a solution uses, with what their paths carry."""

    def __init__(
        self, market: Market, need: TransferNeed, shares: Floats, counts: Floats, caps: CapsBook
    ) -> None:
        self._market, self._need = market, need
        self._shares, self._counts = shares, counts
        self._numbers: dict[tuple[PathQuery, float], int] = {}
        self._sides = [
            side for edge in np.flatnonzero(shares).tolist() for side in self._sides_of(edge)
        ]
        self.queries = [query for query, _ in self._numbers]
        self._sent = np.array([[sent] for _, sent in self._numbers]).reshape(-1, 1)
        self._paths = PathRates(self.queries, caps)
        self._found = self._paths.over(self._sent)

    def total_s(self, routes: Sequence[Route]) -> tuple[float, float, float]:
        """Return the time with the start: as is likely, at the high and at the low rates."""
        likely, slow, fast = (
            ramp_s(self._market, routes, self._starts_at(one[:, 0])) + self._seconds(one[:, 0])
            for one in self._found[:3]
        )
        return likely, min(fast, likely), max(slow, likely)

    def transfer_s(self) -> float:
        """Return the likely time of the steady state alone."""
        return self._seconds(self._found.gbps[:, 0])

    def transfer_s_at(self, quantile: float) -> float:
        """Return the same at a quantile of the rates."""
        return self._seconds(self._paths.at(self._sent, quantile)[:, 0])

    def starts(self) -> dict[int, Start]:
        """Return how the hops in use start, by edge."""
        return self._starts_at(self._found.gbps[:, 0])

    @cached_property
    def _streams(self) -> Floats:
        return self._paths.streams(self._sent[:, 0])

    def _start_s(self, gbps: Floats) -> Floats:
        """Return what each start costs at such mean rates: the same part of the time."""
        found: Floats = self._found.start_s[:, 0] * self._found.gbps[:, 0] / gbps
        return found

    def _starts_at(self, gbps: Floats) -> dict[int, Start]:
        start_s = self._start_s(gbps)
        found = {edge: Start(None, None, 0.0) for edge in np.flatnonzero(self._shares).tolist()}
        for side in self._sides:
            streams = self._streams[side.pair]
            count = self._need.streams if np.isnan(streams) else int(streams)
            rtt_ms = self.queries[side.pair].rtt_ms
            found[side.edge] = Start(count, rtt_ms, float(start_s[side.pair]))
        return found

    def _sides_of(self, edge: int) -> Iterator[_Side]:
        market, need = self._market, self._need
        network, machines, hop = market.network, market.machines, market.hops[edge]
        src, dst = int(network.src[edge]), int(network.dst[edge])
        senders, receivers = self._in_use(src), self._in_use(dst)
        if not senders or hop_query(hop, machines[senders[0]], None) is None:
            return
        sent = need.volume_bytes * float(self._shares[edge]) / float(self._counts[senders].sum())

        def number(sender: int, receiver: int | None) -> int:
            other = None if receiver is None else machines[receiver]
            query = hop_query(hop, machines[sender], other, need)
            assert query is not None
            return self._numbers.setdefault((query, sent), len(self._numbers))

        first = receivers[0] if receivers else None
        for k in senders:
            alike = number(k, k if receivers else None)
            yield _Side(edge, src, True, float(self._counts[k]), alike, number(k, first))
        # What comes from outside the VPC has a documented limit, which is among the fixed ones.
        for k in receivers if hop.path_class not in OUTSIDE else ():
            pair = number(senders[0], k)
            yield _Side(edge, dst, False, float(self._counts[k]), number(k, k), pair)

    def _in_use(self, place: int) -> list[int]:
        own = self._market.network.option_place == place
        return np.flatnonzero(own & (self._counts > 0)).tolist()

    def _seconds(self, gbps: Floats) -> float:
        """Return what the hops take in steady state at such mean rates, no less than is fixed.

        A machine sends and takes what it does of its like, or of the other end where that is more;
        what crosses a hop is what that many pairs of both ends carry.
        """
        network = self._market.network
        every = row_s(network, self._counts, self._shares)
        if not self._sides:
            return float(every.max(initial=0.0))
        gbit = gbit_from_bytes(self._sent[:, 0])
        steady = gbit / np.maximum(gbit / gbps - self._start_s(gbps), 1e-12)
        ends: dict[tuple[int, int, bool], float] = defaultdict(float)
        joined: dict[tuple[int, int, bool], float] = defaultdict(float)
        for side in self._sides:
            key = (side.edge, side.place, side.is_sender)
            own = max(steady[side.alike], steady[side.pair])
            ends[key] += side.machine_count * float(own)
            joined[key] += side.machine_count * float(steady[side.pair])
        used: dict[tuple[int, bool, bool], float] = defaultdict(float)
        pairs: dict[int, float] = defaultdict(float)
        for (edge, place, is_sender), carried in ends.items():
            outside = self._market.hops[edge].path_class in OUTSIDE
            crosses = network.gbit * float(self._shares[edge])
            used[place, is_sender, outside] += crosses / carried
            pairs[edge] = max(pairs[edge], joined[edge, place, is_sender] / crosses)
        return max(
            *used.values(),
            *(1 / rate for rate in pairs.values()),
            float(every[_is_fixed(self._market)].max(initial=0.0)),
            float(quota_s(network, self._shares).max(initial=0.0)),
        )


def _is_fixed(market: Market) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which limits are no matter of the throughput model: measured, or of all that leaves.

    A machine's whole egress is told by its edges, inside the VPC and outside of it.
    """
    limits = market.network.limits
    outside = np.array([hop.path_class in OUTSIDE for hop in market.hops], dtype=bool)
    found = np.array([name in FIXED for name in limits.names], dtype=bool)
    for row in range(len(limits.names)):
        kinds = outside[limits.edge[limits.edge_row == row]]
        found[row] |= bool(kinds.any() and not kinds.all())
    return found


def ramp_s(market: Market, routes: Sequence[Route], starts: dict[int, Start]) -> float:
    """Return what all starts cost: along a route one after another, of several routes the most."""
    network = market.network
    longest = 0.0
    for route in routes:
        arrived = {network.source: 0.0}
        left = list(route.edges)
        while left:
            edge = next((e for e in left if int(network.src[e]) in arrived), None)
            if edge is None:
                break
            left.remove(edge)
            at = arrived[int(network.src[edge])] + starts[edge].ramp_s
            arrived[int(network.dst[edge])] = at
            longest = max(longest, at)
    return longest


def direct_ramp_s(market: Market, need: TransferNeed, caps: CapsBook) -> float:
    """Return what the start of the direct ways costs, to begin with."""
    network = market.network
    each = max(need.volume_bytes / need.max_count, 1.0)
    queries = []
    for edge in np.flatnonzero(market.is_direct).tolist():
        options = np.flatnonzero(network.option_place == network.src[edge]).tolist()
        if options:
            machine = market.machines[options[0]]
            queries.append(hop_query(market.hops[edge], machine, machine, need))
    known = [query for query in queries if query is not None]
    found = PathRates(known, caps).over(np.full((len(known), 1), each))
    return float(found.start_s.max(initial=0.0))
