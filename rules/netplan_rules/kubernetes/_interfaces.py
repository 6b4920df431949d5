"""The interfaces of nodes, which of them pods' packets take, and what a pod's path carries."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.clusters.network import ClusterNetwork, overlay_address
from netplan_planner.clusters.settings import Setting
from netplan_planner.model import Evidence, Facts, Fix, Hit, Instruction
from netplan_planner.model.project.kubernetes import Node
from netplan_planner.throughput import predict
from netplan_planner.throughput.limits.ends import described_end, machine_end
from netplan_planner.throughput.limits.pods.tables import PodTerm, pod_term, pod_terms
from netplan_rules.base import Rule
from netplan_rules.kubernetes._cluster import ClusterFacts, object_of
from netplan_rules.wording import gbps

_ETH = re.compile(r"(?:.*=)?eth(\d)")
_ENS = re.compile(r"(?:.*=)?ens(\d)")
_FIRST_ENS = 4
"""Images of Compute Engine name the first interface eth0 or ens4
(cloud.google.com/compute/docs/networking/multi-nic-interfaces, read 2026-11-23)."""


class Interface(NamedTuple):
    """One interface of a node."""

    address: str
    link: model.DeclaredLink | None
    """What the user says that it can send; None: nothing."""
    nic_type: str | None = None
    network: model.Network | None = None
    """Of a VM."""


class Used(NamedTuple):
    """The interface that packets of a node's pods take, and what says so."""

    interface: Interface
    source: str


def interfaces_of(facts: model.Facts, node: Node) -> tuple[Interface, ...]:
    """Return the interfaces of a node that are known: all of a VM, else those it has addresses of.

    A node elsewhere states one address as a rule, and its plugin may note another.
    """
    instance = facts.inventory.instance_by_node.get(node.name)
    if instance is not None:
        return _of_machine(facts, instance)
    noted = overlay_address(node)
    addresses = (*node.internal_ips, *([noted.value] if noted is not None else []))
    return tuple(Interface(one, facts.link_of(one)) for one in dict.fromkeys(addresses))


def _of_machine(facts: model.Facts, instance: model.Instance) -> tuple[Interface, ...]:
    networks = facts.inventory.network_by_link
    return tuple(
        Interface(
            nic.internal_ipv4,
            facts.link_of(nic.internal_ipv4),
            nic.nic_type,
            networks.get(nic.network),
        )
        for nic in instance.interfaces
        if nic.internal_ipv4 is not None
    )


def used_interface(
    network: ClusterNetwork, node: Node, known: tuple[Interface, ...]
) -> Used | None:
    """Return by which of a node's interfaces pods' packets leave, None where nothing tells.

    By the address that the plugin noted, else by the name in its settings, else there is only one.
    """
    noted = overlay_address(node)
    if noted is not None:
        found = [one for one in known if one.address == noted.value]
        return Used(found[0], noted.source) if found else None
    if len(known) == 1:
        return Used(known[0], node.ref.source)
    index = _index(network.interface)
    if node.instance is None or index is None or index >= len(known):
        return None
    assert network.interface is not None
    return Used(known[index], network.interface.source)


def _index(setting: Setting | None) -> int | None:
    """Return the number of the interface that a setting names, None for a pattern or a method."""
    text = setting.value if setting is not None else ""
    for pattern, first in ((_ETH, 0), (_ENS, _FIRST_ENS)):
        found = pattern.fullmatch(text)
        if found is not None and int(found[1]) >= first:
            return int(found[1]) - first
    return None


def pod_estimate(
    facts: model.Facts,
    node: Node,
    pod: model.PodNetwork,
    link_gbps: float | None = None,
) -> model.Estimate | None:
    """Return what pods of two such nodes in one zone exchange, over as many streams as it takes.

    Args:
        facts: Machines and limits.
        node: One of the two; a VM by its type, else by its declared link.
        pod: The cluster's network.
        link_gbps: Of a node that is no VM.
    """
    instance = facts.inventory.instance_by_node.get(node.name)
    if link_gbps is None and instance is None:
        return None
    end = described_end(None) if instance is None else machine_end(facts, instance)
    return predict(
        model.PathQuery(
            path_class=model.PathClass.SAME_ZONE_INTERNAL_POD,
            src=end,
            dst=end,
            pod=pod,
            host_link_gbps=link_gbps if instance is None else None,
        ),
        facts.caps,
    )


def pod_network(network: ClusterNetwork, *, is_bare_metal: bool) -> model.PodNetwork:
    """Return a cluster's network as predictions take it; what nothing states is none."""
    return model.PodNetwork(
        encapsulation=network.encapsulation.value if network.encapsulation else "none",
        encryption=network.encryption.value if network.encryption else "none",
        mtu_bytes=network.mtu_bytes,
        is_bare_metal=is_bare_metal,
        is_assumed=network.encapsulation is None,
    )


# The hit of the two rules on encapsulation, and when it is of no need


CIPHERS = frozenset({"wireguard", "ipsec"})
USER_SPACE = "udp"
_WITH = {"none": "plain packets", "vxlan": "VXLAN"}


def header_of(facts: Facts, network: ClusterNetwork) -> PodTerm | None:
    """Return the header of a cluster's encapsulation, None where no document states it."""
    if network.encapsulation is None:
        return None
    return pod_term(pod_terms(), "header", network.encapsulation.value, facts.caps.as_of)


def overlay_hit(
    facts: Facts, rule: Rule, cluster: ClusterFacts, *, label: str, text: str, becomes: str
) -> Hit:
    """Return the hit of a cluster whose packets are encapsulated, before and after.

    Args:
        facts: For prediction.
        rule: Whose hit it is.
        cluster: With an overlay.
        label: What to do instead, in a few words.
        text: The same as sentences.
        becomes: The encapsulation that is left then.
    """
    network = cluster.network
    assert network.plugin is not None
    assert network.encapsulation is not None
    kind, header = network.encapsulation.value, header_of(facts, network)
    evidence = [
        Evidence(name="plugin", value=cluster.plugin, source=network.plugin.source),
        Evidence(name="encapsulation", value=kind, source=network.encapsulation.source),
    ]
    size = ""
    if header is not None:
        size = f", with {header.value:g} bytes of headers around each"
        evidence.append(
            Evidence(name="header", value=header.value, unit="bytes", source=header.source)
        )
    is_default = network.encapsulation.is_default
    hit = Hit(
        resources=object_of(cluster, network.encapsulation),
        subject=f"{network.name} ({cluster.plugin}, {kind})",
        message=f"{cluster.plugin} encapsulates packets between nodes in {kind}{size}",
        evidence=tuple(evidence),
        fix=Fix(
            label=label,
            text=text,
            verify=Instruction(
                text="The plugin's settings show no encapsulation, and pods on different nodes"
                " reach each other.",
            ),
            undo=Instruction(text="Set the encapsulation again, and restart the plugin's pods."),
            documents=rule.references,
            caution="The change affects all nodes: pods on nodes with the old and the new setting"
            " cannot reach each other. A new node pool or a new cluster avoids that.",
        ),
        doubts=("the settings do not state the encapsulation: the plugin's default is assumed",)
        if is_default
        else (),
    )
    return next(_with_rates(facts, hit, cluster, becomes), hit)


def _with_rates(facts: Facts, hit: Hit, cluster: ClusterFacts, becomes: str) -> Iterator[Hit]:
    """Yield the hit with what pods of the first node that is known exchange, before and after."""
    network = cluster.network
    for node in cluster.nodes:
        is_vm = node.name in facts.inventory.instance_by_node
        used = used_interface(network, node, interfaces_of(facts, node))
        link = used.interface.link if used is not None else None
        pod = pod_network(network, is_bare_metal=not is_vm)
        now = pod_estimate(facts, node, pod, link.gbps if link is not None else None)
        if now is None or now.gbps is None:
            continue
        plain = replace(pod, encapsulation=becomes, mtu_bytes=None)
        then = pod_estimate(facts, node, plain, link.gbps if link is not None else None)
        known = f": {gbps(now.gbps)}" if then is None or then.gbps is None else ""
        if then is not None and then.gbps is not None:
            known = f": {gbps(now.gbps)} now, {gbps(then.gbps)} with {_WITH[becomes]}"
        yield replace(
            hit, message=f"{hit.message}{known}", throughput_now=now, throughput_fixed=then
        )
