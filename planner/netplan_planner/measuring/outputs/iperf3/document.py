"""Measurements in the output of `iperf3 -J`, of the client or of the server.

The events of `iperf3 --json-stream`, joined into the document that `-J` would have written.
"""

import statistics
from collections.abc import Iterable, Iterator
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import msgspec

from netplan_planner.measuring.outputs import base
from netplan_planner.measuring.outputs.iperf3 import wire
from netplan_planner.measuring.outputs.json_text import Document, documents_in, pointer_of
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement
from netplan_planner.units import BITS_PER_GIGABIT, MS_PER_SECOND, gbps_from_bytes

# One direction of an iperf3 document: both ends, and what the sender's sockets told


class Run(NamedTuple):
    """One direction of a document."""

    output: wire.Output
    test: wire.TestStart
    is_server: bool
    """Whether the tool's server wrote the document."""
    is_reverse: bool
    is_bidirectional: bool
    suffix: str
    """Of the members of `end` and of an interval that count this direction."""

    @property
    def is_own(self) -> bool:
        """Whether the end that wrote the document was the sender."""
        return self.is_server == self.is_reverse

    @property
    def peer(self) -> wire.Output | None:
        """The other end's document, which `--get-server-output` brings."""
        return self.output.server_output_json

    def sums(self, name: str) -> wire.Sum | None:
        """Return the member of `end` of that name for this direction."""
        found: wire.Sum | None = getattr(self.output.end, name + self.suffix)
        return found


def end_of(run: Run, *, is_own: bool) -> MeasuredEnd:
    """Return the end that wrote the document, or the other one."""
    start, end = run.output.start, run.output.end
    first = start.connected[0] if start.connected else wire.Connection()
    peer_info = run.peer.start.system_info if run.peer else ""
    kernel, node = _system(start.system_info if is_own else peer_info)
    cpu = end.cpu_utilization_percent or wire.Cpu()
    percent = cpu.host_total if is_own else cpu.remote_total
    is_sender = is_own == run.is_own
    congestion = end.sender_tcp_congestion if is_sender else end.receiver_tcp_congestion
    named = start.connecting_to.host if start.connecting_to and not is_own else ""
    host = first.local_host if is_own else first.remote_host
    return MeasuredEnd(
        name=node or ("" if base.address_in(named) else base.bounded(named)),
        address=base.address_in(host) or base.address_in(named),
        kernel=kernel or None,
        congestion_control=base.bounded(congestion) or None,
        cpu_ratio=base.cpu_ratio(percent),
    )


def socket_figures(run: Run) -> dict[str, Any]:
    """Return RTT, windows and path MTU by the names of `Measurement`'s fields.

    Only the sender's sockets know them: where the other end sent, only its own document has them.
    """
    output = run.output if run.is_own else run.peer
    if output is None:
        return {}
    # Without the flag (before 3.7) every stream goes the one way.
    sides = [one.sender for one in output.end.streams if one.sender]
    sides = [one for one in sides if one.sender is not False]
    streams = [stream for interval in output.intervals for stream in interval.streams]
    mtus = [one.pmtu for one in streams if one.sender is not False and one.pmtu]
    rtts_ms = [ms for one in sides if (ms := base.rtt_ms(one.mean_rtt))]
    least_ms = [ms for one in sides if (ms := base.rtt_ms(one.min_rtt))]
    return {
        "rtt_ms": statistics.fmean(rtts_ms) if rtts_ms else None,
        "min_rtt_ms": min(least_ms, default=None),
        "mtu_bytes": base.whole(min(mtus, default=None)),
        "max_window_bytes": base.whole(max((one.max_snd_cwnd or 0 for one in sides), default=None)),
        "max_receive_window_bytes": base.whole(
            max((one.max_snd_wnd or 0 for one in sides), default=None)
        ),
    }


def mss_bytes(run: Run) -> int | None:
    """Return the segment size; a server writes 0, which says nothing."""
    outputs = (run.output, run.peer) if run.peer else (run.output,)
    sizes = (one.start.tcp_mss or one.start.tcp_mss_default for one in outputs)
    return next((size for size in map(base.whole, sizes) if size), None)


def retransmit_count(run: Run) -> int | None:
    """Return the sender's count; its system may tell none, which iperf3 writes as -1."""
    sums = run.sums("sum_sent")
    return base.tally(sums.retransmits) if sums else None


def variation(run: Run) -> float | None:
    """Return the coefficient of variation of the intervals that were not omitted."""
    sums = [getattr(interval, "sum" + run.suffix) for interval in run.output.intervals]
    return base.variation_of(
        [
            (one.seconds or 0.0, one.bits_per_second)
            for one in sums
            if one and not one.omitted and one.bits_per_second is not None
        ]
    )


def limit_gbps(run: Run) -> float | None:
    """Return the rate cap of all streams of one direction; iperf3's options are per stream."""
    caps = (run.test.target_bitrate or run.output.start.target_bitrate, run.test.fqrate)
    per_stream = min((cap for cap in caps if cap and cap > 0), default=None)
    if per_stream is None:
        return None
    return per_stream * (run.test.num_streams or 1) / BITS_PER_GIGABIT


def lost_packets(run: Run, counted: wire.Sum) -> str:
    """Return in words what was lost of a UDP run, or nothing."""
    for sums in (counted, run.sums("sum")):
        if sums and sums.packets and sums.lost_packets is not None:
            return f"{sums.lost_packets:.0f} of {sums.packets:.0f} packets lost"
    return ""


def _system(uname: str) -> tuple[str, str]:
    """Return kernel and node name of `uname -a`.

    >>> _system("Linux vm-1 6.1.0-18-cloud-amd64 #1 SMP x86_64")
    ('Linux 6.1.0-18-cloud-amd64', 'vm-1')
    """
    parts = uname.split()
    if len(parts) < 3:
        return "", ""
    return base.bounded(f"{parts[0]} {parts[2]}"), base.bounded(parts[1])


# Measurements in the output of `iperf3 -J`, of the client or of the server


_MEMBERS = frozenset({"start", "end", "error", "server_output_json"})
"""Events whose data is the document's member of that name."""
TOOL = "iperf3"
_Count = tuple[wire.Sum, str]
"""One end's count, and its JSON pointer."""


def joined_events(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents, with the events of each `--json-stream` test joined into one.

    A test without its `end` event stays without that member, and so is refused later.
    """
    test: dict[str, Any] = {}
    line = 0
    for document in documents:
        event = _event(document.value)
        if test and event in ("", "start"):
            yield Document(test, line)
            test = {}
        if not event:
            yield document
            continue
        if not test:
            test, line = {"intervals": []}, document.line
        data = document.value.get("data")
        if event == "interval":
            test["intervals"].append(data)
        elif event in _MEMBERS:
            test[event] = data
    if test:
        yield Document(test, line)


def _event(value: Any) -> str:
    if isinstance(value, dict) and "data" in value and isinstance(value.get("event"), str):
        return str(value["event"])
    return ""


def parse_iperf3(text: str | bytes, *, source: str) -> tuple[Measurement, ...]:
    """Return the measurements in one or more `iperf3 -J` documents, one for each direction.

    The rate is the receiver's count where the document has it, else the sender's (`counted_by`).

    Args:
        text: The output; warnings before a document and several documents are understood.
        source: The campaign or file, for `Measurement.source` and for errors.

    Raises:
        InputError: If any document is cut off, reports an error, or holds no usable result; with
            its line and JSON pointer.
    """
    document = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    found, refused = measurements_of(documents_in(document), source=source)
    if not found and not refused:
        refused = [base.refusal(source=source, place="", reason="no output of iperf3 -J in it")]
    base.raise_first(refused)
    return tuple(found)


def measurements_of(
    documents: Iterable[Document], *, source: str
) -> tuple[list[Measurement], list[base.Refused]]:
    """Return the measurements of JSON documents, and a refusal for each that is not usable."""
    tests = list(joined_events(documents))
    found: list[Measurement] = []
    refused: list[base.Refused] = []
    for test in tests:
        line = str(test.line) if len(tests) > 1 else ""
        try:
            if test.fault:
                raise base.Unusable(test.fault)
            found += measurements_in(test.value, source=source, place=line)
        except base.Unusable as exc:
            where = base.joined_place(line or ("" if exc.place else str(test.line)), exc.place)
            refused.append(base.refusal(source=source, place=where, reason=exc.reason))
    return found, refused


def is_iperf3(value: Any) -> bool:
    """Return whether a JSON value looks like an iperf3 document."""
    return isinstance(value, dict) and "start" in value and bool({"end", "error"} & value.keys())


def measurements_in(value: Any, *, source: str, place: str = "") -> list[Measurement]:
    """Return the measurements of one document.

    Args:
        value: The decoded JSON.
        source: The campaign or file.
        place: Where in the file the document begins.

    Raises:
        Unusable: If it reports an error or holds no usable result; with the JSON pointer.
    """
    if isinstance(value, dict) and value.get("error"):
        raise base.Unusable(
            f"iperf3 reports: {base.bounded(str(value['error']), base.TEXT_LENGTH)}", "/error"
        )
    if not is_iperf3(value):
        raise base.Unusable("not the output of iperf3 -J: `start` and `end` are missing")
    try:
        output = msgspec.convert(value, wire.Output)
    except msgspec.ValidationError as exc:
        reason, _, path = str(exc).partition(" - at `")
        raise base.Unusable(reason, pointer_of(path)) from exc
    except UnicodeEncodeError as exc:
        raise base.Unusable("a key contains half a character") from exc
    return [_measured(run, source=source, place=place) for run in _runs(output)]


def _runs(output: wire.Output) -> Iterator[Run]:
    test = output.start.test_start
    if test is None:
        raise base.Unusable("no test was started: `test_start` is missing", "/start")
    is_server = output.start.accepted_connection is not None
    end = output.end
    has_both = any(
        (end.sum_sent_bidir_reverse, end.sum_received_bidir_reverse, end.sum_bidir_reverse)
    )
    is_reverse = False if has_both else _is_reverse(output, test, is_server)
    yield Run(output, test, is_server, is_reverse, has_both, "")
    if has_both:
        yield Run(output, test, is_server, True, True, "_bidir_reverse")


def _is_reverse(output: wire.Output, test: wire.TestStart, is_server: bool) -> bool:
    if test.reverse is not None:
        return test.reverse != 0
    # Before 3.1 only the sender's own counters, which the other end lacks, tell who sent.
    streams = (stream for interval in output.intervals for stream in interval.streams)
    if any(one.retransmits is not None or one.snd_cwnd is not None for one in streams):
        return is_server
    raise base.Unusable("`reverse` is missing, so the sender is unknown", "/start/test_start")


def _measured(run: Run, *, source: str, place: str) -> Measurement:
    sent, received = _counts(run)
    counted = received or sent
    if counted is None:
        raise base.Unusable("neither end counted bytes", f"/end/sum_sent{run.suffix}")
    start, sums = run.output.start, counted[0]
    notes = (run.output.title, lost_packets(run, sums))
    return Measurement(
        run_id=_run_id(run),
        source=source,
        place=place,
        started_at=_started_at(start.timestamp),
        tool=TOOL,
        tool_version=base.bounded(start.version.removeprefix("iperf ")),
        protocol=base.bounded(run.test.protocol.lower()),
        src=end_of(run, is_own=run.is_own),
        dst=end_of(run, is_own=not run.is_own),
        streams=base.whole(run.test.num_streams),
        is_reverse=run.is_reverse,
        is_bidirectional=run.is_bidirectional,
        gbps=_gbps(counted),
        counted_by=CountedBy.RECEIVER if received else CountedBy.SENDER,
        sender_gbps=_gbps(sent) if sent and received else None,
        byte_count=base.whole(sums.bytes),
        duration_s=base.duration(sums.seconds),
        omit_s=base.duration(run.test.omit),
        mss_bytes=mss_bytes(run),
        retransmit_count=retransmit_count(run),
        coefficient_of_variation=variation(run),
        bitrate_limit_gbps=limit_gbps(run),
        note=base.bounded("; ".join(filter(None, notes)), base.TEXT_LENGTH),
        **socket_figures(run),
    )


def _counts(run: Run) -> tuple[_Count | None, _Count | None]:
    """Return the sender's and the receiver's count, where they are there.

    A server does not know the client's count, and writes 0 bytes.
    """
    sent, received = (_count(run, name) for name in ("sum_sent", "sum_received"))
    if sent is None and received is None:
        # UDP before 3.10 has one sum only, which counts what was sent.
        sent = _count(run, "sum")
    if sent and received is None and not run.is_server and run.sums("sum_received"):
        where = f"/end/sum_received{run.suffix}/bytes"
        raise base.Unusable("the receiver counted no bytes", where)
    return sent, received


def _count(run: Run, name: str) -> _Count | None:
    sums = run.sums(name)
    if sums is None or not (sums.bits_per_second if sums.bytes is None else sums.bytes):
        return None
    return sums, f"/end/{name}{run.suffix}"


def _gbps(count: _Count) -> float:
    sums, where = count
    by_bytes = None
    if sums.bytes is not None and sums.seconds:
        if sums.seconds < 0:
            raise base.Unusable(f"a run of {sums.seconds:g} s", f"{where}/seconds")
        by_bytes = gbps_from_bytes(sums.bytes, sums.seconds)
    told = by_bytes
    if sums.bits_per_second is not None:
        told = sums.bits_per_second / BITS_PER_GIGABIT
    if told is None:
        raise base.Unusable("no `bits_per_second`", where)
    return base.checked_gbps(told, byte_gbps=by_bytes, place=f"{where}/bits_per_second")


def _started_at(stamp: wire.Stamp | None) -> str:
    if stamp is None:
        return ""
    if stamp.timemillisecs:
        return base.rfc3339(stamp.timemillisecs / MS_PER_SECOND)
    if stamp.timesecs is not None:
        return base.rfc3339(stamp.timesecs)
    try:
        return base.rfc3339(parsedate_to_datetime(stamp.time).timestamp())
    except (ValueError, OverflowError):
        return ""


def _run_id(run: Run) -> str:
    """Return the id that both ends' documents give: a test's cookie is random, and on both."""
    cookie = run.output.start.cookie
    return (
        base.run_id_of(TOOL, cookie, "reverse" if run.is_reverse else "forward") if cookie else ""
    )
