"""Max-min fair rates reckoned again, by raising all flows together; nothing of netplan is used.

Fractions, one event after the other: slow, and exact. Caps are figures of documents; what a header
takes of a packet is worked out from its bytes.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple


class Flow(NamedTuple):
    """One flow: what it may get by itself, and the limits that it shares, by name."""

    bound: Fraction
    limits: tuple[str, ...]


def progressive_filling(
    flows: Sequence[Flow], capacities: Mapping[str, Fraction]
) -> list[Fraction]:
    """Return the rate of each flow: all rise alike until their bound or a limit stops them."""
    rates = [Fraction(0)] * len(flows)
    left = dict(capacities)
    rising = {number for number, flow in enumerate(flows) if flow.bound > 0}
    while rising:
        users = {
            name: sum(name in flows[number].limits for number in rising) for name in capacities
        }
        steps = [flows[number].bound - rates[number] for number in rising]
        steps += [left[name] / count for name, count in users.items() if count]
        step = min(steps)
        for number in rising:
            rates[number] += step
        for name, count in users.items():
            left[name] -= step * count
        full = {name for name, count in users.items() if count and left[name] == 0}
        rising = {
            number
            for number in rising
            if rates[number] < flows[number].bound and full.isdisjoint(flows[number].limits)
        }
    return rates
