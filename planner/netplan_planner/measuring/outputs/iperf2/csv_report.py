"""Measurements in the CSV of iperf 2 (`-y C`).

From 2.1 the sender stands first in a row; before, the end that printed it. Rows do not say which
end that was, so a count is taken as the sender's unless a column tells.

Source:
    Outputs of 2.1.8, run for this module; for 2.1.9 and 2.2.0 the rows in the tests of
    kubernetes/kubernetes (test/e2e/network).
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from netplan_planner.measuring.outputs import base
from netplan_planner.measuring.outputs.iperf2.csv_rows import SUM, Row, rows_of
from netplan_planner.measuring.outputs.iperf2.text import TOOL
from netplan_planner.measuring.outputs.iperf_lines import host_address
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement
from netplan_planner.units import BITS_PER_GIGABIT, gbps_from_bytes

_MOST_APART = timedelta(seconds=1)
"""Between the ends of the streams of one run, as rows tell them: in whole seconds."""
_LEAST_SHARED_RATIO = 0.9
_SHORTEST_CHECKED_S = 2.0
"""Interval ends have one decimal: below that length, bytes over seconds are too rough."""
_ABOUT_0_S = 0.05
_UNSIGNED_NONE = 2**32 - 1
"""What iperf writes for -1, which is "not known"."""
_LONGEST_COUNT = 20

_LOST = ("errors", "datagrams")

_Series = list[Row]
"""The rows of one stream, its intervals and its total."""


def measurements_of(text: str, *, source: str) -> tuple[list[Measurement], list[base.Refused]]:
    """Return the measurements in rows, and a refusal for each run that is not usable."""
    rows, refused = rows_of(text, source=source)
    found: list[Measurement] = []
    for run in _runs(rows):
        try:
            found += _measured(run, source)
        except base.Unusable as exc:
            place = exc.place or str(run[0][0].line)
            refused.append(base.refusal(source=source, place=place, reason=exc.reason))
    return found, refused


def _series(rows: Sequence[Row]) -> list[_Series]:
    """Return the rows of each stream, in the order of their first; a new total begins another."""
    found: list[_Series] = []
    current: dict[tuple[object, ...], _Series] = {}
    for row in rows:
        key = (row.first, row.first_port, row.second, row.second_port, row.stream)
        series = current.get(key)
        is_over = series is not None and len(series) > 1 and _total(series) is not None
        if series is None or (is_over and row.start_s < _ABOUT_0_S):
            series = current[key] = []
            found.append(series)
        series.append(row)
    return found


def _total(series: _Series) -> Row | None:
    last_s = max(row.end_s for row in series)
    totals = [row for row in series if row.start_s < _ABOUT_0_S and row.end_s >= last_s]
    return totals[-1] if totals else None


def _runs(rows: Sequence[Row]) -> Iterator[list[_Series]]:
    """Yield the streams that ran at the same time, both directions together.

    Without times, streams belong together until a number comes again in one direction: each
    invocation of the client counts from the same number.
    """
    run: list[_Series] = []
    for series in _series(rows):
        if run and not _belongs(series, run):
            yield run
            run = []
        run.append(series)
    if run:
        yield run


def _belongs(series: _Series, run: list[_Series]) -> bool:
    last = series[-1]
    if any(_stream(one[-1]) == _stream(last) for one in run):
        return False
    ended_at, run_ended_at = last.ended_at, run[-1][-1].ended_at
    if ended_at is None or run_ended_at is None:
        return ended_at is run_ended_at
    shared = min(last.end_s, run[-1][-1].end_s) / max(last.end_s, run[-1][-1].end_s, _ABOUT_0_S)
    return abs(ended_at - run_ended_at) <= _MOST_APART and shared >= _LEAST_SHARED_RATIO


def _stream(row: Row) -> tuple[str, str, int]:
    return row.first, row.second, row.stream


def _measured(run: list[_Series], source: str) -> list[Measurement]:
    ways: dict[tuple[str, str], list[_Series]] = {}
    for series in run:
        ways.setdefault((series[0].first, series[0].second), []).append(series)
    has_sum = all(any(one[0].stream == SUM for one in way) for way in ways.values())
    if len(run) > 1 and run[0][-1].ended_at is None and not has_sum:
        raise base.Unusable(
            "several streams without times: whether they ran in parallel is unknown. Run iperf"
            " with -i 1, or give its text output"
        )
    return [_one_way(way, source, has_both=len(ways) > 1) for way in ways.values()]


def _one_way(way: list[_Series], source: str, *, has_both: bool) -> Measurement:
    sums = [series for series in way if series[0].stream == SUM]
    streams = [series for series in way if series[0].stream != SUM]
    counted = [total for series in sums or streams if (total := _total(series)) is not None]
    if len(counted) < len(sums or streams):
        raise base.Unusable("the output ends before the total of the run")
    row = (streams or sums)[0][-1]
    is_reverse = _is_reverse(row)
    is_received, note = _whose(counted)
    series = (sums or streams)[0] if sums or len(streams) == 1 else []
    src, dst = (MeasuredEnd(address=host_address(one)) for one in (row.first, row.second))
    return Measurement(
        source=source,
        place=str(counted[-1].line),
        started_at=_started_at(counted),
        tool=TOOL,
        protocol="udp" if "jitter" in row.named else "tcp",
        src=src,
        dst=dst,
        streams=len(streams) or None,
        is_reverse=is_reverse,
        is_bidirectional=has_both,
        gbps=sum(_gbps(one) for one in counted),
        counted_by=CountedBy.RECEIVER if is_received else CountedBy.SENDER,
        byte_count=base.whole(sum(one.byte_count for one in counted)),
        duration_s=base.duration(max(one.seconds for one in counted)),
        retransmit_count=_retransmits(counted),
        coefficient_of_variation=base.variation_of(
            [(one.seconds, one.bits_per_second) for one in series if one is not _total(series)]
        ),
        note=note if row.has_zone or not row.ended_at else f"{note}; time read as UTC",
    )


def _is_reverse(row: Row) -> bool:
    """Return whether the server's end stands first, and so sent.

    Raises:
        Unusable: If that may as well be a server's report of before 2.1.
    """
    if row.second_port and (row.first_port > row.second_port or not row.first_port):
        return False
    if row.is_sender_first:
        return True
    raise base.Unusable(
        "the server's port is first: before iperf 2.1 a server report, later a run with -R, and"
        " the row does not tell which. Give the text output",
        str(row.line),
    )


def _whose(counted: list[Row]) -> tuple[bool, str]:
    """Return whether the receiver counted, and a note on what is not certain."""
    first = counted[0].named
    if _number(first.get("datagrams")) > 0:
        lost, sent = (sum(_number(one.named.get(name)) for one in counted) for name in _LOST)
        return True, f"{lost} of {sent} packets lost"
    if "readcnt" in first:
        return True, ""
    if "writecnt" in first:
        return False, ""
    return False, "the row does not tell which end counted"


def _number(text: str | None) -> int:
    return int(base.finite(text) or 0) if text and len(text) < _LONGEST_COUNT else 0


def _retransmits(counted: list[Row]) -> int | None:
    told = [base.tally(base.finite(one.named.get("tcpretry"))) for one in counted]
    known = [count for count in told if count is not None and count < _UNSIGNED_NONE]
    return sum(known) if len(known) == len(told) else None


def _gbps(row: Row) -> float:
    is_long = row.seconds >= _SHORTEST_CHECKED_S
    return base.checked_gbps(
        row.bits_per_second / BITS_PER_GIGABIT,
        byte_gbps=gbps_from_bytes(row.byte_count, row.seconds) if is_long else None,
        place=str(row.line),
    )


def _started_at(counted: list[Row]) -> str:
    ended_at = counted[0].ended_at
    return base.rfc3339(ended_at.timestamp() - counted[0].seconds) if ended_at else ""
