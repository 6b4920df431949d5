"""Pods whose packets, with the headers around them, do not fit the network below."""

from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.model.project.kubernetes import Node
from netplan_planner.throughput.limits.pods.tables import PodTerm
from netplan_rules.base import Threshold, rule_of
from netplan_rules.kubernetes._cluster import ClusterFacts, cluster_networks, object_of
from netplan_rules.kubernetes._interfaces import header_of, interfaces_of, used_interface
from netplan_rules.shared.trust import Doubts
from netplan_rules.work import NETWORK_PLUGIN

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.NODES, model.Need.CLUSTER_NETWORKS}),
    work=NETWORK_PLUGIN,
    thresholds=(
        Threshold(
            name="unused_ratio",
            default=0.1,
            unit="ratio",
            about="minimum unused share of the network's MTU",
        ),
    ),
)


class _Fit(NamedTuple):
    """The MTUs of pods and of the network below them."""

    pod_bytes: int
    header: PodTerm
    network: model.Network
    mtu_bytes: int

    @property
    def fitting_bytes(self) -> int:
        """What pods may have."""
        return self.mtu_bytes - round(self.header.value)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each cluster and network whose MTUs do not fit."""
    for cluster in cluster_networks(facts):
        networks: dict[str, tuple[model.Network, int]] = {}
        for node in cluster.nodes:
            if node.name in facts.inventory.instance_by_node:
                found = _network_of(facts, cluster, node)
                if isinstance(found, model.Gap):
                    yield found
                else:
                    networks.setdefault(found[0].ref.self_link, found)
        if networks:
            yield from _judge(facts, cluster, list(networks.values()))


def _network_of(
    facts: model.Facts, cluster: ClusterFacts, node: Node
) -> model.Gap | tuple[model.Network, int]:
    used = used_interface(cluster.network, node, interfaces_of(facts, node))
    if used is None:
        return model.Gap(resource=node.ref, reason="the interface that pods use is not stated")
    network = used.interface.network
    if network is None or network.mtu_bytes is None:
        return model.Gap(resource=node.ref, reason="the MTU of its network is unknown")
    return network, network.mtu_bytes


def _judge(
    facts: model.Facts, cluster: ClusterFacts, networks: list[tuple[model.Network, int]]
) -> Iterator[model.Hit | model.Gap]:
    pod_bytes, header = cluster.network.mtu_bytes, header_of(facts, cluster.network)
    if pod_bytes is None and cluster.network.inherits_mtu is not None:
        return  # Pods have the MTU of the interface: they fit, whatever it is.
    if pod_bytes is None or header is None:
        lacking = "its encapsulation" if header is None else "the MTU of pods"
        for ref in object_of(cluster):
            yield model.Gap(resource=ref, reason=f"{lacking} is not stated")
        return
    for network, mtu_bytes in networks:
        fit = _Fit(pod_bytes, header, network, mtu_bytes)
        unused = 1 - pod_bytes / fit.fitting_bytes
        if pod_bytes > fit.fitting_bytes or unused > facts.threshold(RULE.id, "unused_ratio"):
            yield _hit(cluster, fit)


def _hit(cluster: ClusterFacts, fit: _Fit) -> model.Hit:
    mtu = cluster.network.mtu
    assert mtu is not None
    is_too_great = fit.pod_bytes > fit.fitting_bytes
    doubts = Doubts()
    if is_too_great and fit.pod_bytes <= fit.mtu_bytes and cluster.network.is_cross_subnet_only:
        doubts.add("only packets that leave the subnet are encapsulated")
    around = f" and {fit.header.value:g} bytes of headers" if fit.header.value else ""
    fault = "do not fit into" if is_too_great else "use only part of"
    return model.Hit(
        resources=(*object_of(cluster, mtu), fit.network.ref),
        subject=f"{cluster.network.name} ({cluster.plugin}) on {fit.network.name}",
        message=f"pod packets of {fit.pod_bytes} bytes{around} {fault} the {fit.mtu_bytes} bytes of"
        f" {fit.network.name}",
        cause="" if is_too_great else "small",
        evidence=(
            model.Evidence(name="pod_mtu", value=fit.pod_bytes, unit="bytes", source=mtu.source),
            model.Evidence(
                name="header", value=fit.header.value, unit="bytes", source=fit.header.source
            ),
            model.Evidence(
                name="network_mtu",
                value=fit.mtu_bytes,
                unit="bytes",
                source=fit.network.ref.source or "",
            ),
        ),
        lost="pod packets that do not fit the network" if is_too_great else "",
        fix=RULE.fix(
            label=f"MTU {fit.fitting_bytes} for pods",
            text=f"Set the MTU of {cluster.plugin} to {fit.fitting_bytes} bytes, or remove it if"
            " the plugin detects it. Then restart the pods.",
            verify=f"A ping of {fit.fitting_bytes - _PING_HEADERS} bytes with the don't-fragment"
            " bit passes between pods on two nodes.",
            undo=f"Set {fit.pod_bytes} bytes again, and restart the pods.",
            caution="Pods keep their MTU until they are recreated. With both MTUs in use, UDP above"
            " the smaller one is lost.",
        ),
        doubts=doubts.reasons,
        severity=None if is_too_great else model.Severity.LOW,
    )


_PING_HEADERS = 28
"""IPv4 and ICMP."""
