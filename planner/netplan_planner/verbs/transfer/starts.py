"""What the start of the connections costs on each hop, and how many connections it takes."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.model import CapsBook
from netplan_planner.throughput import predict, predict_all
from netplan_planner.units import BITS_PER_BYTE, BITS_PER_GIGABIT
from netplan_planner.verbs.transfer.ask import TransferNeed
from netplan_planner.verbs.transfer.hops import Hop
from netplan_planner.verbs.transfer.machines import Machine
from netplan_planner.verbs.transfer.market import Market, stream_query
from netplan_planner.verbs.transfer.routes import Route

STREAMS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_NEARLY = 0.95
"""Of the rate with as many connections as it takes: more of them hardly bring anything."""


class Start(NamedTuple):
    """How a hop's connections start."""

    streams: int | None
    """Of one machine; None: not known."""
    rtt_ms: float | None
    ramp_s: float


NO_START = Start(None, None, 0.0)


def start_of(
    need: TransferNeed, hop: Hop, machine: Machine, machine_bytes: float, caps: CapsBook
) -> Start:
    """Return how many connections a hop takes, and what their start costs.

    Args:
        need: With the number of connections, where it is told.
        hop: The hop.
        machine: At both of its ends.
        machine_bytes: What one machine sends on it.
        caps: What each carries.
    """
    query = stream_query(need, hop, machine, None)
    if query is None or query.rtt_ms is None:
        return Start(need.streams, None, 0.0)
    counts = (need.streams,) if need.streams is not None else STREAMS
    queries = [replace(query, streams=count) for count in counts]
    rates = [one.gbps or 0.0 for one in predict_all(queries, caps)]
    most = predict(query, caps).gbps or 0.0
    enough = (n for n, rate in enumerate(rates) if rate >= _NEARLY * most)
    at = next(enough, len(counts) - 1)
    steady = rates[at]
    finite = predict(replace(queries[at], transfer_bytes=max(round(machine_bytes), 1)), caps)
    if finite.duration_s is None or not steady:
        return Start(counts[at], query.rtt_ms, 0.0)
    alone_s = machine_bytes * BITS_PER_BYTE / BITS_PER_GIGABIT / steady
    return Start(counts[at], query.rtt_ms, max(finite.duration_s - alone_s, 0.0))


def starts_of(
    market: Market,
    need: TransferNeed,
    shares: Sequence[float],
    counts: Sequence[float],
    caps: CapsBook,
) -> dict[int, Start]:
    """Return how the hops in use start, by edge."""
    network = market.network
    sender: dict[int, int] = {}
    for option, count in enumerate(counts):
        if count:
            sender[int(network.option_place[option])] = option
    found = {}
    for edge, share in enumerate(shares):
        if not share:
            continue
        if int(network.src[edge]) not in sender:
            found[edge] = NO_START
            continue
        option = sender[int(network.src[edge])]
        machine_bytes = need.volume_bytes * share / counts[option]
        found[edge] = start_of(
            need, market.hops[edge], market.machines[option], machine_bytes, caps
        )
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
    found = 0.0
    for edge in range(network.edges):
        if not market.is_direct[edge]:
            continue
        options = [k for k, p in enumerate(network.option_place) if p == network.src[edge]]
        if options:
            machine = market.machines[options[0]]
            each = need.volume_bytes / need.max_count
            start = start_of(need, market.hops[edge], machine, each, caps)
            found = max(found, start.ramp_s)
    return found
