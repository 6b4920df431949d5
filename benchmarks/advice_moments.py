"""When the flows of a made project send, and how much: what logs and rates both go by.

The moments of a flow are its own: what is changed about the project moves none of them.
"""

import random
from functools import lru_cache

from advice_state import PAYLOAD_BYTES_PER_PACKET, WIRE_BYTES_PER_PACKET, Flow, Project

WEEKLY_DAY = 5
MINUTES_PER_DAY = 24 * 60
MOST_BYTES_PER_MINUTE = 10 * 2**30
"""Of a record: 1.4 Gbit/s in the mean."""

Moments = tuple[tuple[int, int], ...]
"""Slots of the log, counted from its begin, each with the packets in it."""


def gbps_of(packets: float, minutes: int) -> float:
    """Return the Gbit/s on the wire of packets that are sent within some minutes.

    >>> round(gbps_of(15_495_868, 1), 3)
    3.0
    """
    return packets * WIRE_BYTES_PER_PACKET * 8 / (minutes * 60) / 1e9


def packets_of(gbps: float, minutes: int) -> float:
    """Return the packets of some minutes at a rate in Gbit/s on the wire."""
    return gbps * 1e9 * minutes * 60 / 8 / WIRE_BYTES_PER_PACKET


def moments(project: Project, flow: Flow) -> Moments:
    """Return when a flow sends how much; together it is what `Flow` says, to the packet.

    Of a bulk transfer: its hours, with no packets, since its rate is what its path lets it.
    """
    if flow.bulk_hours:
        return tuple((slot, 0) for slot in _bulk_slots(project, flow))
    return _moments(project.days, project.minutes, flow)


@lru_cache(maxsize=100_000)
def _moments(days: int, minutes: int, flow: Flow) -> Moments:
    dice = random.Random(f"{flow.src} {flow.dst} {flow.peer_ip} {flow.port} {flow.service}")
    busy = _busy_slots(days, minutes, flow, dice)
    times = len(range(WEEKLY_DAY, days, 7)) if flow.is_weekly else days
    left = round(flow.packets_per_day * times)
    weights = [dice.uniform(0.8, 1.2) for _ in busy]
    rest = sum(weights)
    found = []
    for slot, weight in zip(busy, weights, strict=True):
        packets = round(left * weight / rest) if rest > weight else left
        left, rest = left - packets, rest - weight
        if packets > 0:
            found.append((slot, packets))
    return tuple(found)


def _busy_slots(days: int, minutes: int, flow: Flow, dice: random.Random) -> list[int]:
    a_day = MINUTES_PER_DAY // minutes
    if flow.is_weekly:
        return [day * a_day + a_day // 12 for day in range(WEEKLY_DAY, days, 7)]
    if not flow.records:
        return list(range(days * a_day))
    if flow.burst_minutes:
        count = flow.burst_minutes // minutes
        first = dice.randrange(a_day - count)
        return [day * a_day + slot for day in range(days) for slot in range(first, first + count)]
    most = MOST_BYTES_PER_MINUTE * minutes
    least = round(flow.packets_per_day * PAYLOAD_BYTES_PER_PACKET / most)
    count = min(a_day, max(1, flow.records // days, least))
    return sorted(
        day * a_day + slot for day in range(days) for slot in dice.sample(range(a_day), count)
    )


def _bulk_slots(project: Project, flow: Flow) -> list[int]:
    an_hour = 60 // project.minutes
    first, count = flow.bulk_from * an_hour, flow.bulk_hours * an_hour
    return [
        day * 24 * an_hour + slot
        for day in range(project.days)
        for slot in range(first, first + count)
    ]
