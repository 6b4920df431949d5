"""The most likely throughput of many paths at once: named limits, their soft minimum, the start.

    offered = streams x the lesser of the receive window and the send buffer / RTT
    cap     = least of the hard limits: of the machines, of the flows together, of the way
    steady  = least of both; soft minimum of offered and what drops on the way
    goodput = mean of the course from a cold start to the end of the transfer, else steady

One row is one path; all arrays have one axis of the same length. A single path is a table of one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.limits.bounds import LEAST_EGRESS_GBPS
from netplan_planner.throughput.transport import transfer

Column = NDArray[np.float64]

SHARED = (
    "vm-egress",
    "nic-egress",
    "external-egress",
    "region-quota",
    "external-ingress",
    "external-ingress-packets",
    "receiver-cores",
    "external-path",
    "host-link",
    "vpn-tunnel",
    "pod-interface",
    "pod-overlay-header",
    "pod-encryption",
    "pod-user-space",
)
"""Limits that all flows of a path share, by column."""
PER_FLOW = (
    "external-flow",
    "internal-flow",
    "single-flow-core",
    "pod-stream",
    "pod-packet-budget",
)
"""Limits of one flow, by column."""
LIMITS = (*SHARED, *PER_FLOW, "window-over-rtt", "send-buffer-over-rtt", "slow-start-ramp")
"""Names of all limits by code; the hard ones come first."""
HARD_COUNT = len(SHARED) + len(PER_FLOW)
WINDOW = LIMITS.index("window-over-rtt")
SEND_BUFFER = LIMITS.index("send-buffer-over-rtt")
RAMP = LIMITS.index("slow-start-ramp")
NO_LIMIT = -1
_DOCUMENTED = (
    "vm-egress",
    "nic-egress",
    "external-egress",
    "region-quota",
    "external-ingress",
    "external-ingress-packets",
)
_COUNTS_HEADERS = np.array([name in _DOCUMENTED for name in SHARED])
"""The others are figures of goodput already."""
POLICED = (
    "external-egress",
    "external-flow",
    "external-ingress",
    "external-ingress-packets",
    "external-path",
    "vpn-tunnel",
)
"""Limits that a provider sets on the way: what comes above them is dropped (Flach et al., SIGCOMM
2016, table 1). A machine's own cap is a shaper before its packets leave: it queues them and
pushes back (Saeed et al., Carousel, SIGCOMM 2017), and on a test bed no flow lost any behind one.
A link, a core and a window hold back without a drop likewise."""
_USES_CORE = np.array([name != "external-flow" for name in PER_FLOW])

_POLICED = tuple(map(LIMITS.index, POLICED))
_DROPPING = (*_POLICED, LIMITS.index("vm-egress"), LIMITS.index("nic-egress"))
"""Limits that drop what comes above them, a machine's own once their queue is full."""

RAMP_RATIO = 1 / 6
"""A start that takes more than this share of the time is what binds: longer transfers gain more."""
WINDOW_RAMP_RATIO = 0.5
"""The same where windows hold the streams back: greater ones would shorten nothing but the rest."""


class PathTerms(NamedTuple):
    """What is known of each path. NaN: unknown; infinity: this limit does not exist there."""

    shared_gbps: NDArray[np.float64]
    """Axes: row, limit in the order of `SHARED`."""
    per_flow_gbps: NDArray[np.float64]
    """Axes: row, limit in the order of `PER_FLOW`."""
    is_cap_known: NDArray[np.bool_]
    """Whether the sender's caps are among them, or windows are all that bound it."""
    window_bytes: Column
    """The receiver's."""
    sent_bytes: Column
    """What the sender's buffer holds of payload in flight."""
    is_window_told: NDArray[np.bool_]
    is_buffer_told: NDArray[np.bool_]
    """Whether somebody told these; else they are the defaults of the systems."""
    is_set_up_told: NDArray[np.bool_]
    """Whether somebody told how an end is set up: its buffers then are no defaults."""
    streams: Column
    """Infinity: as many as it takes."""
    rtt_ms: Column
    mtu_bytes: Column
    duration_s: Column
    """Infinity: steady state."""
    omit_s: Column
    """Before counting starts."""
    transfer_bytes: Column
    """Of a finite transfer, else NaN; it goes before `duration_s`."""
    is_both_ways: NDArray[np.bool_]
    is_sender_count: NDArray[np.bool_]
    late_rtts: Column
    """By which the tool's first byte is later than the model's; see `tools`."""


class Means(NamedTuple):
    """The answer by row; NaN and `NO_LIMIT` where it is not known."""

    gbps: Column
    duration_s: Column
    """Of a finite transfer; else what was asked."""
    steady_gbps: Column
    cap_gbps: Column
    """The least hard limit."""
    cap_limit: NDArray[np.intp]
    """Its code."""
    offered_gbps: Column
    start_ratio: Column
    """Share of the steady volume that the start and the recovery after it cost."""
    cap_share: Column
    limits_gbps: NDArray[np.float64]
    """Axes: row, limit in the order of `LIMITS`; infinity where one does not apply. As in
    `PathTerms`, each limit stands in one piece of memory."""
    binding: NDArray[np.int8]
    following: NDArray[np.int8]
    """The limit behind it."""


def means(terms: PathTerms, behaviour: transfer.Behaviour = transfer.LIKELY) -> Means:
    """Return the most likely goodput of each path, in Gbit/s, and the limits that make it."""
    goodput, met, limits, steady, duration = rates(terms, behaviour)
    start = np.clip(1 - goodput / steady, 0.0, 1.0)
    limits[:, RAMP] = np.where(start > 0, goodput, np.inf)
    binding, following = _ranked(limits, start, met.cap_share)
    is_known = ~np.isnan(goodput)
    return Means(
        gbps=goodput,
        duration_s=duration,
        steady_gbps=steady,
        cap_gbps=met.cap_gbps,
        cap_limit=np.argmin(_or_infinite(limits[:, :HARD_COUNT]), axis=1),
        offered_gbps=met.offered_gbps,
        start_ratio=start,
        cap_share=met.cap_share,
        limits_gbps=limits,
        binding=np.where(is_known, binding, NO_LIMIT).astype(np.int8),
        following=np.where(is_known, following, NO_LIMIT).astype(np.int8),
    )


class Met(NamedTuple):
    """What meets on a path."""

    window_gbps: Column
    """What the windows and buffers let through; NaN where it is not known."""
    offered_gbps: Column
    """The same; infinite where nobody can tell, of as many streams as it takes."""
    cap_gbps: Column
    """The least hard limit."""
    cap_share: Column
    """How much of what comes of it is the cap's doing."""


class Rates(NamedTuple):
    """The goodput of each path, and what it comes of; the column of the ramp is still infinite."""

    gbps: Column
    met: Met
    limits_gbps: NDArray[np.float64]
    steady_gbps: Column
    duration_s: Column


def rates(terms: PathTerms, behaviour: transfer.Behaviour = transfer.LIKELY) -> Rates:
    """Return what `means` does, but for the order of the limits, which costs as much."""
    limits = _limits(terms, behaviour)
    met = _met(terms, limits)
    steady, goodput, duration = _rates(terms, limits, met, behaviour)
    return Rates(goodput, met, limits, steady, duration)


def _met(terms: PathTerms, limits: NDArray[np.float64]) -> Met:
    window = np.minimum(limits[:, WINDOW], limits[:, SEND_BUFFER])
    # A few streams over a path of unknown length may be bound by their windows: nobody can tell.
    offered = np.where(np.isnan(window) & np.isinf(terms.streams), np.inf, window)
    cap = np.fmin.reduce(limits[:, :HARD_COUNT], axis=1)
    # A cap that is not known cannot bind a path that stays far below the least one there is.
    is_known = terms.is_cap_known & (np.isfinite(cap) | np.isfinite(offered))
    cap = np.where(is_known | (offered < LEAST_EGRESS_GBPS / 2), cap, np.nan)
    return Met(window, offered, cap, transfer.cap_share(offered_gbps=offered, cap_gbps=cap))


def _rates(
    terms: PathTerms,
    limits: NDArray[np.float64],
    met: Met,
    behaviour: transfer.Behaviour,
) -> tuple[Column, Column, Column]:
    """Return the steady rate, the goodput and the time that it is the mean of.

    The streams' imperfect sharing is their own doing: together they carry at least what the first
    of them would carry alone. Behind a queue they lose nothing to each other: what they have on
    the way adds up, until it fills the limit.
    """
    cap = met.cap_gbps
    dropping = _DROPPING if behaviour.is_shaper_full else _POLICED
    lossy = np.fmin.reduce(limits[:, dropping], axis=1, initial=np.inf)
    shared = transfer.saturated_gbps(offered_gbps=met.offered_gbps, cap_gbps=lossy)
    steady = np.minimum(shared, cap)
    # All that is above a queue's limit overflows it, from where windows reach that limit on.
    overflow = np.minimum(2 * met.cap_share, 1.0)
    queued = _goodput(terms, steady, (np.zeros_like(cap), overflow), behaviour)
    goodput, duration = _policed(terms, limits, met, queued, behaviour)
    is_counted = np.isfinite(terms.streams)
    if not (behaviour.is_lone_stream_whole and is_counted.any()):
        return steady, goodput, duration
    streams = np.where(is_counted, terms.streams, 1.0)
    each = limits[:, HARD_COUNT - len(PER_FLOW) : HARD_COUNT] / streams[:, None]
    one = np.minimum(np.fmin.reduce(each, axis=1), met.window_gbps / streams)
    alone = np.minimum(cap, np.where(is_counted, one, cap))
    first = terms._replace(streams=np.ones_like(streams))
    nothing = np.zeros_like(cap)
    lone, lone_s = _goodput(first, alone, (nothing, nothing), behaviour)
    is_lone = is_counted & (lone > goodput)
    return (
        np.where(is_counted & (alone > steady), alone, steady),
        np.where(is_lone, lone, goodput),
        np.where(is_lone & ~np.isnan(terms.transfer_bytes), lone_s, duration),
    )


def _policed(
    terms: PathTerms,
    limits: NDArray[np.float64],
    met: Met,
    queued: tuple[Column, Column],
    behaviour: transfer.Behaviour,
) -> tuple[Column, Column]:
    """Return the goodput and its time where a policer on the way drops the overshoot.

    It does so a little before another limit lets it: what comes in bursts reaches it sooner.
    """
    goodput, duration = queued
    cap = np.fmin.reduce(limits[:, _POLICED], axis=1)
    rows = np.flatnonzero(np.isfinite(cap))
    if not len(rows):
        return queued
    offered, cap = met.offered_gbps[rows], cap[rows]
    these = _without_limits(terms, rows)
    steady = transfer.saturated_gbps(offered_gbps=offered, cap_gbps=cap)
    shares = transfer.cap_share(offered_gbps=offered, cap_gbps=cap), np.zeros_like(cap)
    some, time = _goodput(these, steady, shares, behaviour)
    if behaviour.may_overshoot:
        doubling = behaviour._replace(growth=transfer.LIKELY.growth)
        with np.errstate(invalid="ignore"):
            rounds = np.nan_to_num(np.log2(np.maximum(offered / steady, 1.0)), posinf=0.0)
        other, later = _goodput(these, steady, shares, doubling, rounds)
        is_worse = other < some
        some, time = np.where(is_worse, other, some), np.where(is_worse, later, time)
    is_less = some < goodput[rows]
    goodput[rows] = np.where(is_less, some, goodput[rows])
    is_sized = ~np.isnan(terms.transfer_bytes[rows])
    duration = duration.copy()
    duration[rows] = np.where(is_less & is_sized, time, duration[rows])
    return goodput, duration


def _without_limits(terms: PathTerms, rows: NDArray[np.intp]) -> PathTerms:
    """Return the terms of some rows but for their limits, of which all is known by now."""
    return PathTerms._make((*terms[:2], *(column[rows] for column in terms[2:])))


def _limits(terms: PathTerms, behaviour: transfer.Behaviour) -> NDArray[np.float64]:
    """Return what each limit alone would let through; the column of the ramp is still infinite."""
    of_cap = transfer.payload_ratio if behaviour.caps_count_headers else transfer.cap_ratio
    ratio = of_cap(terms.mtu_bytes)
    each_way = np.where(terms.is_both_ways, behaviour.direction_ratio, 1.0)
    # One limit after the other, each in one piece of memory and changed in place: there are
    # millions, and a copy of them takes as long as a product.
    columns = np.empty((len(LIMITS), len(ratio)))
    columns[: len(SHARED)] = terms.shared_gbps.T
    columns[len(SHARED) : HARD_COUNT] = terms.per_flow_gbps.T
    for at, size in ((WINDOW, terms.window_bytes), (SEND_BUFFER, terms.sent_bytes)):
        columns[at] = transfer.window_gbps(window_bytes=size, rtt_ms=terms.rtt_ms)
    columns[RAMP] = np.inf
    columns[: len(SHARED)][_COUNTS_HEADERS] *= ratio
    for at, uses_core in enumerate(_USES_CORE, len(SHARED)):
        columns[at] *= each_way if uses_core else ratio
    with np.errstate(invalid="ignore"):
        columns[len(SHARED) :] *= terms.streams
    columns[list(_DROPPING)] *= 1 - behaviour.lone_deficit_ratio * (terms.streams == 1)
    return columns.T


def _goodput(
    terms: PathTerms,
    steady: Column,
    shares: tuple[Column, Column],
    behaviour: transfer.Behaviour,
    overshoot_rtts: Column | float = 0.0,
) -> tuple[Column, Column]:
    """Return the goodput and the time that it is the mean of.

    `shares` is how much of the steady rate is a policer's doing, and how much that of a queue.
    """
    is_finite = np.isfinite(terms.duration_s) | ~np.isnan(terms.transfer_bytes)
    if not is_finite.any():
        return steady.copy(), terms.duration_s
    run = transfer.course(
        steady_gbps=steady,
        streams=np.where(np.isinf(terms.streams), 1.0, terms.streams),
        rtt_ms=terms.rtt_ms,
        segment_bytes=transfer.segment_bytes(terms.mtu_bytes),
        policed_share=shares[0],
        queued_share=shares[1],
        is_sender_count=terms.is_sender_count,
        late_rtts=terms.late_rtts,
        overshoot_rtts=overshoot_rtts,
        behaviour=behaviour,
    )
    with np.errstate(invalid="ignore"):
        timed = transfer.gbps_over(run, duration_s=terms.duration_s, omit_s=terms.omit_s)
        least = transfer.first_flight_gbps(run, duration_s=terms.duration_s)
        timed = np.maximum(timed, least)
    if terms.is_sender_count.any():
        timed = np.where(terms.is_sender_count, _sender_gbps(terms, run, timed), timed)
    is_sized = ~np.isnan(terms.transfer_bytes)
    if not is_sized.any():
        return np.where(is_finite, timed, steady), terms.duration_s
    gbit = transfer.gbit_from_bytes(terms.transfer_bytes)
    seconds = transfer.seconds_for(run, np.where(is_sized, gbit, 1.0))
    goodput = np.where(is_sized, gbit / seconds, np.where(is_finite, timed, steady))
    return goodput, np.where(is_sized, seconds, terms.duration_s)


def _sender_gbps(terms: PathTerms, run: transfer.Course, timed: Column) -> Column:
    """Return the sender's count: what is under way at the end is in it, at the start not yet."""
    is_open = ~np.isfinite(terms.duration_s)
    time = np.where(is_open, 1.0, terms.duration_s)
    late = _unacknowledged_gbit(run, time + terms.omit_s)
    early = _unacknowledged_gbit(run, terms.omit_s)
    more = (late - np.where(terms.omit_s > 0, early, 0.0)) / time
    return np.where(is_open, timed, np.minimum(timed + more, run.steady_gbps))


def _unacknowledged_gbit(run: transfer.Course, seconds: Column) -> Column:
    """Return what the sender has written by then and nobody has acknowledged: a round trip's."""
    return transfer.gbit_after(run, seconds + run.rtt_s) - transfer.gbit_after(run, seconds)


def _ranked(
    limits: NDArray[np.float64], start: Column, share: Column
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the limit that binds and the one behind it, by row."""
    known = _or_infinite(limits)
    is_ramp = start > np.where(share > 0.5, RAMP_RATIO, WINDOW_RAMP_RATIO)
    known[:, RAMP] = np.where(is_ramp, -1.0, np.inf)
    row = np.arange(len(known))
    first = np.argmin(known, axis=1)
    known[row, first] = np.inf
    second = np.argmin(known, axis=1)
    return first, np.where(np.isinf(known[row, second]), -1, second)


def _or_infinite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isnan(values), np.inf, values)
