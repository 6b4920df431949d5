"""The recommendations and jobs that a demo's story asks for."""

from msgspec.structs import replace

from netplan_planner.engine.demos import Demo, DemoNeed
from netplan_planner.engine.machines import machine_of
from netplan_planner.model import (
    Facts,
    Infeasible,
    Instance,
    JobPlan,
    MachinePlan,
)
from netplan_planner.optimise.job.plan import plan_job
from netplan_planner.optimise.vm_today import baseline_of, with_baseline


def demo_answers(
    facts: Facts, demo: Demo | None
) -> tuple[tuple[MachinePlan, ...], tuple[JobPlan, ...]]:
    """Return what the story of a demo asks for; nothing without a demo."""
    if demo is None:
        return (), ()
    plans = tuple(plan for asked in demo.needs for plan in (_plan(facts, asked),) if plan)
    return plans, tuple(plan_job(one, facts.prices, facts.caps) for one in demo.jobs)


def _plan(facts: Facts, asked: DemoNeed) -> MachinePlan | None:
    machine = machine_of(facts.inventory, asked.replaces)
    shape = facts.shape(machine.machine_type)
    if shape is None:
        return None
    need = replace(asked.need, basis=_basis(facts, asked, machine))
    plan = facts.machines.choose(need)
    if isinstance(plan, Infeasible):
        return None
    return with_baseline(plan, *baseline_of(machine, shape, need, facts.prices, facts.caps))


def _basis(facts: Facts, asked: DemoNeed, machine: Instance) -> str:
    """Return whose wish it is, and whether the findings take it for the machine's target."""
    target = facts.target(machine)
    is_declared = target is not None and target.gbps == asked.need.gbps
    return f"the story's wish for {machine.name}" + (", its declared target" if is_declared else "")
