"""Round-trip times that came with a path, beside what pings of the same regions showed.

One that was measured with the path is believed, however short: it saw the route of its day. One
that was joined to it from another day's grid may be a mix-up of two addresses.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.round_trips.distance import Matrix
from netplan_planner.throughput.round_trips.rtt import RoundTripColumns, RttBasis


class RaisedRtts(NamedTuple):
    """Round-trip times as they are taken; NaN where none is given."""

    rtt_ms: Matrix
    is_raised: NDArray[np.bool_]
    pings_ms: Matrix
    """The least known ping where a figure lies below it, else NaN."""


def raised_to_pings(
    given_ms: Sequence[float] | Matrix,
    known: RoundTripColumns,
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
    least = np.where(known.basis == RttBasis.TABLE, known.low_ms, 0.0)
    is_below = given < least
    is_raised = is_below & np.asarray(is_joined)
    return RaisedRtts(
        np.where(is_raised, least, given), is_raised, np.where(is_below, least, np.nan)
    )


def why_believed(pings_ms: float) -> str:
    """Return in words that a round-trip time below all known pings is taken as it is.

    >>> why_believed(98.24)
    'the round-trip time is below every known ping between these regions, 98.2 ms; taken as given'
    """
    return (
        f"the round-trip time is below every known ping between these regions, {pings_ms:.3g} ms;"
        " taken as given"
    )


def why_raised(rtt_ms: float) -> str:
    """Return in words that a round-trip time was raised, and to what.

    >>> why_raised(98.24)[:66]
    "the round-trip time, joined from another day's grid, is below ever"
    """
    return (
        "the round-trip time, joined from another day's grid, is below every ping between these"
        f" regions: {rtt_ms:.3g} ms, their least, is taken"
    )
