"""From a machine that exists to what its successor must carry, and what it is today."""

import msgspec

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    Candidate,
    CapsBook,
    Destination,
    Instance,
    MachineNeed,
    MachinePlan,
    MachineShape,
    PathEnd,
    PathQuery,
    PriceBook,
    Usage,
)
from netplan_planner.optimise.bill import MachineBill, machine_bill
from netplan_planner.optimise.offers import PATHS, rounded
from netplan_planner.throughput import instance_end, predict


def need_for_vm(
    instance: Instance,
    gbps: float,
    shape: MachineShape,
    *,
    destination: Destination = Destination.INTERNAL,
    headroom_ratio: float = 0.2,
    vcpus: int | None = None,
    memory_gib: float | None = None,
    usage: Usage | None = None,
    series: tuple[str, ...] = (),
    max_count: int = 1,
    min_flow_gbps: float = 0.0,
    month_ratio: float = 1.0,
) -> MachineNeed:
    """Return the need of a machine: its bandwidth, with its own vCPUs and memory as floors.

    The architecture stays, because another one needs another image. A machine with GPUs stays in
    its series; one on shared cores may stay on them.

    Args:
        instance: The machine.
        gbps: Wanted egress; usually the 95th percentile that was observed.
        shape: What its type has.
        destination: Where the bandwidth goes.
        headroom_ratio: Share of the cap that stays free.
        vcpus: Another floor than the machine's own.
        memory_gib: Another floor than the machine's own.
        usage: Another way of paying than the machine's own (Spot or on demand).
        series: Allowed series; empty means any.
        max_count: How many machines may share its load.
        min_flow_gbps: What a single flow must reach.
        month_ratio: Share of the month that it runs.
    """
    own_usage = Usage.SPOT if instance.is_spot else Usage.ON_DEMAND
    has_gpu = shape.gpu_count > 0 or instance.gpu_count > 0
    return MachineNeed(
        gbps=gbps,
        region=instance.region,
        destination=destination,
        vcpus=shape.vcpus if vcpus is None else vcpus,
        memory_gib=shape.memory_gib if memory_gib is None else memory_gib,
        headroom_ratio=headroom_ratio,
        usage=usage or own_usage,
        series=series or ((instance.series,) if has_gpu else ()),
        architecture=shape.architecture,
        max_count=max_count,
        min_flow_gbps=min_flow_gbps,
        allow_gpu=has_gpu,
        allow_shared_core=shape.is_shared_core,
        month_ratio=month_ratio,
    )


def baseline_of(
    instance: Instance, shape: MachineShape, need: MachineNeed, prices: PriceBook, caps: CapsBook
) -> tuple[Candidate | None, str]:
    """Return a machine as it is today in the terms of a plan, and what is not known of it.

    The text says why there is no candidate, or why a candidate has no price. Disks, licences and
    attached GPUs are in no price here.
    """
    end = instance_end(instance)
    query = PathQuery(path_class=PATHS[need.destination], src=end, dst=PathEnd(machine_type=None))
    estimate = predict(query, caps)
    binding = estimate.binding
    if binding is None or estimate.gbps is None:
        return None, "; ".join(estimate.unknown)
    bill, why_no_price = _bill(instance, end, need, prices, caps)
    candidate = Candidate(
        machine_type=instance.machine_type,
        count=1,
        is_tier1=end.is_tier1,
        vcpus=shape.vcpus,
        memory_gib=shape.memory_gib,
        cap_gbps=estimate.gbps,
        usable_gbps=rounded(estimate.gbps * (1 - need.headroom_ratio)),
        usd_per_month=bill.usd_per_month if bill else None,
        line_items=bill.lines(1) if bill else (),
        limit=binding,
        cpu_platform=end.cpu_platform or "",
        note=why_no_price,
    )
    return candidate, why_no_price


def with_baseline(plan: MachinePlan, baseline: Candidate | None, note: str = "") -> MachinePlan:
    """Return a plan with what is there today beside it."""
    return msgspec.structs.replace(plan, baseline=baseline, baseline_note=note)


def _bill(
    instance: Instance, end: PathEnd, need: MachineNeed, prices: PriceBook, caps: CapsBook
) -> tuple[MachineBill | None, str]:
    tier1_gbps = None
    if end.is_tier1:
        # Tier_1 that the type does not offer is not billed by a size that we know.
        tier1 = caps.cap(instance.machine_type, tier1=True, cpu_platform=end.cpu_platform)
        tier1_gbps = tier1.egress_gbps if tier1 else None
    try:
        bill = machine_bill(prices, need, instance.machine_type, tier1_gbps)
    except MissingDatum as missing:
        return None, str(missing)
    return bill, bill.tier1_unknown
