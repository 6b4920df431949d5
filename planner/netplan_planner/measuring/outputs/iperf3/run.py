"""One direction of an iperf3 document: both ends, and what the sender's sockets told."""

import statistics
from typing import Any, NamedTuple

from netplan_planner.measuring.outputs import base
from netplan_planner.measuring.outputs.iperf3 import wire
from netplan_planner.model import MeasuredEnd
from netplan_planner.units import BITS_PER_GIGABIT


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
