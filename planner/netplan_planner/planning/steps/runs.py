"""Machines for one run: made, and deleted after it."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from netplan_planner.model import Fix, Instruction, JobPlan, PriceBook, Usage, region_of, spaced
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges, TerraformChange
from netplan_planner.planning.steps import in_batches, in_order
from netplan_rules.wording import gcloud_of

_NO_ADDRESS = (
    " They have no external address, because the plan does not pay for one. Downloads from the"
    " internet need Cloud NAT, and Google APIs need Private Google Access."
)
_BULK = "https://cloud.google.com/compute/docs/instances/multiple/create-in-bulk"


def names_of(prefix: str, count: int) -> tuple[str, ...]:
    """Return names for so many machines.

    >>> names_of("job", 3)
    ('job-1', 'job-2', 'job-3')
    """
    return tuple(f"{prefix}-{number}" for number in range(1, count + 1))


def machines_for_run(
    names: Sequence[str],
    zone: str,
    machine_type: str,
    *,
    project: str = "",
    is_spot: bool = False,
    is_tier1: bool = False,
    cpu_platform: str = "",
    has_address: bool = True,
    network_tier: str = "",
) -> PlanChange:
    """Return the step that makes machines for a run, and deletes them when it is done.

    Args:
        names: Of the machines, at least one.
        zone: Where they are made.
        machine_type: Of each.
        project: Empty: the one that gcloud is set to.
        is_spot: Whether they are Spot machines, deleted when they are taken away.
        is_tier1: Whether they have Tier_1.
        cpu_platform: The least CPU platform; empty: none.
        has_address: Whether they have an external address, as gcloud gives them one unless told.
        network_tier: Of that address; empty: the project's.
    """
    instances = gcloud_of("instances", project, f"--zone={zone}")
    flags = [f"--machine-type={machine_type}"]
    if cpu_platform:
        flags.append(f"--min-cpu-platform={cpu_platform}")
    if is_spot:
        flags += ["--provisioning-model=SPOT", "--instance-termination-action=DELETE"]
    interface = ["nic-type=GVNIC"] if is_tier1 else []
    if not has_address:
        interface.append("no-address")
    elif network_tier:
        interface.append(f"network-tier={network_tier}")
    if interface:
        flags.append(f"--network-interface={','.join(interface)}")
    if is_tier1:
        flags.append("--network-performance-configs=total-egress-bandwidth-tier=TIER_1")
    nat = "" if has_address else _NO_ADDRESS
    subnet = "a subnet=NAME within --network-interface" if interface else "--subnet"
    delete = tuple(instances("delete", *batch) for batch in in_batches(names))
    count = len(names)
    kind = f"{count} × {machine_type}" if count > 1 else machine_type
    payment = " as Spot VMs" if is_spot else ""
    tier1 = " with Tier_1" if is_tier1 else ""
    return PlanChange(
        subject=names[0] if count == 1 else f"{names[0]} to {names[-1]}",
        fix=Fix(
            text=f"Create {kind}{tier1} in {zone}{payment}, run the job, then delete them",
            label=kind,
            commands=tuple(
                instances("bulk", "create", f"--predefined-names={','.join(batch)}", *flags)
                for batch in in_batches(names)
            ),
            verify=Instruction(
                text="They run, and the job has started on each.",
                commands=(instances("describe", names[0], "--format=value(status)"),),
            ),
            clean_up=Instruction(
                text="When the job is done and its output is stored elsewhere: they cost as long"
                " as they exist.",
                commands=delete,
            ),
            undo=Instruction(text="Delete them.", commands=delete),
            documents=(_BULK,),
            caution="Image, network and service account are the project's defaults. Set those of"
            f" the job (--image-family, {subnet}, --service-account, --metadata-from-file).{nat}",
        ),
        terraform=(
            TerraformChange(
                resource="google_compute_instance",
                name=names[0],
                attribute="machine_type",
                before=None,
                after=machine_type,
                replaces=False,
                note=f"{count} new. For a job that ends, use commands or a batch service instead"
                " of a permanent configuration.",
            ),
        ),
    )


# The machines of jobs as steps: each job's are made for a run and deleted after it


_ORDER = "Each job is independent, in any order. If a zone has no capacity for all, try another."


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
        caution = f"Which zones of {region} offer {best.machine_type} is unknown."
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
