"""Networks with bulk traffic inside whose packets could be six times as great."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.units import counted
from netplan_rules.base import Threshold, rule_of
from netplan_rules.nic._mtu import PING_HEADERS, hybrid_bytes, set_mtu, tunnels_by_network
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import gbps, rate_evidence, volume
from netplan_rules.work import NETWORK_MTU

_GREATEST_MTU = 8896
"""Of a VPC network (the reference, read 2026-04)."""
_ETHERNET_MTU = 1500
_HEADERS = 40
"""IPv4 and TCP without options."""

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS}),
    work=NETWORK_MTU,
    thresholds=(
        Threshold(
            name="min_gbps",
            default=5.0,
            unit="Gbit/s",
            about="minimum rate of a pair at the 95th percentile that counts as bulk",
        ),
        Threshold(
            name="min_packet_bytes",
            default=900.0,
            unit="bytes",
            about="minimum mean packet size of bulk traffic, headers included",
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each network with bulk pairs inside."""
    with_tunnels, _ = tunnels_by_network(facts)
    for link, edges in sorted(_bulk(facts).items()):
        network = facts.inventory.network_by_link.get(link)
        if network is None or link in with_tunnels or hybrid_bytes(facts, link):
            continue
        if network.mtu_bytes is None:
            yield model.Gap(resource=network.ref, reason="its MTU is unknown until it is created")
        elif network.mtu_bytes <= _ETHERNET_MTU:
            yield _hit(facts, network, network.mtu_bytes, edges)


def _bulk(facts: model.Facts) -> dict[model.SelfLink, list[model.Edge]]:
    """Return the bulk edges that stay inside a network, by network."""
    floor = facts.threshold(RULE.id, "min_gbps")
    least = facts.threshold(RULE.id, "min_packet_bytes")
    found: dict[model.SelfLink, list[model.Edge]] = {}
    for edge in facts.traffic.edges if facts.traffic is not None else ():
        path, network = edge.path_class, facts.src(edge).network
        if (
            edge.series.p95_gbps >= floor
            and edge.wire_bytes >= least * edge.packet_count > 0
            and path.distance is not None
            and not (path.is_external_address or path.is_pod)
            and network is not None
            and network == facts.dst(edge).network
        ):
            found.setdefault(network, []).append(edge)
    return found


def _peers(facts: model.Facts, network: model.Network) -> tuple[list[model.Network], bool]:
    """Return the peers of a network that were read, and whether there are others."""
    links = [peering.network for peering in network.peerings if peering.is_active]
    read = [facts.inventory.network_by_link.get(link) for link in links]
    return [peer for peer in read if peer is not None], None in read


def _hit(
    facts: model.Facts, network: model.Network, mtu: int, edges: list[model.Edge]
) -> model.Hit:
    greatest = max(edges, key=lambda edge: (edge.series.p95_gbps, edge.wire_bytes))
    gib = sum((facts.gib_per_month(edge.wire_bytes) for edge in edges), Decimal(0))
    packets_per_s = sum(edge.packet_count for edge in edges) / facts.seen_traffic.observed_seconds
    times = (_GREATEST_MTU - _HEADERS) / (mtu - _HEADERS)
    peers, has_others = _peers(facts, network)
    together = [network, *(peer for peer in peers if peer.mtu_bytes is not None)]
    doubts = doubts_of_edge(facts, greatest, of_month=False)
    doubts.add("it is unknown whether packets limit these VMs")
    return model.Hit(
        resources=(network.ref, *(peer.ref for peer in peers)),
        subject=f"{network.name} (MTU {mtu})",
        message=f"{counted(len(edges), 'bulk pair')} of {network.name}"
        f" {'sends' if len(edges) == 1 else 'send'} {volume(gib)} in"
        f" packets of at most {mtu} B, the largest {gbps(greatest.series.p95_gbps)} at the 95th"
        f" percentile; an MTU of {_GREATEST_MTU} B needs {times:.1f}x fewer packets",
        evidence=(
            model.Evidence(name="mtu", value=mtu, unit="bytes", source="inventory"),
            model.Evidence(
                name="packets_per_s", value=packets_per_s, unit="packets/s", source="flow logs"
            ),
            rate_evidence("greatest_p95", greatest.series.p95_gbps),
        ),
        fix=RULE.fix(
            label=f"MTU {_GREATEST_MTU}",
            text="Raise the MTU"
            + (f" of {', '.join(one.name for one in together)} together" if peers else "")
            + ", then restart all VMs.",
            commands=tuple(set_mtu(one, _GREATEST_MTU) for one in together),
            verify=f"A ping of {_GREATEST_MTU - PING_HEADERS} bytes with the don't-fragment bit"
            " passes between two restarted VMs, and a measurement between them is no slower"
            " than before.",
            undo=model.Instruction(
                text="Set the old MTU again, then restart the VMs.",
                commands=tuple(set_mtu(one, one.mtu_bytes or mtu) for one in together),
            ),
            caution="Stop all VMs first and start them after the change: each keeps its MTU until"
            " it restarts. Also change images with a fixed MTU and pod networks."
            + (" Peers outside the inventory keep their MTU." if has_others else ""),
        ),
        doubts=doubts.reasons,
    )
