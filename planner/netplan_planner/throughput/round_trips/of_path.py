"""Which round-trip time a path has: one order for predictions, tables, probes, rules, calibrations.

1. That of the idle path, as somebody gave or measured it with the path.
2. The least that flow logs saw between the two machines: queues lengthen the others.
3. That of the two places.
4. A typical one of the class, where the places have no names.
5. The smoothed one of a run, which the run's own queue lengthens.

Round-trip times that came with a path, beside what pings of the same regions showed.

One that was measured with the path is believed, however short: it saw the route of its day. One
that was joined to it from another day's grid may be a mix-up of two addresses.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Facts, Interval, Measurement, PathQuery, SelfLink
from netplan_planner.throughput.goodput.terms import Spans
from netplan_planner.throughput.round_trips import rtt


class RaisedRtts(NamedTuple):
    """Round-trip times as they are taken; NaN where none is given."""

    rtt_ms: rtt.Matrix
    is_raised: NDArray[np.bool_]
    pings_ms: rtt.Matrix
    """The least known ping where a figure lies below it, else NaN."""


def raised_to_pings(
    given_ms: Sequence[float] | rtt.Matrix,
    known: rtt.RoundTripColumns,
    is_joined: NDArray[np.bool_] | Sequence[bool],
) -> RaisedRtts:
    """Return round-trip times, those of another day's grid raised to the least ping of the pair.

    A joined figure below every ping of several campaigns is more often a mix-up of addresses than a
    new cable: of 587 published rows that have one, 509 fit the pings better than their own figure.
    Where a pair was not measured, a figure is believed.

    Args:
        given_ms: By row, NaN where none is given.
        known: What is known of the same rows' places.
        is_joined: Whether the row's figure was taken from another day's grid.

    >>> from netplan_planner.throughput.round_trips.rtt import rtt_for_pairs
    >>> known = rtt_for_pairs(["us-central1"] * 2, ["europe-west1"] * 2)
    >>> raised_to_pings([50.0, 50.0], known, [True, False]).is_raised
    array([ True, False])
    """
    given = np.asarray(given_ms, dtype=float)
    least = np.where(known.basis == rtt.RttBasis.TABLE, known.low_ms, 0.0)
    is_below = given < least
    is_raised = is_below & np.asarray(is_joined)
    return RaisedRtts(
        np.where(is_raised, least, given), is_raised, np.where(is_below, least, np.nan)
    )


def why_believed(pings_ms: float) -> str:
    """Return in words that a round-trip time below all known pings is taken as it is.

    >>> why_believed(98.24)[:80]
    'the round-trip time is below all known pings between these regions, 98.2 ms; it '
    """
    return (
        f"the round-trip time is below all known pings between these regions, {pings_ms:.3g} ms;"
        " it is used as given"
    )


def why_raised(rtt_ms: float) -> str:
    """Return in words that a round-trip time was raised, and to what.

    >>> why_raised(98.24)[:66]
    'the round-trip time is of another day and below all pings between '
    """
    return (
        "the round-trip time is of another day and below all pings between these regions: their"
        f" minimum, {rtt_ms:.3g} ms, is used"
    )


FLOW_LOGS = "flow logs"
LONGEST_RTT_MS = 10_000.0
"""No path on earth has a longer one; a record that says so is damaged."""
_TYPICAL = {
    "same-zone": ("us-central1-a", "us-central1-a"),
    "inter-zone": ("us-central1-a", "us-central1-b"),
}
"""Places whose round-trip time stands for that of places without a name, by distance."""

Pair = frozenset[SelfLink]


def path_round_trip(
    src_place: str | None,
    dst_place: str | None,
    *,
    distance: str | None = None,
    idle_ms: float | None = None,
    idle_source: str = "",
    seen_ms: float | None = None,
    loaded_ms: float | None = None,
) -> rtt.RoundTrip:
    """Return the round-trip time of the idle path in ms, from the best that is known of it.

    Args:
        src_place: Zone or region of the sender; None or empty where it is not known.
        dst_place: Of the receiver.
        distance: `PathClass.distance`, for paths whose places have no names.
        idle_ms: As given or measured with the path, above 0.
        idle_source: Where that is from.
        seen_ms: The least that flow logs saw (`seen_round_trips`).
        loaded_ms: Of a run, smoothed; last of all.

    >>> path_round_trip("us-east4-a", "us-east4-b", idle_ms=0.5, seen_ms=0.7).rtt_ms
    0.5
    >>> path_round_trip(None, None, loaded_ms=3.0).rtt_ms
    3.0
    """
    if idle_ms:
        return rtt.RoundTrip(rtt_ms=idle_ms, source=idle_source)
    if seen_ms:
        return rtt.RoundTrip(rtt_ms=seen_ms, source=FLOW_LOGS)
    found = rtt.RoundTrip(rtt_ms=None)
    if src_place and dst_place:
        found = rtt.rtt_between(src_place, dst_place)
    elif distance in _TYPICAL:
        found = rtt.rtt_between(*_TYPICAL[distance])
    if found.rtt_ms is None and loaded_ms:
        return rtt.RoundTrip(rtt_ms=loaded_ms, source=idle_source)
    return found


def doubt_of_given(src_place: str | None, dst_place: str | None, rtt_ms: float) -> str:
    """Return what is doubtful of a round-trip time that somebody gave; empty: nothing known."""
    known = rtt.rtt_for_pairs([src_place], [dst_place])
    pings_ms = float(raised_to_pings([rtt_ms], known, [False]).pings_ms[0])
    return "" if math.isnan(pings_ms) else why_believed(pings_ms)


def run_round_trip(
    one: Measurement,
    src_place: str | None,
    dst_place: str | None,
    *,
    seen_ms: float | None = None,
) -> rtt.RoundTrip:
    """Return the round-trip time of the idle path of a run; arguments as in `path_round_trip`."""
    return path_round_trip(
        src_place,
        dst_place,
        idle_ms=_plausible(one.min_rtt_ms),
        idle_source=one.source,
        seen_ms=seen_ms,
        loaded_ms=_plausible(one.rtt_ms),
    )


def with_round_trip(query: PathQuery, found: rtt.RoundTrip) -> PathQuery:
    """Return a path with a round-trip time, its range and its source."""
    return msgspec.structs.replace(
        query,
        rtt_ms=found.rtt_ms,
        low_rtt_ms=found.low_ms,
        high_rtt_ms=found.high_ms,
        rtt_source=found.source,
    )


def seen_round_trips(facts: Facts) -> Mapping[Pair, float]:
    """Return the least round-trip time that flow logs saw, in ms, by the two machines.

    A path of one machine to itself, and one to nobody that is known, is in no pair.
    """
    found: dict[Pair, float] = {}
    for edge in facts.traffic.edges if facts.traffic is not None else ():
        src, dst = facts.src(edge).link, facts.dst(edge).link
        if edge.rtt_ms and src is not None and dst is not None and src != dst:
            pair = frozenset((src, dst))
            found[pair] = min(found.get(pair, edge.rtt_ms), edge.rtt_ms)
    return found


class RowRoundTrips(NamedTuple):
    """The round-trip times of a table's rows."""

    taken: Spans
    """With the ends of their ranges; NaN where nothing is known."""
    own: RaisedRtts
    """Those that came with the rows."""


def row_round_trips(
    *,
    own_ms: rtt.Matrix,
    is_joined: NDArray[np.bool_],
    places: Sequence[tuple[str, str]],
    place: NDArray[np.intp],
    distances: Sequence[str | None],
    kind: NDArray[np.intp],
) -> RowRoundTrips:
    """Return the round-trip time of each row in ms: its own, else its places', else a typical one.

    Args:
        own_ms: By row, NaN where none came with it.
        is_joined: Whether a row's own was taken from another day's grid: pings bound it from below.
        places: The distinct pairs of places.
        place: Number of each row's pair.
        distances: Of each kind of path.
        kind: Number of each row's kind.
    """
    known = rtt.rtt_for_pairs([src for src, _ in places], [dst for _, dst in places])
    of_rows = rtt.RoundTripColumns(
        known.rtt_ms[place], known.low_ms[place], known.high_ms[place], known.basis[place]
    )
    own = raised_to_pings(own_ms, of_rows, is_joined)
    usual_places = [_TYPICAL.get(one or "", ("", "")) for one in distances]
    typical = rtt.rtt_for_pairs([src for src, _ in usual_places], [dst for _, dst in usual_places])
    found = []
    for name in ("low_ms", "rtt_ms", "high_ms"):
        placed, usual = getattr(of_rows, name), getattr(typical, name)[kind]
        value = np.where(np.isnan(placed), usual, placed)
        found.append(np.where(np.isnan(own.rtt_ms), value, own.rtt_ms))
    return RowRoundTrips(Interval(*found), own)


def _plausible(rtt_ms: float | None) -> float | None:
    return rtt_ms if rtt_ms is not None and 0 < rtt_ms < LONGEST_RTT_MS else None
