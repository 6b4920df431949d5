"""One run of iperf3 between two ends, from the start of the server to what was measured.

The server end of one run: iperf3 servers that cannot outlive it.

Each takes one test and ends. Before that, it is ended by `close`, by the end of the connection, by
silence on it, or by its own time limit, whichever comes first (guard.py).
"""

import contextlib
import shlex
from collections.abc import Sequence

import msgspec

from netplan_planner.errors import AccessError, InputError
from netplan_planner.inert import inert
from netplan_planner.measuring import protocol
from netplan_planner.measuring.campaign import (
    Campaign,
    Configuration,
    Direction,
    Patience,
    ProbePair,
)
from netplan_planner.measuring.ends import EndFacts, described, read_facts
from netplan_planner.measuring.guard import BUSY, FAILED, READY, Lead, run_command, serve_command
from netplan_planner.measuring.outputs import merge_streams, parse_iperf3
from netplan_planner.measuring.outputs.iperf3 import wire
from netplan_planner.measuring.outputs.json_text import documents_in
from netplan_planner.measuring.protocol import CPU_BOUND_RATIO, Times
from netplan_planner.measuring.transports import Session, attend
from netplan_planner.model import Measurement, Value
from netplan_planner.throughput.transport.tools import THREADED


class Server:
    """Servers that listen while the block runs, and are gone when it is left."""

    def __init__(self, pair: ProbePair, *, count: int, lead: Lead, patience: Patience) -> None:
        """Start `count` servers and wait until all of them listen.

        Args:
            pair: Whose server end, ports and program are meant.
            count: How many servers, each on a port of its own.
            lead: How long they may live, and hear nothing.
            patience: How long to wait for them.

        Raises:
            AccessError: If the end does not answer, ports are taken, or iperf3 ends at once.
        """
        end = pair.server
        command = serve_command(program=end.iperf3, ports=pair.ports, count=count, lead=lead)
        self.session = Session(end.transport.argv(command), label=end.transport.label)
        try:
            self.ports = self._ports(pair, count, patience)
        except BaseException:
            self.session.close()
            raise

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def _ports(self, pair: ProbePair, count: int, patience: Patience) -> tuple[int, ...]:
        session = self.session

        def has_word() -> bool:
            return session.has_ended or b"\n" in session.output

        has_answered = attend([session], until=has_word, deadline_s=patience.start_s)
        words = session.output.decode("utf-8", "replace").partition("\n")[0].split()
        if words[:1] == [READY] and len(words) == count + 1:
            return tuple(map(int, words[1:]))
        label = session.label
        if words[:1] == [BUSY]:
            first, last = pair.ports
            raise AccessError(
                f"{label}: fewer than {count} of the ports {first} to {last} are free. Check `ss"
                " -ltn`, or give other ports"
            )
        said = session.complaint() or "no output"
        if words[:1] == [FAILED]:
            raise AccessError(f"{label}: iperf3 did not listen ({said})")
        if not has_answered:
            raise AccessError(f"{label}: no iperf3 listens after {patience.start_s} s ({said})")
        raise AccessError(f"{label}: the server did not start ({said})")


_US_PER_MS = 1000
_BLOCK_BYTES = 131_072
"""What iperf3 writes at once, and so the least that a run sends."""


class Contact(Value, frozen=True, kw_only=True):
    """A pair that can be measured: both ends answer, and the client reaches the server."""

    client: EndFacts
    server: EndFacts
    rtt_ms: float | None
    """Of the idle path: by ping, else of a connection that sent one block."""
    mss_bytes: int | None
    moved_bytes: int


class RunBroken(AccessError):
    """A run ended without a result.

    `moved_bytes` is the payload that it sent all the same, or None where nobody knows.
    """

    def __init__(self, reason: str, moved_bytes: int | None = None) -> None:
        super().__init__(reason)
        self.moved_bytes = moved_bytes


class Finished(Value, frozen=True, kw_only=True):
    """A run that ended well."""

    measurements: tuple[Measurement, ...]
    """One, or one for each direction."""
    moved_bytes: int
    """Payload of both directions, the omitted start included."""


def make_contact(pair: ProbePair, campaign: Campaign) -> Contact:
    """Return what is known of a pair before its first run, after sending one block.

    Raises:
        AccessError: If an end does not answer, lacks a fitting iperf3, or cannot be reached.
    """
    patience = campaign.patience
    client = read_facts(pair.client, address=pair.address, wants_ping=True, patience=patience)
    back = client.source or pair.address
    server = read_facts(pair.server, address=back, wants_ping=False, patience=patience)
    arguments = protocol.first_contact_arguments(address=pair.address, connect_s=patience.connect_s)
    text = _collect(pair, campaign, arguments, processes=1, sending_s=1)
    output = _decoded(text, pair)
    # Its rate says nothing: one block is gone before anybody counts.
    sides = [stream.sender for stream in output.end.streams if stream.sender]
    rtts_ms = [side.min_rtt / _US_PER_MS for side in sides if side.min_rtt]
    rtt_ms = client.ping_ms if client.ping_ms is not None else min(rtts_ms, default=None)
    mss = output.start.tcp_mss_default or output.start.tcp_mss
    return Contact(
        client=client,
        server=server,
        rtt_ms=rtt_ms,
        mss_bytes=int(mss) if mss and mss > 0 else None,
        moved_bytes=_moved_bytes([output]),
    )


def run_once(
    pair: ProbePair,
    configuration: Configuration,
    *,
    campaign: Campaign,
    contact: Contact,
    times: Times,
    bitrate_gbps: float | None,
) -> Finished:
    """Return what one run measured; no server is left when this returns or raises.

    Args:
        pair: The ends.
        configuration: Streams and direction.
        campaign: Id and patience.
        contact: What was read of the ends.
        times: Of the run.
        bitrate_gbps: A cap on each direction, or None.

    Raises:
        RunBroken: If an end does not answer, the client cannot connect, or there is no result.
    """
    versions = (contact.client.version, contact.server.version)
    processes = protocol.process_count(streams=configuration.streams, versions=versions)
    arguments = protocol.client_arguments(
        configuration=configuration,
        address=pair.address,
        times=times,
        processes=processes,
        bitrate_gbps=bitrate_gbps,
        connect_s=campaign.patience.connect_s,
    )
    try:
        text = _collect(pair, campaign, arguments, processes=processes, sending_s=times.total_s)
    except AccessError as exc:
        raise RunBroken(str(exc)) from exc
    outputs = _outputs(text)
    parts = _parts(text, outputs, pair=pair, configuration=configuration, processes=processes)
    directions = len(parts) // processes
    is_threaded = all(version >= THREADED for version in versions)
    threads = configuration.streams * directions if is_threaded else 1
    is_cpu_bound = any(_is_cpu_bound(part, threads=threads) for part in parts)
    command = shlex.join((pair.client.iperf3, *arguments))
    measurements = tuple(
        _completed(
            one,
            campaign_id=campaign.id,
            pair=pair,
            contact=contact,
            command=command,
            is_cpu_bound=is_cpu_bound,
        )
        for one in merge_streams(parts)
    )
    return Finished(measurements=measurements, moved_bytes=_moved_bytes(outputs))


def _collect(
    pair: ProbePair,
    campaign: Campaign,
    arguments: tuple[str, ...],
    *,
    processes: int,
    sending_s: int,
) -> str:
    """Return what the clients printed."""
    patience = campaign.patience
    deadline_s = sending_s + patience.start_s + patience.connect_s + patience.slack_s
    # A server lives while it starts and then until the client's deadline.
    lead = Lead(life_s=patience.start_s + deadline_s, silence_s=patience.silence_s)
    with Server(pair, count=processes, lead=lead, patience=patience) as server:
        end = pair.client
        command = run_command(
            program=end.iperf3, arguments=arguments, ports=server.ports, lead=lead
        )
        with Session(end.transport.argv(command), label=end.transport.label) as client:
            has_ended = attend(
                [server.session, client],
                until=lambda: client.has_ended,
                deadline_s=deadline_s,
            )
            if not has_ended:
                raise AccessError(
                    f"{pair.name}: no result within {deadline_s} s for a run of {sending_s} s;"
                    " the server or the connection hangs"
                )
    if not client.output.strip():
        said = client.complaint() or f"exit status {client.status}"
        raise AccessError(f"{pair.name}: iperf3 on {client.label} printed nothing ({said})")
    return client.output.decode("utf-8", "replace")


def _parts(
    text: str,
    outputs: Sequence[wire.Output],
    *,
    pair: ProbePair,
    configuration: Configuration,
    processes: int,
) -> tuple[Measurement, ...]:
    """Return the measurements of all clients, which can be merged.

    Raises:
        RunBroken: If any of them has no result, or they did not run at the same time.
    """
    # A client that failed still counts what it sent; one that printed nothing does not.
    moved_bytes = _counted_bytes(outputs) if len(outputs) == processes else None
    try:
        parts = parse_iperf3(text, source=pair.name)
        merge_streams(parts)
    except InputError as exc:
        raise RunBroken(_with_advice(str(exc)), moved_bytes) from exc
    wanted = processes * (2 if configuration.direction is Direction.BOTH else 1)
    if len(parts) != wanted:
        reason = f"{len(parts)} results of {wanted}; a client or server ended early"
        raise RunBroken(f"{pair.name} {configuration.name}: {reason}", moved_bytes)
    return parts


def _with_advice(error: str) -> str:
    if "unable to connect" in error:
        return f"{error}; check that the firewall allows TCP from the client to the server's ports"
    return error


def _decoded(text: str, pair: ProbePair) -> wire.Output:
    """Return the document of the first contact.

    Raises:
        AccessError: If iperf3 reports an error, or printed none.
    """
    outputs = _outputs(text)
    if not outputs:
        raise AccessError(f"{pair.name}: iperf3 printed no result ({inert(text, 80)})")
    if outputs[0].error:
        error = _with_advice(inert(outputs[0].error))
        raise AccessError(f"{pair.name}: {pair.address}: iperf3 reports: {error}")
    return outputs[0]


def _outputs(text: str) -> list[wire.Output]:
    """Return the documents that look like iperf3's; parse_iperf3 says what is wrong with others."""
    found = []
    for document in documents_in(text):
        with contextlib.suppress(msgspec.ValidationError):
            found.append(msgspec.convert(document.value, wire.Output))
    return found


def _moved_bytes(outputs: Sequence[wire.Output]) -> int:
    """Return the payload of clients that had a connection: each sent a block at least."""
    return max(_counted_bytes(outputs), _BLOCK_BYTES * len(outputs))


def _counted_bytes(outputs: Sequence[wire.Output]) -> int:
    """Return the payload of all intervals, those omitted from the result included."""
    sums = (
        counted
        for output in outputs
        for interval in output.intervals
        for counted in (interval.sum, interval.sum_bidir_reverse)
    )
    return int(sum(counted.bytes or 0.0 for counted in sums if counted))


def _is_cpu_bound(one: Measurement, *, threads: int) -> bool:
    """Return whether a thread of the tool was busy nearly all of the time at either end.

    Of a process with several threads only the sum is known: it is taken as evenly spread.
    """
    ratios = (one.src.cpu_ratio, one.dst.cpu_ratio)
    return any(ratio is not None and ratio / threads > CPU_BOUND_RATIO for ratio in ratios)


def _completed(
    one: Measurement,
    *,
    campaign_id: str,
    pair: ProbePair,
    contact: Contact,
    command: str,
    is_cpu_bound: bool,
) -> Measurement:
    """Return a measurement with what the output of iperf3 does not say."""
    client, server = (one.dst, one.src) if one.is_reverse else (one.src, one.dst)
    client = described(pair.client, contact.client, client)
    server = described(pair.server, contact.server, server)
    src, dst = (server, client) if one.is_reverse else (client, server)
    mtus = [end.mtu_bytes for end in (contact.client, contact.server) if end.mtu_bytes]
    notes = (one.note, "CPU-bound" if is_cpu_bound else "")
    return msgspec.structs.replace(
        one,
        source=campaign_id,
        src=src,
        dst=dst,
        command=command,
        path_class=pair.path_class,
        mtu_bytes=min(mtus, default=None) or one.mtu_bytes,
        min_rtt_ms=contact.rtt_ms,
        note="; ".join(filter(None, notes)),
    )
