"""Measurements in the text that iperf 3 prints without `-J`: rounded, and without a date.

Source:
    The text outputs of 3.9 in radioactivebean0/cse291-cloud-network-benchmark; of 3.12, run for
    this module.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from netplan_planner.measuring.outputs import base, iperf_lines
from netplan_planner.measuring.outputs.iperf3.document import TOOL
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement

_CONNECTED = re.compile(r"^\[ *\d+\] local \S+ port \d+ connected to ", re.MULTILINE)
_ERROR = re.compile(r"iperf3: (?:error - )?(.*)")
_BEGINS = ("Connecting to host", "Accepted connection from")
_REVERSE = "Reverse mode, remote host"
_UDP_HEADING = "Total Datagrams"
_SUMMARY = "- - - - -"
_RETRANSMITS = re.compile(r"\s+(\d+)\s+sender")


@dataclass
class _Test:
    """One test, of which a server's output holds several."""

    line: int
    is_server: bool = False
    is_reverse: bool = False
    has_summary: bool = False
    protocol: str = "tcp"
    connections: list[iperf_lines.Connection] = field(default_factory=list)
    intervals: list[iperf_lines.Result] = field(default_factory=list)
    totals: list[iperf_lines.Result] = field(default_factory=list)
    fault: str = ""

    @property
    def says_anything(self) -> bool:
        """Whether a connection was made, or an error is told."""
        return bool(self.connections or self.fault)


def is_iperf3_text(text: str) -> bool:
    """Return whether a text looks like the plain output of iperf 3."""
    return _CONNECTED.search(text) is not None or "iperf3: error" in text


def measurements_of(text: str, *, source: str) -> tuple[list[Measurement], list[base.Refused]]:
    """Return the measurements in a text, and a refusal for each test that is not usable."""
    found: list[Measurement] = []
    refused: list[base.Refused] = []
    for test in _tests(text):
        try:
            found += _measured(test, source)
        except base.Unusable as exc:
            place = exc.place or str(test.line)
            refused.append(base.refusal(source=source, place=place, reason=exc.reason))
    return found, refused


def _tests(text: str) -> Iterator[_Test]:
    test = _Test(line=1)
    for number, line in iperf_lines.lines_of(text, version=3):
        if line.startswith(_BEGINS):
            if test.says_anything:
                yield test
            test = _Test(line=number, is_server=line.startswith(_BEGINS[1]))
        else:
            _read_line(test, number, line)
    if test.says_anything:
        yield test


def _read_line(test: _Test, number: int, line: str) -> None:
    """Add to a test what a line of it says."""
    if connection := iperf_lines.connection_in(line, number):
        test.connections.append(connection)
    elif result := iperf_lines.result_in(line, number):
        (test.totals if test.has_summary else test.intervals).append(result)
    elif line.startswith(_SUMMARY):
        test.has_summary = True
    elif line.startswith(_REVERSE):
        test.is_reverse = True
    elif line.endswith(_UDP_HEADING):
        test.protocol = "udp"
    elif match := _ERROR.match(line):
        test.fault = test.fault or base.bounded(match[1])


def _measured(test: _Test, source: str) -> list[Measurement]:
    if test.fault:
        raise base.Unusable(f"iperf3 reports: {test.fault}")
    if not test.totals:
        raise base.Unusable("the output ends before the total of the run")
    ways = sorted({one.way for one in test.totals}, reverse=True)
    return [_one_way(test, way, source, has_both=len(ways) > 1) for way in ways]


def _one_way(test: _Test, way: str, source: str, *, has_both: bool) -> Measurement:
    sent, received = (_total(test, way, name) for name in ("sender", "receiver"))
    counted = received or sent
    if counted is None:
        raise base.Unusable("neither end counted bytes", str(test.totals[0].line))
    sends = _sends(test, way, sent, received)
    place = str(counted.line)
    local, remote = _ends(test.connections)
    streams = {one.stream for one in test.totals if one.way == way and one.stream is not None}
    retransmits = _RETRANSMITS.match(sent.tail) if sent else None
    return Measurement(
        source=source,
        place=place,
        started_at="",
        tool=TOOL,
        protocol=test.protocol,
        src=local if sends else remote,
        dst=remote if sends else local,
        streams=len(streams) or None,
        is_reverse=sends == test.is_server,
        is_bidirectional=has_both,
        gbps=base.checked_gbps(counted.gbps, place=place),
        counted_by=CountedBy.RECEIVER if received else CountedBy.SENDER,
        sender_gbps=sent.gbps if sent and received else None,
        byte_count=counted.byte_count,
        duration_s=base.duration(counted.seconds),
        retransmit_count=base.tally(int(retransmits[1])) if retransmits else None,
        coefficient_of_variation=base.variation_of(_intervals(test, way)),
        note="values rounded to three digits",
    )


def _total(test: _Test, way: str, name: str) -> iperf_lines.Result | None:
    """Return one end's count of all streams; a server writes 0 for the client's."""
    ours = [one for one in test.totals if one.way == way and one.tail.rstrip().endswith(name)]
    kept = [one for one in ours if one.gbps > 0]
    sums = [one for one in kept if one.stream is None]
    return next(iter(sums or kept), None)


def _sends(
    test: _Test, way: str, sent: iperf_lines.Result | None, received: iperf_lines.Result | None
) -> bool:
    """Return whether the end that printed the output sent."""
    if way:
        return way == "TX"
    if test.is_server:
        return received is None and sent is not None
    return not test.is_reverse


def _intervals(test: _Test, way: str) -> list[tuple[float, float]]:
    ours = [one for one in test.intervals if one.way == way]
    sums = [one for one in ours if one.stream is None]
    streams = {one.stream for one in ours}
    return iperf_lines.intervals_of(sums or (ours if len(streams) == 1 else []))


def _ends(connections: list[iperf_lines.Connection]) -> tuple[MeasuredEnd, MeasuredEnd]:
    if not connections:
        return MeasuredEnd(), MeasuredEnd()
    first = connections[0]
    return (
        MeasuredEnd(address=iperf_lines.host_address(first.local)),
        MeasuredEnd(address=iperf_lines.host_address(first.remote)),
    )
