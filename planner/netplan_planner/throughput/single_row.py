"""A single path as a table of one row, and what that leaves out or takes for granted."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from netplan_planner import units
from netplan_planner.model import PathEnd, PathQuery
from netplan_planner.throughput.batch import Columns, Predictions
from netplan_planner.throughput.limits import bounds
from netplan_planner.throughput.limits.bounds import Doubt
from netplan_planner.throughput.limits.ends import CUBIC
from netplan_planner.throughput.limits.path_limits import is_own_receiver
from netplan_planner.throughput.limits.shared_by import tells_send_buffer
from netplan_planner.throughput.transport.transfer import EARLY_RTTS, window_gbps

_NO_ROUND_TRIP_MS = 1e-3
"""Stands for "windows and starts are left out" where no round-trip time is known."""


def needs_round_trip(query: PathQuery) -> bool:
    """Return whether the answer depends on the round-trip time.

    In steady state and with as many streams as it takes, it does not.
    """
    return (
        query.streams is not None
        or query.duration_s is not None
        or query.transfer_bytes is not None
    )


def early_end(query: PathQuery) -> Iterator[str]:
    """Yield what a run is taken for that ends before its first round trips are over."""
    if query.duration_s is None or query.transfer_bytes is not None or not query.rtt_ms:
        return
    rtts = (query.duration_s + query.omit_s) * units.MS_PER_SECOND / query.rtt_ms
    if rtts < EARLY_RTTS:
        yield (
            f"the run ends after {rtts:.2g} round trips, when little or nothing has arrived:"
            " assumed is at least one initial window per stream and round trip"
        )


def _number(value: float | None, *, absent: float = np.nan) -> float:
    return absent if value is None else float(value)


def single_row(query: PathQuery) -> tuple[Columns, tuple[Doubt, ...]]:
    """Return the path as a table of one row, and what was left out of it."""
    rtt = query.rtt_ms
    said, held = "", 0.0
    window: float | None = query.window_bytes
    buffer: float | None = query.send_buffer_bytes
    is_told = window is not None or query.dst.set_up.receive_buffer_bytes is not None
    if not rtt or rtt <= 0:
        rtt = _NO_ROUND_TRIP_MS
        window = buffer = np.inf
        said = "unknown round-trip time: windows and the start are not included"
        said *= needs_round_trip(query)
    elif query.streams is not None and not is_told and not is_own_receiver(query):
        said, held = "the receive window is unknown: assumed between 1 and 4.2 MB", 2.0**20
    elif query.streams is not None and is_told and not tells_send_buffer(query):
        said = "the send buffer is unknown: assumed 4 MiB, the Linux default"
        held = bounds.SEND_BUFFER_LOW_RATIO * bounds.SEND_BUFFER_BYTES
    least = (query.streams or 0) * float(window_gbps(window_bytes=held, rtt_ms=rtt))
    one = np.array
    return (
        Columns(
            kind=np.zeros(1, dtype=np.intp),
            window_bytes=one([_number(window)]),
            send_buffer_bytes=one([_number(buffer)]),
            streams=one([_number(query.streams, absent=np.inf)]),
            rtt_ms=one([rtt]),
            low_rtt_ms=one([query.low_rtt_ms or rtt]),
            high_rtt_ms=one([query.high_rtt_ms or rtt]),
            duration_s=one([_number(query.duration_s, absent=np.inf)]),
            omit_s=one([query.omit_s]),
            transfer_bytes=one([_number(query.transfer_bytes)]),
            is_both_ways=one([query.is_both_ways]),
            is_sender_count=one([query.is_sender_count]),
            late_rtts=one([query.late_rtts]),
        ),
        (Doubt(said, least),) if said else (),
    )


def other_control(query: PathQuery) -> Iterator[str]:
    """Yield what is said of a sender whose congestion control the model does not have."""
    if needs_round_trip(query):
        yield from said_of_control(query.src)


def said_of_control(sender: PathEnd) -> Iterator[str]:
    """Yield the same of a sender whose path has windows and a start."""
    control = sender.set_up.congestion_control
    if control and control != CUBIC:
        yield (
            f"start and recovery are modelled for CUBIC, but the sender uses {control}. Only"
            " measurements of such senders tell more (--calibration)"
        )


def said_of_images(images: Iterable[str | None]) -> Iterator[str]:
    """Yield that an image is nothing but a name before paths of it were measured."""
    named = tuple(dict.fromkeys(one for one in images if one))
    if named:
        alone = (
            "s {} change nothing by themselves" if named[1:] else " {} changes nothing by itself"
        )
        yield (
            f"image{alone.format(' and '.join(named))}: calibrate with measured paths of such VMs,"
            " and give the result (--calibration)"
        )


def stacked(rows: Sequence[Columns]) -> Columns:
    """Return tables of one row as one table, in which each row is of a kind of its own."""
    table = Columns._make(np.concatenate(column) for column in zip(*rows, strict=True))
    return table._replace(kind=np.arange(len(rows), dtype=np.intp))


def in_steady_use(row: Columns) -> Columns:
    """Return a row without a time and a volume."""
    return row._replace(duration_s=np.full(1, np.inf), transfer_bytes=np.full(1, np.nan))


def open_start(query: PathQuery, answer: Predictions) -> Iterator[str]:
    """Yield how many streams a run is taken to have, where nobody told."""
    is_run = query.transfer_bytes is not None or query.duration_s is not None
    if query.streams is None and is_run and query.rtt_ms:
        lost_s = float(answer.duration_s[0] * answer.found.means.start_ratio[0])
        yield (
            f"as many connections as needed: {int(answer.streams[0])}, whose start takes"
            f" {lost_s:.3g} s"
        )
