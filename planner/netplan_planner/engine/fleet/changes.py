"""The steps of a fleet's plan: machines one by one, what saves most first, commitments last."""

from collections.abc import Iterator
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.engine.plan_changes import commitments, groups, in_order
from netplan_planner.engine.plan_changes.resize import Target, resize_itself
from netplan_planner.model import (
    Facts,
    FleetCommitment,
    FleetGroup,
    FleetNeed,
    Instance,
    InstanceGroup,
)
from netplan_planner.model.changes import PlanChange, PlanChanges
from netplan_planner.optimise.fleet.machine import Candidate, notes_of
from netplan_planner.units import counted

_CENT = Decimal("0.01")
_ORDER = (
    "Every machine by itself, so that one may stop after any of them; what saves most at prices on"
    " demand stands first. Commitments come last, in the amounts of the whole plan: they cannot be"
    " cancelled, so buy them once the machines are what the plan says, and less where fewer moved."
)
_SOME_DEARER = (
    "Every machine by itself; what saves most at prices on demand stands first. Last of them"
    " ({steps}) stand those that cost more than today until the commitments of the plan are bought,"
    " each saying by how much: make them only if these are, or where the type of today is too"
    " small. Commitments come last, in the amounts of the whole plan: they cannot be cancelled, so"
    " buy them once the machines are what the plan says, and less where fewer moved."
)
_OF_A_TABLE = (
    "A table names no machines, so only what is bought is a step: the types are in the table of"
    " groups. A commitment cannot be cancelled: buy it once they run."
)


def changes_of(
    facts: Facts | None,
    planned: tuple[tuple[FleetNeed, Candidate, FleetGroup], ...],
    bought: tuple[FleetCommitment, ...],
) -> PlanChanges:
    """Return the steps of a plan.

    Args:
        facts: The inventory; None: the fleet is a table.
        planned: Each group, the machine that it becomes, and the same as it is answered.
        bought: The commitments of the plan.
    """
    buying = [step for one in bought for step in _buying(one)]
    if facts is None:
        return in_order(buying, _OF_A_TABLE)
    steps: list[PlanChange] = []
    dearer = 0
    for need, candidate, group in sorted(planned, key=lambda one: (-_saved(one[2]), one[2].name)):
        moves = list(_moves(facts, need, candidate))
        if _saved(group) <= -_CENT:
            dearer += len(moves)
            moves = [_said_dearer(one, group, len(moves)) for one in moves]
        steps += moves
    order = _SOME_DEARER.format(steps=counted(dearer, "step")) if dearer else _ORDER
    return in_order([*steps, *buying], order)


def _saved(group: FleetGroup) -> Decimal:
    """Return what a group costs less before commitments than today, a month."""
    today = group.on_demand_usd_per_month_today
    return Decimal(0) if today is None else today - group.on_demand_usd_per_month


def _said_dearer(step: PlanChange, group: FleetGroup, step_count: int) -> PlanChange:
    """Return a step that says what it costs more than today until a commitment covers it."""
    usd = -_saved(group) / step_count
    caution = (
        f"At prices on demand it costs {usd:.2f} USD a month more than today, until a commitment"
        " covers it."
    )
    return replace(step, fix=replace(step.fix, caution=f"{caution} {step.fix.caution}".strip()))


def _moves(facts: Facts, need: FleetNeed, candidate: Candidate) -> Iterator[PlanChange]:
    """Yield the steps of a group that moves: one of a managed group, else one a machine."""
    machine = candidate.machine
    if (need.machine_type, need.is_tier1) == (machine.machine_type, machine.is_tier1):
        return
    instances = [facts.inventory.instance_by_link[link] for link in need.machines]
    group = _managed(facts, instances)
    if group is not None:
        step = groups.change_group(
            group, machine.machine_type, is_tier1=machine.is_tier1, before=need.machine_type
        )
        yield _with_caution(step, candidate)
        return
    for instance in instances:
        yield _with_caution(_move(facts, instance, candidate), candidate)


def _managed(facts: Facts, instances: list[Instance]) -> InstanceGroup | None:
    found = [facts.inventory.group_by_member.get(one.ref.self_link) for one in instances]
    return next((one for one in found if one is not None and one.is_managed), None)


def _with_caution(step: PlanChange, candidate: Candidate) -> PlanChange:
    """Return a step that says what has to be looked at before the machine becomes the type."""
    said = notes_of(candidate)
    if not said:
        return step
    caution = " ".join(filter(None, (f"{said[0].upper()}{said[1:]}.", step.fix.caution)))
    return replace(step, fix=replace(step.fix, caution=caution))


def _move(facts: Facts, instance: Instance, candidate: Candidate) -> PlanChange:
    machine = candidate.machine
    target = Target(machine.machine_type, machine.is_tier1, machine.cpu_platform)
    return resize_itself(facts, instance, target)


def _buying(one: FleetCommitment) -> Iterator[PlanChange]:
    if one.kind == "flexible":
        yield commitments.buy_flexible(one.years, one.usd_per_hour)
        return
    yield commitments.buy_for_resources(
        one.family.partition("/")[0],
        one.region,
        one.years,
        one.vcpus,
        one.memory_gib,
        one.project,
    )
