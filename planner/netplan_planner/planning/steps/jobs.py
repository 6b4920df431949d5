"""The machines of jobs as steps: each job's are made for a run and deleted after it."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from netplan_planner.model import JobPlan, PriceBook, Usage, region_of, spaced
from netplan_planner.model.plans.changes import PlanChange, PlanChanges
from netplan_planner.planning.steps import in_order
from netplan_planner.planning.steps.runs import machines_for_run, names_of

_ORDER = "Each job by itself, in any order. A zone may have no room for them at once: try another."


def changes_of_jobs(plans: Sequence[JobPlan], prices: PriceBook) -> PlanChanges:
    """Return a step for each job that has machines, the cheapest ones."""
    return in_order(
        (step for plan in enumerate(plans, 1) for step in _steps(*plan, prices)), _ORDER
    )


def _steps(number: int, plan: JobPlan, prices: PriceBook) -> Iterator[PlanChange]:
    if not plan.options or plan.infeasible is not None:
        return
    best, region = plan.options[0], plan.need.region
    zone, is_known = zone_of(region, best.machine_type, prices)
    step = machines_for_run(
        names_of(f"netplan-job{number}", best.count),
        zone,
        best.machine_type,
        is_spot=best.usage is Usage.SPOT,
        is_tier1=best.is_tier1,
        cpu_platform=best.cpu_platform,
    )
    if not is_known:
        caution = f"Which zones of {region} offer {best.machine_type} is not known."
        step = replace(step, fix=replace(step.fix, caution=spaced(caution, step.fix.caution)))
    yield step


def zone_of(region: str, machine_type: str, prices: PriceBook) -> tuple[str, bool]:
    """Return a zone of a region for a type, and whether it is known to offer it."""
    zones = [one for one in prices.zones(machine_type) or () if region_of(one) == region]
    if zones:
        return zones[0], True
    others = (prices.zones(shape.machine_type) or () for shape in prices.offered(region))
    every = sorted({one for of in others for one in of if region_of(one) == region})
    return (every[0] if every else f"{region}-a"), False
