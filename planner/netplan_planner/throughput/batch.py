"""Predictions for a table of paths at once; the single path is a table of one.

Limits are looked up once for each kind of path (types, date, class, clouds), the arithmetic is done
on whole columns. Nothing here reads a file.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import PathQuery
from netplan_planner.throughput.calibration.factors.calibrated import Probed
from netplan_planner.throughput.goodput import intervals
from netplan_planner.throughput.goodput.doubts import doubted_low
from netplan_planner.throughput.goodput.intervals import Factors, Spread, draws, interval
from netplan_planner.throughput.goodput.mean import LIMITS, Column, Means, means
from netplan_planner.throughput.goodput.terms import (
    Asked,
    LimitRows,
    Stands,
    TermSpans,
    in_cases,
    limit_rows,
    scattered,
    term_spans,
)
from netplan_planner.throughput.limits import bounds
from netplan_planner.throughput.limits.caps import load_caps
from netplan_planner.throughput.limits.ends import OWN_CLOUD
from netplan_planner.throughput.limits.path_limits import (
    StaticLimits,
    is_own_receiver,
    static_limits,
)
from netplan_planner.throughput.limits.senders import MTU_BYTES
from netplan_planner.throughput.limits.shared_by import tells_buffers
from netplan_planner.throughput.limits.tables import NOBODY, Campaigns
from netplan_planner.throughput.transport import transfer
from netplan_planner.units import MS_PER_SECOND

DEFAULT_TOOL_S = 10.0
"""What iperf and iperf3 run without being told; the least that an unstated duration may be."""
_BLOCK = 16384
"""Rows that are worked on at a time: the arrays of a block stay in the cache."""
NO_RTT = "unknown round-trip time: not given, and no value for these places"


class Columns(NamedTuple):
    """What varies by row. NaN: not given."""

    kind: NDArray[np.intp]
    """Number of the row's kind."""
    window_bytes: Column
    send_buffer_bytes: Column
    """Infinite where neither it nor a window counts."""
    streams: Column
    rtt_ms: Column
    low_rtt_ms: Column
    high_rtt_ms: Column
    """The range of a round-trip time that no probe gave; else equal to it."""
    duration_s: Column
    omit_s: Column
    transfer_bytes: Column
    is_both_ways: NDArray[np.bool_]
    is_sender_count: NDArray[np.bool_]
    late_rtts: Column


class Predictions(NamedTuple):
    """The answer by row; NaN and -1 where it is not known."""

    gbps: Column
    low_gbps: Column
    high_gbps: Column
    duration_s: Column
    """Of a finite transfer."""
    binding: NDArray[np.int8]
    """Code of `mean.LIMITS`."""
    following: NDArray[np.int8]
    streams: Column
    """That the answer is of; infinite in steady state with as many as it takes."""
    found: Spread

    def row(self, number: int) -> "Predictions":
        """Return the answer of one row."""
        only = slice(number, number + 1)
        means = Means._make(column[only] for column in self.found.means)
        found = Spread._make((means, *(column[only] for column in self.found[1:])))
        return Predictions._make((*(column[only] for column in self[:-1]), found))


def kind_limits(kinds: Sequence[PathQuery], *, without: Campaigns = NOBODY) -> list[StaticLimits]:
    """Return the limits of each kind of path at the date that its `as_of` says."""
    return [
        static_limits(kind, load_caps(kind.as_of, without), may_assume=True)
        if kind.as_of
        else StaticLimits((), (), ("no date",), ())
        for kind in kinds
    ]


def predict_columns(
    kinds: Sequence[PathQuery],
    limits: Sequence[StaticLimits],
    columns: Columns,
    factors: Factors,
    probed: Probed | None = None,
) -> Predictions:
    """Return the throughput of each row with its interval and its two least limits.

    Args:
        kinds: The kinds of paths; their own streams, times and bytes are not looked at.
        limits: Of each kind (`kind_limits`).
        columns: The rows.
        factors: Of the interval's level (`intervals.factors_at`).
        probed: What probes taught of the paths.
    """
    return at_level(kinds, columns, spread_columns(kinds, limits, columns, probed), factors)


def at_level(
    kinds: Sequence[PathQuery], columns: Columns, found: Spread, factors: Factors
) -> Predictions:
    """Return the answers of rows whose mean and physical bounds are known."""
    low, high = interval(found, factors)
    means = found.means
    return Predictions(
        gbps=means.gbps,
        low_gbps=doubted_low(kinds, columns.kind, found, low),
        high_gbps=np.maximum(np.minimum(high, most_of_bytes(columns)), means.gbps),
        duration_s=means.duration_s,
        binding=means.binding,
        following=means.following,
        streams=columns.streams,
        found=found,
    )


def most_of_bytes(columns: Columns) -> Column:
    """Return the most that a transfer reaches: its last byte takes one way, half a round trip."""
    gbit = transfer.gbit_from_bytes(columns.transfer_bytes)
    with np.errstate(divide="ignore"):
        most = gbit / (columns.low_rtt_ms / 2 / MS_PER_SECOND)
    return np.where(np.isnan(most), np.inf, most)


def spread_columns(
    kinds: Sequence[PathQuery],
    limits: Sequence[StaticLimits],
    columns: Columns,
    probed: Probed | None = None,
) -> Spread:
    """Return the mean and the physical bounds of each row, before any conformal factor."""
    figures = _figures(kinds, limits)
    row_count = len(columns.kind)
    whole = None
    for start in range(0, max(row_count, 1), _BLOCK):
        block = slice(start, start + _BLOCK)
        some = Columns._make(column[block] for column in columns)
        terms = term_spans(figures.rows, some.kind, _asked(figures, some))
        part = intervals.spread(terms, figures.place[some.kind])
        if probed is not None:
            part = probed.rows(block).calibrated(part, terms, some.kind)
        if row_count <= _BLOCK:
            return part
        # Each block is worked on in the memory of the one before it.
        whole = intervals.empty_like(part, row_count) if whole is None else whole
        intervals.put(whole, block, part)
    assert whole is not None
    return whole


def terms_of(
    kinds: Sequence[PathQuery], limits: Sequence[StaticLimits], columns: Columns
) -> TermSpans:
    """Return the terms of all rows with their ranges."""
    figures = _figures(kinds, limits)
    return term_spans(figures.rows, columns.kind, _asked(figures, columns))


def place_of(kind: PathQuery) -> int:
    """Return the code of a path's place, by which its scatter is known."""
    if kind.path_class.is_pod:
        return intervals.PLACES.index("pod")
    if kind.src.cloud != OWN_CLOUD or not is_own_receiver(kind):
        return intervals.PLACES.index("foreign")
    return intervals.PLACES.index("external" if kind.path_class.leaves_vpc else "internal")


Weight = tuple[float, float]
"""How often a limit binds, and what the path carries there, in the middle."""


def binding_shares(
    kinds: Sequence[PathQuery],
    limits: Sequence[StaticLimits],
    columns: Columns,
    probed: Probed | None = None,
) -> dict[str, Weight]:
    """Return how often each limit binds the first row, by name, over the ranges of them all.

    One core that carries all flows is a case, and no chance of the cap in whose place it stands.
    """
    figures = _figures(kinds, limits)
    rows = figures.rows._replace(core_gbps=np.full_like(figures.rows.core_gbps, np.inf))
    terms = term_spans(rows, columns.kind, _asked(figures, columns))
    if probed is not None:
        terms = probed.shifted(terms, columns.kind)
    drawn = means(draws(terms))
    binds = {int(code): drawn.binding == code for code in np.unique(drawn.binding)}
    return {
        LIMITS[code]: (float(is_it.mean()), float(np.median(drawn.gbps[is_it])))
        for code, is_it in binds.items()
    }


def reasons(
    limits: Sequence[StaticLimits], columns: Columns, answers: Predictions
) -> tuple[NDArray[np.intp], list[str]]:
    """Return why rows have no value: a code by row, -1 where it has one, and the texts by code."""
    texts: dict[str, int] = {NO_RTT: 0}
    of_kind = np.array(
        [
            texts.setdefault("; ".join(one.unknown), len(texts)) if one.unknown else 0
            for one in limits
        ],
        dtype=np.intp,
    )
    is_unknown = np.isnan(answers.gbps)
    return np.where(is_unknown, of_kind[columns.kind], -1), list(texts)


class _Figures(NamedTuple):
    """What the kinds say as numbers, by kind: looked up once, however many rows there are."""

    rows: LimitRows
    place: NDArray[np.int8]
    """Code of `intervals.PLACES`."""
    mtu_bytes: Column
    send_buffer_bytes: Column
    """Of the sender's set-up; NaN where none is told."""
    is_told: NDArray[np.bool_]
    """Whether a buffer of either end's set-up is."""
    window_bytes: NDArray[np.float64]
    """The receiver's default; axes: kind, likely, least and greatest."""
    is_one_case: NDArray[np.bool_]


def _figures(kinds: Sequence[PathQuery], limits: Sequence[StaticLimits]) -> _Figures:
    windows = np.array([one.window_bytes for one in limits], dtype=float)
    frames = [
        min([end.mtu_bytes for end in (k.src, k.dst) if end.mtu_bytes], default=MTU_BYTES)
        for k in kinds
    ]
    buffers = [float(k.src.set_up.send_buffer_bytes or np.nan) for k in kinds]
    return _Figures(
        rows=limit_rows(limits),
        place=np.array([place_of(kind) for kind in kinds], dtype=np.int8),
        mtu_bytes=np.array(frames, dtype=float),
        send_buffer_bytes=np.array(buffers, dtype=float),
        is_told=np.array([tells_buffers(one) for one in kinds], dtype=bool),
        window_bytes=windows.reshape(len(limits), 3),
        is_one_case=np.array([one.is_one_case for one in limits], dtype=bool),
    )


def _asked(figures: _Figures, columns: Columns) -> Asked:
    streams, time = columns.streams, columns.duration_s
    is_open = np.isnan(time)
    # Without streams: as many as it takes, at worst one. Without a time: for ever, at worst short.
    return Asked(
        window_bytes=_windows(figures, columns),
        sent_bytes=_sent(figures, columns),
        is_window_told=~np.isnan(columns.window_bytes),
        is_buffer_told=~np.isnan(columns.send_buffer_bytes),
        is_set_up_told=figures.is_told[columns.kind],
        rtt_ms=scattered(columns.rtt_ms, columns.low_rtt_ms, columns.high_rtt_ms),
        streams=in_cases(
            np.where(np.isnan(streams), np.inf, streams),
            np.where(np.isnan(streams), 1.0, streams),
            np.where(np.isnan(streams), np.inf, streams),
        ),
        duration_s=in_cases(
            np.where(is_open, np.inf, time),
            np.where(is_open, DEFAULT_TOOL_S, time),
            np.where(is_open, np.inf, time),
        ),
        mtu_bytes=figures.mtu_bytes[columns.kind],
        omit_s=np.where(np.isnan(columns.omit_s), 0.0, columns.omit_s),
        transfer_bytes=columns.transfer_bytes,
        is_both_ways=columns.is_both_ways,
        is_sender_count=columns.is_sender_count,
        late_rtts=columns.late_rtts,
    )


def _windows(figures: _Figures, columns: Columns) -> Stands:
    """Return the window of a stream by row: the given one, else the default of the receiver."""
    likely, low, high = figures.window_bytes[columns.kind].T
    given = columns.window_bytes
    is_told = ~np.isnan(given) | figures.is_one_case[columns.kind]
    size = np.where(np.isnan(given), likely, given)
    ratio = bounds.KNOWN_WINDOW_RATIO
    return Stands(
        likely=size,
        case_low=np.where(is_told, size, np.fmin(low / ratio, likely)),
        low=np.where(is_told, size * ratio, low),
        case_high=np.where(is_told, size, high),
        high=np.where(is_told, size / ratio, high),
    )


def _sent(figures: _Figures, columns: Columns) -> Stands:
    """Return what the sender's buffer holds by row: of the given one, else of its set-up's."""
    kind, given = columns.kind, columns.send_buffer_bytes
    given = np.where(np.isnan(given), figures.send_buffer_bytes[kind], given)
    is_told = ~np.isnan(given) | figures.is_one_case[kind]
    size = np.where(np.isnan(given), bounds.SEND_BUFFER_BYTES, given)
    likely, low, high = bounds.sent_bytes(size, figures.window_bytes[kind, 1])
    return Stands(likely, likely, low, np.where(is_told, likely, high), high)
