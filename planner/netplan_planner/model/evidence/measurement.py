"""What a throughput tool measured between two machines, in one run."""

from enum import StrEnum

from netplan_planner.model.base import Region, Value, Zone
from netplan_planner.model.path_class import PathClass

NO_PROBE_LABEL = "netplan-no-probe"
"""On a machine, whatever its value: no probe starts, ends or passes there."""


class CountedBy(StrEnum):
    """Whose count of bytes a rate rests on."""

    RECEIVER = "receiver"
    """What arrived: goodput."""
    SENDER = "sender"
    """What was written to the socket; bytes still in the buffer at the end are in it."""


class MeasuredEnd(Value, frozen=True, kw_only=True):
    """One end of a measured path, as far as it was recorded; None where it was not."""

    name: str = ""
    address: str | None = None
    machine_type: str | None = None
    vcpus: int | None = None
    is_tier1: bool | None = None
    cpu_platform: str | None = None
    nic_type: str | None = None
    zone: Zone | None = None
    region: Region | None = None
    kernel: str | None = None
    congestion_control: str | None = None
    receive_ceiling_bytes: int | None = None
    """The greatest receive buffer, `net.ipv4.tcp_rmem[2]`."""
    send_ceiling_bytes: int | None = None
    """The greatest send buffer, `net.ipv4.tcp_wmem[2]`."""
    image: str | None = None
    """What it was made of, by the names of its licences."""
    cpu_ratio: float | None = None
    """Share of one CPU that the tool used during the run; above 1 with several processes."""


class Measurement(Value, frozen=True, kw_only=True):
    """One direction of one run. Rates are in Gbit/s of payload; None is "not recorded".

    The sender is `src`, whichever end was the tool's client.
    """

    run_id: str = ""
    """The same whenever this direction of this run is read again, by whatever name and from either
    end's output; empty where the tool gives nothing to tell it by."""
    source: str
    """The campaign: a probe's plan, or the file that was imported."""
    place: str = ""
    """Where in the imported file: its line, then the JSON pointer; empty if it holds one run."""
    started_at: str
    """RFC 3339; empty where the tool's output does not say."""
    tool: str
    tool_version: str = ""
    command: str = ""
    protocol: str = "tcp"
    path_class: PathClass | None = None
    src: MeasuredEnd
    dst: MeasuredEnd
    streams: int | None = None
    is_reverse: bool = False
    """Whether the tool's server was the sender (iperf3 `-R`, the second half of `--bidir`)."""
    is_bidirectional: bool = False
    """Whether the other direction carried traffic at the same time."""
    gbps: float
    counted_by: CountedBy
    sender_gbps: float | None = None
    """The sender's count of the same run, where `gbps` is the receiver's."""
    byte_count: int | None = None
    duration_s: float | None = None
    """Of the counted part; the omitted start is not in it."""
    omit_s: float | None = None
    rtt_ms: float | None = None
    """Smoothed round-trip time during the run, which a full queue lengthens."""
    min_rtt_ms: float | None = None
    """The least one, of the idle path where a ping gave it; iperf3's is the least of its samples
    under load, and so no less than that."""
    mss_bytes: int | None = None
    mtu_bytes: int | None = None
    max_window_bytes: int | None = None
    """The greatest congestion window of one stream that the sender reported."""
    max_receive_window_bytes: int | None = None
    """The greatest window that the receiver offered to one stream."""
    retransmit_count: int | None = None
    coefficient_of_variation: float | None = None
    """Of the rates of the tool's intervals."""
    bitrate_limit_gbps: float | None = None
    """A rate cap that was set on the run: the figure is then at most that."""
    note: str = ""


class MeasurementCoverage(Value, frozen=True, kw_only=True):
    """How much of the given measurements can be used."""

    files: int
    measurement_count: int
    """Directions of runs, each counted once."""
    repeated_count: int = 0
    """Records beside these of runs that are there more than once."""
    faults: tuple[str, ...] = ()
    """Lines that could not be used, with file, number and reason."""
