"""What Cloud Monitoring counted: a summary of each series, whatever number of points it had."""

from datetime import datetime
from enum import StrEnum
from functools import cached_property

from netplan_planner.model.base import ProjectId, SelfLink, Value
from netplan_planner.model.evidence.traffic import RateBins, Series
from netplan_planner.model.project.resources import Unread
from netplan_planner.units import SECONDS_PER_DAY, SECONDS_PER_MINUTE, gbps_from_bytes


class Metric(StrEnum):
    """A quantity, by its type in Cloud Monitoring.

    Counters (`…_count`) are summarised as rates per second; ratios are 0 to 1, whatever the unit of
    the metric; the rest keeps its unit.
    """

    VM_SENT_BYTES = "compute.googleapis.com/instance/network/sent_bytes_count"
    VM_RECEIVED_BYTES = "compute.googleapis.com/instance/network/received_bytes_count"
    VM_SENT_PACKETS = "compute.googleapis.com/instance/network/sent_packets_count"
    VM_RECEIVED_PACKETS = "compute.googleapis.com/instance/network/received_packets_count"
    VM_CPU = "compute.googleapis.com/instance/cpu/utilization"
    """Used share of the vCPUs, 0 to 1."""
    VM_MEMORY = "agent.googleapis.com/memory/percent_used"
    """Used share of the memory, 0 to 1, where the Ops Agent runs."""
    VM_BALLOON_USED = "compute.googleapis.com/instance/memory/balloon/ram_used"
    """Bytes of memory in use, of machines of the series E2 alone."""
    VM_DISK_WRITE_BYTES = "compute.googleapis.com/instance/disk/write_bytes_count"
    VM_NAT_ALLOCATED_PORTS = "compute.googleapis.com/nat/allocated_ports"
    VM_NAT_PORT_USAGE = "compute.googleapis.com/nat/port_usage"
    """Most connections of the machine to one destination (address and port)."""
    VM_NAT_DROPPED_SENT = "compute.googleapis.com/nat/dropped_sent_packets_count"
    VM_NAT_SENT_BYTES = "compute.googleapis.com/nat/sent_bytes_count"
    VM_NAT_RECEIVED_BYTES = "compute.googleapis.com/nat/received_bytes_count"

    NAT_ALLOCATED_PORTS = "router.googleapis.com/nat/allocated_ports"
    NAT_PORT_USAGE = "router.googleapis.com/nat/port_usage"
    """Most connections of any one machine to one destination (address and port)."""
    NAT_DROPPED_SENT = "router.googleapis.com/nat/dropped_sent_packets_count"
    NAT_DROPPED_RECEIVED = "router.googleapis.com/nat/dropped_received_packets_count"
    NAT_ALLOCATION_FAILED = "router.googleapis.com/nat/nat_allocation_failed"
    """1 while some machine could not be given an address or ports, else 0."""
    NAT_SENT_BYTES = "router.googleapis.com/nat/sent_bytes_count"
    NAT_RECEIVED_BYTES = "router.googleapis.com/nat/received_bytes_count"

    VPN_SENT_BYTES = "vpn.googleapis.com/network/sent_bytes_count"
    VPN_RECEIVED_BYTES = "vpn.googleapis.com/network/received_bytes_count"
    VPN_SENT_PACKETS = "vpn.googleapis.com/network/sent_packets_count"
    VPN_RECEIVED_PACKETS = "vpn.googleapis.com/network/received_packets_count"
    VPN_DROPPED_SENT = "vpn.googleapis.com/network/dropped_sent_packets_count"
    VPN_DROPPED_RECEIVED = "vpn.googleapis.com/network/dropped_received_packets_count"

    ATTACHMENT_CAPACITY = "interconnect.googleapis.com/network/attachment/capacity"
    """Bytes per second that a VLAN attachment may carry."""
    ATTACHMENT_SENT_BYTES = "interconnect.googleapis.com/network/attachment/sent_bytes_count"
    ATTACHMENT_RECEIVED_BYTES = (
        "interconnect.googleapis.com/network/attachment/received_bytes_count"
    )
    ATTACHMENT_DROPPED_SENT = (
        "interconnect.googleapis.com/network/attachment/egress_dropped_packets_count"
    )
    ATTACHMENT_DROPPED_RECEIVED = (
        "interconnect.googleapis.com/network/attachment/ingress_dropped_packets_count"
    )

    LB_L3_INTERNAL_EGRESS = "loadbalancing.googleapis.com/l3/internal/egress_bytes_count"
    LB_L3_INTERNAL_INGRESS = "loadbalancing.googleapis.com/l3/internal/ingress_bytes_count"
    LB_L3_EXTERNAL_EGRESS = "loadbalancing.googleapis.com/l3/external/egress_bytes_count"
    LB_L3_EXTERNAL_INGRESS = "loadbalancing.googleapis.com/l3/external/ingress_bytes_count"
    LB_HTTPS_RESPONSE = "loadbalancing.googleapis.com/https/response_bytes_count"
    LB_HTTPS_REQUEST = "loadbalancing.googleapis.com/https/request_bytes_count"
    LB_HTTPS_INTERNAL_RESPONSE = "loadbalancing.googleapis.com/https/internal/response_bytes_count"
    LB_HTTPS_REGIONAL_RESPONSE = (
        "loadbalancing.googleapis.com/https/external/regional/response_bytes_count"
    )
    LB_L4_PROXY_EGRESS = "loadbalancing.googleapis.com/l4_proxy/egress_bytes_count"
    LB_TCP_PROXY_EGRESS = "loadbalancing.googleapis.com/tcp_ssl_proxy/egress_bytes_count"

    PREDICTED_LOGS = "networking.googleapis.com/vpc_flow/predicted_max_vpc_flow_logs_count"
    """The most records of flow logs that a subnetwork would write, whether its logs are on or not:
    all of them, at the shortest interval."""

    QUOTA_LIMIT = "serviceruntime.googleapis.com/quota/limit"
    QUOTA_RATE = "serviceruntime.googleapis.com/quota/rate/net_usage"
    QUOTA_USAGE = "serviceruntime.googleapis.com/quota/allocation/usage"
    INTER_REGION_LIMIT = "compute.googleapis.com/quota/inter_region_egress_bandwidth/limit"
    INTER_REGION_USAGE = "compute.googleapis.com/quota/inter_region_egress_bandwidth/usage"


INTERNET_QUOTA = "compute.googleapis.com/vm_to_internet_egress_bandwidth"
"""The quota of a project and region for what its machines send outside the VPC, in Mbit/s; the
name of its `MeasuredResource`."""
INTER_REGION_QUOTA = "compute.googleapis.com/inter_region_egress_bandwidth"
"""The same of what they send to other regions inside it."""


class MeasuredKind(StrEnum):
    """What a series is about."""

    MACHINE = "machine"
    NAT = "nat"
    VPN_TUNNEL = "vpn-tunnel"
    VLAN_ATTACHMENT = "vlan-attachment"
    LOAD_BALANCER = "load-balancer"
    QUOTA = "quota"
    SUBNETWORK = "subnetwork"


class MeasuredResource(Value, frozen=True, kw_only=True):
    """The resource of a series, as its labels name it."""

    kind: MeasuredKind
    project: ProjectId
    location: str
    """Zone, region or `global`."""
    name: str
    """Of a machine its name where the inventory has it, else its number; of a quota its metric,
    such as `compute.googleapis.com/vm_to_internet_egress_bandwidth`."""
    link: SelfLink | None = None
    """In the inventory; of a NAT its router's. None: the inventory has no such resource."""


class PointSummary(Value, frozen=True, kw_only=True):
    """What the points of a series decide."""

    p50: float
    p95: float
    p99: float
    max: float
    min: float
    mean: float
    total: float | None = None
    """Of a counter: what it counted in the intervals that have a value. None of a gauge."""
    start: datetime
    end: datetime
    resolution_s: float | None
    """Length of its intervals; None where a single moment tells of none."""
    interval_count: int
    """Intervals that have a value."""
    nonzero_count: int
    """Those of them in which it is not 0."""
    gap_count: int = 0
    gap_s: float = 0.0
    """Time between start and end of which no point tells."""
    top: tuple[float, ...] = ()
    """The ten greatest values, falling."""


class MetricSeries(PointSummary, frozen=True, kw_only=True):
    """One quantity of one resource over its window.

    Percentiles are by nearest rank over the intervals that have a value: a gap is none of them. A
    rate is the mean of its interval.
    """

    metric: Metric
    resource: MeasuredResource
    labels: tuple[tuple[str, str], ...] = ()
    """What tells it from the resource's other series of the metric, such as the reason of drops;
    empty for the sum of them, or where there is one that names no reason."""
    unit: str
    """`By/s`, `{packet}/s`, `1`, … in UCUM, as Cloud Monitoring writes units."""
    point_count: int
    reset_count: int = 0
    """How often a counter began anew."""
    hours: RateBins | None = None
    """What a machine sent by hour; None: not asked for, or of another quantity."""

    @property
    def observed_s(self) -> float:
        """Seconds that have a value."""
        return self.interval_count * (self.resolution_s or 0.0)

    @property
    def days(self) -> float:
        """Days that have a value."""
        return self.observed_s / SECONDS_PER_DAY

    @property
    def is_by_minute(self) -> bool:
        """Whether its intervals are short enough for rules of one-minute rates."""
        return self.resolution_s is not None and self.resolution_s <= SECONDS_PER_MINUTE

    def gbps(self) -> Series:
        """Return bytes per second as the rates of a machine, in Gbit/s."""

        def rate(bytes_per_s: float) -> float:
            return gbps_from_bytes(bytes_per_s, 1.0)

        active_s = self.nonzero_count * (self.resolution_s or 0.0)
        return Series(
            p50_gbps=rate(self.p50),
            p95_gbps=rate(self.p95),
            p99_gbps=rate(self.p99),
            max_gbps=rate(self.max),
            byte_count=round(self.total or 0.0),
            active_minutes=round(active_s / SECONDS_PER_MINUTE),
            # "So many minutes above" cannot be said of longer intervals.
            top_gbps=tuple(rate(value) for value in self.top) if self.is_by_minute else (),
        )


class MetricsCoverage(Value, frozen=True, kw_only=True):
    """How much of the metrics the answer rests on."""

    files: int = 0
    projects: tuple[str, ...] = ()
    """Projects whose Cloud Monitoring was asked."""
    series_count: int = 0
    """Time series as they came, before those of one resource are added up."""
    point_count: int = 0
    machine_count: int = 0
    """Machines of the inventory of which anything was measured."""
    start: datetime | None = None
    end: datetime | None = None
    resolution_s: float | None = None
    """The coarsest of all."""
    unread: tuple[Unread, ...] = ()
    notes: tuple[str, ...] = ()


class Metrics(Value, frozen=True, kw_only=True, dict=True):
    """All that was read of Cloud Monitoring, in order of resource, metric and labels."""

    series: tuple[MetricSeries, ...]
    coverage: MetricsCoverage

    @cached_property
    def _by_link(self) -> dict[tuple[SelfLink, Metric], tuple[MetricSeries, ...]]:
        grouped: dict[tuple[SelfLink, Metric], list[MetricSeries]] = {}
        for one in self.series:
            if one.resource.link is not None:
                grouped.setdefault((one.resource.link, one.metric), []).append(one)
        return {key: tuple(found) for key, found in grouped.items()}

    def all_of(self, link: SelfLink, metric: Metric) -> tuple[MetricSeries, ...]:
        """Return every series of a metric of a resource: the sum first, then its parts."""
        return self._by_link.get((link, metric), ())

    def of(self, link: SelfLink, metric: Metric) -> MetricSeries | None:
        """Return a metric of a resource over all its labels; None: not measured.

        A router has one NAT series for each of its gateways: see `of_nat`.
        """
        found = self.all_of(link, metric)
        return found[0] if found and not found[0].labels else None

    def of_nat(self, router: SelfLink, gateway: str, metric: Metric) -> MetricSeries | None:
        """Return a metric of a NAT gateway over all its labels; None: not measured."""
        return next(
            (
                one
                for one in self.all_of(router, metric)
                if one.resource.name == gateway and not one.labels
            ),
            None,
        )

    def of_kind(self, kind: MeasuredKind, metric: Metric) -> tuple[MetricSeries, ...]:
        """Return a metric of all resources of a kind, in the inventory or not, with its parts."""
        return tuple(
            one for one in self.series if one.metric is metric and one.resource.kind is kind
        )

    def quota(self, quota_metric: str, location: str, metric: Metric) -> MetricSeries | None:
        """Return the limit or use of a quota in a region; None: not measured.

        Several projects may have one each: then none is told.
        """
        found = [
            one
            for one in self.of_kind(MeasuredKind.QUOTA, metric)
            if one.resource.name == quota_metric and one.resource.location == location
        ]
        return found[0] if len({one.resource.project for one in found}) == 1 else None
