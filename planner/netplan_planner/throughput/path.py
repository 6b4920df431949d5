"""The throughput of single paths: mean, interval and the limits in the order that they bind.

Tables of few rows for `batch`, dressed with the limits' sources. IPv4 and IPv6 are alike.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

import msgspec
import numpy as np

from netplan_planner.model import (
    STOCK,
    CapsBook,
    Change,
    ChangeKind,
    Estimate,
    Limit,
    LimitKind,
    PathQuery,
    Zone,
    region_of,
    series_of,
)
from netplan_planner.model.limits import GIVEN, GIVEN_OF_VM
from netplan_planner.throughput import batch, single_row
from netplan_planner.throughput.calibration.factors.calibrated_caps import (
    CalibratedCaps,
    corrected_limits,
    probed_paths,
    said_of_path,
)
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import LIMITS, RAMP, SEND_BUFFER, WINDOW
from netplan_planner.throughput.limits import bounds
from netplan_planner.throughput.limits.named import MORE_STREAMS
from netplan_planner.throughput.limits.path_limits import (
    StaticLimits,
    is_own_receiver,
    static_limits,
)
from netplan_planner.throughput.limits.shared_by import tells_send_buffer
from netplan_planner.throughput.limits.tables import path_limit
from netplan_planner.throughput.open_runs import predict_rows
from netplan_planner.throughput.transport import transfer
from netplan_planner.units import counted

LEVEL = 0.9
"""Of the intervals that reports show."""
_REMEMBERED = 4096
"""Answers: one takes most of a millisecond."""
_RFC_9438 = date(2023, 8, 1)


def predict(
    query: PathQuery,
    caps: CapsBook,
    *,
    may_assume: bool = False,
    level: float = LEVEL,
    weigh: bool = False,
) -> Estimate:
    """Return the throughput of a path in Gbit/s, its interval, and all limits.

    Limits of a single flow count only where `query.streams` says how many flows there are. The
    answer is None, with the reason in `unknown`, when a limit that must be known is not: no cap of
    the sender, or a class whose limits no document states.

    Args:
        query: The path.
        caps: The caps at a date.
        may_assume: Whether a cap of a later year, or the least of a type whose CPU platform is
            not known, may stand in for the one that is missing; `assumed` then says so.
        level: Share of measurements that the interval is meant to hold, 0.5 to 0.99.
        weigh: Whether the probability is wanted with which each limit binds.
    """
    return _remembered([query], caps, _How(may_assume, level, weigh))[0]


def predict_all(
    queries: Sequence[PathQuery], caps: CapsBook, *, level: float = LEVEL
) -> list[Estimate]:
    """Return what `predict` says of each path, worked out on whole columns."""
    return _remembered(queries, caps, _How(level=level))


class _How(NamedTuple):
    """How paths are predicted; the arguments of `predict`."""

    may_assume: bool = False
    level: float = LEVEL
    weigh: bool = False


_answers: dict[tuple[PathQuery, CapsBook, _How], Estimate] = {}


def _remembered(queries: Sequence[PathQuery], caps: CapsBook, how: _How) -> list[Estimate]:
    """Return an estimate for each path; only what nobody asked before is worked out."""
    asked = [_as_decided(query, caps) for query in queries]
    new = [query for query in dict.fromkeys(asked) if (query, caps, how) not in _answers]
    found = dict(zip(new, _predict(new, caps, how), strict=True)) if new else {}
    told = [found.get(query) or _answers[query, caps, how] for query in asked]
    _answers.update({(query, caps, how): estimate for query, estimate in found.items()})
    while len(_answers) > _REMEMBERED:
        del _answers[next(iter(_answers))]
    return told


def _as_decided(query: PathQuery, caps: CapsBook) -> PathQuery:
    is_probed = isinstance(caps, CalibratedCaps) and caps.knows_pair(query)
    return query if is_probed else _deciding(query)


def _deciding(query: PathQuery) -> PathQuery:
    """Return a path without what its answer does not depend on.

    In steady state and with as many streams as it takes, round-trip times and places do not count:
    an audit asks for thousands of such paths of a few kinds.
    """
    if single_row.needs_round_trip(query):
        return query
    src, dst = (
        msgspec.structs.replace(end, zone=None, region=None, set_up=STOCK)
        for end in (query.src, query.dst)
    )
    return msgspec.structs.replace(
        query, src=src, dst=dst, rtt_ms=None, low_rtt_ms=None, high_rtt_ms=None, rtt_source=""
    )


def _predict(queries: Sequence[PathQuery], caps: CapsBook, how: _How) -> list[Estimate]:
    found = [static_limits(query, caps, may_assume=how.may_assume) for query in queries]
    told = [
        _unknown(query, caps, limits, limits.unknown)
        if limits.unknown
        and not ((how.may_assume or limits.of_foreign) and query.streams and query.rtt_ms)
        else None
        for query, limits in zip(queries, found, strict=True)
    ]
    left = [number for number, estimate in enumerate(told) if estimate is None]
    dated = [msgspec.structs.replace(queries[number], as_of=caps.as_of) for number in left]
    some = _goodput(dated, [found[number] for number in left], caps, how)
    return [estimate or next(some) for estimate in told]


def _goodput(
    queries: Sequence[PathQuery], found: Sequence[StaticLimits], caps: CapsBook, how: _How
) -> Iterator[Estimate]:
    """Yield the estimates of paths whose limits are known."""
    if not queries:
        return
    rows = [single_row.single_row(query) for query in queries]
    columns = single_row.stacked([row for row, _ in rows])
    probed = probed_paths(queries, found, caps)
    answers = predict_rows(queries, found, columns, factors_at(how.level), probed)
    for number, (query, limits, (row, left_out)) in enumerate(
        zip(queries, found, rows, strict=True)
    ):
        if np.isnan(answers.gbps[number]):
            yield _unknown(query, caps, limits, limits.unknown or (batch.NO_RTT,))
            continue
        weights: dict[str, batch.Weight] = {}
        if how.weigh and query.streams is None and answers.binding[number] == RAMP:
            weights = {LIMITS[RAMP]: (1.0, float(answers.gbps[number]))}
        elif how.weigh:
            own = probed_paths([query], [limits], caps)
            row = row if query.streams is not None else single_row.in_steady_use(row)
            weights = batch.binding_shares([query], [limits], row, own)
        yield _estimate(query, caps, limits, answers.row(number), how.level, left_out, weights)


def _unknown(
    query: PathQuery, caps: CapsBook, found: StaticLimits, why: tuple[str, ...]
) -> Estimate:
    return Estimate(gbps=None, limits=tuple(_named(query, caps, found, None)), unknown=why)


def single_flow(query: PathQuery, caps: CapsBook) -> Estimate:
    """Return the estimate of one flow on a path."""
    return predict(msgspec.structs.replace(query, streams=1), caps)


def apply_change(query: PathQuery, change: Change) -> PathQuery:
    """Return the path as it is after a change of its sender or of the address it uses.

    The caller sees to it that the change is one of this path. A new machine type has the CPU
    platform that is asked for with it; else it keeps its own within the series, and in another one
    it is not known yet.
    """
    match change.kind:
        case ChangeKind.INTERNAL_ADDRESS:
            return msgspec.structs.replace(query, path_class=query.path_class.over_internal_address)
        case ChangeKind.MORE_FLOWS:
            return msgspec.structs.replace(query, streams=None)
        case ChangeKind.ZONE:
            return _moved(query, change)
        case ChangeKind.TIER_1 if change.to is None:
            src = msgspec.structs.replace(query.src, is_tier1=True)
        case ChangeKind.MACHINE_TYPE | ChangeKind.TIER_1:
            old, new = query.src.machine_type, change.to
            same = old is not None and new is not None and series_of(old) == series_of(new)
            kept = query.src.cpu_platform if same else None
            src = msgspec.structs.replace(
                query.src,
                machine_type=new,
                vcpus=None,
                is_tier1=change.kind is ChangeKind.TIER_1,
                cpu_platform=change.cpu_platform or kept,
            )
        case ChangeKind.NO_TIER_1:
            src = msgspec.structs.replace(query.src, is_tier1=False)
        case _:
            return query
    return msgspec.structs.replace(query, src=src)


def apply_to_receiver(query: PathQuery, change: Change) -> PathQuery:
    """Return the path as it is after its receiver got another type or tier."""
    if change.kind is ChangeKind.ZONE:
        return query
    back = msgspec.structs.replace(query, src=query.dst, dst=query.src)
    return msgspec.structs.replace(query, dst=apply_change(back, change).src)


def _moved(query: PathQuery, change: Change) -> PathQuery:
    """Return the path with its sender in another zone; a measured round trip no longer holds."""
    assert change.to is not None
    zone = Zone(change.to)
    src = msgspec.structs.replace(query.src, zone=zone, region=region_of(zone))
    other = query.dst.zone
    path_class = query.path_class
    if other is not None and path_class.distance is not None:
        path_class = path_class.between(zone, Zone(other))
    return msgspec.structs.replace(
        query,
        path_class=path_class,
        src=src,
        rtt_ms=None,
        low_rtt_ms=None,
        high_rtt_ms=None,
        rtt_source="",
    )


def _estimate(
    query: PathQuery,
    caps: CapsBook,
    found: StaticLimits,
    answer: batch.Predictions,
    level: float,
    left_out: tuple[bounds.Doubt, ...],
    weights: dict[str, batch.Weight],
) -> Estimate:
    limits = tuple(_named(query, caps, found, answer, may_ramp=LIMITS[RAMP] in weights))
    binds = [weights.get(one.name, (0.0, None)) for one in limits] if weights else []
    low, high, mean = (float(x[0]) for x in (answer.low_gbps, answer.high_gbps, answer.gbps))
    most = max(high, float(answer.found.means.steady_gbps[0]))  # over a run the mean is lower
    seconds = float(answer.duration_s[0]) if query.transfer_bytes is not None else None
    return Estimate(
        gbps=mean,
        low_gbps=low,
        high_gbps=high,
        level=level,
        limits=limits,
        probabilities=tuple(chance for chance, _ in binds),
        binding_gbps=tuple(gbps for _, gbps in binds),
        duration_s=seconds,
        low_duration_s=seconds * mean / high if seconds else None,
        high_duration_s=seconds * mean / low if seconds else None,
        assumed=(
            *(one.said for one in (*found.assumed, *left_out) if one.least_gbps < most),
            *single_row.open_start(query, answer),
            *single_row.early_end(query),
            *single_row.other_control(query),
            *said_of_path(query, found, caps),
        ),
    )


def _named(
    query: PathQuery,
    caps: CapsBook,
    found: StaticLimits,
    answer: batch.Predictions | None,
    *,
    may_ramp: bool = False,
) -> Iterator[Limit]:
    """Yield the limits as reports show them: what binds, then the others in rising order.

    A start that does not bind most likely, but may, comes last.
    """
    limits = [bound.limit for bound in found.hard]
    if query.streams is not None:
        limits += [_times(bound.limit, query.streams) for bound in found.per_flow]
    limits = corrected_limits([*limits, *_window(query, caps, found)], query, found, caps)
    limits += _send_buffer(query, caps, found, answer)
    is_ramp = answer is not None and answer.binding[0] == RAMP
    if answer is not None and is_ramp:
        yield _start(query, answer)
    # The sort keeps the order of equal limits: the machine's own cap comes before what follows it.
    yield from sorted(limits, key=lambda limit: _lets_through(limit, answer))
    if answer is not None and may_ramp and not is_ramp:
        yield _start(query, answer)


def _lets_through(limit: Limit, answer: batch.Predictions | None) -> float:
    """Return the goodput that a limit alone allows, which decides what binds; else its figure."""
    if answer is None:
        return limit.gbps
    gbps = float(answer.found.means.limits_gbps[0, LIMITS.index(limit.name)])
    return limit.gbps if np.isnan(gbps) else gbps


def _times(limit: Limit, streams: int) -> Limit:
    """Return the limit of one flow for so many of them."""
    if streams == 1:
        return limit
    low, high = limit.low_gbps, limit.high_gbps
    return msgspec.structs.replace(
        limit,
        gbps=limit.gbps * streams,
        low_gbps=low * streams if low is not None else None,
        high_gbps=high * streams if high is not None else None,
        detail=f"{streams} × {limit.gbps:.3g} Gbit/s, {limit.detail}",
    )


def _window(query: PathQuery, caps: CapsBook, found: StaticLimits) -> list[Limit]:
    """Return window over RTT for the given streams, where the round-trip time is known."""
    default = path_limit("tcp-window", caps.as_of)
    is_given = bool(query.window_bytes or query.dst.set_up.receive_buffer_bytes)
    if not query.streams or (query.rtt_ms or 0) <= 0 or (default is None and not is_given):
        return []
    window_bytes: float = query.window_bytes or found.window_bytes[0]
    held, _, _ = bounds.sent_bytes(bounds.buffer_bytes(query), found.window_bytes[1])
    both = "larger buffers at both ends (receiver net.ipv4.tcp_rmem, sender tcp_wmem)"
    lifted = both if held < 2 * window_bytes else "a larger receive window (net.ipv4.tcp_rmem)"
    stock = default.source if default and is_own_receiver(query) else bounds.FOREIGN_SOURCE
    given = GIVEN if query.window_bytes else GIVEN_OF_VM
    return [
        Limit(
            name=LIMITS[WINDOW],
            gbps=query.streams * _per_round_trip(window_bytes, query),
            kind=LimitKind.DOCUMENTED,
            source=given if is_given else stock,
            as_of=caps.as_of if is_given or default is None else default.as_of,
            detail=f"{query.streams} × {window_bytes / 1e6:.3g} MB over {query.rtt_ms:.3g} ms",
            lifted_by=f"{lifted}, or {MORE_STREAMS}",
        )
    ]


def _send_buffer(
    query: PathQuery, caps: CapsBook, found: StaticLimits, answer: batch.Predictions | None
) -> list[Limit]:
    """Return send buffer over RTT; what probes showed to be on its way was in it, too."""
    if not query.streams or (query.rtt_ms or 0) <= 0:
        return []
    is_given = tells_send_buffer(query)
    told = GIVEN if query.send_buffer_bytes else GIVEN_OF_VM
    size = bounds.buffer_bytes(query)
    held = [float(one) for one in bounds.sent_bytes(size, found.window_bytes[1])]
    likely, low, high = (query.streams * _per_round_trip(one, query) for one in held)
    limit = Limit(
        name=LIMITS[SEND_BUFFER],
        gbps=likely,
        kind=LimitKind.DOCUMENTED,
        source=told if is_given else bounds.SEND_BUFFER_SOURCE,
        as_of=caps.as_of if is_given else bounds.SEND_BUFFER_ON,
        detail=f"{query.streams} × {held[0] / 1e6:.3g} MB of a buffer of {size / 1e6:.3g} MB"
        f" over {query.rtt_ms:.3g} ms",
        low_gbps=low,
        high_gbps=high,
        lifted_by=f"a larger send buffer (net.ipv4.tcp_wmem), or {MORE_STREAMS}",
    )
    shown = _lets_through(limit, answer)
    return [msgspec.structs.replace(limit, gbps=shown, high_gbps=max(shown, high))]


def _per_round_trip(byte_count: float, query: PathQuery) -> float:
    return float(transfer.window_gbps(window_bytes=byte_count, rtt_ms=query.rtt_ms or np.nan))


def _start(query: PathQuery, answer: batch.Predictions) -> Limit:
    """Return the start of a transfer as a limit: what is left of the steady rate."""
    lost = float(answer.found.means.start_ratio[0])
    streams = counted(query.streams, "stream") if query.streams else "the streams"
    return Limit(
        name=LIMITS[RAMP],
        gbps=float(answer.gbps[0]),
        kind=LimitKind.DOCUMENTED,
        source="RFC 6928 (initial window), RFC 9438 (CUBIC)",
        as_of=_RFC_9438,
        detail=f"{streams} over {query.rtt_ms:.3g} ms: {100 * lost:.0f} % of the time lost",
        lifted_by=f"a longer transfer, or {MORE_STREAMS}",
    )
