"""The fields of one netperf test, from any of its output formats.

Tables of the classic tests; `-o` (CSV), `-O` (columns) and `-k` (key=value) of the omni tests. The
first two name fields in words, the last by a selector: `Throughput Units`, `THROUGHPUT_UNITS`.

Source:
    netperf 2.7 manual, "Omni Output Selection"; outputs in PerfKitBenchmarker's tests.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_KEY = re.compile(r"^([A-Z][A-Z0-9_]+)=(.*)$", re.MULTILINE)
_UNITS = re.compile(r"10\^\d+bits/s(?:ec)?|[KMG]?Bytes/s(?:ec)?|Trans/s", re.IGNORECASE)
_CLASSIC_UNITS = re.compile(r"^bytes\s.*?\bsecs\b.*$", re.MULTILINE)
_SELECTORS = {
    "ELAPSED_TIME_SEC": "ELAPSED_TIME",
    "LOCAL_TRANSPORT_RETRANSMISSIONS": "LOCAL_TRANSPORT_RETRANS",
    "REMOTE_TRANSPORT_RETRANSMISSIONS": "REMOTE_TRANSPORT_RETRANS",
    "TRANSPORT_MSS_BYTES": "TRANSPORT_MSS",
    "CONFIDENCE_ITERATIONS_RUN": "CONFIDENCE_ITERATION",
    "LOCAL_CPU_UTIL_PERCENT": "LOCAL_CPU_UTIL",
    "REMOTE_CPU_UTIL_PERCENT": "REMOTE_CPU_UTIL",
    "LOCAL_CONGESTION_CONTROL_ALGORITHM": "LOCAL_CONG_CONTROL",
    "REMOTE_CONGESTION_CONTROL_ALGORITHM": "REMOTE_CONG_CONTROL",
    "TEST_UUID": "UUID",
}
"""From the words of a heading to the selector."""

_LONGEST = 100_000
"""Characters of a line of CSV; Python's reader takes no cell above 131,072."""

Fields = dict[str, str]


def fields_of(block: str) -> Fields:
    """Return the fields of one test by selector; none if it holds no result.

    Args:
        block: What one test printed, with or without its banner.
    """
    keyed = {match[1]: match[2].strip().strip('"') for match in _KEY.finditer(block)}
    if "THROUGHPUT" in keyed:
        return keyed
    lines = [line.rstrip() for line in block.splitlines() if line.strip()]
    if _CLASSIC_UNITS.search(block):
        return _of_classic(block)
    return _of_csv(lines) or _of_columns(lines)


def has_keys(text: str) -> bool:
    """Return whether a text holds a netperf result as key=value."""
    return re.search(r"^THROUGHPUT=", text, re.MULTILINE) is not None


def key_starts(text: str) -> list[int]:
    r"""Return where each result begins in outputs without banners: where a key comes again.

    >>> key_starts("DIRECTION=Send\nTHROUGHPUT=1\nDIRECTION=Recv\nTHROUGHPUT=2\n")
    [0, 28]
    """
    starts: list[int] = []
    seen: set[str] = set()
    for match in _KEY.finditer(text):
        if match[1] in seen or not starts:
            starts.append(match.start())
            seen.clear()
        seen.add(match[1])
    return starts


def selector(heading: str) -> str:
    """Return the selector of a heading in words.

    >>> selector("Elapsed Time (sec)"), selector("Throughput Units")
    ('ELAPSED_TIME', 'THROUGHPUT_UNITS')
    """
    words = heading.replace("%", " percent ")
    name = re.sub(r"[^A-Za-z0-9]+", "_", words).strip("_").upper()
    return _SELECTORS.get(name, name)


def _of_csv(lines: Sequence[str]) -> Fields:
    for heading, values in pairwise(lines):
        if "," not in heading or "hroughput" not in heading.lower():
            continue
        names = [selector(cell) for cell in next(csv.reader([heading[:_LONGEST]]))]
        if "THROUGHPUT" in names:
            return dict(zip(names, next(csv.reader([values[:_LONGEST]])), strict=False))
    return {}


def _of_classic(block: str) -> Fields:
    """Read the table of a classic test: its unit stands in the last line of the heading."""
    heading = _CLASSIC_UNITS.search(block)
    units = _UNITS.search(heading[0]) if heading else None
    if heading is None or units is None:
        return {}
    rows = list(_numbers(block[heading.end() :]))
    if "Okay" in block and rows and len(rows[0]) >= 6:  # UDP: socket, message, time, sent, errors
        fields = {"ELAPSED_TIME": rows[0][2], "THROUGHPUT": rows[0][5]}
        if len(rows) > 1 and len(rows[1]) >= 4:
            fields["REMOTE_RECV_THROUGHPUT"] = rows[1][3]
    elif rows and len(rows[0]) >= 5:  # TCP: two sockets, message, time
        fields = {"ELAPSED_TIME": rows[0][3], "THROUGHPUT": rows[0][4]}
    else:
        return {}
    return {**fields, "THROUGHPUT_UNITS": units[0]}


def _numbers(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        parts = line.split()
        if parts and all(re.fullmatch(r"-?\d+(\.\d+)?", part) for part in parts):
            yield parts


def _of_columns(lines: Sequence[str]) -> Fields:
    """Read `-O` columns: each is as wide as its widest cell, headings and values begin alike."""
    first = next((index for index, line in enumerate(lines) if "Throughput" in line), None)
    values = next((line for line in lines if _UNITS.search(line) and line[:1].strip()), None)
    if first is None or values is None or lines.index(values) <= first:
        return {}
    headings = lines[first : lines.index(values)]
    starts = [match.start() for match in re.finditer(r"(?:^|(?<=\s))\S", values)]
    ends = [*starts[1:], max(map(len, (*headings, values)))]
    names = [
        selector(" ".join(line[start:end].strip() for line in headings))
        for start, end in zip(starts, ends, strict=True)
    ]
    cells = [values[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return dict(zip(names, cells, strict=True))
