"""Machines that send packets of another size than their network has."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_rules.base import rule_of
from netplan_rules.nic._mtu import PING_HEADERS
from netplan_rules.shared.measured import Run, measured_runs
from netplan_rules.work import GUEST

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.MEASUREMENTS}),
    work=GUEST,
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each pair whose packets were seen to have another size."""
    last: dict[tuple[model.SelfLink, model.SelfLink], Run] = {}
    for run in measured_runs(facts):
        if isinstance(run, Run) and _is_inside(run):
            pair = run.src.ref.self_link, run.dst.ref.self_link
            # One without the figure does not stand for one with it.
            if run.measurement.mtu_bytes is not None or pair not in last:
                last[pair] = run
    for run in last.values():
        mtu = run.measurement.mtu_bytes
        networks = _mtus(facts, run)
        if mtu is None:
            yield model.Gap(resource=run.src.ref, reason="its measurements show no MTU")
        elif None in networks:
            yield model.Gap(resource=run.src.ref, reason="the MTU of its network is unknown")
        elif len(networks) == 1 and mtu not in networks:
            yield _hit(run, mtu, next(iter(networks)) or 0)


def _is_inside(run: Run) -> bool:
    path = run.path_class
    return (
        path is not None
        and path.distance is not None
        and not (path.is_external_address or path.is_pod)
    )


def _mtus(facts: model.Facts, run: Run) -> frozenset[int | None]:
    """Return the MTUs of the networks that a path between two machines takes."""
    reached = facts.inventory.reachable_interface(run.src, run.dst)
    if reached is None:
        return frozenset({None})
    sent = next(
        (nic.network for nic in run.src.interfaces if nic.network == reached.network),
        run.src.primary_network,
    )
    networks = (
        facts.inventory.network_by_link.get(link) for link in {reached.network, sent} if link
    )
    return frozenset(network.mtu_bytes if network is not None else None for network in networks)


def _hit(run: Run, mtu: int, wanted: int) -> model.Hit:
    src, dst = run.src, run.dst
    harm = (
        "more packets than needed"
        if mtu < wanted
        else "packets above the network's MTU are dropped"
    )
    return model.Hit(
        resources=(src.ref, dst.ref),
        subject=f"{src.name} → {dst.name} ({src.zone})",
        message=f"packets between {src.name} and {dst.name} have {mtu} B, their network has"
        f" {wanted} B: {harm}",
        evidence=(
            model.Evidence(name="mtu", value=mtu, unit="bytes", source=run.measurement.source),
            model.Evidence(name="network_mtu", value=wanted, unit="bytes", source="inventory"),
        ),
        cause="smaller" if mtu < wanted else "larger",
        fix=RULE.fix(
            label=f"MTU {wanted}",
            text=f"Set the interfaces of {src.name} and {dst.name} to {wanted} B: restart the VMs,"
            " which take it from the network, or run ip link set dev DEVICE mtu. Remove a"
            " fixed setting from the image.",
            verify=f"`ip link` shows it on both VMs, and a ping of {wanted - PING_HEADERS} bytes"
            " with the don't-fragment bit passes.",
            undo=f"Set {mtu} B again with `ip link set`.",
            caution="Containers and tunnels on the VM may need the smaller size on purpose.",
        ),
    )
