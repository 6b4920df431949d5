"""Rows of iperf 2's CSV (`-y C`) in its three generations.

`time,address,port,address,port,id,start-end,bytes,bits/s` to 2.1.8; the same with a time zone and
more columns in 2.1.9; with a header, and start and end apart, from 2.2.0.
"""

import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple

from netplan_planner.measuring.outputs.base import Refused, refusal

SUM = -1
"""The stream number of a row that adds all streams."""
_ROW = re.compile(
    r"^(?:[+-]\d{4}:)?\d{14}(?:\.\d+)?,[^,\n]*,\d+,[^,\n]*,\d+,-?\d+,\d", re.MULTILINE
)
_LIKE_A_ROW = re.compile(r"[+-]?\d{4}")
_HEADER = "time,srcaddress"
_STAMP = re.compile(r"(?:([+-])(\d\d)(\d\d):)?(\d{14})(?:\.(\d{1,6}))?\d*")
_NEVER = "19700101"
"""What 2.1.8 writes for a total unless it has `-i` or `-e`: it kept no time for it."""
_FIRST_YEAR, _LAST_YEAR = 1999, 2199
_MOST_BYTES = 2**63
_UDP_COLUMNS = 14
_UDP_NAMES = ("jitter", "errors", "datagrams", "errpercent", "outoforder")


class Row(NamedTuple):
    """One row; `first` and `second` are the addresses in the order of the row."""

    line: int
    ended_at: datetime | None
    has_zone: bool
    is_sender_first: bool
    """Whether the version is known to put the sender first (from 2.1)."""
    first: str
    first_port: int
    second: str
    second_port: int
    stream: int
    start_s: float
    end_s: float
    byte_count: int
    bits_per_second: float
    named: dict[str, str]
    """The columns behind the rate, as far as their names are known."""

    @property
    def seconds(self) -> float:
        """The length of the interval."""
        return self.end_s - self.start_s


def is_iperf2_csv(text: str) -> bool:
    """Return whether a text holds rows of iperf 2; a server prints other lines between them.

    >>> is_iperf2_csv("20261122035448,10.0.0.1,35639,10.0.0.2,5001,1,0.0-1.0,37617724,300941792")
    True
    """
    return _ROW.search(text) is not None


def rows_of(text: str, *, source: str) -> tuple[list[Row], list[Refused]]:
    """Return the rows of a text, and a refusal for each line that is none."""
    rows: list[Row] = []
    refused: list[Refused] = []
    for number, cells, header in _cells(text):
        try:
            rows.append(_row(number, cells, header))
        except (ValueError, IndexError, OverflowError) as exc:
            reason = f"not a row of iperf 2: {exc}"
            refused.append(refusal(source=source, place=str(number), reason=reason))
    return rows, refused


def _cells(text: str) -> Iterator[tuple[int, list[str], list[str]]]:
    header: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_HEADER):
            header = line.split(",")
        elif _LIKE_A_ROW.match(line):
            yield number, line.split(","), header


def _row(number: int, cells: list[str], header: list[str]) -> Row:
    stamp = _STAMP.fullmatch(cells[0])
    if stamp is None:
        raise ValueError(f"{cells[0][:40]!r} is not a time")
    if "istart" in header:
        start, end, at = cells[6], cells[7], 8
    else:
        start, _, end = cells[6].partition("-")
        at = 7
    names = header[at + 2 :] if header else _names(cells)
    never = stamp[4].startswith(_NEVER)
    span = (float(start), float(end), float(cells[at + 1]))
    if not all(map(math.isfinite, span)):
        raise ValueError("a value is not finite")
    byte_count = int(cells[at])
    if not 0 <= byte_count < _MOST_BYTES:
        raise ValueError("more bytes than any run can send")
    return Row(
        line=number,
        ended_at=None if never else _moment(stamp),
        has_zone=stamp[1] is not None,
        is_sender_first=bool(header) or never or stamp[1] is not None or stamp[5] is not None,
        first=cells[1],
        first_port=int(cells[2]),
        second=cells[3],
        second_port=int(cells[4]),
        stream=int(cells[5]),
        start_s=span[0],
        end_s=span[1],
        byte_count=byte_count,
        bits_per_second=span[2],
        named=dict(zip(names, cells[at + 2 :], strict=False)),
    )


def _names(cells: list[str]) -> tuple[str, ...]:
    return _UDP_NAMES if len(cells) == _UDP_COLUMNS else ()


def _moment(stamp: re.Match[str]) -> datetime:
    moment = datetime.strptime(stamp[4], "%Y%m%d%H%M%S")
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise ValueError(f"the year {moment.year} is not between {_FIRST_YEAR} and {_LAST_YEAR}")
    if stamp[5]:
        moment += timedelta(microseconds=int(stamp[5].ljust(6, "0")))
    if stamp[1] is None:
        return moment.replace(tzinfo=UTC)
    east = timedelta(hours=int(stamp[2]), minutes=int(stamp[3]))
    return moment.replace(tzinfo=timezone(east if stamp[1] == "+" else -east))
