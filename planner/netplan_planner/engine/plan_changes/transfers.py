"""The machines of a transfer as steps: receivers first, deleted when all has arrived."""

from collections.abc import Iterator

from msgspec.structs import replace

from netplan_planner.engine.plan_changes import in_order
from netplan_planner.engine.plan_changes.jobs import zone_of
from netplan_planner.engine.plan_changes.runs import machines_for_run, names_of
from netplan_planner.model import PriceBook, Usage
from netplan_planner.model.changes import PlanChange, PlanChanges
from netplan_planner.model.transfer import AddressKind, TransferPlan
from netplan_planner.optimise.transfer.hops import region_of_bucket

_ORDER = (
    "Receivers before relays before senders, so that nothing waits for what is not there; all are"
    " paid from their start until they are deleted. A zone may have no room for them: try another."
)


def changes_of_transfer(plan: TransferPlan, prices: PriceBook) -> PlanChanges:
    """Return a step for each place with machines of a known type."""
    return in_order(_steps(plan, prices), _ORDER)


def _steps(plan: TransferPlan, prices: PriceBook) -> Iterator[PlanChange]:
    if plan.plan is None:
        return
    need, regions = plan.need, set(prices.regions())
    leaves = any(region_of_bucket(one) not in regions for one in need.targets)
    for machines in reversed(plan.plan.machines):
        if not machines.machine_type or machines.place not in prices.regions():
            continue
        zone, is_known = zone_of(machines.place, machines.machine_type, prices)
        role = machines.role.split()[0]
        step = machines_for_run(
            names_of(f"netplan-{role}-{machines.place}", machines.count),
            zone,
            machines.machine_type,
            is_spot=plan.need.usage is Usage.SPOT,
            is_tier1=machines.is_tier1,
            cpu_platform=machines.cpu_platform,
            has_address=leaves or need.address is AddressKind.EXTERNAL,
            network_tier=need.network_tier.value if leaves else "",
        )
        if not is_known:
            unknown = f"Which zones of {machines.place} offer {machines.machine_type} is not known."
            step = replace(step, fix=replace(step.fix, caution=f"{unknown} {step.fix.caution}"))
        yield step
