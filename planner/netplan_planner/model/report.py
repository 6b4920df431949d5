"""The one result of an audit; every output format is a rendering of it."""

from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import Value
from netplan_planner.model.commitment import CommitmentUse
from netplan_planner.model.finding import Finding
from netplan_planner.model.inventory import ProjectCoverage, Unread
from netplan_planner.model.limits import Estimate
from netplan_planner.model.measurement import MeasurementCoverage
from netplan_planner.model.plan import FixSet, JobPlan, MachinePlan, OrderedFix
from netplan_planner.model.prices import LineItem
from netplan_planner.model.traffic import PathClass, TrafficCoverage

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


class Direction(StrEnum):
    """Which side of traffic is the project's own."""

    SENT = "sent"
    """By own machines: what they are billed for."""
    RECEIVED = "received"
    """By own machines or load balancers, from others; not billed to the receiver."""
    ELSEWHERE = "elsewhere"
    """No end is in the inventory: who pays what is not known."""


class ClassTotal(Value, frozen=True, kw_only=True):
    """All traffic of one path class; money None where a price is missing or none is modelled.

    Where money is known it is the sum of `line_items`: one per price and place.
    """

    path_class: PathClass
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    edge_count: int
    price_note: str = ""
    direction: Direction = Direction.SENT
    line_items: tuple[LineItem, ...] = ()


class ZonePair(Value, frozen=True, kw_only=True):
    """Traffic from one zone to another over internal or external addresses.

    Where money is known it is the sum of `line_items`.
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
    line_items: tuple[LineItem, ...] = ()


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
    """False when a page, project or rule is missing; `--strict` then fails."""
    notes: tuple[str, ...] = ()
    measurements: MeasurementCoverage | None = None
    """None when none were given."""


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
    recommendations: tuple[MachinePlan, ...]
    jobs: tuple[JobPlan, ...]
    assumptions: tuple[str, ...]
    suppressed: tuple[Suppressed, ...]
    filtered: tuple[Filtered, ...] = ()
    expired_suppressions: tuple[ExpiredSuppression, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    commitments: tuple[CommitmentUse, ...] = ()
    """Every commitment that was read, and what of it is used."""

    @property
    def saving_usd_per_month(self) -> Decimal:
        """What all fixes of the order save together; what excludes each other counts once."""
        return sum(
            (fix.saving_usd_per_month for fix in self.do_first if fix.saving_usd_per_month),
            Decimal(0),
        )
