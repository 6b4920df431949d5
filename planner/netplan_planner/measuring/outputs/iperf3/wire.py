"""The members of an `iperf3 -J` document that are read, as iperf3 3.0 to 3.20 spells them.

Numbers are floats, because cJSON writes long integers as `1.2e+10` in some versions, and null
where it had no number.

Source:
    esnet/iperf, src/iperf_api.c and src/iperf_tcp.c; outputs of 3.9 and 3.12.
"""

import msgspec


class Wire(msgspec.Struct, frozen=True, kw_only=True):
    """An object of the document; members that are not listed are passed over."""


class Stamp(Wire, frozen=True, kw_only=True):
    """When the test began: whole seconds, milliseconds from 3.18 or so."""

    timesecs: float | None = None
    timemillisecs: float | None = None
    time: str = ""


class Connection(Wire, frozen=True, kw_only=True):
    """One stream's addresses."""

    local_host: str = ""
    remote_host: str = ""


class Peer(Wire, frozen=True, kw_only=True):
    """The name or address that the client was given, or that the server saw."""

    host: str = ""


class TestStart(Wire, frozen=True, kw_only=True):
    """The options of the test."""

    protocol: str = "TCP"
    num_streams: float | None = None
    omit: float | None = None
    reverse: float | None = None
    target_bitrate: float | None = None
    fqrate: float | None = None


class Start(Wire, frozen=True, kw_only=True):
    """What was known before the first byte."""

    connected: list[Connection] = []
    version: str = ""
    system_info: str = ""
    timestamp: Stamp | None = None
    connecting_to: Peer | None = None
    accepted_connection: Peer | None = None
    cookie: str = ""
    tcp_mss: float | None = None
    tcp_mss_default: float | None = None
    target_bitrate: float | None = None
    test_start: TestStart | None = None


class Sum(Wire, frozen=True, kw_only=True):
    """A count of bytes by one end: of an interval, of a stream, of all streams."""

    seconds: float | None = None
    bytes: float | None = None
    bits_per_second: float | None = None
    retransmits: float | None = None
    omitted: bool = False
    lost_packets: float | None = None
    packets: float | None = None


class IntervalStream(Wire, frozen=True, kw_only=True):
    """One stream in one interval."""

    retransmits: float | None = None
    snd_cwnd: float | None = None
    pmtu: float | None = None
    sender: bool | None = None


class Interval(Wire, frozen=True, kw_only=True):
    """One interval of all streams."""

    streams: list[IntervalStream] = []
    sum: Sum | None = None
    sum_bidir_reverse: Sum | None = None


class SenderSide(Wire, frozen=True, kw_only=True):
    """What one stream's socket told; `sender` is whether that socket was the sending one."""

    sender: bool | None = None
    max_snd_cwnd: float | None = None
    max_snd_wnd: float | None = None
    min_rtt: float | None = None
    mean_rtt: float | None = None


class EndStream(Wire, frozen=True, kw_only=True):
    """One stream over the whole test; UDP streams have other members."""

    sender: SenderSide | None = None


class Cpu(Wire, frozen=True, kw_only=True):
    """Per cent of one core that each process used."""

    host_total: float | None = None
    remote_total: float | None = None


class End(Wire, frozen=True, kw_only=True):
    """The results."""

    streams: list[EndStream] = []
    sum: Sum | None = None
    sum_sent: Sum | None = None
    sum_received: Sum | None = None
    sum_bidir_reverse: Sum | None = None
    sum_sent_bidir_reverse: Sum | None = None
    sum_received_bidir_reverse: Sum | None = None
    cpu_utilization_percent: Cpu | None = None
    sender_tcp_congestion: str = ""
    receiver_tcp_congestion: str = ""


class Output(Wire, frozen=True, kw_only=True):
    """The whole document; `server_output_json` is there with `--get-server-output`."""

    start: Start
    intervals: list[Interval] = []
    end: End
    server_output_json: "Output | None" = None
    title: str = ""
    error: str = ""
