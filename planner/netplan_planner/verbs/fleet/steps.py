"""The steps of a fleet's plan, what saves most first, and what to know beside its figures."""

from collections.abc import Iterator
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.machines.groups import is_managed
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges
from netplan_planner.optimise.offers import ARM
from netplan_planner.planning.fleet.market import Market
from netplan_planner.planning.fleet.need import Candidate, FleetNeed, notes_of
from netplan_planner.planning.fleet.plan import Planned
from netplan_planner.planning.steps import commitments, in_order, machine_changes
from netplan_planner.planning.steps.machine_changes import Target, resize_itself
from netplan_planner.units import counted
from netplan_planner.verbs.fleet.answer import FleetAdvice, FleetGroup
from netplan_rules.capacity.cpu_advice_breaks_bandwidth import check

_CENT = Decimal("0.01")
_ORDER = "Each VM is a separate change. The largest saving at on-demand prices comes first."
_ANY = "You can stop after any step."
_COSTLIER = "Steps that cost more than the current types: {}. Each one says how much and why."
_BUYING = (
    "Commitments come last, in the amounts of the complete plan. They cannot be cancelled. Buy "
    "them once the VMs have the planned types, and buy less if fewer VMs moved."
)
_OF_A_TABLE = (
    "The table has no VM names, so the steps contain only commitments. The types are in the "
    "table of groups. A commitment cannot be cancelled: buy it once the VMs are running."
)


def changes_of(
    facts: model.Facts | None,
    planned: tuple[tuple[FleetNeed, Candidate, FleetGroup, bool], ...],
    bought: tuple[model.FleetCommitment, ...],
) -> PlanChanges:
    """Return the steps of a plan.

    Args:
        facts: The inventory; None: the fleet is a table.
        planned: Each group, the machine that it becomes, the same as it is answered, and whether
            its type of today is too small.
        bought: The commitments of the plan.
    """
    buying = [step for one in bought for step in _buying(one)]
    if facts is None:
        return in_order(buying, _OF_A_TABLE)
    steps: list[PlanChange] = []
    costlier = 0
    by_saving = sorted(planned, key=lambda one: (-_saved(one[2]), one[2].name))
    for need, candidate, group, is_outgrown in by_saving:
        moves = list(_moves(facts, need, candidate))
        if _saved(group) <= -_CENT:
            costlier += len(moves)
            why = _why_costlier(is_outgrown=is_outgrown, is_buying=bool(buying))
            moves = [_said_costlier(one, -_saved(group) / len(moves), why) for one in moves]
        steps += moves
    order = (
        _ORDER,
        _COSTLIER.format(f"{costlier} of {len(steps) + len(buying)}") if costlier else _ANY,
        *([_BUYING] if buying else ()),
    )
    return in_order([*steps, *buying], " ".join(order))


def _saved(group: FleetGroup) -> Decimal:
    """Return what a group costs less before commitments than today, a month."""
    today = group.on_demand_usd_per_month_today
    return Decimal(0) if today is None else today - group.on_demand_usd_per_month


def _why_costlier(*, is_outgrown: bool, is_buying: bool) -> str:
    if is_outgrown:
        return ": the current type does not carry what it needs"
    return " until a commitment of the plan covers it (or skip this step)" if is_buying else ""


def _said_costlier(step: PlanChange, usd: Decimal, why: str) -> PlanChange:
    """Return a step that says what it costs more than today, and why it is in the plan."""
    caution = model.worded(
        "At prices on demand it costs ", model.Amount(usd=usd), f"/month more than today{why}."
    )
    return replace(step, fix=replace(step.fix, caution=model.spaced(caution, step.fix.caution)))


def _moves(facts: model.Facts, need: FleetNeed, candidate: Candidate) -> Iterator[PlanChange]:
    """Yield the steps of a group that moves: one of a managed group, else one a machine."""
    machine = candidate.machine
    if (need.machine_type, need.is_tier1) == (machine.machine_type, machine.is_tier1):
        return
    instances = [facts.inventory.instance_by_link[link] for link in need.machines]
    group = _managed(facts, instances)
    if group is not None:
        step = machine_changes.change_group(
            group,
            machine.machine_type,
            is_tier1=machine.is_tier1,
            before=need.machine_type,
            source=None if machine.cpu_platform else instances[0],
        )
        yield _with_caution(step, candidate)
        return
    for instance in instances:
        yield _with_caution(_move(facts, instance, candidate), candidate)


def _managed(facts: model.Facts, instances: list[model.Instance]) -> model.InstanceGroup | None:
    found = [facts.inventory.group_by_member.get(one.ref.self_link) for one in instances]
    return next((one for one in found if one is not None and one.is_managed), None)


def _with_caution(step: PlanChange, candidate: Candidate) -> PlanChange:
    """Return a step that says what has to be looked at before the machine becomes the type."""
    said = notes_of(candidate)
    if not said:
        return step
    caution = model.spaced(f"{said[0].upper()}{said[1:]}.", step.fix.caution)
    return replace(step, fix=replace(step.fix, caution=caution))


def _move(facts: model.Facts, instance: model.Instance, candidate: Candidate) -> PlanChange:
    machine = candidate.machine
    target = Target(machine.machine_type, machine.is_tier1, machine.cpu_platform)
    return resize_itself(facts, instance, target)


def _buying(one: model.FleetCommitment) -> Iterator[PlanChange]:
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


def breaking_advice(facts: model.Facts, groups: tuple[FleetGroup, ...]) -> Iterator[FleetAdvice]:
    """Yield each, as the audit finds it, with the plan's type instead."""
    group_of = {link: group for group in groups for link in group.machines}
    advised = {one.ref.self_link: one.machine_type for one in facts.inventory.type_recommendations}
    for hit in check(facts):
        if not isinstance(hit, model.Hit):
            continue
        machine, advice = hit.resources
        group = group_of.get(machine.self_link)
        tier1 = " with Tier_1" if group is not None and group.is_tier1 else ""
        yield FleetAdvice(
            machine=machine.name,
            recommended=advised[advice.self_link],
            says=str(hit.message),
            instead=f"{group.machine_type}{tier1}" if group is not None else "",
        )


def notes_of_inventory(facts: model.Facts | None, planned: Planned) -> Iterator[model.Text]:
    """Yield what machines of an inventory may do that commitments do not follow."""
    if facts is None:
        return
    if planned.bill.commitments:
        managed = sum(
            is_managed(facts, facts.inventory.instance_by_link[link])
            for need in planned.needs
            for link in need.machines
        )
        yield (
            "assumed: VMs run every hour of the month; commit to less if some stop at times"
            + (
                f"; this includes {counted(managed, 'VM')} of managed groups and GKE, whose "
                "number an autoscaler may change"
                if managed
                else ""
            )
        )
    if any(
        c.machine.machine_type != n.machine_type
        for n, c in zip(planned.needs, planned.chosen, strict=True)
    ):
        yield (
            "reservations that VMs use without naming them are not read: after a type change "
            "they stay paid and empty"
        )


def notes_of_plan(
    planned: Planned, market: Market, prices: model.PriceBook
) -> Iterator[model.Text]:
    """Yield what to know of the plan as a whole."""
    arm = [c for c in planned.chosen if c.machine.shape.architecture == ARM]
    new = [
        n for n, c in zip(planned.needs, planned.chosen, strict=True) if _is_new_arm(n, c, prices)
    ]
    if new:
        yield (
            f"{counted(len(new), 'group')} of {counted(len(arm), 'group')} on Arm are not on Arm "
            "today: they need Arm images (--architecture x86 avoids Arm)"
        )
    unknown = {
        c.machine.machine_type
        for c in planned.chosen
        if prices.zones(c.machine.machine_type) is None
    }
    if unknown:
        yield (
            "it is unknown which zones offer "
            f"{', '.join(sorted(unknown)[:5])}{' and more' if len(unknown) > 5 else ''}: the "
            "region does"
        )
    if market.doubts:
        first = sorted(market.doubts)[0]
        yield f"some types are counted without commitments, because it is unknown {first}"
    if any(one.kind == "flexible" for one in planned.bill.commitments):
        yield (
            "flexible commitments count only for series that this price snapshot lists as covered"
        )
    moves = sum(
        (c.move_usd * n.count for n, c in zip(planned.needs, planned.chosen, strict=True)),
        Decimal(0),
    )
    if moves:
        yield model.worded(
            model.Amount(usd=moves),
            "/month of it is the value of moves (--move-price), which is not billed",
        )


def _is_new_arm(need: FleetNeed, candidate: Candidate, prices: model.PriceBook) -> bool:
    if candidate.machine.shape.architecture != ARM:
        return False
    old = prices.shape(need.machine_type) if need.machine_type else None
    return old is None or old.architecture != ARM
