"""What Cloud Monitoring tells of a NAT gateway."""

from netplan_planner.model import Facts, Metric, NatGateway, Value

PORTS_PER_ADDRESS = 64_512
"""Source ports of one NAT address, 1024 to 65535.

Source: docs.cloud.google.com/nat/docs/ports-and-addresses, read 2026-11.
"""
STATIC_PORTS = 64
"""Ports of each machine where nothing else is set (same page)."""
LEAST_DYNAMIC_PORTS = 32
"""The same of dynamic allocation, which gives powers of two (same page)."""
MOST_DYNAMIC_PORTS = 65_536
"""What a machine may reach there where nothing else is set (same page)."""

_REASON = "reason"


class NatUse(Value, frozen=True, kw_only=True):
    """What a gateway gave its machines, and what it could not give."""

    used_p50: float | None = None
    """Connections of the busiest machine to one destination; None: not measured."""
    used_p95: float | None = None
    used_max: float | None = None
    drops: tuple[tuple[str, float], ...] = ()
    """Packets lost before they left, by reason; the reason is empty where none is told. Packets
    per second at most where nothing counts them."""
    drop_ratio: float = 0.0
    """Share of the intervals in which any was lost, 0 to 1."""
    failed_ratio: float = 0.0
    """Greatest share of an interval in which some machine got no address or ports, 0 to 1."""
    days: float = 0.0

    def dropped(self, reason: str) -> float:
        """Return the packets lost for a reason."""
        return dict(self.drops).get(reason, 0.0)


def use_of(facts: Facts, gateway: NatGateway) -> NatUse | None:
    """Return what metrics tell of a gateway; None: nothing."""
    assert facts.metrics is not None
    place = gateway.router, gateway.name
    usage = facts.metrics.of_nat(*place, Metric.NAT_PORT_USAGE)
    failed = facts.metrics.of_nat(*place, Metric.NAT_ALLOCATION_FAILED)
    dropped = [
        one
        for one in facts.metrics.all_of(gateway.router, Metric.NAT_DROPPED_SENT)
        if one.resource.name == gateway.name
    ]
    found = [one for one in (usage, failed, *dropped) if one is not None]
    if not found:
        return None
    by_reason = [one for one in dropped if one.labels] or dropped
    return NatUse(
        used_p50=usage.p50 if usage is not None else None,
        used_p95=usage.p95 if usage is not None else None,
        used_max=usage.max if usage is not None else None,
        drops=tuple(
            (dict(one.labels).get(_REASON, ""), one.max if one.total is None else one.total)
            for one in by_reason
            if one.max > 0
        ),
        drop_ratio=max(
            (one.nonzero_count / one.interval_count for one in dropped if one.interval_count),
            default=0.0,
        ),
        failed_ratio=failed.max if failed is not None else 0.0,
        days=max(one.days for one in found),
    )


def ports_of(gateway: NatGateway) -> int:
    """Return the most ports that a machine has, and so its connections to one destination."""
    if gateway.is_dynamic:
        return gateway.max_ports_per_vm or MOST_DYNAMIC_PORTS
    return gateway.min_ports_per_vm or STATIC_PORTS


def least_ports(gateway: NatGateway) -> int:
    """Return the ports that each machine has from the start."""
    if gateway.min_ports_per_vm is not None:
        return gateway.min_ports_per_vm
    return LEAST_DYNAMIC_PORTS if gateway.is_dynamic else STATIC_PORTS
