"""The machine type for a finite transfer: what counts is the whole month, not the hour."""

from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    CapsBook,
    Estimate,
    JobNeed,
    JobOption,
    JobPlan,
    MachineShape,
    PathClass,
    PathQuery,
    PriceBook,
    Rejected,
    Usage,
    line_item,
)
from netplan_planner.throughput import predict, type_end
from netplan_planner.units import (
    BITS_PER_BYTE,
    BITS_PER_GIGABIT,
    SECONDS_PER_HOUR,
)


def plan_job(need: JobNeed, prices: PriceBook, caps: CapsBook) -> JobPlan:
    """Return what each machine type makes of a job, the cheapest month first, then the fastest.

    A run transfers inside the zone at the predicted rate, then computes on all vCPUs; the machine
    is paid while it does either. A bigger machine costs more an hour and runs fewer hours. Disks,
    start-up time and discounts for long use are left out. A type that cannot be judged is listed
    with the reason.
    """
    options: list[JobOption] = []
    unknown: list[Rejected] = []
    for machine_type in sorted(set(need.machine_types)):
        found = _option(need, machine_type, prices, caps)
        if isinstance(found, JobOption):
            options.append(found)
        else:
            unknown.append(found)
    # Equal to a micro-dollar is equal: then the faster one is better.
    options.sort(key=lambda o: (round(o.usd_per_month, 6), o.hours_per_month, o.machine_type))
    return JobPlan(need=need, options=tuple(options), unknown=tuple(unknown))


def _option(
    need: JobNeed, machine_type: str, prices: PriceBook, caps: CapsBook
) -> JobOption | Rejected:
    shape = prices.shape(machine_type)
    if shape is None:
        return _unknown(machine_type, "vcpus", "its vCPUs are not known")
    if shape.is_shared_core:
        return _unknown(machine_type, "shared-core", "how much of its cores it gets is not known")
    estimate = _transfer_rate(need, machine_type, caps)
    if estimate.gbps is None:
        return _unknown(machine_type, "cap", "; ".join(estimate.unknown))
    try:
        price = prices.machine(need.region, machine_type, Usage.ON_DEMAND)
    except MissingDatum as missing:
        return _unknown(machine_type, "price", str(missing))
    hours = _exact_hours(need, shape, estimate.gbps)
    item = line_item(f"{machine_type}, on demand, {need.region}", hours, price)
    return JobOption(
        machine_type=machine_type,
        transfer_gbps=estimate.gbps,
        transfer_s=_transfer_s(need, estimate.gbps),
        compute_s=need.cpu_seconds / shape.vcpus,
        hours_per_month=float(hours),
        usd_per_month=item.usd_per_month,
        line_items=(item,),
    )


def _transfer_rate(need: JobNeed, machine_type: str, caps: CapsBook) -> Estimate:
    askable = [cap for cap in caps.variants(machine_type) if cap.min_cpu_platform]
    platform = askable[0].min_cpu_platform if askable else None
    query = PathQuery(
        path_class=PathClass.SAME_ZONE_INTERNAL,
        src=type_end(machine_type, cpu_platform=platform),
        dst=type_end(machine_type),
        streams=need.streams,
    )
    return predict(query, caps)


def _transfer_s(need: JobNeed, gbps: float) -> float:
    return need.transfer_bytes * BITS_PER_BYTE / (gbps * BITS_PER_GIGABIT)


def _exact_hours(need: JobNeed, shape: MachineShape, gbps: float) -> Decimal:
    """Return the machine hours of all runs of a month, exact, so that equal costs compare equal."""
    bits = Decimal(need.transfer_bytes * BITS_PER_BYTE)
    transfer_s = bits / (Decimal(str(gbps)) * BITS_PER_GIGABIT)
    compute_s = Decimal(str(need.cpu_seconds)) / shape.vcpus
    return need.runs_per_month * (transfer_s + compute_s) / SECONDS_PER_HOUR


def _unknown(machine_type: str, reason: str, detail: str) -> Rejected:
    return Rejected(machine_type=machine_type, is_tier1=False, reason=reason, detail=detail)
