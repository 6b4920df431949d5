"""`netplan fleet`: machine types with the commitments that pay for them."""

from decimal import Decimal

from netplan_planner.model.base import SelfLink, Text, Value, Zone
from netplan_planner.model.money.prices import LineItem
from netplan_planner.model.plans.commitment import FleetCommitment
from netplan_planner.model.plans.plan import MachinesOfType
from netplan_planner.model.plans.plan_answer import ProjectPlan, Shortfall
from netplan_planner.planning.fleet.need import CommitmentChoice


class FleetGroup(MachinesOfType, frozen=True, kw_only=True):
    """What becomes of a group."""

    name: str
    zone: Zone
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
    needs_gbps: float | None
    """Of one machine, inside and outside together; None: it keeps its type, whatever it sends."""
    hours_per_month: Decimal
    machines: tuple[SelfLink, ...] = ()


class FleetAdvice(Value, frozen=True, kw_only=True):
    """A recommendation of Google's that would cut a busy sender below its traffic."""

    machine: str
    recommended: str
    says: str
    """What it sends and what the recommended type carries."""
    instead: str
    """The type of the plan, which carries it."""


class FleetAnswer(ProjectPlan, frozen=True, kw_only=True):
    """Machine types and commitments for a fleet, and what it costs today."""

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
    least_saving_usd: Decimal = Decimal(0)
    """A month, that each move saves at least."""
    small_moves: int = 0
    """Groups that would move for less; they stay."""
    small_moves_usd_per_month: Decimal = Decimal(0)
    """What these moves would save together."""
    line_items: tuple[LineItem, ...] = ()
    """They add up to the plan."""
    baseline_line_items: tuple[LineItem, ...] = ()
    is_feasible: bool = True
    infeasible: tuple[Shortfall, ...] = ()
    """What has no solution, each with the smallest shortfall."""
    kept: tuple[Shortfall, ...] = ()
    """Machines of the inventory that stay as they are, and why."""
    advice: tuple[FleetAdvice, ...] = ()
    notes: tuple[Text, ...] = ()
    headroom_ratio: float
    commitment_choice: CommitmentChoice
    price_terms: str = ""
