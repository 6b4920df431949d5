"""The recommendations and jobs that a demo's story asks for."""

from msgspec.structs import replace

from netplan_planner.engine.demos import Demo, DemoNeed
from netplan_planner.engine.machines import machine_of, wanted_gbps
from netplan_planner.errors import InputError
from netplan_planner.machines import ties_of
from netplan_planner.model import (
    Destination,
    Facts,
    Infeasible,
    Instance,
    JobPlan,
    MachinePlan,
    MachineShape,
    need_for_vm,
)
from netplan_planner.optimise import baseline_of, plan_job, with_baseline


def demo_answers(
    facts: Facts, demo: Demo | None
) -> tuple[tuple[MachinePlan, ...], tuple[JobPlan, ...]]:
    """Return what the story of a demo asks for; nothing without a demo."""
    if demo is None:
        return (), ()
    plans = tuple(plan for asked in demo.needs for plan in (_plan(facts, asked),) if plan)
    return plans, tuple(plan_job(need, facts.prices, facts.caps) for need in demo.jobs)


def _plan(facts: Facts, asked: DemoNeed) -> MachinePlan | None:
    machine = machine_of(facts.inventory, asked.replaces)
    shape = facts.shape(machine.machine_type)
    if shape is None:
        return None
    need = replace(asked.need, basis=_basis(facts, asked, machine, shape))
    plan = facts.machines.choose(need)
    if isinstance(plan, Infeasible):
        return None
    return with_baseline(plan, *baseline_of(machine, shape, need, facts.prices, facts.caps))


def _basis(facts: Facts, asked: DemoNeed, machine: Instance, shape: MachineShape) -> str:
    """Return whose wish it is, and what the findings name where they look at the traffic alone."""
    wish = f"the story's wish for {machine.name}"
    try:
        seen = wanted_gbps(facts, machine, Destination.INTERNAL)
    except InputError:
        return wish
    need = need_for_vm(machine, seen.gbps, shape, ties=ties_of(facts.inventory, machine, shape))
    plan = facts.machines.choose(replace(need, allow_shared_core=False))
    if isinstance(plan, Infeasible):
        return wish
    enough = plan.ranked[0].machine_type
    return (
        f"{wish}, above what the traffic shows: {seen.gbps:.3g} Gbit/s at the 95th percentile, with"
        f" {100 * need.headroom_ratio:g} % of the cap kept free, take {enough}, which the findings"
        " name"
    )
