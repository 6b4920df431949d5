"""A machine as it is today, in the terms of a plan."""

from decimal import Decimal

import msgspec

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    Candidate,
    CapsBook,
    Instance,
    LineItem,
    MachineNeed,
    MachinePlan,
    MachineShape,
    Part,
    PriceBook,
    Text,
    Usage,
    line_item,
    usage_of,
)
from netplan_planner.optimise.bill import Attached, MachineBill, machine_bill, with_attached
from netplan_planner.optimise.offers import predicted_to, query_to, rounded
from netplan_planner.throughput import instance_end
from netplan_planner.units import HOURS_PER_MONTH

_SOLE_TENANT = (
    "it runs on sole-tenant nodes, which are paid for and not the machine: how many nodes of which"
    " type is not in the input"
)
_PRICED = frozenset({Part.GPUS, Part.SCHEDULING, Part.TIER})
"""Parts that decide what a machine costs."""


def baseline_of(
    instance: Instance, shape: MachineShape, need: MachineNeed, prices: PriceBook, caps: CapsBook
) -> tuple[Candidate | None, str]:
    """Return a machine as it is today in the terms of a plan, and what is not known of it.

    The text says why there is no candidate, or why a candidate has no price. Attached GPUs are in
    the price; disks and licences are in none. A machine that does not run has the price that it
    has when it runs, and the text says what it costs now.
    """
    end = instance_end(instance)
    estimate = next(predicted_to(need, [query_to(need, end)], caps))
    binding = estimate.binding
    if binding is None or estimate.gbps is None:
        return None, "; ".join(estimate.unknown)
    try:
        bill = bill_today(instance, need.usage, prices, caps, need.month_ratio)
        why_no_price = bill.unknown
    except MissingDatum as missing:
        bill, why_no_price = None, str(missing)
    candidate = Candidate(
        machine_type=instance.machine_type,
        count=1,
        is_tier1=end.is_tier1,
        vcpus=shape.vcpus,
        memory_gib=shape.memory_gib,
        cap_gbps=estimate.gbps,
        low_gbps=estimate.low_gbps,
        high_gbps=estimate.high_gbps,
        usable_gbps=rounded(estimate.gbps * (1 - need.headroom_ratio)),
        usd_per_month=bill.usd_per_month if bill else None,
        line_items=bill.lines(1) if bill else (),
        limit=binding,
        cpu_platform=end.cpu_platform or "",
        note=why_no_price,
    )
    return candidate, "; ".join(filter(None, (why_no_price, _stopped(instance))))


def _stopped(instance: Instance) -> str:
    if not instance.is_off:
        return ""
    if instance.is_suspended:
        return "suspended: pays now for its memory, disks and addresses alone"
    return f"{instance.status.lower()}: costs nothing now but disks and addresses"


def lines_when_off(instance: Instance, prices: PriceBook) -> tuple[LineItem, ...]:
    """Return what a machine that is stopped or suspended costs a month: memory, if suspended.

    At one rate for all series; no discount of a running machine counts
    (cloud.google.com/compute/docs/instances/suspend-stop-reset-instances-overview).

    Raises:
        MissingDatum: If the price, or a part of it, is not known.
    """
    if instance.has_preserved_ssd:
        raise MissingDatum("no price is known of Local SSD data that is kept while it does not run")
    if not instance.is_suspended:
        return ()
    if instance.is_sole_tenant:
        raise MissingDatum(_SOLE_TENANT)
    shape, region = prices.shape(instance.machine_type), instance.region
    if shape is None:
        raise MissingDatum(f"it is suspended: the memory of {instance.machine_type} is not known")
    try:
        price = prices.suspended_memory(region)
    except MissingDatum as missing:
        raise MissingDatum(
            f"it is suspended: no price of its memory in {region} is known"
        ) from missing
    name = f"memory of {instance.machine_type}, suspended, {region}"
    return (line_item(name, HOURS_PER_MONTH * Decimal(str(shape.memory_gib)), price),)


def with_baseline(plan: MachinePlan, baseline: Candidate | None, note: Text = "") -> MachinePlan:
    """Return a plan with what is there today beside it."""
    return msgspec.structs.replace(plan, baseline=baseline, baseline_note=note)


def bill_today(
    instance: Instance,
    usage: Usage,
    prices: PriceBook,
    caps: CapsBook,
    month_ratio: float = 1.0,
) -> MachineBill:
    """Return what a machine costs a month where and as it stands.

    Args:
        instance: The machine; a Spot machine has its Spot price, whatever `usage` says.
        usage: How it is paid; Spot is not taken for a machine that is none.
        prices: Where prices come from.
        caps: For the size of its Tier_1 bandwidth, which decides the fee.
        month_ratio: Share of the month that it runs.

    Raises:
        MissingDatum: If the machine has no such price; a missing fee is in the bill.
    """
    if not _PRICED.isdisjoint(instance.unknown_parts):
        raise MissingDatum(instance.why_unknown)
    if instance.is_sole_tenant:
        raise MissingDatum(_SOLE_TENANT)
    own = usage_of(instance)
    terms = MachineNeed(
        gbps=0.0,
        region=instance.region,
        usage=own if Usage.SPOT in {own, usage} else usage,
        month_ratio=month_ratio,
    )
    shape = prices.shape(instance.machine_type)
    brings_ssds = shape is not None and bool(shape.bundled_local_ssd_gib)
    ssds = 0 if brings_ssds else instance.local_ssd_count
    attached = Attached(instance.gpu_type, instance.gpu_count, ssds)
    return with_attached(_alone(instance, terms, prices, caps), prices, terms, attached)


def _alone(
    instance: Instance, terms: MachineNeed, prices: PriceBook, caps: CapsBook
) -> MachineBill:
    end = instance_end(instance)
    if not end.is_tier1:
        return machine_bill(prices, terms, instance.machine_type, None)
    tier1 = caps.cap(instance.machine_type, tier1=True, cpu_platform=end.cpu_platform)
    if tier1 is not None:
        return machine_bill(prices, terms, instance.machine_type, tier1.egress_gbps)
    why = caps.unknown_reason(instance.machine_type, tier1=True, cpu_platform=end.cpu_platform)
    bill = machine_bill(prices, terms, instance.machine_type, None)
    return msgspec.structs.replace(bill, tier1_unknown=f"no Tier_1 fee: {why}")
