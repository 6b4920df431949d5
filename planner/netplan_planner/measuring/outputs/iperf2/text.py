"""Measurements in the text that iperf 2 prints, on the client's side or the server's.

A line is counted by the end that prints it: what the client wrote to its sockets, or what the
server read. `Server Report` lines of UDP bring the server's count to the client.

Source:
    The manual of iperf 2.0.5; outputs of 2.1.8 (plain, `-e`, `-P`, `-R`, `-d`, `-r`,
    `--full-duplex`, `-u`, `--sum-only`, `-f`), each run for this module.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from netplan_planner.measuring.outputs import base, iperf_lines
from netplan_planner.measuring.outputs.iperf2 import tails
from netplan_planner.measuring.outputs.iperf2.csv_rows import is_iperf2_csv
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement

CUT_OFF = "the output ends before the total of the run"


HEADER = re.compile(
    r"^(?:Client connecting to (?P<host>\S+),|Server listening on) (?P<protocol>TCP|UDP)"
    r" port (?P<port>\d+)",
    re.MULTILINE,
)


_REPORT = re.compile(r"\[\s*(\d+)\] Server Report")


_MSS = re.compile(r"\[\s*\d+\] MSS size (\d+) bytes")


_FAILED = re.compile(r".*\bfailed: .*|.*WARNING: did not receive ack.*|.*Connection refused.*")


_LEAST_SUMMED_RATIO = 0.9
"""Of the longest stream that the total of a sum spans; less is the sum of an interval."""


Key = tuple[int, bool]
"""A stream, and whether it is the starred half of a full-duplex one."""


@dataclass
class Group:
    """Connections that were made before any of them had a result: one run."""

    line: int
    connections: dict[int, iperf_lines.Connection] = field(default_factory=dict)
    results: dict[Key, list[iperf_lines.Result]] = field(default_factory=dict)
    sums: list[iperf_lines.Result] = field(default_factory=list)
    reports: dict[Key, iperf_lines.Result] = field(default_factory=dict)
    """The server's counts that a UDP client prints."""
    reported: set[int] = field(default_factory=set)
    host: str = ""
    """The name or address that the client was given."""
    protocol: str = "tcp"
    mss_bytes: int | None = None
    """As `-m` prints it, behind the results."""
    fault: str = ""

    def take(self, line: str, number: int) -> None:
        """Take a line that is neither a header nor a connection."""
        report, size, result = (
            _REPORT.match(line),
            _MSS.match(line),
            iperf_lines.result_in(line, number),
        )
        if report:
            self.reported.add(int(report[1]))
        elif size:
            self.mss_bytes = int(size[1])
        elif result is None:
            if _FAILED.fullmatch(line):
                self.fault = self.fault or base.bounded(line)
        elif result.stream is None:
            self.sums.append(result)
        elif result.stream in self.reported:
            self.reports[result.stream, result.is_starred] = result
        else:
            self.results.setdefault((result.stream, result.is_starred), []).append(result)


@dataclass(frozen=True)
class Way:
    """The streams of a run that went one way to one address."""

    group: Group
    keys: list[Key]
    sends: bool
    """Whether the end that printed the output sent."""
    is_alone: bool
    is_bidirectional: bool
    is_first: bool
    """Whether it is the way of the connection that was opened first."""

    @property
    def connections(self) -> list[iperf_lines.Connection]:
        """One for each stream."""
        return [self.group.connections[stream] for stream, _ in self.keys]

    @property
    def is_reverse(self) -> bool:
        """Whether the tool's server sent."""
        if any("(full-duplex)" in one.tail for one in self.connections):
            return any(starred for _, starred in self.keys)
        is_marked = any("(reverse)" in one.tail for one in self.connections)
        return is_marked or (self.is_bidirectional and not self.is_first)

    def lines(self) -> list[list[iperf_lines.Result]]:
        """Return the results of each stream."""
        return [self.group.results.get(key, []) for key in self.keys]

    def one_series(self) -> list[iperf_lines.Result]:
        """Return the results that show the whole of this way: its sums, or its only stream's.

        A sum line adds both ways of a full-duplex run, so it counts only where there is one.
        """
        streams = self.lines()
        if self.is_alone and self.group.sums and (len(streams) > 1 or not any(streams)):
            return self.group.sums
        return streams[0] if len(streams) == 1 else []

    def totals(self) -> list[iperf_lines.Result]:
        """Return the totals that add up to this way's rate.

        Raises:
            Unusable: If the output ends before one of them.
        """
        series = [self.one_series()] if self.one_series() else self.lines()
        totals = [total for total in map(iperf_lines.total_of, series) if total is not None]
        longest_s = max((one.end_s for lines in self.lines() for one in lines), default=0.0)
        if len(totals) < len(series) or any(
            one.end_s < _LEAST_SUMMED_RATIO * longest_s for one in totals if one.stream is None
        ):
            raise base.Unusable(CUT_OFF)
        return totals


TOOL = "iperf2"


_CONNECTED = re.compile(r"^\[[ *]*\d+\] local \S+ port \d+ connected with ", re.MULTILINE)


def is_iperf2(text: str) -> bool:
    """Return whether a text looks like the output of iperf 2; before CSV it prints headers too."""
    if _CONNECTED.search(text) is not None:
        return True
    return HEADER.search(text) is not None and not is_iperf2_csv(text)


def measurements_of(text: str, *, source: str) -> tuple[list[Measurement], list[base.Refused]]:
    """Return the measurements in a text, and a refusal for each run that is not usable."""
    ports: set[int] = set()
    found: list[Measurement] = []
    refused: list[base.Refused] = []
    for group in groups_in(text, ports):
        try:
            found += _measured(group, ports, source)
        except base.Unusable as exc:
            place = exc.place or str(group.line)
            refused.append(base.refusal(source=source, place=place, reason=exc.reason))
    return found, refused


def _measured(group: Group, ports: set[int], source: str) -> list[Measurement]:
    if not group.results and not group.sums:
        raise base.Unusable(group.fault or "no result: the output ends too early")
    if not group.connections:
        return [_sum_only(group, source)]
    return [_one_way(way, source) for way in ways_of(group, ports)]


def _one_way(way: Way, source: str) -> Measurement:
    group, connections = way.group, way.connections
    totals = way.totals()
    reports = [group.reports[key] for key in way.keys if key in group.reports]
    is_reported = way.sends and len(reports) == len(way.keys)
    counted = reports if is_reported else totals
    place = str(counted[-1].line)
    own_gbps = base.checked_gbps(sum(one.gbps for one in totals), place=place)
    local, remote = _ends(group, connections[0])
    return Measurement(
        source=source,
        place=place,
        started_at=tails.started_at(connections),
        tool=TOOL,
        protocol=group.protocol,
        src=local if way.sends else remote,
        dst=remote if way.sends else local,
        streams=len(way.keys),
        is_reverse=way.is_reverse,
        is_bidirectional=way.is_bidirectional,
        gbps=base.checked_gbps(sum(one.gbps for one in counted), place=place),
        counted_by=CountedBy.SENDER if way.sends and not is_reported else CountedBy.RECEIVER,
        sender_gbps=own_gbps if is_reported else None,
        byte_count=_bytes(counted),
        duration_s=base.duration(max(one.seconds for one in counted)),
        coefficient_of_variation=base.variation_of(iperf_lines.intervals_of(way.one_series())),
        note=tails.lost_packets(counted),
        **tails.connection_figures(connections, mss_bytes=group.mss_bytes),
        **(tails.sender_figures(way.lines()) if way.sends else {}),
    )


def _sum_only(group: Group, source: str) -> Measurement:
    """Return what `--sum-only` printed at the client, which names no connection."""
    total = iperf_lines.total_of(group.sums)
    if total is None:
        raise base.Unusable(CUT_OFF)
    return Measurement(
        source=source,
        place=str(total.line),
        started_at="",
        tool=TOOL,
        protocol=group.protocol,
        src=MeasuredEnd(),
        dst=_named(group.host),
        streams=base.whole(total.sum_count),
        gbps=base.checked_gbps(total.gbps, place=str(total.line)),
        counted_by=CountedBy.SENDER,
        duration_s=base.duration(total.seconds),
        coefficient_of_variation=base.variation_of(iperf_lines.intervals_of(group.sums)),
    )


def _ends(group: Group, connection: iperf_lines.Connection) -> tuple[MeasuredEnd, MeasuredEnd]:
    remote = MeasuredEnd(address=iperf_lines.host_address(connection.remote))
    named = _named(group.host)
    if named.name or remote.address is None:
        remote = MeasuredEnd(name=named.name, address=remote.address or named.address)
    return MeasuredEnd(address=iperf_lines.host_address(connection.local)), remote


def _named(host: str) -> MeasuredEnd:
    address = base.address_in(host)
    return MeasuredEnd(name="" if address else base.bounded(host), address=address)


def _bytes(counted: list[iperf_lines.Result]) -> int | None:
    counts = [one.byte_count for one in counted if one.byte_count is not None]
    return base.whole(sum(counts)) if len(counts) == len(counted) else None


def groups_in(text: str, ports: set[int]) -> Iterator[Group]:
    """Yield the runs of a text, and collect the ports that servers listened on.

    A connection after a result begins another run: streams that run at the same time connect
    before the first of them reports.
    """
    group = Group(line=1)
    for number, line in iperf_lines.lines_of(text, version=2):
        header, connection = HEADER.match(line), iperf_lines.connection_in(line, number)
        if (header or connection) and (group.results or group.sums):
            yield group
            group = Group(line=number, protocol=group.protocol)
        if header:
            group.protocol = header["protocol"].lower()
            group.host = group.host or header["host"] or ""
            ports.add(int(header["port"]))
        elif connection:
            group.connections[connection.stream] = connection
        else:
            group.take(line, number)
    if group.connections or group.results or group.sums or group.fault or group.host:
        yield group


def ways_of(group: Group, ports: set[int]) -> list[Way]:
    """Return the ways of a run that names its connections.

    Raises:
        Unusable: If a stream has no connection, or a connection no result.
    """
    ways: dict[tuple[str, bool], list[Key]] = {}
    # `--sum-only` leaves the results of the streams out, but a server names them.
    keys = list(group.results) or [(stream, False) for stream in group.connections]
    for key in keys:
        connection = group.connections.get(key[0])
        if connection is None:
            line = str(group.results[key][0].line)
            raise base.Unusable(f"stream {key[0]} has a result but no connection", line)
        ways.setdefault((connection.remote, _sends(connection, key[1], ports)), []).append(key)
    if not all(_has_results(one, keys) for one in group.connections.values()):
        raise base.Unusable(CUT_OFF)
    opened = min(group.connections.values(), key=lambda one: one.line)
    return [
        Way(
            group=group,
            keys=own,
            sends=sends,
            is_alone=len(ways) == 1,
            is_bidirectional=len({sends for _, sends in ways}) > 1,
            is_first=sends == _sends(opened, False, ports),
        )
        for (_, sends), own in ways.items()
    ]


def _has_results(connection: iperf_lines.Connection, keys: list[Key]) -> bool:
    """Return whether a connection has its results: of a full-duplex one, both halves."""
    halves = [is_starred for stream, is_starred in keys if stream == connection.stream]
    return len(halves) == (2 if "(full-duplex)" in connection.tail else 1)


def _sends(connection: iperf_lines.Connection, is_starred: bool, ports: set[int]) -> bool:
    """Return whether the end that printed the line sent.

    The end that opened the connection sends, but not with `-R`. With `-d` and `-r` the other end
    opens a connection of its own, which a 2.1 server marks with a star and `(reverse)`.
    """
    local, remote = connection.local_port, connection.remote_port
    is_told = (local in ports) != (remote in ports)
    is_opener = remote in ports if is_told else local > remote
    if "(full-duplex)" in connection.tail:
        return is_opener != is_starred
    if "(reverse)" in connection.tail and not connection.is_starred:
        return not is_opener
    return is_opener
