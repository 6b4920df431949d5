"""The one result of an audit; every output format is a rendering of it."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import Value
from netplan_planner.model.commitment import CommitmentUse
from netplan_planner.model.finding import Finding
from netplan_planner.model.flexible import FlexibleUse
from netplan_planner.model.job import JobPlan
from netplan_planner.model.limits import Estimate
from netplan_planner.model.measurement import MeasurementCoverage
from netplan_planner.model.metrics import MetricsCoverage
from netplan_planner.model.path_class import PathClass
from netplan_planner.model.plan import FixSet, MachinePlan, OrderedFix
from netplan_planner.model.plugin_change import PluginChanges
from netplan_planner.model.pod_costs_report import NearSaving, PodPair
from netplan_planner.model.prices import LineItem
from netplan_planner.model.resources import ProjectCoverage, Unread
from netplan_planner.model.traffic import TrafficCoverage

SCHEMA = "netplan.report/1"


class WindowInfo(Value, frozen=True, kw_only=True):
    """The traffic window that the numbers rest on."""

    start: datetime | None
    """None, as are end and length, when the input gave steady rates, which have no time."""
    end: datetime | None
    observed_minutes: int | None
    reporter: str
    sampling: str
    """As the subnetworks' log configuration states it: `1.0`, `0.25 to 0.5`, `not stated`."""
    is_asked: bool = False
    """The user named its beginning and end, so that silence in it was idleness."""
    month_low_ratio: float = 1.0
    """The least that a month can have, as a ratio of the volumes and dollars that are stated."""
    month_high_ratio: float = 1.0
    """The most."""


class Direction(StrEnum):
    """Which side of traffic is the project's own."""

    SENT = "sent"
    """By own machines: what they are billed for."""
    RECEIVED = "received"
    """By own machines or load balancers, from others: free, but for what Cloud NAT or a load
    balancer processes on the way."""
    ELSEWHERE = "elsewhere"
    """No end is in the inventory: who pays what is not known."""


class Unpriced(Value, frozen=True, kw_only=True):
    """What of a bill has no known price, why, and between which two sums it is."""

    name: str
    """Such as `internet, us-central1`."""
    quantity: Decimal
    unit: str
    """`GiB`, or what is counted: `gateway`."""
    reason: str
    lowest_usd_per_month: Decimal | None = None
    """Both None where nothing bounds it. Counted over the steps of every price that may apply."""
    highest_usd_per_month: Decimal | None = None
    what_tells: str = ""
    """What evidence would settle it."""


def unpriced_span(unpriced: Sequence[Unpriced]) -> tuple[Decimal, Decimal | None]:
    """Return between what the unpriced parts of a bill are; no upper end where one has none."""
    low = sum((one.lowest_usd_per_month or Decimal(0) for one in unpriced), Decimal(0))
    highs = [one.highest_usd_per_month for one in unpriced]
    known = [one for one in highs if one is not None]
    return low, sum(known, Decimal(0)) if len(known) == len(highs) else None


class ServiceTotal(Value, frozen=True, kw_only=True):
    """What a network service costs a month beside the traffic that it carries."""

    service: str
    """`cloud-nat`, `cloud-vpn`, `forwarding-rules` or `flow-logs`."""
    count: int
    """Of gateways, tunnels, rules or logging subnetworks."""
    usd_per_month: Decimal | None
    """The sum of `line_items`; None where no part has a price."""
    line_items: tuple[LineItem, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()
    note: str = ""


class ClassTotal(Value, frozen=True, kw_only=True):
    """All traffic of one path class; money None where no part has a price or none is modelled.

    Money is the sum of `line_items`, one per price and place; what has no price is in `unpriced`,
    so that the sum is a lower bound where there is any.
    """

    path_class: PathClass
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    edge_count: int
    price_note: str = ""
    direction: Direction = Direction.SENT
    line_items: tuple[LineItem, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()


class ZonePair(Value, frozen=True, kw_only=True):
    """Traffic from one zone to another over internal or external addresses.

    Money is the sum of `line_items`; what has no price is in `unpriced`.
    """

    src_zone: str
    dst_zone: str
    path_class: PathClass
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    max_gbps: float
    """The fastest minute of any one pair of machines."""
    rtt_ms: float | None
    predicted: Estimate | None
    """Of the pair of machines with the most traffic, over as many connections as it takes."""
    pair: str
    """That pair: `sender → receiver`."""
    one_flow: Estimate | None = None
    """What the same pair gets over a single connection."""
    one_flow_both_ways: Estimate | None = None
    """The same in each direction, while a connection of the other direction sends too."""
    line_items: tuple[LineItem, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()


class DearPair(Value, frozen=True, kw_only=True):
    """A sender and a receiver between which traffic costs much, over one class of path.

    Its dollars are at the mean price of all traffic that shares its price and the steps of it.
    """

    src: str
    dst: str
    src_place: str
    """Zone or region; empty where it is not known."""
    dst_place: str
    """Zone or region; empty for a peer outside, and where it is not known."""
    path_class: PathClass
    gib_per_month: Decimal
    usd_per_month: Decimal
    max_gbps: float
    """Its fastest minute."""


MAYBE_ADDRESS = "(not known if any)"
"""Stands among the external addresses of a machine where a plan leaves open if it gets some."""


class MachineRow(Value, frozen=True, kw_only=True, gc=False):
    """What one machine may send and costs, by its configuration; None: not known."""

    project: str
    region: str
    zone: str
    name: str
    machine_type: str
    status: str
    is_stopped: bool
    """It costs nothing but disks and addresses."""
    is_spot: bool
    is_tier1: bool
    egress_gbps: float | None
    """All it may send inside the VPC."""
    egress_source: str
    external_gbps: float | None
    """All it may send to addresses outside the VPC."""
    external_source: str
    cap_unknown: str
    """Why its caps are not known."""
    nic_types: tuple[str, ...]
    """As the interfaces state them; empty where they state none, which is usual."""
    nic_types_possible: tuple[str, ...]
    """What its type can have; empty: not known."""
    mtu_bytes: int | None
    """Of the network of its first interface."""
    external_addresses: tuple[str, ...]
    """In parentheses where a planned machine gets one, or may get some."""
    machine_usd_per_month: Decimal | None
    """With its Tier_1 fee and attached GPUs; without disks and licences."""
    address_usd_per_month: Decimal | None
    """Of its external IPv4 addresses."""
    price_unknown: str
    egress_p95_gbps: float | None = None
    """95th percentile of the one-minute means of all that it sends; None: not seen."""
    egress_max_gbps: float | None = None
    """Its busiest minute."""
    external_p95_gbps: float | None = None
    """The same of what leaves the VPC."""
    external_max_gbps: float | None = None


class RegionRow(Value, frozen=True, kw_only=True):
    """The machines of a project in a region, and the bandwidth quotas that hold for them together.

    The values of the quotas are in no resource that is read.
    """

    project: str
    region: str
    machine_count: int
    running_count: int
    egress_gbps: float | None
    """The sum of the caps of running machines, as far as they are known; None: of none."""
    external_gbps: float | None
    """The same to addresses outside the VPC."""
    unknown_count: int
    """Running machines whose caps are not known, and not in the sum."""
    external_unknown_count: int
    """The same of the caps to addresses outside the VPC."""
    quotas: tuple[str, ...]


class Suppressed(Value, frozen=True, kw_only=True):
    """A finding that the user chose not to see."""

    rule: str
    subject: str
    reason: str
    source: str
    """The file or label that says so."""
    expires: date | None
    saving_usd_per_month: Decimal | None
    fingerprint: str


class ExpiredSuppression(Value, frozen=True, kw_only=True):
    """A suppression whose date has passed: it suppresses nothing."""

    rule: str
    resource: str
    reason: str
    source: str
    expires: date


class Filtered(Value, frozen=True, kw_only=True):
    """A finding below `--severity` or `--min-saving`: counted, not shown."""

    rule: str
    subject: str
    severity: str
    saving_usd_per_month: Decimal | None
    why: str
    fingerprint: str


class NotEvaluated(Value, frozen=True, kw_only=True):
    """A rule, or some resources of one, that could not be judged; never shown as passed."""

    rule: str
    reason: str
    kind: str
    """`missing-evidence`, `gap` (some resources only), `crashed`, or `deselected`."""
    resource_count: int = 0
    examples: tuple[str, ...] = ()


class Coverage(Value, frozen=True, kw_only=True):
    """What the report rests on, and what was not seen."""

    projects: tuple[ProjectCoverage, ...]
    instance_count: int
    resource_counts: tuple[tuple[str, int], ...]
    unread: tuple[Unread, ...]
    traffic: TrafficCoverage | None
    is_complete: bool
    """False when anything is `incomplete`; `--strict` then fails."""
    incomplete: tuple[str, ...] = ()
    """What of the given evidence could not be read or used in full, and rules that crashed, a line
    each. Evidence that was not given at all is no part of it: see `Report.not_evaluated`."""
    notes: tuple[str, ...] = ()
    measurements: MeasurementCoverage | None = None
    """None when none were given."""
    metrics: MetricsCoverage | None = None
    """None when Cloud Monitoring was neither asked nor given."""


class Report(Value, frozen=True, kw_only=True):
    """What netplan found, what it brings to fix it, and what it could not see."""

    schema: str = SCHEMA
    tool: str
    """Name and version."""
    title: str
    projects: tuple[str, ...]
    limits_as_of: date
    prices_as_of: date
    network_prices_as_of: date
    price_age: str = ""
    """That prices are old, and how to get new ones: the first line of every form that is read."""
    window: WindowInfo | None
    coverage: Coverage
    findings: tuple[Finding, ...]
    """By severity, then as their fixes rank, then by rule."""
    do_first: tuple[OrderedFix, ...]
    """The fixes that bring anything, in the order in which to make them."""
    fix_sets: tuple[FixSet, ...]
    """Fixes that bring more throughput together than any of them alone, where traffic waits."""
    traffic_by_class: tuple[ClassTotal, ...]
    zone_pairs: tuple[ZonePair, ...]
    machines: tuple[MachineRow, ...] = ()
    regions: tuple[RegionRow, ...] = ()
    recommendations: tuple[MachinePlan, ...]
    jobs: tuple[JobPlan, ...]
    assumptions: tuple[str, ...]
    suppressed: tuple[Suppressed, ...]
    filtered: tuple[Filtered, ...] = ()
    expired_suppressions: tuple[ExpiredSuppression, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    commitments: tuple[CommitmentUse, ...] = ()
    """Every commitment that was read, and what of it is used."""
    flexible_commitments: FlexibleUse | None = None
    """What the billing export shows of flexible commitments; None: it shows none."""
    dear_pairs: tuple[DearPair, ...] = ()
    """The pairs of ends whose traffic costs most, the dearest first; not all of them."""
    network_services: tuple[ServiceTotal, ...] = ()
    """Gateways, tunnels, forwarding rules and flow logs, the dearest first."""
    pod_pairs: tuple[PodPair, ...] = ()
    """The pairs of pods whose traffic costs most, the dearest first; not all of them."""
    near_savings: tuple[NearSaving, ...] = ()
    """What near endpoints would save of each Service that has traffic, by name."""
    plugin_changes: PluginChanges | None = None
    """What a demo's service does with each network plugin."""

    @property
    def saving_usd_per_month(self) -> Decimal:
        """What all fixes of the order save together; what excludes each other counts once."""
        return sum(
            (fix.saving_usd_per_month for fix in self.do_first if fix.saving_usd_per_month),
            Decimal(0),
        )
