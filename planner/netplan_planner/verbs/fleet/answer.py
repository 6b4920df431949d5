"""`netplan fleet`: what a fleet needs, and machine types with the commitments that pay for them."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from netplan_planner.model.amounts import Text
from netplan_planner.model.base import ProjectId, SelfLink, Value, Zone, region_of
from netplan_planner.model.money.prices import LineItem
from netplan_planner.model.plans.changes import PlanChanges
from netplan_planner.model.plans.plan import Ties


class CommitmentChoice(StrEnum):
    """Which kinds of commitments may be bought."""

    NONE = "none"
    RESOURCE = "resource"
    FLEXIBLE = "flexible"
    ALL = "all"


class MoveKind(StrEnum):
    """What makes a move to another type work, each with a price that the user may set."""

    RESTART = "restart"
    """Any other type, or Tier_1 other than today."""
    ARCHITECTURE = "architecture"
    """Another processor architecture: other images."""
    LOCAL_SSD = "local-ssd"
    """It has Local SSDs: a new machine, whose Local SSDs begin empty."""
    GPU = "gpu"
    """It has GPUs: a new machine."""
    LICENCE = "licence"
    """It has licences, and another number of vCPUs."""
    CHECK = "check"
    """Something has to be looked at before."""


class FleetNeed(Value, frozen=True, kw_only=True):
    """A group of equal machines that keeps its number and has one type."""

    name: str
    zone: Zone
    more_zones: tuple[Zone, ...] = ()
    """Further zones of the same region in which its machines stand."""
    count: int
    gbps: float
    """What each machine sends inside the VPC."""
    outside_gbps: float = 0.0
    """What each sends to addresses outside the VPC, on top."""
    vcpus: int
    """Least vCPUs of each."""
    memory_gib: float
    hours_per_month: Decimal
    active_hours: tuple[int, ...]
    """Hours of the day in which it runs, UTC; 8 is from 8 to 9."""
    machine_type: str | None = None
    """Its type today; None: it is new."""
    is_tier1: bool = False
    cpu_platform: str | None = None
    architecture: str | None = None
    """The only one that is allowed, as the Compute API spells it; None: any."""
    is_pinned: bool = False
    """It keeps its type."""
    why_pinned: str = ""
    """Why it does, where nobody asked for it."""
    is_spot: bool = False
    project: ProjectId = ProjectId("")
    ties: Ties | None = None
    has_licences: bool = False
    basis: str = ""
    """Where the wanted bandwidth and size come from."""
    machines: tuple[SelfLink, ...] = ()
    """The machines of the inventory that it stands for."""

    @property
    def region(self) -> str:
        """The region of its zone."""
        return region_of(self.zone)


class FleetGroup(Value, frozen=True, kw_only=True):
    """What becomes of a group."""

    name: str
    zone: Zone
    count: int
    machine_type: str
    is_tier1: bool
    usd_per_month: Decimal
    """On demand, for what no commitment covers; the fees of commitments come on top."""
    on_demand_usd_per_month: Decimal
    """As if no commitment covered any of it."""
    on_demand_usd_per_month_today: Decimal | None
    """That of the type of today; None for a new group, or where its price is not known."""
    machine_type_today: str | None
    is_tier1_today: bool
    usable_gbps: float | None
    """Of one machine, after headroom; None: its cap is not known."""
    needs_gbps: float
    """Of one machine, inside and outside together."""
    vcpus: int
    """Of one machine."""
    memory_gib: float
    hours_per_month: Decimal
    note: str = ""
    """What to know or to look at before the move."""
    machines: tuple[SelfLink, ...] = ()


class FleetCommitment(Value, frozen=True, kw_only=True):
    """A commitment to buy."""

    kind: str
    """`resource` or `flexible`."""
    family: str
    """The machine series that it covers; empty for a flexible one."""
    region: str
    """Empty for a flexible one: it covers all regions."""
    years: int
    vcpus: int
    memory_gib: Decimal
    usd_per_hour: Decimal
    """Its fee, which is paid in every hour of the term."""
    usd_per_month: Decimal
    covers_usd_per_hour: Decimal | None = None
    """Spend at prices on demand that a flexible one covers."""
    used_ratio: Decimal
    """Share of it that is in use over the hours of a month."""
    project: ProjectId = ProjectId("")
    """That it is bought in, where the fleet has several projects."""


class VcpuLimit(NamedTuple):
    """A quota: most vCPUs of a series in a region at once."""

    region: str
    series: str
    vcpus: int


class FleetShortfall(Value, frozen=True, kw_only=True):
    """Why a group has no machine type, or a limit no room."""

    name: str
    """Of the group, or of the limit."""
    binding: str
    shortfall: str
    change: str
    """What would have to change."""


class FleetAdvice(Value, frozen=True, kw_only=True):
    """A recommendation of Google's that would cut a busy sender below its traffic."""

    machine: str
    recommended: str
    says: str
    """What it sends and what the recommended type carries."""
    instead: str
    """The type of the plan, which carries it."""


class FleetAnswer(Value, frozen=True, kw_only=True):
    """Machine types and commitments for a fleet, beside what it costs today."""

    groups: tuple[FleetGroup, ...] = ()
    commitments: tuple[FleetCommitment, ...] = ()
    usd_per_month: Decimal | None = None
    """Groups, commitments to buy and those that are there already; None: there is no plan."""
    bound_usd_per_month: Decimal | None = None
    """No plan of these types and commitments costs less."""
    gap_ratio: float | None = None
    """By how much of the plan it lies above the bound, at most."""
    baseline_usd_per_month: Decimal | None = None
    baseline_note: Text = ""
    same_types_usd_per_month: Decimal | None = None
    """The machines of the baseline under the best commitments for them."""
    outgrown_groups: int = 0
    """Groups whose type of today does not carry what they need, headroom included."""
    changes: PlanChanges = PlanChanges()
    """The steps of the plan, for gcloud and Terraform."""
    line_items: tuple[LineItem, ...] = ()
    """They add up to the plan."""
    baseline_line_items: tuple[LineItem, ...] = ()
    is_feasible: bool = True
    infeasible: tuple[FleetShortfall, ...] = ()
    """What has no solution, each with the smallest shortfall."""
    kept: tuple[FleetShortfall, ...] = ()
    """Machines of the inventory that stay as they are, and why."""
    advice: tuple[FleetAdvice, ...] = ()
    notes: tuple[Text, ...] = ()
    incomplete: tuple[str, ...] = ()
    """What of the given evidence could not be read in full, a line each."""
    headroom_ratio: float
    commitment_choice: CommitmentChoice
    limits_as_of: date
    prices_as_of: date
    prices_sha256: str
    price_terms: str = ""
    price_age: str = ""
