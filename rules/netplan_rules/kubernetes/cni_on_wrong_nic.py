"""Clusters whose pods use the slower of their nodes' interfaces."""

from collections.abc import Iterator

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.clusters.network import ClusterNetwork
from netplan_planner.model.project.kubernetes import Node
from netplan_rules.base import rule_of
from netplan_rules.kubernetes import _interfaces
from netplan_rules.kubernetes._cluster import cluster_networks
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import gbps, rate_evidence
from netplan_rules.work import NETWORK_PLUGIN

VIRTIO, GVNIC = "VIRTIO_NET", "GVNIC"

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.NODES, model.Need.CLUSTER_NETWORKS}),
    work=NETWORK_PLUGIN,
)

_SETTINGS = {
    "calico": "set IP_AUTODETECTION_METHOD on the DaemonSet calico-node to cidr= and the range of"
    " {address}",
    "canal": "set canal_iface in the config map canal-config",
    "cilium": (
        "set devices and direct-routing-device in the config map cilium-config, or the kubelet's"
        " node address, which tunnels use"
    ),
    "flannel": "give the flannel DaemonSet the argument iface with the interface's name",
    "antrea": "set transportInterface in the config map antrea-config",
    "kube-ovn": "give the DaemonSet kube-ovn-cni the argument iface with the interface's name",
    "kube-router": "give the kubelet the fast interface's address as its node address",
    "weave": "give the kubelet the fast interface's address as its node address, and remove the"
    " peers' old addresses",
}
"""Their own documentation (docs.tigera.io, docs.cilium.io, flannel's Documentation/configuration,
antrea.io, kubeovn.github.io, kube-router.io, weave.works), read 2026-11-23."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each node whose pods' packets take a slower interface than it has."""
    for cluster in cluster_networks(facts):
        for node in cluster.nodes:
            yield from _of_node(facts, cluster.network, node)


def _of_node(
    facts: model.Facts, network: ClusterNetwork, node: Node
) -> Iterator[model.Hit | model.Gap]:
    known = _interfaces.interfaces_of(facts, node)
    if not known[1:]:
        return
    used = _interfaces.used_interface(network, node, known)
    if used is None:
        yield model.Gap(resource=node.ref, reason="the interface that pods use is not stated")
        return
    others = [one for one in known if one.address != used.interface.address]
    rated = [one for one in others if one.link is not None]
    if used.interface.link is not None and rated:
        best = max(rated, key=lambda one: (one.link.gbps if one.link else 0.0, one.address))
        assert best.link is not None
        if best.link.gbps > used.interface.link.gbps:
            yield _of_rates(facts, network, node, used, best)
        return
    virtual = [one for one in others if one.nic_type == GVNIC]
    if used.interface.nic_type == VIRTIO and virtual:
        yield _hit(network, node, used, virtual[0], *_kinds(used, virtual[0]))
    elif node.name not in facts.inventory.instance_by_node:
        reason = "the rate of its interfaces is unknown: set it in `[links]` of netplan.toml"
        yield model.Gap(resource=node.ref, reason=reason)


def _kinds(used: _interfaces.Used, best: _interfaces.Interface) -> tuple[str, str]:
    assert used.interface.nic_type is not None
    assert best.nic_type is not None
    return used.interface.nic_type, best.nic_type


def _of_rates(
    facts: model.Facts,
    network: ClusterNetwork,
    node: Node,
    used: _interfaces.Used,
    best: _interfaces.Interface,
) -> model.Hit:
    assert used.interface.link is not None
    assert best.link is not None
    slow, fast = used.interface.link, best.link
    is_vm = node.name in facts.inventory.instance_by_node
    pod = _interfaces.pod_network(network, is_bare_metal=not is_vm)
    now = _interfaces.pod_estimate(facts, node, replace(pod, other_link_gbps=slow.gbps), fast.gbps)
    hit = _hit(network, node, used, best, gbps(slow.gbps), gbps(fast.gbps), now, is_declared=True)
    return replace(
        hit,
        throughput_fixed=_interfaces.pod_estimate(facts, node, pod, fast.gbps),
        evidence=(
            *hit.evidence,
            rate_evidence("rate_now", slow.gbps, slow.source),
            rate_evidence("rate_best", fast.gbps, fast.source),
        ),
    )


def _hit(
    network: ClusterNetwork,
    node: Node,
    used: _interfaces.Used,
    best: _interfaces.Interface,
    slow: str,
    fast: str,
    now: model.Estimate | None = None,
    *,
    is_declared: bool = False,
) -> model.Hit:
    plugin = network.plugin.value if network.plugin is not None else ""
    doubts = Doubts()
    if not is_declared:
        doubts.add("no document states the rate of one interface of a VM: they share the VM's cap")
    if network.others:
        doubts.add("several network plugins were found; one may be a leftover")
    setting = _SETTINGS.get(plugin, "name the interface in the plugin's settings")
    return model.Hit(
        resources=(node.ref,),
        subject=f"{node.name} ({plugin})",
        message=f"pods on {node.name} use {used.interface.address} through {plugin} ({slow}); it"
        f" also has {best.address} ({fast})",
        evidence=(
            model.Evidence(name="used", value=used.interface.address, source=used.source),
            model.Evidence(name="best", value=best.address, source=node.ref.source or ""),
        ),
        throughput_now=now,
        fix=RULE.fix(
            label="the faster interface for pods",
            text=f"In the settings of {plugin}: {setting.format(address=best.address)}. Then"
            " restart its pods, one node at a time.",
            verify=f"The plugin records {best.address} on the node, and a capture on the slow"
            " interface shows no pod packets.",
            undo="Remove the setting, and restart the plugin's pods.",
            caution="Pod connections on a node break while its plugin restarts. Changed and"
            " unchanged nodes must reach each other meanwhile.",
        ),
        doubts=doubts.reasons,
    )
