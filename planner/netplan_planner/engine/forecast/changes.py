"""The steps of a forecast: machines that get another type before they are at their caps."""

from collections.abc import Iterable
from datetime import date, timedelta

from msgspec.structs import replace

from netplan_planner.engine.plan_changes import in_order
from netplan_planner.engine.plan_changes.resize import Target, resize
from netplan_planner.model import Facts
from netplan_planner.model.changes import PlanChange, PlanChanges
from netplan_planner.model.forecast import CapStatus, MachineForecast, NextMachine
from netplan_planner.optimise.forecast.grid import DAYS_PER_WEEK

_WHY = (
    "Every machine by itself, the one that reaches its cap soonest first, so that one may stop"
    " after any of them and forecast again."
)


def changes_of(
    facts: Facts | None, machines: Iterable[MachineForecast], today: date
) -> PlanChanges:
    """Return the steps of machines for which a greater type is known; a table names no machines.

    Args:
        facts: The inventory; None: the series are a table.
        machines: What needs action soonest first.
        today: Steps whose day has passed are due now.
    """
    if facts is None:
        return PlanChanges()
    steps: dict[str, PlanChange] = {}
    types: dict[str, NextMachine] = {}
    for one in machines:
        instance = facts.inventory.instance_by_link.get(one.machine) if one.machine else None
        if one.next_machine is None or instance is None:
            continue
        new = one.next_machine
        group = facts.inventory.group_by_member.get(instance.ref.self_link)
        key = group.ref.self_link if group is not None and group.is_managed else str(one.machine)
        if key not in steps:
            target = Target(new.machine_type, new.is_tier1, new.cpu_platform)
            steps[key] = _dated(resize(facts, instance, target), one, today)
            types[key] = new
        elif (new.machine_type, new.is_tier1) != (types[key].machine_type, types[key].is_tier1):
            steps[key] = _with_other(steps[key], one, new)
    return in_order(steps.values(), _WHY)


def _dated(step: PlanChange, one: MachineForecast, today: date) -> PlanChange:
    fix = step.fix
    text = f"{_when(one, today)}: {fix.text[0].lower()}{fix.text[1:]}"
    return replace(step, fix=replace(fix, text=text))


def _when(one: MachineForecast, today: date) -> str:
    """Return by when a machine needs another type: the day before the week that reaches the cap."""
    if one.status is CapStatus.THERE or one.week is None:
        return "Now, as it is at its cap"
    by = one.basis.end.date() + timedelta(days=DAYS_PER_WEEK * (one.week - 1))
    if by <= today:
        return f"Now, as its cap is likely since the week of {by}"
    low = one.basis.end.date() + timedelta(days=DAYS_PER_WEEK * ((one.low_week or one.week) - 1))
    sooner = f" (it may be at its cap from {max(low, today)} on)" if low < by else ""
    return f"Before {by}{sooner}"


def _with_other(step: PlanChange, one: MachineForecast, new: NextMachine) -> PlanChange:
    """Return a step that says what another cap, or machine of the group, would take."""
    tier1 = " with Tier_1" if new.is_tier1 else ""
    said = (
        f"{one.name} under its cap of {one.scope.value} traffic would take"
        f" {new.machine_type}{tier1}: take the greater of both."
    )
    caution = " ".join(filter(None, (step.fix.caution, said)))
    return replace(step, fix=replace(step.fix, caution=caution))
