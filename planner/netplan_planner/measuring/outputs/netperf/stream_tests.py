"""Measurements in the output of netperf: stream tests, not request/response ones.

netperf's throughput is its own end's count: what it sent in a STREAM test, what it received in a
MAERTS one. It shuts the connection down and waits for the other end, so that bytes which never
arrived are not in it for long.

Source:
    netperf 2.7 manual and src/nettest_omni.c (`bytes_xferd = bytes_sent + bytes_received`).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner.measuring.outputs.base import (
    TEXT_LENGTH,
    Refused,
    Unusable,
    address_in,
    bounded,
    checked_gbps,
    cpu_ratio,
    duration,
    finite,
    refusal,
    run_id_of,
    tally,
    whole,
)
from netplan_planner.measuring.outputs.netperf.fields import Fields, fields_of, has_keys, key_starts
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement
from netplan_planner.units import BITS_PER_GIGABIT, gbps_from_bytes

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


def measurements_of(text: str, *, source: str) -> tuple[list[Measurement], list[Refused]]:
    """Return the measurements in a text, and a refusal for each test that is not usable."""
    found: list[Measurement] = []
    refused: list[Refused] = []
    for test in tests_in(text):
        place = str(test.line)
        try:
            found.append(measured(test, source=source, place=place))
        except Unusable as exc:
            refused.append(refusal(source=source, place=place, reason=exc.reason))
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
        raise Unusable("a request/response test: it counts transactions, not throughput")
    if "THROUGHPUT" not in fields:
        raise Unusable("no throughput: the output ends before its result")
    sends = _sends(test, fields)
    own_gbps = _gbps(fields["THROUGHPUT"], units)
    other = fields.get("REMOTE_RECV_THROUGHPUT" if sends else "REMOTE_SEND_THROUGHPUT")
    other_gbps = _gbps(other, units) if other and finite(other) else None
    received = other_gbps if sends else own_gbps
    local, remote = _end(test.src, fields, "LOCAL"), _end(test.dst, fields, "REMOTE")
    count = finite(fields.get("CONFIDENCE_ITERATION"))
    retransmits = finite(fields.get(f"{'LOCAL' if sends else 'REMOTE'}_TRANSPORT_RETRANS"))
    uuid = fields.get("UUID")
    return Measurement(
        run_id=run_id_of(TOOL, uuid) if uuid else "",
        source=source,
        place=place,
        started_at="",
        tool=TOOL,
        command=bounded(fields.get("COMMAND_LINE", ""), TEXT_LENGTH),
        protocol="udp" if "UDP" in f"{test.name} {fields.get('PROTOCOL')}" else "tcp",
        src=local if sends else remote,
        dst=remote if sends else local,
        streams=1,
        is_reverse=not sends,
        gbps=received or own_gbps,
        counted_by=CountedBy.RECEIVER if received else CountedBy.SENDER,
        sender_gbps=(own_gbps if sends else other_gbps) if received else None,
        duration_s=duration(finite(fields.get("ELAPSED_TIME"))),
        mss_bytes=whole(finite(fields.get("TRANSPORT_MSS"))),
        retransmit_count=tally(retransmits),
        note=f"mean of {count:.0f} runs" if count and count > 1 else "",
    )


def _sends(test: Test, fields: Fields) -> bool:
    """Return whether the end that ran netperf sent."""
    told = fields.get("DIRECTION", "").lower()
    if "|" in told:
        raise Unusable("both directions in one figure: run them apart")
    if told.startswith(("send", "recv", "receive")):
        return told.startswith("send")
    named = test.name or fields.get("COMMAND_LINE", "")
    if not named:
        raise Unusable("it does not say which end sent: no banner, no DIRECTION")
    return _BACKWARDS.search(named) is None


def _gbps(text: str, units: str) -> float:
    number = finite(text)
    bits, count = _BITS.fullmatch(units), _BYTES.fullmatch(units)
    if number is None:
        raise Unusable(f"the throughput {bounded(text, 40)!r} is no number")
    if bits:
        gbps = number * 10 ** int(bits[1][:2]) / BITS_PER_GIGABIT
    elif count:
        power = _PREFIXES.index(count[1].upper())
        gbps = gbps_from_bytes(number * 2 ** (10 * power), 1)
    else:
        raise Unusable(f"the throughput is in {bounded(units, 40)!r}, which is no rate of bytes")
    return checked_gbps(gbps)


def _end(host: str, fields: Fields, side: str) -> MeasuredEnd:
    """Return one end; `0.0.0.0` in a banner says only that no address was bound.

    netperf's processor time is a share of all processors, and becomes one of one with their count.
    """
    address = address_in(host) or address_in(
        fields.get("SOURCE_ADDR" if side == "LOCAL" else "DEST_ADDR")
    )
    system = (fields.get(f"{side}_SYSNAME", ""), fields.get(f"{side}_RELEASE", ""))
    percent = finite(fields.get(f"{side}_CPU_UTIL"))
    cpus = finite(fields.get(f"{side}_CPU_COUNT"))
    is_name = host and not address_in(host) and host not in ("0.0.0.0", "::", "(null)")
    return MeasuredEnd(
        name=bounded(host) if is_name else "",
        address=address,
        kernel=bounded(" ".join(system)) if all(system) else None,
        congestion_control=bounded(fields.get(f"{side}_CONG_CONTROL", "")) or None,
        cpu_ratio=cpu_ratio(percent, cpus) if cpus else None,
    )
