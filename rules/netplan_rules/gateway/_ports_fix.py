"""What to do about a NAT gateway without ports: the ports it gives, its addresses, its mapping."""

from netplan_planner.model import Fix, Instruction, Metric, NatGateway, Router
from netplan_rules.gateway import _nat_metrics
from netplan_rules.wording import command

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


def ports_fix(router: Router, gateway: NatGateway, use: _nat_metrics.NatUse, cause: str) -> Fix:
    """Return the change that ends the want of ports, by its cause."""
    least, most = _new_ports(gateway, use)
    flags = [f"--min-ports-per-vm={least}", f"--max-ports-per-vm={most}"]
    if gateway.is_endpoint_independent:
        # The two exclude each other.
        flags.append("--no-enable-endpoint-independent-mapping")
    if cause == MAPPING:
        text, label = "Switch endpoint-independent mapping off.", "no endpoint-independent mapping"
        flags = ["--no-enable-endpoint-independent-mapping"]
    elif gateway.is_dynamic and (
        cause == ADDRESSES or most <= _nat_metrics.ports_of(gateway) == least
    ):
        return _more_addresses(router, gateway)
    elif gateway.is_dynamic:
        text = f"Give each machine {least:,} ports from the start and up to {most:,}."
        label = "more ports"
    else:
        text = f"Let each machine take {least:,} to {most:,} ports, as it needs them."
        label = "dynamic port allocation"
        flags.append("--enable-dynamic-port-allocation")
    if cause == ADDRESSES:
        text += " Where that is not enough, add addresses."
    return Fix(
        text=text,
        label=label,
        commands=(_update(router, gateway, *flags),),
        verify=_verify(router, gateway),
        undo=Instruction(
            text=f"Set again what it had: {_had(gateway, cause)}.",
            commands=(_update(router, gateway, *_as_it_was(gateway, cause)),),
        ),
        documents=PAGES,
        caution="May break connections that are open through the gateway; endpoint-independent"
        " mapping, which some peer-to-peer applications need, cannot go with it."
        if gateway.is_endpoint_independent
        else "May break connections that are open through the gateway.",
    )


def _more_addresses(router: Router, gateway: NatGateway) -> Fix:
    how = (
        "it allots them itself, so look at the quota of addresses in use"
        if gateway.is_auto_allocated
        else "name all of them with --nat-external-ip-pool, the old ones among them"
    )
    return Fix(
        text=f"Give the gateway more addresses ({how}), or spread the machines over two gateways.",
        label="more NAT addresses",
        verify=_verify(router, gateway),
        undo=Instruction(text="Drain the new addresses, then take them off the gateway."),
        documents=PAGES,
        caution="Partners that allow its addresses by list have to know the new ones first.",
    )


def _new_ports(gateway: NatGateway, use: _nat_metrics.NatUse) -> tuple[int, int]:
    """Return the least and the most ports of dynamic allocation, powers of two."""
    most_used = use.used_max or 0.0
    most = _power(max(2 * most_used, _nat_metrics.ports_of(gateway), _USUAL_MOST))
    least = _power(max(use.used_p50 or 0.0, _nat_metrics.STATIC_PORTS))
    if gateway.is_dynamic:
        least = max(least, min(2 * _power(_nat_metrics.least_ports(gateway)), most))
    least = min(least, _nat_metrics.MOST_DYNAMIC_PORTS // 2)
    return least, max(most, 2 * least)


def _power(ports: float) -> int:
    """Return the least power of two that is no less, and no more than a machine can have."""
    power = _nat_metrics.LEAST_DYNAMIC_PORTS
    while power < ports and power < _nat_metrics.MOST_DYNAMIC_PORTS:
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
    ports = f"{least:,} ports for each machine" if least is not None else "the default of ports"
    if gateway.is_dynamic:
        most = gateway.max_ports_per_vm
        ports += f" and up to {most:,}" if most is not None else " and no stated most"
        ports += ", dynamic"
    else:
        ports += ", static"
    mapping = " and endpoint-independent mapping" if gateway.is_endpoint_independent else ""
    return f"{ports}{mapping}"


def _verify(router: Router, gateway: NatGateway) -> Instruction:
    return Instruction(
        text=f"Under load {_DROPPED} of {gateway.name} stays at 0, and {_USED} well below its"
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
