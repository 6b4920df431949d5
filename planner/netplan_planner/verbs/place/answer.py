"""What `netplan place` answers: zones for machines, what they save, and what binds."""

from decimal import Decimal
from enum import StrEnum

from msgspec import field

from netplan_planner.model.base import Value, Zone
from netplan_planner.model.money.prices import LineItem
from netplan_planner.model.plans.plan_answer import PlanChanges, ProjectAnswer, Shortfall
from netplan_planner.model.report_rows import Unpriced


class PlacementConstraint(StrEnum):
    """What a placement has to keep."""

    CAPACITY = "capacity"
    SPREAD = "spread"
    PIN = "pin"
    ROUND_TRIP = "round-trip"
    OFFER = "offer"
    """The machine type is not offered in the zone."""


class PlannedMove(Value, frozen=True, kw_only=True):
    """One machine that is to stand elsewhere."""

    name: str
    from_zone: Zone
    to_zone: Zone
    step: int
    """Moves of one step need each other; one may stop after any step."""
    step_saving_usd_per_month: Decimal
    """Of the whole step, after the steps before it; negative where it only lets constraints hold.
    """
    saving_usd_per_month: Decimal
    """Its even share of the step."""
    is_worth_it: bool
    """Whether it stands above the stop line."""
    one_off_usd: Decimal | None
    """Null: not known, `one_off` says why."""
    one_off: str
    """What the move costs once."""
    breaks: tuple[str, ...] = ()
    """What refers to the machine where it stands, and has to follow it."""


class PlacementBinding(Value, frozen=True, kw_only=True):
    """A constraint that keeps machines from cheaper zones."""

    constraint: PlacementConstraint
    name: str
    """The zone, the group, the machine or the pair."""
    machine_count: int
    """Machines that would move at once if it did not hold for them alone."""
    usd_per_month: Decimal
    """What the one of them that would gain most would save."""


class Placement(ProjectAnswer, frozen=True, kw_only=True):
    """Zones for VMs at the lowest cost of traffic."""

    assignment: dict[str, Zone] = field(default_factory=dict)
    """Name and zone of each machine, by name; empty where no placement keeps every constraint."""
    moves: tuple[PlannedMove, ...] = ()
    """In the order to make them."""
    usd_per_month: Decimal | None = None
    """Of the traffic between these machines, and of machines whose types are given, as planned.

    None: no plan keeps every constraint.
    """
    baseline_usd_per_month: Decimal
    """The same as they stand today."""
    bound_usd_per_month: Decimal | None = None
    """No placement under these constraints costs less.

    None: what is known is below half of the plan, which says nothing of how good it is.
    """
    is_proven: bool = False
    """Whether no placement costs less, by more than `proven_within_usd`."""
    proven_within_usd: Decimal
    """What the free first GiB of prices between regions can make of it."""
    bound_by: str = ""
    """The argument behind the bound: `program`, `stars` or `eigenvalues`; empty without one."""
    is_cut_short: bool = False
    """Whether a time limit ended the search: another run may find another plan.

    All other limits count what is done, and end every run alike.
    """
    gap_ratio: float | None = None
    """How much more than the best plan it costs at most; None where that is not known."""
    line_items: tuple[LineItem, ...] = ()
    baseline_line_items: tuple[LineItem, ...]
    unpriced: tuple[Unpriced, ...]
    """Traffic that no price is known of; it is in no amount, and nothing is placed by it."""
    spread_usd_per_month: Decimal = Decimal(0)
    """The price of availability: of the plan, what members of spread groups send each other."""
    stop_line_usd_per_move: Decimal
    """What a move has to save a month to stand above the stop line."""
    worth_usd_per_month: Decimal = Decimal(0)
    """What the moves above it save together."""
    rest_usd_per_month: Decimal = Decimal(0)
    """What those below it are worth."""
    bindings: tuple[PlacementBinding, ...] = ()
    is_feasible: bool = True
    infeasible: tuple[Shortfall, ...] = ()
    """What no placement can keep, each of a zone, a group or a pair."""
    machine_count: int
    movable_count: int
    part_count: int = 0
    """Parts that exchange no traffic and share no group."""
    has_machines: bool
    """Whether the bill has machines, those whose type is given."""
    stays: dict[str, int]
    """Why machines stay where they are, and how many."""
    broken_today: tuple[str, ...]
    """Constraints that today's placement breaks."""
    assumptions: tuple[str, ...]
    changes: PlanChanges = PlanChanges()
