"""A machine as it is today, in the terms of a plan."""

from datetime import date
from decimal import Decimal
from typing import NamedTuple

import msgspec

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.optimise.bill import Attached, MachineBill, machine_bill, with_attached
from netplan_planner.optimise.offers import predicted_to, query_to, rounded
from netplan_planner.throughput import instance_cap, instance_end
from netplan_planner.units import HOURS_PER_MONTH

_SOLE_TENANT = (
    "it runs on sole-tenant nodes, which are billed instead of the VM; their number and type are"
    " not in the input"
)
_ON_NODES = model.Price(
    usd=Decimal(0),
    unit="hour",
    description="on a sole-tenant node, which is billed: VMs on it cost nothing more",
    as_of=date(2026, 11, 27),
    source="cloud.google.com/compute/sole-tenant-pricing, read 2026-11-27",
)
_PRICED = frozenset({model.Part.GPUS, model.Part.SCHEDULING, model.Part.TIER})
"""Parts that decide what a machine costs."""


def baseline_of(
    instance: model.Instance,
    shape: model.MachineShape,
    need: model.MachineNeed,
    prices: model.PriceBook,
    caps: model.CapsBook,
) -> tuple[model.Candidate | None, str]:
    """Return a machine as it is today in the terms of a plan, and what is not known of it.

    The text says why there is no candidate, or why a candidate has no price. Attached GPUs are in
    the price; disks and licences are in none. A suspended machine has the price of its memory; one
    that is stopped has the price that it has when it runs, and the text says what it costs now.
    """
    end = instance_end(instance)
    estimate = next(predicted_to(need, [query_to(need, end)], caps))
    binding = estimate.binding
    if binding is None or estimate.gbps is None:
        return None, "; ".join(estimate.unknown)
    lines: tuple[model.LineItem, ...] = ()
    try:
        if instance.is_suspended:
            lines, why_no_price = lines_when_off(instance, prices), ""
        else:
            bill = bill_today(instance, need.usage, prices, caps, need.month_ratio)
            lines, why_no_price = bill.lines(1), bill.unknown
    except MissingDatum as missing:
        why_no_price = str(missing)
    candidate = model.Candidate(
        machine_type=instance.machine_type,
        count=1,
        is_tier1=end.is_tier1,
        vcpus=shape.vcpus,
        memory_gib=shape.memory_gib,
        cap_gbps=estimate.gbps,
        low_gbps=estimate.low_gbps,
        high_gbps=estimate.high_gbps,
        usable_gbps=rounded(estimate.gbps * (1 - need.headroom_ratio)),
        usd_per_month=None if why_no_price else model.total_usd(lines),
        line_items=lines,
        limit=binding,
        cpu_platform=end.cpu_platform or "",
        note=why_no_price,
    )
    cap = instance_cap(instance, caps)
    unstated = cap.unstated if cap is not None else ""
    return candidate, "; ".join(filter(None, (why_no_price, unstated, _stopped(instance))))


def _stopped(instance: model.Instance) -> str:
    if not instance.is_off:
        return ""
    if instance.is_suspended:
        return "suspended: only its memory, disks and addresses are billed now"
    return f"{instance.status.lower()}: only its disks and addresses are billed now"


def lines_when_off(instance: model.Instance, prices: model.PriceBook) -> tuple[model.LineItem, ...]:
    """Return what a machine that is stopped or suspended costs a month: memory, if suspended.

    At one rate for all series; no discount of a running machine counts
    (cloud.google.com/compute/docs/instances/suspend-stop-reset-instances-overview).

    Raises:
        MissingDatum: If the price, or a part of it, is not known.
    """
    if instance.has_preserved_ssd:
        raise MissingDatum("the price of preserved Local SSD data of a stopped VM is unknown")
    if not instance.is_suspended:
        return ()
    if instance.is_sole_tenant:
        raise MissingDatum("the price of suspended VMs on sole-tenant nodes is unknown")
    shape, region = prices.shape(instance.machine_type), instance.region
    if shape is None:
        raise MissingDatum(f"it is suspended: the memory of {instance.machine_type} is unknown")
    try:
        price = prices.suspended_memory(region)
    except MissingDatum as missing:
        raise MissingDatum(
            f"it is suspended: the price of its memory in {region} is unknown"
        ) from missing
    name = f"memory of {instance.machine_type}, suspended, {region}"
    return (model.line_item(name, HOURS_PER_MONTH * Decimal(str(shape.memory_gib)), price),)


def with_baseline(
    plan: model.MachinePlan, baseline: model.Candidate | None, note: model.Text = ""
) -> model.MachinePlan:
    """Return a plan with what is there today beside it."""
    return msgspec.structs.replace(plan, baseline=baseline, baseline_note=note)


def bill_today(
    instance: model.Instance,
    usage: model.Usage,
    prices: model.PriceBook,
    caps: model.CapsBook,
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
        return _on_nodes(instance, month_ratio)
    own = model.usage_of(instance)
    terms = model.MachineNeed(
        gbps=0.0,
        region=instance.region,
        usage=own if model.Usage.SPOT in {own, usage} else usage,
        month_ratio=month_ratio,
    )
    shape = prices.shape(instance.machine_type)
    brings_ssds = shape is not None and bool(shape.bundled_local_ssd_gib)
    ssds = 0 if brings_ssds else instance.local_ssd_count
    attached = Attached(instance.gpu_type, instance.gpu_count, ssds)
    end = instance_end(instance)
    standing = Standing(instance.machine_type, end.is_tier1, end.cpu_platform, attached)
    return standing_bill(standing, terms, prices, caps)


def _on_nodes(instance: model.Instance, month_ratio: float) -> MachineBill:
    """Return what a machine costs beside its sole-tenant node, where the nodes were read.

    Raises:
        MissingDatum: If they were not, or it has what no source says the price of on nodes.
    """
    if not instance.has_known_nodes:
        raise MissingDatum(_SOLE_TENANT)
    others = {
        "attached GPUs": bool(instance.gpu_count),
        "Local SSDs": bool(instance.local_ssd_count),
        "Tier_1": instance.bandwidth_tier is model.BandwidthTier.TIER_1,
    }
    if found := " and ".join(word for word, is_there in others.items() if is_there):
        raise MissingDatum(f"the price of {found} on sole-tenant nodes is unknown")
    hours = HOURS_PER_MONTH * Decimal(str(month_ratio))
    name = f"{instance.machine_type}, on a sole-tenant node, {instance.region}"
    return MachineBill(machine=model.line_item(name, hours, _ON_NODES))


class Standing(NamedTuple):
    """What a machine is that stands, as far as its price depends on it."""

    machine_type: str
    is_tier1: bool
    cpu_platform: str | None
    attached: Attached


def standing_bill(
    one: Standing, terms: model.MachineNeed, prices: model.PriceBook, caps: model.CapsBook
) -> MachineBill:
    """Return what a machine costs a month on the terms of a need.

    Raises:
        MissingDatum: If it has no such price; a missing fee is in the bill.
    """
    name, gbps, unknown = one.machine_type, None, ""
    if one.is_tier1:
        cap = caps.cap(name, tier1=True, cpu_platform=one.cpu_platform)
        gbps = None if cap is None else cap.egress_gbps
        if cap is None:
            why = caps.unknown_reason(name, tier1=True, cpu_platform=one.cpu_platform)
            unknown = f"no Tier_1 fee: {why}"
    bill = machine_bill(prices, terms, name, gbps)
    if unknown:
        bill = msgspec.structs.replace(bill, tier1_unknown=unknown)
    return with_attached(bill, prices, terms, one.attached)
