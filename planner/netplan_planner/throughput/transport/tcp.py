"""What TCP makes of a path: windows, many streams, the start, and the recovery from overshoot.

Every formula is written with NumPy's element-wise functions, so that one implementation serves a
single path and a table of a million. Arguments are numbers or arrays of one shape; NaN is
"unknown" and stays NaN. None of the constants below is fitted to throughput measurements but
`SATURATION_POWER`.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from netplan_planner import units

Array: TypeAlias = NDArray[np.float64]
Floats: TypeAlias = Array | float

IP_AND_TCP_BYTES = 40
TIMESTAMP_OPTION_BYTES = 12
"""On by default in Linux; it takes payload from every segment."""
INITIAL_WINDOW_SEGMENTS = 10
"""RFC 6928."""
SATURATION_POWER = 3.0
"""How sharply streams saturate a limit. CUBIC flows from one machine to one other, 1 to 128 of
them, measured by the Skyplane project in January 2022, follow 2.9; BBR 5.9."""
START_RTTS = 1.0
"""Round trips from the start of the receiver's clock to the first byte: the start message there,
then the flight back. The sender's clock starts with it; some tools are later (`tools`)."""
LEAST_TIMEOUT_S = 0.2
"""On top of the round-trip time, before what nothing else reported lost is sent again: Linux's
(TCP_RTO_MIN); RFC 6298 has a second."""
CUBIC_DECREASE = 0.3
"""Share of the window that CUBIC gives up at a loss (RFC 9438, beta 0.7)."""
CUBIC_GROWTH = 0.4
"""Segments per cubic second (RFC 9438, C)."""
FRIENDLY_SEGMENTS_PER_RTT = 3 * CUBIC_DECREASE / (2 - CUBIC_DECREASE)
"""Growth in CUBIC's Reno-friendly region (RFC 9438, section 4.3)."""
MEAN_FIRST_DEFICIT = CUBIC_DECREASE / 2
"""Of a flow after the overshoot of its start. Doubling ends anywhere between one and two times
what fits, and decreases follow until the flow fits: it then stands evenly between 0.7 and 1."""
CAP_MTU_BYTES = 1460
"""The MTU at which documented caps were seen as walls of goodput: 0.975 to 1.014 of the figure."""


def segment_bytes(mtu_bytes: Floats) -> Array:
    """Return the payload of a full segment: the MTU less IP and TCP headers and timestamps.

    >>> float(segment_bytes(1460))
    1408.0
    """
    return np.asarray(mtu_bytes) - (IP_AND_TCP_BYTES + TIMESTAMP_OPTION_BYTES)


def payload_ratio(mtu_bytes: Floats) -> Array:
    """Return the payload's share of a full packet, without the frame around it.

    >>> round(float(payload_ratio(1460)), 4)
    0.9644
    """
    return np.asarray(segment_bytes(mtu_bytes) / np.asarray(mtu_bytes))


def cap_ratio(mtu_bytes: Floats) -> Array:
    """Return the goodput at a documented cap over that cap.

    At the default MTU goodput stops at the figure itself, whatever the headers take: the policers
    leave that much room. Smaller packets pay for their headers; greater ones pass no more.

    >>> float(cap_ratio(1460)), round(float(cap_ratio(1300)), 4)
    (1.0, 0.9955)
    """
    return np.asarray(np.minimum(payload_ratio(mtu_bytes) / payload_ratio(CAP_MTU_BYTES), 1.0))


def window_gbps(*, window_bytes: Floats, rtt_ms: Floats) -> Array:
    """Return what one stream carries that sends a window per round trip, in Gbit/s.

    >>> round(float(window_gbps(window_bytes=3_030_000, rtt_ms=30.0)), 3)
    0.808
    """
    rtt_s = np.asarray(rtt_ms) / units.MS_PER_SECOND
    return gbit_from_bytes(window_bytes) / rtt_s


def saturated_gbps(*, offered_gbps: Floats, cap_gbps: Floats) -> Array:
    """Return the soft minimum of what all streams could carry and what the path lets through.

    Streams share a limit imperfectly: below it they already lose a little to each other. An
    infinite offer gives the cap, an infinite cap the offer.

    >>> round(float(saturated_gbps(offered_gbps=23.3, cap_gbps=10.0)), 2)
    9.75
    """
    lesser = np.minimum(offered_gbps, cap_gbps)
    greater = np.maximum(offered_gbps, cap_gbps)
    with np.errstate(invalid="ignore"):
        share = np.where(np.isinf(greater), 0.0, lesser / greater)
    return np.asarray(lesser / (1 + share**SATURATION_POWER) ** (1 / SATURATION_POWER))


def cap_share(*, offered_gbps: Floats, cap_gbps: Floats) -> Array:
    """Return how much of the soft minimum is the cap's doing: 0 for the streams', 1 for the cap's.

    It is the sensitivity of `saturated_gbps` to the cap, relative to both.

    >>> float(cap_share(offered_gbps=10.0, cap_gbps=10.0))
    0.5
    """
    lesser = np.minimum(offered_gbps, cap_gbps)
    with np.errstate(invalid="ignore"):
        weight_of_cap = np.where(np.isinf(offered_gbps), 1.0, lesser / cap_gbps) ** SATURATION_POWER
        weight_of_offer = np.where(np.isinf(offered_gbps), 0.0, lesser / offered_gbps)
    return np.asarray(weight_of_cap / (weight_of_cap + weight_of_offer**SATURATION_POWER))


def gbit_from_bytes(byte_count: Floats) -> Array:
    """Return bytes as gigabits.

    >>> float(gbit_from_bytes(125_000_000))
    1.0
    """
    return np.asarray(byte_count) * (units.BITS_PER_BYTE / units.BITS_PER_GIGABIT)
