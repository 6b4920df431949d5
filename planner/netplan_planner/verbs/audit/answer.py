"""The audit's answer: the report.

What a service does on a cluster, plugin by plugin, before and after pods use another link.

What of a cluster's traffic costs most, and what near endpoints would save, for a report.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal

from netplan_planner.judging.suppressions import Suppression
from netplan_planner.model import report_rows
from netplan_planner.model.base import Amount, Text, Value, last_part, worded
from netplan_planner.model.evidence.measurement import MeasurementCoverage
from netplan_planner.model.evidence.metrics import MetricsCoverage
from netplan_planner.model.evidence.traffic import TrafficCoverage
from netplan_planner.model.finding import Finding
from netplan_planner.model.limits import Estimate
from netplan_planner.model.money.prices import FlexibleUse
from netplan_planner.model.path_class import PathClass
from netplan_planner.model.plans.commitment import CommitmentLever, CommitmentUse
from netplan_planner.model.plans.job import JobPlan
from netplan_planner.model.plans.plan import FixSet, MachinePlan, OrderedFix, PlannedChange
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges
from netplan_planner.model.prediction import Transactions
from netplan_planner.model.project.resources import ProjectCoverage, Unread


class PodPair(Value, frozen=True, kw_only=True):
    """What the pods of a workload in a zone send to those of another; part of the edges' bill."""

    src: str
    """Workload."""
    dst: str
    src_zone: str
    """Empty where it is not known."""
    dst_zone: str
    service: str
    """By which they met; empty where none is known."""
    path_class: PathClass | None
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    """At the first price step; None: `unknown` says why."""
    unknown: str = ""


class NearSaving(Value, frozen=True, kw_only=True):
    """What `trafficDistribution: PreferClose` would make of a Service's traffic."""

    service: str
    prefers_near: bool
    """It is asked for already."""
    crossing_gib_per_month: Decimal | None
    """Between zones, now; this and the next four are None where `unknown` says why."""
    saved_gib_per_month: Decimal | None
    saving_usd_per_month: Decimal | None
    overload_times: float | None
    """What the fullest endpoint would carry, in times of what the fullest carries now."""
    fullest_zone: str | None
    """Where that endpoint is."""
    lone_zones: tuple[str, ...] = ()
    """Zones with a single endpoint."""
    unknown: str = ""


class OnLink(Value, frozen=True, kw_only=True):
    """What a path carries over a link, and what a service then does."""

    link_gbps: float
    estimate: Estimate
    transactions: Transactions | None
    """None where the path's throughput is not known."""


class PluginChange(Value, frozen=True, kw_only=True):
    """One network plugin on both links."""

    plugin: str | None
    """None: the hosts themselves."""
    encapsulation: str
    told: str
    """What the story says of it."""
    source: str
    """What the prediction rests on."""
    before: OnLink
    after: OnLink


class PluginChanges(Value, frozen=True, kw_only=True):
    """A published service on hosts with two links, the hosts themselves first."""

    service: str
    limits: str
    """What the figures of the links are: not Google's."""
    rows: tuple[PluginChange, ...]


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
    src_group: str = ""
    """Managed group or node pool, else the label `app`; empty where it has none, as the next."""
    dst_group: str = ""
    src_version: str = ""
    """Instance template, else the label `version`; empty where it is not known, as the next."""
    dst_version: str = ""


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


_WHY_THIS_ORDER = (
    "Advice with high confidence comes first, the largest effect at the top. Changes that "
    "cannot be undone follow, then advice with low confidence. You can stop after any step. "
    "Each command uses the VM's location after the steps before it."
)


def planned_changes(do_first: Iterable[OrderedFix]) -> Iterator[PlannedChange]:
    """Yield every change of an order of fixes, in the order to make them."""
    for fix in do_first:
        yield from fix.changes


def script_steps(do_first: Iterable[OrderedFix]) -> Iterator[PlanChange]:
    """Yield every change of an order at each of its places, as a script of commands takes them.

    One that the commands of another make keeps its number, and is no step of its own.
    """
    each = ((fix, planned) for fix in do_first for planned in fix.changes)
    for number, (entry, planned) in enumerate(each, 1):
        fix, change = planned.fix, planned.change
        if fix is None or planned.made_with is not None:
            continue
        words = {word for command in fix.commands for word in command.split()}
        machines = [link for link in change.targets if "/instances/" in link] if change else []
        usd, high = entry.saving_usd_per_month, entry.saving_high_usd_per_month
        is_most = high is None or usd is None or high <= usd
        yield PlanChange(
            number=number,
            subject=planned.subject,
            fix=fix,
            worth=_worth(planned.saving_usd_per_month, is_sure=entry.is_sure, is_most=is_most),
            # Clients get another address of a server. A group makes all of its own machines.
            is_partial="rolling-action" not in words
            and any(last_part(link) not in words for link in machines),
        )


def _worth(usd: Decimal | None, *, is_sure: bool, is_most: bool) -> Text:
    """Return what a change brings, where that is not sure, and whether it can bring no more."""
    doubt = "" if is_sure else UNSURE
    if not usd:
        return doubt
    if usd < 0:
        said = worded("costs ", Amount(usd=-usd), "/month")
    else:
        may = "may save up to " if is_most else "may save about "
        said = worded("saves " if is_sure else may, Amount(usd=usd), "/month")
    return worded(said, f"; {doubt}") if doubt else said


UNSURE = "low confidence, not included in totals"
"""What is said of an entry that stands apart."""


class Report(Value, frozen=True, kw_only=True):
    """What netplan found, what it brings to fix it, and what it could not see."""

    schema: str = report_rows.SCHEMA
    tool: str
    """Name and version."""
    title: str
    projects: tuple[str, ...]
    limits_as_of: date
    prices_as_of: date
    network_prices_as_of: date
    prices_sha256: str = ""
    """Of the price snapshot; empty in reports of versions that did not write it."""
    price_age: str = ""
    """That prices are old, and how to get new ones: the first line of every form that is read."""
    window: WindowInfo | None
    coverage: Coverage
    bill: report_rows.MonthBill
    """What a month costs as it is: all savings are taken off it."""
    findings: tuple[Finding, ...]
    """By severity, then as their fixes rank, then by rule."""
    do_first: tuple[OrderedFix, ...]
    """The fixes that bring anything, in the order in which to make them."""
    fix_sets: tuple[FixSet, ...]
    """Fixes that bring more throughput together than any of them alone, where traffic waits."""
    traffic_by_class: tuple[report_rows.ClassTotal, ...]
    zone_pairs: tuple[report_rows.ZonePair, ...]
    machines: tuple[report_rows.MachineRow, ...] = ()
    regions: tuple[RegionRow, ...] = ()
    recommendations: tuple[MachinePlan, ...]
    jobs: tuple[JobPlan, ...]
    assumptions: tuple[str, ...]
    suppressed: tuple[report_rows.Suppressed, ...]
    filtered: tuple[report_rows.Filtered, ...] = ()
    expired_suppressions: tuple[report_rows.ExpiredSuppression, ...]
    unused_suppressions: tuple[Suppression, ...] = ()
    """Suppressions and accepted findings in force that fit no finding, though all was judged."""
    not_evaluated: tuple[report_rows.NotEvaluated, ...]
    notes: tuple[report_rows.Note, ...] = ()
    commitments: tuple[CommitmentUse, ...] = ()
    """Every commitment that was read, and what of it is used."""
    commitment_lever: CommitmentLever | None = None
    commitment_lever_any_term: CommitmentLever | None = None
    """What committing to what runs would save beside the fixes; None: nothing, or not known."""
    flexible_commitments: FlexibleUse | None = None
    """What the billing export shows of flexible commitments; None: it shows none."""
    dear_pairs: tuple[DearPair, ...] = ()
    """The pairs of ends whose traffic costs most, the dearest first; not all of them."""
    network_services: tuple[report_rows.ServiceTotal, ...] = ()
    """Gateways, tunnels, forwarding rules and flow logs, the dearest first."""
    pod_pairs: tuple[PodPair, ...] = ()
    """The pairs of pods whose traffic costs most, the dearest first; not all of them."""
    near_savings: tuple[NearSaving, ...] = ()
    """What near endpoints would save of each Service that has traffic, by name."""
    plugin_changes: PluginChanges | None = None
    """What a demo's service does with each network plugin."""

    @property
    def changes(self) -> PlanChanges:
        """Every change of the order at each of its places."""
        steps = script_steps(self.do_first)
        return PlanChanges(steps=tuple(steps), order=_WHY_THIS_ORDER)

    @property
    def numbers(self) -> dict[str, int]:
        """The place of each finding in the report, from 1, by fingerprint."""
        return {one.fingerprint: at for at, one in enumerate(self.findings, 1)}

    @property
    def saving_usd_per_month(self) -> Decimal:
        """What all sure fixes of the order save together; what excludes each other counts once."""
        return total(fix for fix in self.do_first if fix.is_sure)


def total(fixes: Iterable[OrderedFix]) -> Decimal:
    """Return what some fixes of an order save together, a month."""
    return sum((fix.saving_usd_per_month or Decimal(0) for fix in fixes), Decimal(0))
