"""How far from its figure a limit may stand, before any measurement of this path.

A documented cap is a wall; it is also "a ceiling, not a promise". What a document, a kernel rule or
a range of measured figures says about the room below and above it is written here, limit by limit.
The conformal factors (`intervals`) come on top of what follows from these bounds.
"""

import math
from datetime import date
from typing import NamedTuple

import numpy as np

from netplan_planner.model import EgressCap, Limit, LimitKind, PathQuery
from netplan_planner.throughput.limits.tables import NOBODY, Campaigns, window_figures
from netplan_planner.throughput.transport.transfer import Array, Floats

DEFAULT_MTU_BYTES = 1460
DOUBTED_RATIO = 0.8
"""A documented cap that another source contradicts may be that much lower, never higher; one that
only a secondary source states may be a quarter higher, too."""
SECONDARY_SOURCES = ("github.com/",)
"""How the names of sources begin that are not Google's own pages."""
OTHERWISE_GBPS = {"e2-small": 2.0}
"""Where Google's own pages contradict each other, the greater figure: a table has 1 Gbit/s for
this type, a sentence 2 for shared-core E2; so has e2.sql (2026-03-22) of
github.com/Cyclenerd/google-cloud-compute-machine-types. The cap may be either."""
DOUBTFUL = frozenset({"medium", "low"})
"""Confidence in a source's statement: another one contradicts it, or it is not read first hand."""
CARRIED_LOW_RATIO = 0.4
"""A cap from a later year: the greatest documented step of one machine type is that of
n1-standard-2 from 4 (2015 to 2018) to 10 Gbit/s (2020); none was ever lowered, so it is the most
that there was."""
FIRST_CAP_ON = date(2015, 6, 5)
"""The day of the oldest document that states caps; since when they were in force nobody knows."""
LEAST_EGRESS_GBPS = 1.0
"""The least documented egress cap of any machine type (shared-core ones). What stays below half of
it is known even where the sender's own cap is not; a machine of another cloud is taken to send as
much at least."""
UNSTATED_EXTERNAL_RATIO = 0.5
"""Where no document of the day states what may leave the VPC: half of the machine's cap."""
FOREIGN_RECEIVER_LOW_BYTES = 2**20
"""Linux gives a receive buffer at most 1/128 of the memory (tcp_init), half of that as window, and
half of the half to drivers whose packets take a page each (__tcp_grow_window). The least machines
that clouds sell have 512 MiB: 4 MiB of buffer, 1 MiB of window."""
FOREIGN_SOURCE = (
    "Linux defaults: from a quarter of a receive buffer of 4 MiB (512 MiB of memory) to a send"
    " buffer of 4 MiB"
)
RECEIVE_BUFFER_BYTES = 6 * 2**20
"""Linux default of net.ipv4.tcp_rmem's last value (docs.kernel.org/networking/ip-sysctl.html)."""
SEND_BUFFER_BYTES = 4 * 2**20
"""Linux default of net.ipv4.tcp_wmem's last value (docs.kernel.org/networking/ip-sysctl.html): what
is in flight stays in it until it is acknowledged, whatever the receiver allows."""
SEND_BUFFER_SOURCE = "Linux default net.ipv4.tcp_wmem: 4 MiB (docs.kernel.org, ip-sysctl)"
SEND_BUFFER_ON = date(2023, 7, 17)
SEND_BUFFER_LOW_RATIO = 0.63
"""Of a send buffer that is in flight as payload, at least. Linux counts what an skb takes
(sk_wmem_queued, by truesize): of one millisecond at the pacing rate (tcp_tso_autosize, 25 kB for 4
MiB over 200 ms) some 1.3 kB are no payload, so 0.95 is; and a writer that waits for room is woken
where a third is free again (sk_stream_min_wspace), so that 2/3 may be all that is on its way. At
most it is all of it: the writer is quick and the last write goes over. Likely is the middle, on a
logarithmic scale."""
KNOWN_WINDOW_RATIO = 0.97
"""Of a window that is known: what waits at the receiver to be read, and rounding to its scale."""


ADMITTED_CHANCE, LEAST_CHANCE = 0.04, 0.01
"""An end of an interval of 90 % leaves out 5 %, one of 95 % leaves out 2.5 %. What is likelier than
the first of these is inside, what is less likely than the second outside; between them the range
closes by the same ratio a day, so that no day is a cliff."""
PLAIN_WIDTH_RATIO = 0.015
"""What an interval of a half spans of a documented cap where nothing else is open; those of higher
levels are wider, so less of a cliff."""


class Bound(NamedTuple):
    """A limit with the range in which it may truly stand, in Gbit/s."""

    limit: Limit
    low_gbps: float
    high_gbps: float
    regime: str = ""
    """Why the range is wide: `carried`, `unsure`, `unstated`; empty for a plain one."""
    case_ratios: tuple[float, float] = (1.0, 1.0)
    """Of a figure that rose on an unknown day: the one before and the one after it over it."""

    @property
    def case_low_gbps(self) -> float:
        """The least that it may be as a case of its own; figures of one case scatter below it."""
        scattered = self.limit.gbps if self.limit.low_gbps is None else self.limit.low_gbps
        is_case = self.low_gbps < scattered
        return self.low_gbps if is_case else self.limit.gbps * self.case_ratios[0]

    @property
    def case_high_gbps(self) -> float:
        """The greatest that it may be as a case of its own."""
        scattered = self.limit.gbps if self.limit.high_gbps is None else self.limit.high_gbps
        is_case = self.high_gbps > scattered
        return self.high_gbps if is_case else self.limit.gbps * self.case_ratios[1]


class Doubt(NamedTuple):
    """What is taken for granted of a limit: worth a word where that limit may bind."""

    said: str
    least_gbps: float = 0.0
    """The least that the limit may be."""


def plain(limit: Limit) -> Bound:
    """Return a limit that stands where its document says, or in the range of its figures."""
    low = limit.low_gbps if limit.low_gbps is not None else limit.gbps
    high = limit.high_gbps if limit.high_gbps is not None else limit.gbps
    return Bound(limit, low, high)


def of_cap(limit: Limit, cap: EgressCap, *, highest_gbps: float, is_carried: bool) -> Bound:
    """Return a machine's cap with its range.

    Args:
        limit: The cap as a limit.
        cap: Where it comes from.
        highest_gbps: The greatest cap of the type where its CPU platform is not known.
        is_carried: Whether it was first stated for a later day.
    """
    if is_carried:
        return Bound(limit, limit.gbps * CARRIED_LOW_RATIO, highest_gbps, "carried")
    if cap.machine_type in OTHERWISE_GBPS:
        other = max(highest_gbps, OTHERWISE_GBPS[cap.machine_type])
        return Bound(limit, limit.gbps, other, "unsure")
    if cap.source_confidence in DOUBTFUL:
        is_secondary = limit.source.startswith(SECONDARY_SOURCES)
        high = highest_gbps / DOUBTED_RATIO if is_secondary else highest_gbps
        return Bound(limit, limit.gbps * DOUBTED_RATIO, high, "unsure")
    return Bound(limit, limit.gbps, highest_gbps)


def of_outside_cap(limit: Limit, cap: EgressCap, *, is_carried: bool) -> Bound:
    """Return the cap for all flows to the outside with its range.

    It is mostly the rule for every machine: a doubt about what this one may send inside the VPC is
    none about that rule.
    """
    other = OTHERWISE_GBPS.get(cap.machine_type, limit.gbps)
    if cap.external_basis == "inferred" and limit.gbps == cap.egress_gbps:
        # What is inferred from the machine's own cap is as doubtful.
        return Bound(limit, limit.gbps, max(limit.gbps, other))
    if is_carried or cap.external_basis == "documented":
        return of_cap(limit, cap, highest_gbps=limit.gbps, is_carried=is_carried)
    return plain(limit)


def unstated(bound: Bound, least_gbps: float) -> Bound:
    """Return the machine's cap as the bound of what leaves the VPC where nothing is stated of it.

    Args:
        bound: The machine's cap.
        least_gbps: The least that documents of the day leave open (`senders.least_outside`);
            infinity where they state nothing.
    """
    low = min(bound.low_gbps * UNSTATED_EXTERNAL_RATIO, least_gbps)
    return Bound(bound.limit, low, bound.high_gbps, "unstated")


def down_to(bound: Bound, low_gbps: float) -> Bound:
    """Return a limit whose range reaches down to a rate, where it does not yet."""
    return bound._replace(low_gbps=min(bound.low_gbps, low_gbps))


def up_to(bound: Bound, high_gbps: float, share: float) -> Bound:
    """Return a limit whose range reaches up to a rate, or a share of the way, where it does not."""
    if share <= 0 or high_gbps <= bound.high_gbps:
        return bound
    return bound._replace(high_gbps=bound.high_gbps ** (1 - share) * high_gbps**share)


def maybe_up_to(bound: Bound, high_gbps: float, chance: float) -> Bound:
    """Return a limit that reaches up to a rate, as far as the chance of that admits."""
    if high_gbps <= bound.high_gbps:
        return bound
    return bound._replace(high_gbps=admitted(bound.high_gbps, high_gbps, chance))


def maybe_down_to(bound: Bound, low_gbps: float, chance: float) -> Bound:
    """Return a limit that reaches down to a rate, as far as the chance of that admits."""
    if low_gbps >= bound.low_gbps:
        return bound
    return bound._replace(low_gbps=admitted(bound.low_gbps, low_gbps, chance))


def admitted(sure_gbps: float, possible_gbps: float, chance: float) -> float:
    """Return where a range ends that reaches to what holds with a chance.

    >>> [round(admitted(7.0, 16.0, chance), 2) for chance in (0.01, 0.02, 0.03, 0.04)]
    [7.0, 7.36, 8.95, 16.0]
    """
    if chance >= ADMITTED_CHANCE or chance <= LEAST_CHANCE:
        return possible_gbps if chance > LEAST_CHANCE else sure_gbps
    share = (chance - LEAST_CHANCE) / (ADMITTED_CHANCE - LEAST_CHANCE)
    plain_gbps = PLAIN_WIDTH_RATIO * sure_gbps
    whole = 1 + abs(possible_gbps - sure_gbps) / plain_gbps
    width_gbps = plain_gbps * (whole**share - 1)
    return sure_gbps + math.copysign(width_gbps, possible_gbps - sure_gbps)


def of_foreign(as_of: date) -> Bound:
    """Return the cap of a machine of another cloud, of which only the least is taken as known."""
    ratio = CARRIED_LOW_RATIO if as_of < FIRST_CAP_ON else 1.0
    limit = Limit(
        name="vm-egress",
        gbps=LEAST_EGRESS_GBPS * ratio,
        kind=LimitKind.DOCUMENTED,
        source="the lowest documented egress cap of any machine type",
        as_of=as_of,
    )
    return plain(limit)


def default_window_bytes(
    stock_bytes: float, *, is_own: bool, buffer_bytes: int | None = None
) -> tuple[float, float, float]:
    """Return the window of one stream nobody told us about: the likely, the least, the greatest.

    Of a foreign receiver nothing is known but the ends of the range: the middle between them, on a
    logarithmic scale, is off by a factor of two at most.

    Args:
        stock_bytes: Of a stock Linux image.
        is_own: Whether the receiver is one of our machines, whose images are stock mostly.
        buffer_bytes: The receiver's greatest buffer, where it is told: the window is a share of it,
            the same as on a stock image.
    """
    high = float(SEND_BUFFER_BYTES)
    if buffer_bytes is not None:
        stock = (stock_bytes, KNOWN_WINDOW_RATIO * stock_bytes, high)
        likely, low, high = (one * buffer_bytes / RECEIVE_BUFFER_BYTES for one in stock)
        return likely, low, high
    if is_own:
        return stock_bytes, KNOWN_WINDOW_RATIO * stock_bytes, high
    return math.sqrt(FOREIGN_RECEIVER_LOW_BYTES * high), float(FOREIGN_RECEIVER_LOW_BYTES), high


def buffer_bytes(query: PathQuery) -> int:
    """Return the sender's largest buffer in bytes: as told, or as Linux has it."""
    return query.send_buffer_bytes or query.src.set_up.send_buffer_bytes or SEND_BUFFER_BYTES


def sent_bytes(buffer_bytes: Floats, stock_low_bytes: Floats) -> tuple[Array, Array, Array]:
    """Return the payload in flight that a send buffer holds: the likely, the least, the greatest.

    Args:
        buffer_bytes: The last value of net.ipv4.tcp_wmem.
        stock_low_bytes: What was in flight between stock machines at least: a buffer that is not
            less than theirs holds as much.
    """
    size = np.asarray(buffer_bytes, dtype=float)
    most = KNOWN_WINDOW_RATIO * RECEIVE_BUFFER_BYTES / 2
    seen = np.where(size >= SEND_BUFFER_BYTES, np.minimum(stock_low_bytes, most), 0.0)
    low = np.fmax(SEND_BUFFER_LOW_RATIO * size, np.minimum(seen, size))
    return np.fmax(math.sqrt(SEND_BUFFER_LOW_RATIO) * size, low), low, size


def stock_window_bytes(documented_bytes: float, without: Campaigns = NOBODY) -> float:
    """Return the payload that one stream has on its way to a stock image.

    The middle of what campaigns saw, each counted once; where none is left, what documents say:
    more by some per cent, which wait at the receiver.
    """
    figures = [one.byte_count for one in window_figures(without)]
    return math.prod(figures) ** (1 / len(figures)) if figures else documented_bytes
