"""Measurements in the text that iperf 2 prints, on the client's side or the server's.

A line is counted by the end that prints it: what the client wrote to its sockets, or what the
server read. `Server Report` lines of UDP bring the server's count to the client.

Source:
    The manual of iperf 2.0.5; outputs of 2.1.8 (plain, `-e`, `-P`, `-R`, `-d`, `-r`,
    `--full-duplex`, `-u`, `--sum-only`, `-f`), each run for this module.
"""

import re

from netplan_planner.measuring.outputs.base import (
    Refused,
    Unusable,
    address_in,
    bounded,
    checked_gbps,
    duration,
    refusal,
    variation_of,
    whole,
)
from netplan_planner.measuring.outputs.iperf2 import tails
from netplan_planner.measuring.outputs.iperf2.csv_rows import is_iperf2_csv
from netplan_planner.measuring.outputs.iperf2.runs import (
    CUT_OFF,
    HEADER,
    Group,
    Way,
    groups_in,
    ways_of,
)
from netplan_planner.measuring.outputs.iperf_lines import (
    Connection,
    Result,
    host_address,
    intervals_of,
    total_of,
)
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement

TOOL = "iperf2"
_CONNECTED = re.compile(r"^\[[ *]*\d+\] local \S+ port \d+ connected with ", re.MULTILINE)


def is_iperf2(text: str) -> bool:
    """Return whether a text looks like the output of iperf 2; before CSV it prints headers too."""
    if _CONNECTED.search(text) is not None:
        return True
    return HEADER.search(text) is not None and not is_iperf2_csv(text)


def measurements_of(text: str, *, source: str) -> tuple[list[Measurement], list[Refused]]:
    """Return the measurements in a text, and a refusal for each run that is not usable."""
    ports: set[int] = set()
    found: list[Measurement] = []
    refused: list[Refused] = []
    for group in groups_in(text, ports):
        try:
            found += _measured(group, ports, source)
        except Unusable as exc:
            place = exc.place or str(group.line)
            refused.append(refusal(source=source, place=place, reason=exc.reason))
    return found, refused


def _measured(group: Group, ports: set[int], source: str) -> list[Measurement]:
    if not group.results and not group.sums:
        raise Unusable(group.fault or "no result: the output ends before one")
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
    own_gbps = checked_gbps(sum(one.gbps for one in totals), place=place)
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
        gbps=checked_gbps(sum(one.gbps for one in counted), place=place),
        counted_by=CountedBy.SENDER if way.sends and not is_reported else CountedBy.RECEIVER,
        sender_gbps=own_gbps if is_reported else None,
        byte_count=_bytes(counted),
        duration_s=duration(max(one.seconds for one in counted)),
        coefficient_of_variation=variation_of(intervals_of(way.one_series())),
        note=tails.lost_packets(counted),
        **tails.connection_figures(connections, mss_bytes=group.mss_bytes),
        **(tails.sender_figures(way.lines()) if way.sends else {}),
    )


def _sum_only(group: Group, source: str) -> Measurement:
    """Return what `--sum-only` printed at the client, which names no connection."""
    total = total_of(group.sums)
    if total is None:
        raise Unusable(CUT_OFF)
    return Measurement(
        source=source,
        place=str(total.line),
        started_at="",
        tool=TOOL,
        protocol=group.protocol,
        src=MeasuredEnd(),
        dst=_named(group.host),
        streams=whole(total.sum_count),
        gbps=checked_gbps(total.gbps, place=str(total.line)),
        counted_by=CountedBy.SENDER,
        duration_s=duration(total.seconds),
        coefficient_of_variation=variation_of(intervals_of(group.sums)),
    )


def _ends(group: Group, connection: Connection) -> tuple[MeasuredEnd, MeasuredEnd]:
    remote = MeasuredEnd(address=host_address(connection.remote))
    named = _named(group.host)
    if named.name or remote.address is None:
        remote = MeasuredEnd(name=named.name, address=remote.address or named.address)
    return MeasuredEnd(address=host_address(connection.local)), remote


def _named(host: str) -> MeasuredEnd:
    address = address_in(host)
    return MeasuredEnd(name="" if address else bounded(host), address=address)


def _bytes(counted: list[Result]) -> int | None:
    counts = [one.byte_count for one in counted if one.byte_count is not None]
    return whole(sum(counts)) if len(counts) == len(counted) else None
