"""A machine as it is today, in the terms of a plan."""

import msgspec

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    Candidate,
    CapsBook,
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
    # It stays where and what it is, whatever is asked of its successor.
    asks_for_spot = need.usage is Usage.SPOT and not instance.is_spot
    today = msgspec.structs.replace(
        need, region=instance.region, usage=Usage.ON_DEMAND if asks_for_spot else need.usage
    )
    try:
        bill = machine_bill(prices, today, instance.machine_type, tier1_gbps)
    except MissingDatum as missing:
        return None, str(missing)
    return bill, bill.tier1_unknown
