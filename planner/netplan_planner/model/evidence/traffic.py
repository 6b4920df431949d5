"""The traffic graph after aggregation: who sent how much to whom, by which path.

Sizes: `owners` grows with the machines and the distinct peers, `edges` with the pairs; nothing
here grows with the number of flow records.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property

from netplan_planner.model.base import SelfLink, Value
from netplan_planner.model.evidence.log_volume import LogSource
from netplan_planner.model.path_class import Certainty, Owner, PathClass
from netplan_planner.units import SECONDS_PER_DAY, SECONDS_PER_HOUR, SECONDS_PER_MINUTE

FIRST_EPHEMERAL_PORT = 32_768
"""From here on Linux gives ports to callers, so that no service is expected there.

Source: kernel documentation, networking/ip-sysctl (ip_local_port_range).
"""

# Rates by equal stretches of time


Rates = tuple[float | None, ...]
"""Mean rate of each bin in Gbit/s; None: nothing tells of it, which is not 0."""


class RateBins(Value, frozen=True, kw_only=True):
    """The series of one thing."""

    start: datetime
    """Of the first bin, UTC."""
    bin_s: float = float(SECONDS_PER_HOUR)
    gbps: Rates

    @property
    def end(self) -> datetime:
        """End of the last bin."""
        return self.start + timedelta(seconds=self.bin_s * len(self.gbps))

    @property
    def known_s(self) -> float:
        """Time that is known."""
        return self.bin_s * sum(rate is not None for rate in self.gbps)


class MachineHours(Value, frozen=True, kw_only=True, gc=False):
    """What one machine sent by hour."""

    owner: int
    """Index into `TrafficMatrix.owners`."""
    gbps: Rates
    outside_gbps: Rates
    """The part to addresses outside the VPC."""


class PathHours(Value, frozen=True, kw_only=True, gc=False):
    """What was sent by hour from one place to another over paths of one price."""

    edge: int
    """Index into `TrafficMatrix.edges`: any one of the path's, which differ in their ends alone."""
    gbps: Rates


class TrafficHours(Value, frozen=True, kw_only=True):
    """The traffic of a matrix by hour."""

    start: datetime
    bin_s: float = float(SECONDS_PER_HOUR)
    machines: tuple[MachineHours, ...]
    paths: tuple[PathHours, ...]

    def bins(self, gbps: Rates) -> RateBins:
        """Return rates of a part of it with their time."""
        return RateBins(start=self.start, bin_s=self.bin_s, gbps=gbps)


# The traffic graph


class Series(Value, frozen=True, kw_only=True, gc=False):
    """Rates of a one-minute series over all observed minutes, idle ones included, in Gbit/s.

    Rates count headers. `top_gbps` holds the ten greatest minutes in falling order (fewer when
    there are fewer), so that "at least n minutes above x" can be answered for n up to 10.
    """

    p50_gbps: float
    p95_gbps: float
    p99_gbps: float
    max_gbps: float
    byte_count: int
    """Bytes with headers over the window."""
    active_minutes: int
    top_gbps: tuple[float, ...] = ()

    def minutes_at_least(self, gbps: float) -> int:
        """Return how many minutes reached `gbps`; 10 means ten or more."""
        return sum(1 for rate in self.top_gbps if rate >= gbps)


NO_TRAFFIC = Series(
    p50_gbps=0.0, p95_gbps=0.0, p99_gbps=0.0, max_gbps=0.0, byte_count=0, active_minutes=0
)


class TopFlow(Value, frozen=True, kw_only=True, gc=False):
    """The greatest five-tuple of an edge."""

    byte_ratio: float
    """Its share of the edge's bytes, 0 to 1."""
    p95_gbps: float
    """Of its one-minute series over the minutes in which it was active."""
    active_minutes: int
    protocol: int
    dst_port: int | None = None


class Drops(Value, frozen=True, kw_only=True, gc=False):
    """Packets of an edge that were dropped for one reason."""

    reason: str
    """As the record spells it, such as `QUEUE_OVERFLOW`; empty where it does not say."""
    at_receiver: bool
    """Dropped after the way, as the receiver reports; else before it, as the sender does."""
    packet_count: int
    byte_count: int


class Edge(Value, frozen=True, kw_only=True, gc=False):
    """Traffic from one owner to another over one path, to one destination address.

    `dst_address` is the literal that the packets carried where it matters (an external address of
    ours, a load balancer's), else None. Bytes are counted once, at the reporter that
    `TrafficMatrix.reporter` says.
    """

    src: int
    """Index into `TrafficMatrix.owners`."""
    dst: int
    path_class: PathClass
    payload_bytes: int
    header_bytes: int
    packet_count: int
    record_count: int
    series: Series
    dst_address: str | None = None
    certainty: Certainty = Certainty.HELD
    rtt_ms: float | None = None
    """Median of the records' round-trip times; None where no record had one (UDP, old logs)."""
    coarse_bytes: int = 0
    """Payload from records that cover more than a minute, so that bursts inside are hidden."""
    by_destination_bytes: int = 0
    """Payload of this edge taken from the destination's reports (its source does not log)."""
    other_side_bytes: int | None = None
    """What the other end reported for the same flows; None when it reports nothing."""
    dropped_bytes: int = 0
    dropped_packets: int = 0
    drops: tuple[Drops, ...] = ()
    """The dropped packets by side and reason, the most first."""
    top_flow: TopFlow | None = None
    """None when it was not looked for (small edges) or the input has no ports."""

    @property
    def wire_bytes(self) -> int:
        """Payload and headers: what caps and bills count."""
        return self.payload_bytes + self.header_bytes


class VmTraffic(Value, frozen=True, kw_only=True, gc=False):
    """What one machine sent and received."""

    owner: int
    egress: Series
    egress_outside_vpc: Series
    """The part under the cap for addresses outside the VPC (`PathClass.leaves_vpc`)."""
    ingress: Series
    coarse_ratio: float = 0.0
    """Share of the egress from records of more than a minute, 0 to 1."""
    sent_to_internet_bytes: int = 0
    received_from_internet_bytes: int = 0


class Reporter(StrEnum):
    """Which end's reports count for a flow that both ends report."""

    SOURCE = "source"
    DESTINATION = "destination"
    AVERAGE = "average"


class TrafficSource(StrEnum):
    """What tells of the traffic, as evidence names it."""

    FLOW_LOGS = "flow logs"
    """Flow records, or a table of them."""
    METRICS = "Cloud Monitoring, vm_flow"
    """The metrics `networking.googleapis.com/vm_flow/…`: bytes of each machine by the place of its
    peers. They name no peer, no address and no five-tuple."""


class BadRecord(Value, frozen=True, kw_only=True):
    """One record that was left out, and where it stands."""

    source: str
    """`file:line`; `file: row number` of Parquet, or `file` alone; deep in a large file a text that
    says so."""
    reason: str


class LogOverlap(Value, frozen=True, kw_only=True):
    """Flows that two configurations of flow logs report: one counts, the other is left out."""

    place: SelfLink
    """The subnetwork; the machine or gateway where it has none."""
    counted: str
    """The configuration whose records count."""
    left_out: str
    record_count: int
    payload_bytes: int


class LoggedRecords(Value, frozen=True, kw_only=True):
    """Records that one configuration of flow logs has of one place, which are paid for."""

    place: SelfLink
    """The subnetwork; the gateway, machine or address where there is none."""
    configuration: str
    record_count: int


class TrafficCoverage(Value, frozen=True, kw_only=True):
    """How much of the flow logs the matrix rests on."""

    files: int
    """0 where the records are in tables of BigQuery."""
    tables: int = 0
    record_count: int
    """All records seen, good or not; of metrics the time series."""
    used_count: int
    """Records that could be read; those not chosen because the other end reports are among them."""
    excluded: tuple[tuple[str, int], ...] = ()
    """Reason and number of the records left out, sorted by reason; `malformed` is one of them."""
    examples: tuple[BadRecord, ...] = ()
    """The first few of them, in order of file and line."""
    source_reported_bytes: int = 0
    destination_reported_bytes: int = 0
    other_side_bytes: int = 0
    """What the reports that were not chosen would have given for flows reported twice."""
    payload_bytes: int = 0
    header_bytes: int = 0
    owned_bytes: int = 0
    """Payload whose both ends have an owner, `internet` included."""
    unowned_bytes: int = 0
    assumed_bytes: int = 0
    """Payload to ephemeral addresses whose holder at that time is not certain."""
    dropped_packets: int = 0
    drops: tuple[Drops, ...] = ()
    """The dropped packets of all edges by side and reason, the most first."""
    has_metadata: bool = False
    """Whether any record names its machines (metadata annotations)."""
    overlaps: tuple[LogOverlap, ...] = ()
    """What was logged by several configurations and counts once, the most records first."""
    logged: tuple[LoggedRecords, ...] = ()
    """Who wrote the records, those that count once among them, the most records first; empty for
    plain tables."""
    incomplete: tuple[str, ...] = ()
    """What of the given logs could not be read or used, a line each."""
    notes: tuple[str, ...] = ()
    source: TrafficSource = TrafficSource.FLOW_LOGS


class TrafficMatrix(Value, frozen=True, kw_only=True, dict=True):
    """The traffic of a window: owners, edges between them, and one summary per machine.

    Order: owners by key; edges by (src, dst, path class, address); vms by owner.
    """

    start: datetime
    end: datetime
    """End of the last observed minute."""
    observed_minutes: int
    """Minutes that the percentiles rest on; gaps in the logs are left out."""
    reporter: Reporter
    owners: tuple[Owner, ...]
    edges: tuple[Edge, ...]
    vms: tuple[VmTraffic, ...]
    coverage: TrafficCoverage
    is_steady: bool = False
    """True when the input gave steady rates instead of a window (a plain table with `gbps`)."""
    span_minutes: int | None = None
    """Minutes from the first to the last one, gaps included; None: there are none."""
    is_asked: bool = False
    """The user named the window's beginning and end: what no record tells of was idle."""
    log_volume: tuple[LogSource, ...] | None = None
    """What the records themselves are; None: not counted, or no records were given."""
    log_volume_from_gbps: float | None = None
    """Of machines that send less, by their 95th percentile, `log_volume` has no series."""
    hours: TrafficHours | None = None
    """None: not asked for, or the input has no times."""

    @property
    def source(self) -> TrafficSource:
        """What tells of it."""
        return self.coverage.source

    @property
    def is_of_metrics(self) -> bool:
        """Whether it names places instead of peers, and no address."""
        return self.source is TrafficSource.METRICS

    @property
    def observed_seconds(self) -> int:
        """Seconds behind every percentile."""
        return self.observed_minutes * SECONDS_PER_MINUTE

    @property
    def month_seconds(self) -> int:
        """Seconds of which a month has 730 h times: from the first to the last minute.

        A silence of the whole input counts as idle: traffic of an hour a night is no traffic of a
        whole day. What it can be instead is in `month_ratios`.
        """
        minutes = self.observed_minutes if self.span_minutes is None else self.span_minutes
        return minutes * SECONDS_PER_MINUTE

    @property
    def month_ratios(self) -> tuple[float, float]:
        """The least and the most that a month's volume can be, as ratios of what is stated.

        The least: what a window shorter than a day has is all of that day. The most: silences were
        no idleness, but times that the input does not cover; that is not so where the user named
        the window. Both are 1 for steady rates.
        """
        if self.is_steady:
            return 1.0, 1.0
        span_s = self.month_seconds
        most = 1.0 if self.is_asked else span_s / self.observed_seconds
        return min(1.0, span_s / SECONDS_PER_DAY), most

    @cached_property
    def vm_by_link(self) -> dict[SelfLink, VmTraffic]:
        """Each machine's summary by its self link."""
        return {link: vm for vm in self.vms if (link := self.owners[vm.owner].link) is not None}

    @cached_property
    def edges_by_address(self) -> dict[str, tuple[Edge, ...]]:
        """The edges to each literal address that packets carried (`Edge.dst_address`)."""
        grouped: dict[str, list[Edge]] = {}
        for edge in self.edges:
            if edge.dst_address is not None:
                grouped.setdefault(edge.dst_address, []).append(edge)
        return {address: tuple(edges) for address, edges in grouped.items()}

    @cached_property
    def edges_by_src(self) -> dict[int, tuple[Edge, ...]]:
        """The edges that leave an owner."""
        grouped: dict[int, list[Edge]] = {}
        for edge in self.edges:
            grouped.setdefault(edge.src, []).append(edge)
        return {owner: tuple(edges) for owner, edges in grouped.items()}

    @cached_property
    def edges_by_dst(self) -> dict[int, tuple[Edge, ...]]:
        """The edges that reach an owner."""
        grouped: dict[int, list[Edge]] = {}
        for edge in self.edges:
            grouped.setdefault(edge.dst, []).append(edge)
        return {owner: tuple(edges) for owner, edges in grouped.items()}
