"""Peered VPC networks with different MTUs."""

from collections import Counter
from collections.abc import Iterator

from netplan_planner import model
from netplan_rules.base import rule_of
from netplan_rules.nic._mtu import PING_HEADERS, set_mtu
from netplan_rules.wording import command
from netplan_rules.work import NETWORK_MTU

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.SEVERAL_NETWORKS}),
    work=NETWORK_MTU,
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each actively peered pair with unequal MTUs, once."""
    between = _bytes_between(facts)
    for local, remote in facts.inventory.peered_networks():
        mtus = local.mtu_bytes, remote.mtu_bytes
        if mtus[0] is None or mtus[1] is None:
            unknown = local if mtus[0] is None else remote
            yield model.Gap(resource=unknown.ref, reason="its MTU is unknown until it is created")
        elif mtus[0] != mtus[1]:
            pair = frozenset((local.ref.self_link, remote.ref.self_link))
            seen = None if between is None else between[pair]
            if seen != 0:
                yield _hit(facts, (local, mtus[0]), (remote, mtus[1]), seen)


def _bytes_between(facts: model.Facts) -> Counter[frozenset[model.SelfLink | None]] | None:
    """Return the bytes seen between each two networks, None when there are no flow logs.

    Counted once: a mesh of networks has more peerings than machines.
    """
    if facts.traffic is None:
        return None
    found: Counter[frozenset[model.SelfLink | None]] = Counter()
    for edge in facts.traffic.edges:
        found[frozenset((facts.src(edge).network, facts.dst(edge).network))] += edge.wire_bytes
    return found


def _hit(
    facts: model.Facts,
    one: tuple[model.Network, int],
    other: tuple[model.Network, int],
    seen: int | None,
) -> model.Hit:
    (local, local_mtu), (remote, remote_mtu) = one, other
    (small, small_mtu), (_, great_mtu) = sorted((one, other), key=lambda pair: pair[1])
    return model.Hit(
        resources=(local.ref, remote.ref),
        subject=f"{local.name} ⇄ {remote.name}",
        message=f"MTU {local_mtu} B, but the peered network {remote.name} has {remote_mtu} B",
        evidence=(
            model.Evidence(name="local_mtu", value=local_mtu, unit="bytes", source="inventory"),
            model.Evidence(name="remote_mtu", value=remote_mtu, unit="bytes", source="inventory"),
            *(
                (model.Evidence(name="traffic", value=seen, unit="bytes", source="flow logs"),)
                if seen is not None
                else ()
            ),
        ),
        gib_per_month=facts.gib_per_month(seen) if seen is not None else None,
        fix=RULE.fix(
            label=f"MTU {great_mtu}",
            verify=model.Instruction(
                text=f"Both networks show the same MTU, and a ping of {great_mtu - PING_HEADERS}"
                " bytes with the don't-fragment bit passes the peering.",
                commands=(
                    command(
                        "gcloud",
                        "compute",
                        "networks",
                        "list",
                        f"--project={small.project}",
                        "--format=table(name,mtu)",
                    ),
                ),
            ),
            undo=model.Instruction(
                text="Set the old MTU again, then restart the VMs.",
                commands=(set_mtu(small, small_mtu),),
            ),
            text="Give both networks the same MTU, then restart their VMs.",
            commands=(set_mtu(small, great_mtu),),
            documents=("https://cloud.google.com/vpc/docs/mtu",),
            caution=f"Stop all VMs of {small.name} first and start them after the change: each"
            " keeps its MTU until it restarts, and meanwhile UDP above the smaller MTU is"
            " dropped. Also change images with a fixed MTU, tunnels and pod networks."
            " Traffic that leaves the VPC keeps 1460 or 1500 bytes.",
        ),
        doubts=("it is unknown whether traffic uses the peering",) if seen is None else (),
    )
