"""The lines that iperf 2 and iperf 3 share in their text output: connections and results."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner.measuring.outputs.base import address_in, whole
from netplan_planner.units import BITS_PER_GIGABIT, gbps_from_bytes

_PREFIXES = ("", "K", "M", "G", "T")
_BITS = {prefix: 10 ** (3 * power) for power, prefix in enumerate(_PREFIXES)}
"""Both tools count bits in thousands."""
_BYTES = {prefix: 2 ** (10 * power) for power, prefix in enumerate(_PREFIXES)}
"""And bytes, also bytes a second, in steps of 1,024."""

_CONNECTED = re.compile(
    r"\[\s*(?P<star>\*?)(?P<id>\d+)\] local (?P<local>\S+) port (?P<local_port>\d+)"
    r" connected (?:with|to) (?P<remote>\S+) port (?P<remote_port>\d+)(?P<tail>.*)"
)
_RESULT = re.compile(
    r"\[(?P<id>SUM|\s*\*?\s*\d+)(?:-(?P<count>\d+))?\](?:\[(?P<way>[TR]X)-[CS]\])?"
    r"\s*(?P<start>\d[\d.]*)\s*-\s*(?P<end>\d[\d.]*)\s+sec\s+"
    r"(?P<moved>\d[\d.]*) (?P<moved_unit>[KMGT]?)Bytes\s+"
    r"(?P<rate>\d[\d.]*) (?P<rate_unit>[KMGT]?)(?P<what>bits|Bytes)/sec(?P<tail>.*)"
)
_BEGINS = (
    (
        2,
        re.compile(
            r"Client connecting to |Server listening on (?:TCP|UDP) |\[.*\] .* connected with "
        ),
    ),
    (3, re.compile(r"Connecting to host |Accepted connection from |\[.*\] .* connected to ")),
)
"""Lines from which on a log is of iperf 2 or of iperf 3: their results look alike."""
_ABOUT_0_S = 0.01
_LONGEST_LINE = 1000
"""Characters of a line that these tools print."""


class Connection(NamedTuple):
    """One stream's two ends; `is_starred` is iperf 2's mark of the way back."""

    line: int
    stream: int
    is_starred: bool
    local: str
    local_port: int
    remote: str
    remote_port: int
    tail: str


class Result(NamedTuple):
    """What one stream, or their sum, moved in one interval."""

    line: int
    stream: int | None
    """None for the sum."""
    is_starred: bool
    way: str
    """`TX` or `RX` where both directions stand in one table (iperf 3 `--bidir`)."""
    start_s: float
    end_s: float
    byte_count: int | None
    """None where it is rounded to three digits."""
    gbps: float
    tail: str
    sum_count: int | None = None

    @property
    def seconds(self) -> float:
        """The length of the interval."""
        return self.end_s - self.start_s

    @property
    def is_from_start(self) -> bool:
        """Whether it may be the total of a run; the first interval also begins there."""
        return self.start_s < _ABOUT_0_S


def lines_of(text: str, *, version: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a log that iperf of that major version printed, and their numbers.

    Longer ones than these tools print are cut.
    """
    owner = version
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw[:_LONGEST_LINE].rstrip()
        owner = next((one for one, begins in _BEGINS if begins.match(line)), owner)
        if owner == version:
            yield number, line


def connection_in(line: str, number: int) -> Connection | None:
    """Return the connection that a line tells of, if it does."""
    match = _CONNECTED.match(line)
    if match is None:
        return None
    return Connection(
        line=number,
        stream=int(match["id"]),
        is_starred=bool(match["star"]),
        local=match["local"],
        local_port=int(match["local_port"]),
        remote=match["remote"],
        remote_port=int(match["remote_port"]),
        tail=match["tail"],
    )


def result_in(line: str, number: int) -> Result | None:
    """Return the result that a line holds, if it does.

    >>> found = result_in("[  5]   0.00-10.04  sec  11.1 GBytes  9.49 Gbits/sec   receiver", 1)
    >>> found.gbps, found.end_s, found.byte_count, found.tail.strip()
    (9.49, 10.04, None, 'receiver')
    >>> round(result_in("[SUM] 0.0000-2.0030 sec  150 Bytes  71.6 MBytes/sec", 1).gbps, 4)
    0.6006
    """
    match = _RESULT.match(line)
    if match is None:
        return None
    name = match["id"].strip()
    try:
        start_s, end_s = float(match["start"]), float(match["end"])
        rate, moved = float(match["rate"]), float(match["moved"])
    except ValueError:
        return None
    if match["what"] == "bits":
        gbps = rate * _BITS[match["rate_unit"]] / BITS_PER_GIGABIT
    else:
        gbps = gbps_from_bytes(rate * _BYTES[match["rate_unit"]], 1)
    return Result(
        line=number,
        stream=None if name == "SUM" else int(name.lstrip("* ")),
        is_starred=name.startswith("*"),
        way=match["way"] or "",
        start_s=start_s,
        end_s=end_s,
        byte_count=None if match["moved_unit"] else whole(moved),
        gbps=gbps,
        tail=match["tail"],
        sum_count=int(match["count"]) if match["count"] else None,
    )


def total_of(results: list[Result]) -> Result | None:
    """Return the total of one stream, or None if the output ends before it.

    The total spans the intervals: it begins where the first does and ends where the last does.
    """
    last_s = max((one.end_s for one in results), default=0.0)
    totals = [one for one in results if one.is_from_start and one.end_s >= last_s]
    return totals[-1] if totals else None


def intervals_of(results: list[Result]) -> list[tuple[float, float]]:
    """Return length and rate of the intervals of one stream, without its total."""
    total = total_of(results)
    parts = [one for one in results if one is not total and one.seconds > 0]
    return [(one.seconds, one.gbps) for one in parts if "(omitted)" not in one.tail]


def host_address(host: str) -> str | None:
    """Return the address in `address` or `address%interface`.

    >>> host_address("127.0.0.1%lo"), host_address("0.0.0.0")
    ('127.0.0.1', None)
    """
    return address_in(host.partition("%")[0])
