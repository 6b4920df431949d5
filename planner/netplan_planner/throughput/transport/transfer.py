"""A transfer from its first packet on: the doubling start, the recovery after it, the steady rate.

The start is counted in whole windows: one each round trip, grown by a factor from the last, until
one fills the steady rate (slow start). Where a policer set that limit, the overshoot costs packets,
and CUBIC climbs back for seconds; a shaper at the sender queues it and pushes back. Goodput over a
time is the sum of that course. Element-wise; times in seconds.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netplan_planner import units

# Every formula is written with NumPy's element-wise functions, so that one implementation serves a
# single path and a table of a million. Arguments are numbers or arrays of one shape; NaN is
# "unknown" and stays NaN. None of the constants below is fitted to throughput measurements but
# `SATURATION_POWER`.


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


# A transfer from its first packet on: the doubling start, the recovery after it, the steady rate


DIRECTION_RATIO = 0.7
"""Both directions of a flow share a core: between a half, where nothing is left over, and all; the
middle on a logarithmic scale."""
SHARED_CORE_RATIO = 0.5
EARLY_RTTS = 3.0
"""After so many round trips windows that double from `START_RTTS` on have carried, on average, one
first flight per round trip: nothing, one, two."""
EARLY_RATIO = (2 - START_RTTS) / 2
"""Of the steady rate, where the first flight already fills the path: what the receiver has counted
of it after two round trips."""
_ROUNDING = 1e-9
_SOLVER_STEPS = 12
"""Of the fixed point for the time of a transfer; each step shrinks the error to under a sixth."""


class Behaviour(NamedTuple):
    """What two ends do that no inventory shows; the least and the most favourable make bounds."""

    growth: float
    """Of the window per round trip in slow start: 2 where every byte acknowledged opens it by one,
    1.5 where every second segment is acknowledged and acknowledgements are counted (RFC 5681)."""
    start_rtts: float
    """Round trips before the growth shows at the receiver; the sender's clock starts with it."""
    deficit_ratio: float
    """What a flow lacks to its share right after the overshoot."""
    direction_ratio: float
    """What one flow keeps of its core when the other direction runs too."""
    caps_count_headers: bool
    """Whether a documented cap holds for packets, not for their payload; no document says."""
    least_segments: float
    """Of each flow that count per round trip, however short the run: the initial window, or one
    segment where the first packet of the connection was lost (RFC 5681)."""
    is_flight_whole: bool
    """Whether a run shorter than a round trip holds the whole first flight, not its part of it."""
    has_timeout: bool
    """Whether the overshoot of policed flows is repaired after a timeout only (RFC 6298), while
    nothing moves. Growing again is then a single flow's, which the others fill."""
    is_shaper_full: bool
    """Whether a sender's shaper drops what its queue cannot hold, as a policer does, and streams
    share it as imperfectly."""
    may_overshoot: bool
    """Whether policed flows may go on doubling until their windows stop them: the packets that tell
    of the drops, or the answers to them, are dropped too. Such rounds carry nothing new."""
    is_lone_stream_whole: bool
    """Whether a stream that is alone gets all of the least limit and never overshoots it: it
    shares with nobody, and HyStart (RFC 9406, on in Linux) ends its doubling as the queue grows."""
    lone_deficit_ratio: float = 0.0
    """What a stream that is alone lacks for ever to a limit that drops: no other fills what it
    gives up at each loss. On its Reno-friendly line it stands evenly between 0.7 and 1 (RFC 9438,
    beta)."""


LIKELY = Behaviour(
    growth=2.0,
    start_rtts=START_RTTS,
    deficit_ratio=MEAN_FIRST_DEFICIT,
    direction_ratio=DIRECTION_RATIO,
    caps_count_headers=False,
    least_segments=INITIAL_WINDOW_SEGMENTS,
    is_flight_whole=False,
    has_timeout=False,
    is_shaper_full=False,
    may_overshoot=False,
    is_lone_stream_whole=True,
)
FAVOURABLE = LIKELY._replace(
    start_rtts=START_RTTS - 1.0,
    deficit_ratio=0.0,
    direction_ratio=1.0,
    is_flight_whole=True,
    is_lone_stream_whole=False,
)
UNFAVOURABLE = LIKELY._replace(
    is_lone_stream_whole=False,
    has_timeout=True,
    is_shaper_full=True,
    may_overshoot=True,
    growth=1.5,
    deficit_ratio=CUBIC_DECREASE,
    direction_ratio=SHARED_CORE_RATIO,
    caps_count_headers=True,
    least_segments=1.0,
    lone_deficit_ratio=MEAN_FIRST_DEFICIT,
)


class Course(NamedTuple):
    """The course of a transfer; each member is a number or an array of one shape."""

    steady_gbps: Array
    first_gbps: Array
    """The rate of the first round trip."""
    rtt_s: Array
    start_s: Array
    """Before the first byte counts."""
    round_count: Array
    """Windows of the start that do not fill the steady rate yet; one each round trip."""
    ramp_s: Array
    """Of these windows, after `start_s`."""
    unheard_s: Array
    """From the end of these windows until the sender hears of a loss, a round trip after the window
    that overshot."""
    timeout_s: Array
    """Without a byte after them."""
    deficit_gbps: Array
    """What is lacking to the steady rate right after the overshoot, on average."""
    recovery_s: Array
    """Until CUBIC's curve is back."""
    friendly_s: Array
    """Until the Reno-friendly line is back; the faster of both counts."""
    growth: float
    """Of a window from one round trip to the next."""
    least_gbit: Array
    """What leaves in the first round trip, however soon the run ends."""
    is_flight_whole: bool


def course(
    *,
    steady_gbps: Floats,
    streams: Floats,
    rtt_ms: Floats,
    segment_bytes: Floats,
    policed_share: Floats,
    queued_share: Floats = 0.0,
    is_sender_count: NDArray[np.bool_] | bool = False,
    late_rtts: Floats = 0.0,
    overshoot_rtts: Floats = 0.0,
    behaviour: Behaviour = LIKELY,
) -> Course:
    """Return the course of a transfer from a cold start.

    Args:
        steady_gbps: What all streams carry together once they run.
        streams: Flows that start together.
        rtt_ms: Round-trip time of the idle path, above 0.
        segment_bytes: Payload of a full segment.
        policed_share: 0 where windows hold the streams back, 1 where a policer on the way does.
        queued_share: The same of a shaper or a link before the packets leave.
        is_sender_count: Whether the sender's clock and count are asked for, not the receiver's.
        late_rtts: Round trips by which the first byte is later than by these clocks.
        overshoot_rtts: Round trips of doubling beyond what a policer lets through.
        behaviour: What both ends do.

    Source:
        RFC 6928 (initial window), RFC 9438 (CUBIC).
    """
    rtt_s = np.asarray(rtt_ms) / units.MS_PER_SECOND
    steady = np.asarray(steady_gbps)
    flight = gbit_from_bytes(INITIAL_WINDOW_SEGMENTS * np.asarray(segment_bytes)) * streams
    first = np.minimum(flight / rtt_s, steady)
    start_rtts = np.where(is_sender_count, 0.0, behaviour.start_rtts) + late_rtts
    window_segments = steady * rtt_s / (gbit_from_bytes(segment_bytes) * streams)
    growths = _growths(steady / first, behaviour.growth)
    # A little slack: a window that fills the steady rate but for the last digit is no round more.
    rounds = np.ceil(growths - _ROUNDING)
    # Less than one round trip of growth overshoots by less, and none at all by nothing.
    overshoot = np.minimum(growths, 1.0)
    policed = overshoot * np.asarray(policed_share)
    # A full queue loses its tail only: what is behind it tells of the loss without a timeout.
    dropped = policed + overshoot * np.asarray(queued_share) * behaviour.is_shaper_full
    timeout_s = rtt_s + LEAST_TIMEOUT_S if behaviour.has_timeout else np.zeros_like(rtt_s)
    return Course(
        steady_gbps=steady,
        first_gbps=first,
        rtt_s=rtt_s,
        start_s=np.maximum(start_rtts, 0.0) * rtt_s,
        round_count=rounds,
        ramp_s=rounds * rtt_s,
        unheard_s=(growths + 1.0 - rounds) * rtt_s,
        timeout_s=(timeout_s + overshoot_rtts * rtt_s) * policed,
        deficit_gbps=behaviour.deficit_ratio * dropped * steady,
        recovery_s=np.cbrt(CUBIC_DECREASE * window_segments / CUBIC_GROWTH),
        friendly_s=CUBIC_DECREASE * window_segments * rtt_s / FRIENDLY_SEGMENTS_PER_RTT,
        growth=behaviour.growth,
        least_gbit=flight * (behaviour.least_segments / INITIAL_WINDOW_SEGMENTS),
        is_flight_whole=behaviour.is_flight_whole,
    )


def gbit_after(run: Course, seconds: Floats) -> Array:
    """Return the gigabits that have arrived after a time, each window spread over its round trip.

    A window comes as a burst in truth; spread, a longer run is never a slower one.
    """
    since = np.maximum(np.asarray(seconds) - run.start_s, 0.0) / run.rtt_s
    growing = np.minimum(since, run.round_count)
    whole = np.floor(growing)
    grown = run.growth**whole
    arrived = _gbit_of_rounds(run, grown) + run.first_gbps * run.rtt_s * grown * (growing - whole)
    after = np.maximum(np.asarray(seconds) - run.start_s - run.ramp_s, 0.0)
    steady_s = np.maximum(after - run.timeout_s, 0.0)
    return np.asarray(arrived + run.steady_gbps * steady_s - _lost_gbit(run, steady_s))


def seconds_for(run: Course, gbit: Floats) -> Array:
    """Return the time after which so many gigabits have arrived; the inverse of `gbit_after`."""
    wanted = np.asarray(gbit)
    at_ramp_end = _gbit_of_rounds(run, run.growth**run.round_count)
    in_ramp = np.minimum(wanted, at_ramp_end)
    first_gbit = run.first_gbps * run.rtt_s
    grown = _growths(1 + in_ramp * (run.growth - 1) / first_gbit, run.growth)
    whole = np.minimum(np.floor(grown + _ROUNDING), run.round_count)
    window = run.growth**whole
    of_round = np.maximum(in_ramp - _gbit_of_rounds(run, window), 0.0) / (first_gbit * window)
    ramp_s = (whole + of_round) * run.rtt_s
    rest = np.maximum(wanted - at_ramp_end, 0.0)
    steady_s = rest / run.steady_gbps
    for _ in range(_SOLVER_STEPS):
        last_s, steady_s = steady_s, (rest + _lost_gbit(run, steady_s)) / run.steady_gbps
        if np.array_equal(last_s, steady_s):
            break
    waited_s = np.where(rest > 0, run.timeout_s, 0.0)
    return np.asarray(run.start_s + ramp_s + waited_s + steady_s)


def gbps_over(run: Course, *, duration_s: Floats, omit_s: Floats = 0.0) -> Array:
    """Return the mean rate over a time, from `omit_s` after the start on; infinite time: steady."""
    end = np.asarray(duration_s) + omit_s
    finite = np.isfinite(end)
    shown_s = np.where(finite, duration_s, 1.0)
    counted = gbit_after(run, np.where(finite, end, 1.0))
    omitted = gbit_after(run, omit_s) if np.any(omit_s) else 0.0
    return np.where(finite, (counted - omitted) / shown_s, run.steady_gbps)


def first_flight_gbps(run: Course, *, duration_s: Floats) -> Array:
    """Return the rate of the first flight, once a round trip: what no short run stays below.

    A run may end before the first byte counts at the receiver; by its clock that is 0, of a
    transfer that has begun. The doubling has caught up with it after `EARLY_RTTS`. Where
    `run.is_flight_whole`, a run shorter than a round trip may hold the whole flight.
    """
    if not run.is_flight_whole:
        flight = run.least_gbit / run.rtt_s
        return np.asarray(np.minimum(flight, run.steady_gbps * EARLY_RATIO))
    seconds = np.asarray(duration_s)
    flight = run.least_gbit * np.minimum(1 / np.minimum(run.rtt_s, seconds), EARLY_RTTS / seconds)
    return np.asarray(np.minimum(flight, run.steady_gbps))


def _lost_gbit(run: Course, seconds: Floats) -> Array:
    """Return what the recovery lacks to the steady rate, that long after the doubling.

    One recovery: later decreases are single flows', which the others fill.
    """
    since = np.maximum(np.asarray(seconds) - run.unheard_s, 0.0)
    if not np.any(run.deficit_gbps):
        return np.zeros_like(since)
    with np.errstate(invalid="ignore", divide="ignore"):
        curve = np.minimum(since / run.recovery_s, 1.0)
        by_curve = run.recovery_s / 4 * (1 - (1 - curve) ** 4)
        line = np.minimum(since, run.friendly_s)
        by_line = line - line * line / (2 * np.asarray(run.friendly_s))
    lost_s = np.where(np.asarray(run.friendly_s) > 0, np.minimum(by_curve, by_line), 0.0)
    return np.asarray(run.deficit_gbps * lost_s)


def _growths(ratio: Floats, growth: float) -> Array:
    """Return how many times a window has to grow for so many times its size."""
    return np.asarray(np.log(ratio) / np.log(growth))


def _gbit_of_rounds(run: Course, growth: Array) -> Array:
    """Return the gigabits of the first windows together, until one is so many times the first."""
    return np.asarray(run.first_gbps * run.rtt_s * (growth - 1) / (run.growth - 1))
