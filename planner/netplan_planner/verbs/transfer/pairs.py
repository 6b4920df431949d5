"""What the machines at both ends of each hop in use carry, and what their start costs.

The program decides by what a machine sends and takes of its like. What it decided is timed by the
two machines that a hop really joins, over the bytes that cross it: as `netplan predict` says.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from netplan_planner.model import CapsBook, PathClass, PathQuery
from netplan_planner.optimise.highs import Floats
from netplan_planner.throughput.transport.tcp import gbit_from_bytes
from netplan_planner.throughput.volumes import rates_at, rates_over
from netplan_planner.verbs.transfer.ask import TransferNeed
from netplan_planner.verbs.transfer.machines import hop_query
from netplan_planner.verbs.transfer.market import FIXED, OUTSIDE, Market
from netplan_planner.verbs.transfer.network import Network, quota_s, row_s
from netplan_planner.verbs.transfer.routes import Route


class Start(NamedTuple):
    """How a hop's connections start."""

    streams: int | None
    """Of one machine; None: not known."""
    rtt_ms: float | None
    ramp_s: float


class _Pair(NamedTuple):
    """A machine that sends and one that receives on a hop."""

    edge: int
    place: int
    """Whose machines these are, of both ends in turn."""
    machine_count: float
    """Of this kind there."""
    is_sender: bool
    query: PathQuery
    sent_bytes: float
    """By one sender."""


class Pairs:
    """The machines at the ends of the hops that a solution uses."""

    def __init__(
        self, market: Market, need: TransferNeed, shares: Floats, counts: Floats, caps: CapsBook
    ) -> None:
        self._network = market.network
        self._shares, self._counts, self._caps = shares, counts, caps
        self._fixed = _is_fixed(market)
        self._of_need = need
        self._pairs = list(_pairs(market, need, shares, counts))
        self._sent = np.array([[one.sent_bytes] for one in self._pairs]).reshape(-1, 1)
        self.queries = [one.query for one in self._pairs]
        self._found = rates_over(self.queries, caps, self._sent)
        self._start_s = self._found.start_s[:, 0]

    def transfer_s(self) -> tuple[float, float, float]:
        """Return the time of the steady state: as is likely, at the high and at the low rates."""
        likely, low, high = (self._seconds(one[:, 0]) for one in self._found[:3])
        return likely, min(high, likely), max(low, likely)

    def transfer_s_at(self, quantile: float) -> float:
        """Return the same at a quantile of the rates."""
        return self._seconds(rates_at(self.queries, self._caps, self._sent, quantile)[:, 0])

    def starts(self) -> dict[int, Start]:
        """Return how the hops in use start, by edge."""
        found = {edge: Start(None, None, 0.0) for edge in np.flatnonzero(self._shares).tolist()}
        told = self._of_need.streams
        for at, one in enumerate(self._pairs):
            streams = self._found.streams[at]
            count = told if np.isnan(streams) else int(streams)
            found[one.edge] = Start(count, one.query.rtt_ms, float(self._start_s[at]))
        return found

    def _seconds(self, gbps: Floats) -> float:
        """Return what the hops take in steady state at such mean rates, no less than is fixed."""
        network = self._network
        if not self._pairs:
            return float(row_s(network, self._counts, self._shares).max(initial=0.0))
        gbit = gbit_from_bytes(self._sent[:, 0])
        steady = gbit / np.maximum(gbit / gbps - self._start_s, 1e-12)
        carried: dict[tuple[int, int, bool], float] = {}
        for one, rate in zip(self._pairs, steady.tolist(), strict=True):
            key = (one.edge, one.place, one.is_sender)
            carried[key] = carried.get(key, 0.0) + one.machine_count * rate
        used: dict[tuple[int, bool, bool], float] = {}
        outside = {one.edge: one.query.path_class in OUTSIDE for one in self._pairs}
        for (edge, place, is_sender), rate in carried.items():
            side = (place, is_sender, outside[edge])
            seconds = network.gbit * float(self._shares[edge]) / rate
            used[side] = used.get(side, 0.0) + seconds
        fixed = row_s(network, self._counts, self._shares)[self._fixed]
        quotas = quota_s(network, self._shares)
        return max(*used.values(), float(fixed.max(initial=0.0)), float(quotas.max(initial=0.0)))


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


def _pairs(market: Market, need: TransferNeed, shares: Floats, counts: Floats) -> Iterator[_Pair]:
    """Yield each kind of machine at either end of each hop in use, beside one of the other end."""
    network = market.network
    for edge in np.flatnonzero(shares).tolist():
        hop = market.hops[edge]
        src, dst = int(network.src[edge]), int(network.dst[edge])
        senders, receivers = _in_use(network, counts, src), _in_use(network, counts, dst)
        if not senders or hop.path_class in {None, PathClass.GOOGLE_APIS}:
            continue
        machines = market.machines
        sent = need.volume_bytes * float(shares[edge]) / float(counts[senders].sum())
        first = machines[receivers[0]] if receivers else None
        for k in senders:
            if (query := hop_query(hop, machines[k], first, need.streams)) is not None:
                yield _Pair(edge, src, float(counts[k]), True, query, sent)
        for k in receivers:
            query = hop_query(hop, machines[senders[0]], machines[k], need.streams)
            if query is not None:
                yield _Pair(edge, dst, float(counts[k]), False, query, sent)


def _in_use(network: Network, counts: Floats, place: int) -> list[int]:
    return np.flatnonzero((network.option_place == place) & (counts > 0)).tolist()


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
            queries.append(hop_query(market.hops[edge], machine, machine, need.streams))
    known = [query for query in queries if query is not None]
    found = rates_over(known, caps, np.full((len(known), 1), each))
    return float(found.start_s.max(initial=0.0))
