"""What every machine may send and costs, by configuration alone: an audit without traffic has it.

Regional quotas hold besides the caps of machines. Their values stand in no resource that is read:
they are named, with what the machines of the region could send together.
"""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.ledger.resources import MachineCosts, address_lines
from netplan_planner.model import (
    MAYBE_ADDRESS,
    BandwidthTier,
    Facts,
    Instance,
    LineItem,
    MachineRow,
    Part,
    total_usd,
)
from netplan_planner.model.base import taken
from netplan_planner.throughput import deciding_platform, instance_cap

REGIONAL_QUOTAS = (
    "GCE VM to internet egress bandwidth",
    "Inter-region network egress bandwidth from Compute instances",
)
"""Per project and region, in Mbit/s, charged to the project of the sender; the first one leaves
traffic to Google APIs out (docs.cloud.google.com/vpc/docs/quota, last updated 2026-04-02)."""


def machine_rows(facts: Facts) -> tuple[MachineRow, ...]:
    """Return a row for every machine, in the order of the inventory."""
    costs = MachineCosts(facts)
    return tuple(_row(facts, instance, costs) for instance in facts.inventory.instances)


def _row(facts: Facts, instance: Instance, costs: MachineCosts) -> MachineRow:
    cap = None if Part.TIER in instance.unknown_parts else instance_cap(instance, facts.caps)
    is_tier1 = instance.bandwidth_tier is BandwidthTier.TIER_1
    usd, why = _usd(lambda: costs.lines(instance))
    address_usd, why_address = _usd(lambda: address_lines(facts, instance))
    network = facts.inventory.network_by_link.get(instance.primary_network or "")  # type: ignore[arg-type]
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    rates = facts.rates_of(instance)
    stated = tuple(dict.fromkeys(nic.nic_type for nic in instance.interfaces if nic.nic_type))
    return taken(
        MachineRow,
        instance,
        is_tier1=is_tier1,
        egress_gbps=cap.egress_gbps if cap else None,
        egress_source=f"{cap.source}, {cap.as_of.isoformat()}" if cap else "",
        external_gbps=cap.external_gbps if cap else None,
        external_source=cap.external_source if cap else "",
        cap_unknown=""
        if cap
        else instance.why_unknown
        or facts.caps.unknown_reason(
            instance.machine_type, tier1=is_tier1, cpu_platform=deciding_platform(instance)
        ),
        egress_p95_gbps=rates.egress.p95_gbps if rates else None,
        egress_max_gbps=rates.egress.max_gbps if rates else None,
        external_p95_gbps=seen.egress_outside_vpc.p95_gbps if seen else None,
        external_max_gbps=seen.egress_outside_vpc.max_gbps if seen else None,
        nic_types=stated,
        nic_types_possible=cap.nic_types if cap else (),
        mtu_bytes=network.mtu_bytes if network is not None else None,
        external_addresses=tuple(_external(instance)),
        machine_usd_per_month=usd,
        address_usd_per_month=address_usd,
        price_unknown="; ".join(filter(None, (why, why_address))),
    )


NOT_KNOWN = "(not known)"
"""For the address that a planned machine gets."""


def _external(instance: Instance) -> Iterator[str]:
    for nic in instance.interfaces:
        yield from filter(None, (nic.external_ipv4, nic.external_ipv6))
    yield from [NOT_KNOWN] * instance.awaited_address_count
    if instance.has_unknown_access:
        yield MAYBE_ADDRESS


def _usd(lines: Callable[[], Sequence[LineItem]]) -> tuple[Decimal | None, str]:
    """Return what lines come to, or why that is not known."""
    try:
        return total_usd(lines()), ""
    except MissingDatum as missing:
        return None, str(missing)
