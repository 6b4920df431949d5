"""What netperf prints of its stream tests."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from netplan_planner.measuring.outputs import base
from netplan_planner.measuring.outputs.base import TextFormat
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement
from netplan_planner.units import BITS_PER_GIGABIT, gbps_from_bytes

# Measurements in the output of netperf: stream tests, not request/response ones
#
# netperf's throughput is its own end's count: what it sent in a STREAM test, what it received in a
# MAERTS one. It shuts the connection down and waits for the other end, so that bytes which never
# arrived are not in it for long.
#
# Source:
#     netperf 2.7 manual and src/nettest_omni.c (`bytes_xferd = bytes_sent + bytes_received`).


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


TOOL = "netperf"


_BANNER = re.compile(
    r"^(?:MIGRATED )?(?P<test>[A-Za-z_/ ]+?) TEST\s+from\s+(?P<src>\S+)\s+\([^)]*\)"
    r"\s+port\s+\d+\s+AF_\w+\s+to\s+(?P<dst>\S+)\s+\((?P<dst_address>[^)]*)\)",
    re.MULTILINE,
)


_REQUEST = re.compile(r"REQUEST|\bC?RR\b|Connect/", re.IGNORECASE)


_BACKWARDS = re.compile(r"MAERTS|\bReceive\b", re.IGNORECASE)


_BITS = re.compile(r"10\^(\d+)bits/s(?:ec)?")


_BYTES = re.compile(r"([KMG]?)Bytes/s(?:ec)?", re.IGNORECASE)


_PREFIXES = ("", "K", "M", "G")


class Test(NamedTuple):
    """What one invocation printed."""

    block: str
    line: int
    name: str
    """As its banner has it; empty without one (`-P 0`)."""
    src: str
    dst: str


def is_netperf(text: str) -> bool:
    """Return whether a text looks like the output of netperf."""
    return has_banner(text) or has_keys(text)


def has_banner(text: str) -> bool:
    """Return whether a text holds the line with which netperf begins."""
    return _BANNER.search(text) is not None


def measurements_of(text: str, *, source: str) -> tuple[list[Measurement], list[base.Refused]]:
    """Return the measurements in a text, and a refusal for each test that is not usable."""
    found: list[Measurement] = []
    refused: list[base.Refused] = []
    for test in tests_in(text):
        place = str(test.line)
        try:
            found.append(measured(test, source=source, place=place))
        except base.Unusable as exc:
            refused.append(base.refusal(source=source, place=place, reason=exc.reason))
    return found, refused


def tests_in(text: str) -> Iterator[Test]:
    """Yield what each invocation printed; nothing of a text that none did."""
    starts = [match.start() for match in _BANNER.finditer(text)] or key_starts(text)
    if not starts:
        return
    line = 1 + text.count("\n", 0, starts[0])
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        block = text[start:end]
        match = _BANNER.match(block)
        if match is None:
            yield Test(block, line, "", "", "")
        else:
            dst = match["dst_address"].strip() or match["dst"]
            yield Test(block, line, " ".join(match["test"].split()), match["src"], dst)
        line += block.count("\n")


def measured(test: Test, *, source: str, place: str) -> Measurement:
    """Return the measurement of one invocation.

    Raises:
        Unusable: If it is no stream test, or its output has no result.
    """
    fields = fields_of(test.block)
    units = fields.get("THROUGHPUT_UNITS", "")
    if _REQUEST.search(test.name) or units.lower().startswith("trans"):
        raise base.Unusable("a request/response test: it measures transactions, not throughput")
    if "THROUGHPUT" not in fields:
        raise base.Unusable("no throughput: the output ends before its result")
    sends = _sends(test, fields)
    own_gbps = _gbps(fields["THROUGHPUT"], units)
    other = fields.get("REMOTE_RECV_THROUGHPUT" if sends else "REMOTE_SEND_THROUGHPUT")
    other_gbps = _gbps(other, units) if other and base.finite(other) else None
    received = other_gbps if sends else own_gbps
    local, remote = _end(test.src, fields, "LOCAL"), _end(test.dst, fields, "REMOTE")
    count = base.finite(fields.get("CONFIDENCE_ITERATION"))
    retransmits = base.finite(fields.get(f"{'LOCAL' if sends else 'REMOTE'}_TRANSPORT_RETRANS"))
    uuid = fields.get("UUID")
    return Measurement(
        run_id=base.run_id_of(TOOL, uuid) if uuid else "",
        source=source,
        place=place,
        started_at="",
        tool=TOOL,
        command=base.bounded(fields.get("COMMAND_LINE", ""), base.TEXT_LENGTH),
        protocol="udp" if "UDP" in f"{test.name} {fields.get('PROTOCOL')}" else "tcp",
        src=local if sends else remote,
        dst=remote if sends else local,
        streams=1,
        is_reverse=not sends,
        gbps=received or own_gbps,
        counted_by=CountedBy.RECEIVER if received else CountedBy.SENDER,
        sender_gbps=(own_gbps if sends else other_gbps) if received else None,
        duration_s=base.duration(base.finite(fields.get("ELAPSED_TIME"))),
        mss_bytes=base.whole(base.finite(fields.get("TRANSPORT_MSS"))),
        retransmit_count=base.tally(retransmits),
        note=f"mean of {count:.0f} runs" if count and count > 1 else "",
    )


def _sends(test: Test, fields: Fields) -> bool:
    """Return whether the end that ran netperf sent."""
    told = fields.get("DIRECTION", "").lower()
    if "|" in told:
        raise base.Unusable("one value for both directions: run them separately")
    if told.startswith(("send", "recv", "receive")):
        return told.startswith("send")
    named = test.name or fields.get("COMMAND_LINE", "")
    if not named:
        raise base.Unusable("the sender is unknown: no banner, no DIRECTION")
    return _BACKWARDS.search(named) is None


def _gbps(text: str, units: str) -> float:
    number = base.finite(text)
    bits, count = _BITS.fullmatch(units), _BYTES.fullmatch(units)
    if number is None:
        raise base.Unusable(f"the throughput {base.bounded(text, 40)!r} is not a number")
    if bits:
        gbps = number * 10 ** int(bits[1][:2]) / BITS_PER_GIGABIT
    elif count:
        power = _PREFIXES.index(count[1].upper())
        gbps = gbps_from_bytes(number * 2 ** (10 * power), 1)
    else:
        raise base.Unusable(
            f"the throughput is in {base.bounded(units, 40)!r}, which is not a rate of bytes"
        )
    return base.checked_gbps(gbps)


def _end(host: str, fields: Fields, side: str) -> MeasuredEnd:
    """Return one end; `0.0.0.0` in a banner says only that no address was bound.

    netperf's processor time is a share of all processors, and becomes one of one with their count.
    """
    address = base.address_in(host) or base.address_in(
        fields.get("SOURCE_ADDR" if side == "LOCAL" else "DEST_ADDR")
    )
    system = (fields.get(f"{side}_SYSNAME", ""), fields.get(f"{side}_RELEASE", ""))
    percent = base.finite(fields.get(f"{side}_CPU_UTIL"))
    cpus = base.finite(fields.get(f"{side}_CPU_COUNT"))
    is_name = host and not base.address_in(host) and host not in ("0.0.0.0", "::", "(null)")
    return MeasuredEnd(
        name=base.bounded(host) if is_name else "",
        address=address,
        kernel=base.bounded(" ".join(system)) if all(system) else None,
        congestion_control=base.bounded(fields.get(f"{side}_CONG_CONTROL", "")) or None,
        cpu_ratio=base.cpu_ratio(percent, cpus) if cpus else None,
    )


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


# What netperf prints of its stream tests


TEXTS = (TextFormat(is_netperf, measurements_of),)
