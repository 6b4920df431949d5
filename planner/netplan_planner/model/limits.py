"""Limits of bandwidth, and what a path gets from them."""

from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from typing import Protocol

from netplan_planner.model.base import Region, Value, Zone
from netplan_planner.model.path_class import PathClass
from netplan_planner.model.project.networks import STOCK, SetUp


class LimitKind(StrEnum):
    """Whether Google states a limit or somebody measured it."""

    DOCUMENTED = "documented"
    MEASURED = "measured"


GIVEN, GIVEN_OF_VM = "given in the request", "given for the VM"
"""The source of what an option, a column of a table or a caller gives; of how a VM is set up."""


class Limit(Value, frozen=True, kw_only=True):
    """One named bound on a path, in Gbit/s, with where it comes from."""

    name: str
    """`vm-egress`, `nic-egress`, `external-egress`, `region-quota`, `external-flow`,
    `internal-flow`, `external-ingress`, `external-ingress-packets`, `receiver-cores`,
    `external-path`, `host-link`, `vpn-tunnel`, `single-flow-core`, `pod-interface`,
    `pod-overlay-header`, `pod-encryption`, `pod-user-space`, `pod-stream`, `pod-packet-budget`,
    `window-over-rtt`, `send-buffer-over-rtt`, `slow-start-ramp`."""
    gbps: float
    kind: LimitKind
    source: str
    as_of: date
    """The date that the source carries."""
    detail: str = ""
    """What it depends on, for a reader: "n1-standard-1", "TIER_1", "3.06 MB over 30 ms"."""
    low_gbps: float | None = None
    """Of a measured limit: the least and the greatest figure behind it."""
    high_gbps: float | None = None
    lifted_by: str = ""
    """The change that would raise it, in words."""


class RateInterval(Value, frozen=True, kw_only=True):
    """A rate with its interval; None where it is not known."""

    gbps: float | None
    low_gbps: float | None = None
    high_gbps: float | None = None


class Case(RateInterval, frozen=True, kw_only=True):
    """One of the things that an input may be that nobody told, with what the path gets then.

    Nothing but scatter is in its interval: all other inputs that nobody told stand where they are
    likely.
    """

    of: str
    """The input: `streams`, `threads`, `window`, `set-up`, `date`, `cap`."""
    name: str
    """What it is in this case, for a reader: "8 streams", "one core carries all flows"."""
    binding_limit: str = ""
    """The limit that binds then."""


class Estimate(RateInterval, frozen=True, kw_only=True):
    """Throughput of one path: the soft minimum of its limits, with an interval.

    `gbps` is None when a limit that must be known is not (`unknown` says which).
    """

    level: float | None = None
    """Share of measurements that the interval is meant to hold."""
    cases: tuple[Case, ...] = ()
    """What inputs may be that nobody told, where that was asked for and changes the value."""
    limits: tuple[Limit, ...] = ()
    """In rising order; the first one binds."""
    probabilities: tuple[float, ...] = ()
    """That each of `limits` binds, where that was asked for."""
    binding_gbps: tuple[float | None, ...] = ()
    """What the path carries where it does, in the middle of such cases; None: it never binds."""
    duration_s: float | None = None
    """Of a finite transfer."""
    low_duration_s: float | None = None
    high_duration_s: float | None = None
    unknown: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    """What was not given and is taken for granted, in words."""

    @property
    def binding(self) -> Limit | None:
        """The limit that binds."""
        return self.limits[0] if self.limits and self.gbps is not None else None


class CapRow(Value, frozen=True, kw_only=True):
    """The limits of one variant of a machine type; None where no source states one."""

    machine_type: str
    vcpus: int | None
    is_tier1: bool
    cpu_platform: str = ""
    """The platform condition of this row, empty when it has none."""
    egress_gbps: float
    """Per VM, all NICs and addresses together, inside the VPC; the least where none is stated."""
    egress_high_gbps: float | None = None
    """The most that it may be where a source states only the caps of both sizes next to it."""
    external_gbps: float | None
    """Per VM, all flows to addresses outside the VPC."""
    external_basis: str = ""
    """Where `external_gbps` comes from: `documented` for this type, the `general` rule for every
    VM, or `inferred` from it; empty when there is no value."""
    external_flow_gbps: float | None
    """One five-tuple to an address outside the VPC."""
    internal_flow_gbps: float | None
    """One five-tuple inside the VPC, where documented (C4N)."""
    external_ingress_gbps: float | None
    external_ingress_pps: float | None = None
    """Packets per second from outside the VPC; it binds where it is reached first."""
    nic_types: tuple[str, ...]
    """NIC types that the type can use; empty when unknown."""
    confidence: str
    valid_from: date | None = None
    """The first date for which a source supports the value."""
    as_of: date
    source: str
    external_source: str = ""
    external_as_of: date | None = None
    caution: str = ""
    """What to know before relying on the value; `note` is the rest that the sources say."""
    note: str = ""


class EgressCap(CapRow, frozen=True, kw_only=True):
    """The bandwidth limits of one machine type at one date, with what the model asks besides."""

    kind: LimitKind = LimitKind.DOCUMENTED
    min_cpu_platform: str = ""
    """The platform to ask for so that this row holds, as the API spells it; empty: none needed."""
    path_source: str = ""
    """Of the limits per flow and of the ingress limit."""
    path_as_of: date | None = None
    nic_basis: str = ""
    """`documented`, or empty where no page that lists them was read."""
    is_peak: bool = False
    """The value is a peak: for how long it lasts, and what follows, no source states."""
    source_confidence: str = ""
    """Of the statement itself, whatever day it is carried to."""

    @property
    def highest_gbps(self) -> float:
        """The most that the VM may send inside the VPC."""
        return self.egress_gbps if self.egress_high_gbps is None else self.egress_high_gbps

    @property
    def unstated(self) -> str:
        """Why the value is a range, and what is taken of it; empty where a source states it."""
        if self.egress_high_gbps is None:
            return ""
        return f"{self.caution}: {self.egress_gbps:g} of at most {self.egress_high_gbps:g} Gbit/s"

    def may_use(self, nic_type: str) -> bool:
        """Return whether nothing that was read rules a NIC type out."""
        return not self.nic_types or nic_type in self.nic_types


class MeasuredLimit(Value, frozen=True, kw_only=True):
    """A limit that no document states: figures of measurements, one path class and period."""

    name: str
    path_class: PathClass
    gbps: float
    """Median of the figures."""
    low_gbps: float
    high_gbps: float
    figure_count: int
    valid_from: date
    valid_until: date
    source: str
    as_of: date
    detail: str = ""


class CapsBook(Protocol):
    """The caps table at one date."""

    def __hash__(self) -> int:
        """Tables are compared by identity: answers are remembered by table."""

    @property
    def as_of(self) -> date:
        """The date whose limits it answers with."""

    @property
    def without(self) -> frozenset[str]:
        """The campaigns whose measurements it does not use; none unless one of them is scored."""

    @property
    def source_date(self) -> date:
        """The newest source date in the table."""

    def cap(
        self, machine_type: str, *, tier1: bool = False, cpu_platform: str | None = None
    ) -> EgressCap | None:
        """Return the cap, or None when the table has none or the CPU platform decides unseen."""

    def variants(self, machine_type: str) -> Sequence[EgressCap]:
        """Return every variant of a type: default and Tier_1, per CPU platform. Empty: unknown."""

    def unknown_reason(
        self, machine_type: str, *, tier1: bool = False, cpu_platform: str | None = None
    ) -> str:
        """Return why `cap` answers None, in words for a report."""

    def measured(self, path_class: PathClass) -> Sequence[MeasuredLimit]:
        """Return the measured limits of a path class that hold at `as_of`."""


class PathEnd(Value, frozen=True, kw_only=True):
    """One end of a path, as far as throughput depends on it."""

    machine_type: str | None
    """None for a peer that is not one of our machines."""
    is_tier1: bool = False
    cpu_platform: str | None = None
    zone: Zone | None = None
    region: Region | None = None
    mtu_bytes: int | None = None
    vcpus: int | None = None
    """Where the machine type does not say, or is not known."""
    nic_count: int = 1
    """vNICs over which the flows spread, each on a physical NIC of its own."""
    cloud: str = "gcp"
    """Whose machine it is; limits of other clouds are not netplan's to know."""
    set_up: SetUp = STOCK


class PodNetwork(Value, frozen=True, kw_only=True):
    """The network of a cluster, as far as throughput depends on it."""

    encapsulation: str = "none"
    """`none`, `vxlan`, `geneve`, `ipip`, `gre`, `udp`, `wireguard` or `ipsec`."""
    encryption: str = "none"
    """`none`, `wireguard` or `ipsec`."""
    mtu_bytes: int | None = None
    """Of the pod's interface; None takes the node's less the headers."""
    other_link_gbps: float | None = None
    """The link that the plugin uses instead of the node's, where it is set up wrongly."""
    is_bare_metal: bool = False
    is_assumed: bool = False
    """Nobody said what the cluster uses: no overlay, as on GKE."""


class PathQuery(Value, frozen=True, kw_only=True):
    """A path whose throughput is asked for.

    `streams` None means "as many as it takes": limits of a single flow are then not applied. A
    transfer without a duration and without bytes runs for ever: its start does not count.
    """

    path_class: PathClass
    src: PathEnd
    dst: PathEnd
    streams: int | None = None
    rtt_ms: float | None = None
    window_bytes: int | None = None
    """Of the receiver, in payload; it goes before the buffer of its set-up."""
    send_buffer_bytes: int | None = None
    """Of the sender's socket, as the system counts it; None: that of its set-up."""
    as_of: date | None = None
    """The day whose limits hold, where a table has a date by row."""
    low_rtt_ms: float | None = None
    high_rtt_ms: float | None = None
    """Where the round-trip time is not a probe's: its range."""
    rtt_source: str = ""
    duration_s: float | None = None
    omit_s: float = 0.0
    """Before counting starts, in seconds."""
    transfer_bytes: int | None = None
    """Of a finite transfer; it goes before a duration."""
    is_both_ways: bool = False
    """Whether the other direction sends at the same time."""
    is_sender_count: bool = False
    """Whether the rate is the sender's count, in which bytes on their way are."""
    late_rtts: float = 0.0
    """Round trips by which the first byte of the tool is later than by the model's clock."""
    pod: PodNetwork | None = None
    """Of a path between pods."""
    host_link_gbps: float | None = None
    """Of machines that are not Google's: the link in place of a documented cap."""
    quota_gbps: float | None = None
    """What the sender's project may send out of the sender's region; None: not known."""
    vpn_tunnels: int | None = None
    """Cloud VPN tunnels that share the traffic of a hybrid path; None where that is not known."""


class PhysicalNics(Value, frozen=True, kw_only=True):
    """The physical NICs of a machine type."""

    machine_type: str
    nic_count: int
    vpc_nic_count: int
    """Of these, the ones that carry TCP/IP of a VPC network."""
    nic_gbps: float
    basis: str
    """`documented`, or `derived`: a share of the documented sum."""
    source: str
    as_of: date
    note: str
