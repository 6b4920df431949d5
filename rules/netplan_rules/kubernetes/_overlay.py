"""The hit of the two rules on encapsulation, and when it is of no need."""

from collections.abc import Iterator

from msgspec.structs import replace

from netplan_planner.clusters.network import ClusterNetwork
from netplan_planner.model import Evidence, Facts, Fix, Hit, Instruction
from netplan_planner.throughput.limits.pods.tables import PodTerm, pod_term, pod_terms
from netplan_rules.base import Rule
from netplan_rules.kubernetes import _interfaces
from netplan_rules.kubernetes._cluster import ClusterFacts, object_of
from netplan_rules.wording import gbps

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
        message=f"{cluster.plugin} puts packets between nodes into packets of {kind}{size}",
        evidence=tuple(evidence),
        fix=Fix(
            label=label,
            text=text,
            verify=Instruction(
                text="The plugin's settings name no encapsulation, and pods of different nodes"
                " reach each other.",
            ),
            undo=Instruction(text="Set the encapsulation again, and restart the plugin's pods."),
            documents=rule.references,
            caution="A change for all nodes at once: those with the old and those with the new"
            " setting do not reach each other's pods. A new node pool or a new cluster avoids"
            " that.",
        ),
        doubts=("the settings do not state the encapsulation: it is the plugin's default",)
        if is_default
        else (),
    )
    return next(_with_rates(facts, hit, cluster, becomes), hit)


def _with_rates(facts: Facts, hit: Hit, cluster: ClusterFacts, becomes: str) -> Iterator[Hit]:
    """Yield the hit with what pods of the first node that is known exchange, before and after."""
    network = cluster.network
    for node in cluster.nodes:
        is_vm = node.name in facts.inventory.instance_by_node
        used = _interfaces.used_interface(network, node, _interfaces.interfaces_of(facts, node))
        link = used.interface.link if used is not None else None
        pod = _interfaces.pod_network(network, is_bare_metal=not is_vm)
        now = _interfaces.pod_estimate(facts, node, pod, link.gbps if link is not None else None)
        if now is None or now.gbps is None:
            continue
        plain = replace(pod, encapsulation=becomes, mtu_bytes=None)
        then = _interfaces.pod_estimate(facts, node, plain, link.gbps if link is not None else None)
        known = f": {gbps(now.gbps)}" if then is None or then.gbps is None else ""
        if then is not None and then.gbps is not None:
            known = f": {gbps(now.gbps)} where {gbps(then.gbps)} would go with {_WITH[becomes]}"
        yield replace(
            hit, message=f"{hit.message}{known}", throughput_now=now, throughput_fixed=then
        )
