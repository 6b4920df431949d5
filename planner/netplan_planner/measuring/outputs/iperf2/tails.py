"""What iperf 2 writes behind a connection and behind a result, mostly with `-e`."""

import re
import statistics
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from netplan_planner.measuring.outputs.base import finite, rfc3339, rtt_ms, tally, whole
from netplan_planner.measuring.outputs.iperf_lines import Connection, Result, total_of

_INITIAL = re.compile(r"icwnd/mss/irtt=\d+/(?P<mss>\d+)/(?P<rtt>\d+)")
_MSS = re.compile(r"\(MSS=(\d+)\)")
_DATE = re.compile(r" on (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) \((?:UTC|GMT)\)")
"""Other zones are abbreviations that several zones share."""
_SENDER = re.compile(
    r"\s+\d+/\d+\s+(?P<retransmits>\d+)(?:\s+(?P<window>\d+)K/(?P<rtt>\d+)(?:\(\d+\))? us)?"
)
_LOST = re.compile(r".*?(\d+)/\s*(\d+) \(")
_BYTES_PER_K = 1024


def started_at(connections: Sequence[Connection]) -> str:
    """Return the date of the first connection that has one in UTC."""
    for one in connections:
        match = _DATE.search(one.tail)
        if match:
            return rfc3339(datetime.fromisoformat(f"{match[1]}+00:00").timestamp())
    return ""


def connection_figures(
    connections: Sequence[Connection], *, mss_bytes: int | None = None
) -> dict[str, Any]:
    """Return the segment size and the least RTT of the handshakes, of `Measurement`'s fields.

    The handshake meets the path before the run fills its queues.

    Args:
        connections: Those of one direction of a run.
        mss_bytes: The segment size, where the text has it elsewhere.
    """
    initial = [match for one in connections if (match := _INITIAL.search(one.tail))]
    sizes = [int(match["mss"]) for match in initial]
    sizes += [int(match[1]) for one in connections if (match := _MSS.search(one.tail))]
    rtts_ms = [rtt for match in initial if (rtt := _rtt_ms(match))]
    return {
        "mss_bytes": whole(min((size for size in sizes if size), default=mss_bytes)),
        "min_rtt_ms": min(rtts_ms, default=None),
    }


def _rtt_ms(match: re.Match[str]) -> float | None:
    return rtt_ms(finite(match["rtt"]))


def lost_packets(totals: Sequence[Result]) -> str:
    """Return in words what was lost of a UDP run, or nothing."""
    told = [match for one in totals if (match := _LOST.match(one.tail))]
    lost, sent = (sum(int(match[index]) for match in told) for index in (1, 2))
    return f"{lost} of {sent} packets lost" if sent else ""


def sender_figures(streams: Sequence[list[Result]]) -> dict[str, Any]:
    """Return retransmissions, window and RTT of the enhanced client report (`-e`).

    The RTT is the mean over intervals, or the last sample where there are none.
    """
    retransmits: list[int] = []
    windows: list[int] = []
    rtts_ms: list[float] = []
    for lines in streams:
        total = total_of(lines)
        told = [(one, match) for one in lines if (match := _SENDER.match(one.tail))]
        retransmits += [int(match["retransmits"]) for one, match in told if one is total]
        windows += [int(match["window"]) * _BYTES_PER_K for _, match in told if match["window"]]
        samples = [rtt for one, match in told if one is not total and (rtt := _rtt_ms(match))]
        last = [rtt for one, match in told if one is total and (rtt := _rtt_ms(match))]
        rtts_ms += samples or last
    return {
        "retransmit_count": tally(sum(retransmits)) if len(retransmits) == len(streams) else None,
        "max_window_bytes": whole(max(windows, default=0)),
        "rtt_ms": statistics.fmean(rtts_ms) if rtts_ms else None,
    }
