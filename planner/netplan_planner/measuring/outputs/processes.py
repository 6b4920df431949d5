"""Several processes of a tool that ran at the same time, as one measurement."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec

from netplan_planner.errors import InputError
from netplan_planner.measuring.outputs.base import TEXT_LENGTH, bounded, run_id_of
from netplan_planner.model import MeasuredEnd, Measurement

N = TypeVar("N", int, float)

_LEAST_OVERLAP_RATIO = 0.9
"""Of the longest process that all of them must share: outside of it the others had more room."""
_CLOCK_S = 1.0
"""How exactly a start is known that is told in whole seconds."""


def merge_streams(measurements: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """Return one measurement for each direction, with the rates of the processes added.

    For iperf3 before 3.16, which runs all streams in one thread: one process for each stream.

    Args:
        measurements: Those of all processes of one run, between the same two ends.

    Raises:
        InputError: If they are of different ends or tests, if one is there twice, or if they did
            not run at the same time for nearly all of the time.
    """
    forward = [one for one in measurements if not one.is_reverse]
    reverse = [one for one in measurements if one.is_reverse]
    return tuple(_merged(group) for group in (forward, reverse) if group)


def add_rates(group: Sequence[Measurement]) -> Measurement:
    """Return one measurement of processes that are known to have run at the same time.

    Rates, bytes, streams, retransmissions and processor time are added; of windows and RTTs the
    group's figures are taken. The variation of the sum is not known from that of its parts.

    Args:
        group: One or more, all of one direction between the same two ends.
    """
    first = min(group, key=lambda one: one.started_at or "9")
    if len(group) == 1:
        return first
    ids = sorted(one.run_id for one in group)
    rtts = [(one.rtt_ms, one.streams or 1) for one in group if one.rtt_ms is not None]
    weight = sum(streams for _, streams in rtts)
    return msgspec.structs.replace(
        first,
        run_id=run_id_of("processes", *ids) if all(ids) else "",
        src=_with_cpu(first.src, [one.src.cpu_ratio for one in group]),
        dst=_with_cpu(first.dst, [one.dst.cpu_ratio for one in group]),
        streams=_total(one.streams for one in group),
        gbps=sum(one.gbps for one in group),
        sender_gbps=_total(one.sender_gbps for one in group),
        byte_count=_total(one.byte_count for one in group),
        duration_s=_best(max, (one.duration_s for one in group)),
        rtt_ms=sum(rtt * streams for rtt, streams in rtts) / weight if rtts else None,
        min_rtt_ms=_best(min, (one.min_rtt_ms for one in group)),
        mss_bytes=_best(min, (one.mss_bytes for one in group)),
        mtu_bytes=_best(min, (one.mtu_bytes for one in group)),
        max_window_bytes=_best(max, (one.max_window_bytes for one in group)),
        max_receive_window_bytes=_best(max, (one.max_receive_window_bytes for one in group)),
        retransmit_count=_total(one.retransmit_count for one in group),
        coefficient_of_variation=None,
        bitrate_limit_gbps=_total(one.bitrate_limit_gbps for one in group),
        note=_note(group),
    )


def _merged(group: Sequence[Measurement]) -> Measurement:
    ids = [one.run_id for one in group if one.run_id]
    if len(set(ids)) < len(ids):
        raise InputError(f"{_shown(group)}: one process is given twice; give each output once")
    for name, told in _told_apart(group):
        if len(told) > 1:
            listed = ", ".join(sorted(map(str, told))[:3])
            raise InputError(
                f"{_shown(group)}: not processes of one run: {name} differs ({listed})"
            )
    _refuse_apart(group)
    return add_rates(group)


def _told_apart(group: Sequence[Measurement]) -> Iterable[tuple[str, set[object]]]:
    yield "the sender's address", {one.src.address for one in group}
    yield "the receiver's address", {one.dst.address for one in group}
    yield "the tool", {(one.tool, one.tool_version) for one in group}
    yield "the protocol", {one.protocol for one in group}
    yield "the end that counted", {one.counted_by.value for one in group}
    yield "whether both directions ran", {one.is_bidirectional for one in group}


def _refuse_apart(group: Sequence[Measurement]) -> None:
    """Raise if the processes did not overlap for nearly all of the longest one's time."""
    if len(group) == 1:
        return
    spans = [_span(one) for one in group]
    known = [span for span in spans if span]
    if len(known) < len(spans):
        raise InputError(
            f"{_shown(group)}: whether the processes ran in parallel is unknown: an output has no"
            " start or duration"
        )
    is_exact = all("." in one.started_at for one in group)
    common = min(end for _, end in known) - max(start for start, _ in known)
    common += 0.0 if is_exact else _CLOCK_S
    longest = max(end - start for start, end in known)
    if common < _LEAST_OVERLAP_RATIO * longest:
        raise InputError(
            f"{_shown(group)}: the processes did not run in parallel: they overlap for"
            f" {max(common, 0.0):.1f} s of {longest:.1f} s. Start them together"
        )


def _span(one: Measurement) -> tuple[float, float] | None:
    if not one.started_at or one.duration_s is None:
        return None
    start = datetime.fromisoformat(one.started_at).timestamp() + (one.omit_s or 0.0)
    return start, start + one.duration_s


def _with_cpu(end: MeasuredEnd, ratios: Sequence[float | None]) -> MeasuredEnd:
    return msgspec.structs.replace(end, cpu_ratio=_total(ratios))


def _total(numbers: Iterable[N | None]) -> N | None:
    """Return the sum, or None if a part of it is not known."""
    known = list(numbers)
    parts = [number for number in known if number is not None]
    return sum(parts[1:], start=parts[0]) if parts and len(parts) == len(known) else None


def _best(choose: Callable[[Iterable[N]], N], numbers: Iterable[N | None]) -> N | None:
    parts = [number for number in numbers if number is not None]
    return choose(parts) if parts else None


def _note(group: Sequence[Measurement]) -> str:
    notes = dict.fromkeys(one.note for one in group if one.note)
    return bounded("; ".join((f"{len(group)} processes at once", *notes)), TEXT_LENGTH)


def _shown(group: Sequence[Measurement]) -> str:
    return group[0].source
