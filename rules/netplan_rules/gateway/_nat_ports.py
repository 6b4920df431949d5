"""NAT gateways without ports: what Cloud Monitoring tells of them, and what to do."""

from netplan_planner.model import Facts, Fix, Instruction, Metric, NatGateway, Router, Value
from netplan_rules.wording import command

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


# What to do about a NAT gateway without ports: the ports it gives, its addresses, its mapping


ADDRESSES = "addresses"
"""A cause: the ports of all addresses are given away."""
MAPPING = "endpoint-independent mapping"
"""A cause: connections to other destinations hold the port."""
PAGES = (
    "https://docs.cloud.google.com/nat/docs/ports-and-addresses",
    "https://docs.cloud.google.com/nat/docs/monitoring",
    "https://docs.cloud.google.com/nat/docs/troubleshooting",
)
_USUAL_MOST = 1024
_DROPPED = Metric.NAT_DROPPED_SENT.value
_USED = Metric.NAT_PORT_USAGE.value


def ports_fix(router: Router, gateway: NatGateway, use: NatUse, cause: str) -> Fix:
    """Return the change that ends the want of ports, by its cause."""
    least, most = _new_ports(gateway, use)
    flags = [f"--min-ports-per-vm={least}", f"--max-ports-per-vm={most}"]
    if gateway.is_endpoint_independent:
        # The two exclude each other.
        flags.append("--no-enable-endpoint-independent-mapping")
    if cause == MAPPING:
        text, label = "Switch endpoint-independent mapping off.", "no endpoint-independent mapping"
        flags = ["--no-enable-endpoint-independent-mapping"]
    elif gateway.is_dynamic and (cause == ADDRESSES or most <= ports_of(gateway) == least):
        return _more_addresses(router, gateway)
    elif gateway.is_dynamic:
        text = f"Give each VM at least {least:,} and up to {most:,} ports."
        label = "more ports"
    else:
        text = f"Let each VM use {least:,} to {most:,} ports on demand."
        label = "dynamic port allocation"
        flags.append("--enable-dynamic-port-allocation")
    if cause == ADDRESSES:
        text += " If that is not enough, add addresses."
    return Fix(
        text=text,
        label=label,
        commands=(_update(router, gateway, *flags),),
        verify=_verify(router, gateway),
        undo=Instruction(
            text=f"Restore the old setting: {_had(gateway, cause)}.",
            commands=(_update(router, gateway, *_as_it_was(gateway, cause)),),
        ),
        documents=PAGES,
        caution="May break open connections through the gateway. It excludes endpoint-independent"
        " mapping, which some peer-to-peer applications need."
        if gateway.is_endpoint_independent
        else "May break open connections through the gateway.",
    )


def _more_addresses(router: Router, gateway: NatGateway) -> Fix:
    how = (
        "Google assigns them automatically, so check the quota of in-use addresses"
        if gateway.is_auto_allocated
        else "name all of them, including the old ones (--nat-external-ip-pool)"
    )
    return Fix(
        text=f"Give the gateway more addresses ({how}), or spread the VMs over two gateways.",
        label="more NAT addresses",
        verify=_verify(router, gateway),
        undo=Instruction(text="Drain the new addresses, then remove them from the gateway."),
        documents=PAGES,
        caution="Partners with an allow-list need the new addresses first.",
    )


def _new_ports(gateway: NatGateway, use: NatUse) -> tuple[int, int]:
    """Return the least and the most ports of dynamic allocation, powers of two."""
    most_used = use.used_max or 0.0
    most = _power(max(2 * most_used, ports_of(gateway), _USUAL_MOST))
    least = _power(max(use.used_p50 or 0.0, STATIC_PORTS))
    if gateway.is_dynamic:
        least = max(least, min(2 * _power(least_ports(gateway)), most))
    least = min(least, MOST_DYNAMIC_PORTS // 2)
    return least, max(most, 2 * least)


def _power(ports: float) -> int:
    """Return the least power of two that is no less, and no more than a machine can have."""
    power = LEAST_DYNAMIC_PORTS
    while power < ports and power < MOST_DYNAMIC_PORTS:
        power *= 2
    return power


def _as_it_was(gateway: NatGateway, cause: str) -> list[str]:
    mapping = ["--enable-endpoint-independent-mapping"] if gateway.is_endpoint_independent else []
    if cause == MAPPING:
        return ["--enable-endpoint-independent-mapping"]
    least = gateway.min_ports_per_vm
    most = gateway.max_ports_per_vm
    flags = ["--clear-min-ports-per-vm" if least is None else f"--min-ports-per-vm={least}"]
    flags.append("--clear-max-ports-per-vm" if most is None else f"--max-ports-per-vm={most}")
    if not gateway.is_dynamic:
        flags.append("--no-enable-dynamic-port-allocation")
    return flags + mapping


def _had(gateway: NatGateway, cause: str) -> str:
    """Return the settings that the fix changes, in words."""
    if cause == MAPPING:
        return "endpoint-independent mapping"
    least = gateway.min_ports_per_vm
    ports = f"{least:,} ports per VM" if least is not None else "the default number of ports"
    if gateway.is_dynamic:
        most = gateway.max_ports_per_vm
        ports += f" and up to {most:,}" if most is not None else " and no stated maximum"
        ports += ", dynamic"
    else:
        ports += ", static"
    mapping = " and endpoint-independent mapping" if gateway.is_endpoint_independent else ""
    return f"{ports}{mapping}"


def _verify(router: Router, gateway: NatGateway) -> Instruction:
    return Instruction(
        text=f"Under load, {_DROPPED} of {gateway.name} stays at 0, and {_USED} is well below its"
        " ports.",
        commands=(_nats("describe", router, gateway),),
    )


def _update(router: Router, gateway: NatGateway, *flags: str) -> str:
    return _nats("update", router, gateway, *flags)


def _nats(verb: str, router: Router, gateway: NatGateway, *flags: str) -> str:
    place = (
        f"--router={router.name}",
        f"--region={router.region}",
        f"--project={router.project}",
    )
    return command("gcloud", "compute", "routers", "nats", verb, gateway.name, *place, *flags)
