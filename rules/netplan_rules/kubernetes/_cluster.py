"""What the rules on clusters share: the object that a setting was read from, and kubectl."""

from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner.clusters.network import ClusterNetwork, networks_of
from netplan_planner.clusters.settings import Setting
from netplan_planner.model import Facts, ResourceRef
from netplan_planner.model.project.kubernetes import Kubernetes, Node
from netplan_rules.wording import command

Objects = tuple[ResourceRef, ...]


class ClusterFacts(NamedTuple):
    """A cluster whose plugin is known."""

    kubernetes: Kubernetes
    """All that was read, of this cluster and others."""
    network: ClusterNetwork
    nodes: tuple[Node, ...]
    """Its nodes, where they were read."""
    plugin: str


def cluster_networks(facts: Facts) -> Iterator[ClusterFacts]:
    """Yield each cluster whose plugin is known; nodes are of the one whose objects were read."""
    kubernetes = facts.inventory.kubernetes
    for index, network in enumerate(networks_of(kubernetes) if kubernetes is not None else ()):
        assert kubernetes is not None
        if network.plugin is not None:
            nodes = (kubernetes.nodes or ()) if index == 0 else ()
            yield ClusterFacts(kubernetes, network, nodes, network.plugin.value)


def object_of(cluster: ClusterFacts, *settings: Setting | None) -> Objects:
    """Return the object that the first of the settings was read from, else the GKE cluster.

    Nothing in an object names its cluster: what a finding points at is where the setting stands.
    """
    kubernetes, network = cluster.kubernetes, cluster.network
    refs = [one.ref for one in kubernetes.config_maps or ()]
    refs += [one.ref for one in kubernetes.workloads or ()]
    refs += [one.ref for one in kubernetes.nodes or ()]
    for setting in (*settings, network.plugin):
        if setting is not None:
            for ref in refs:
                if ref.source and setting.source.startswith(f"{ref.source}: "):
                    return (ref,)
    known = kubernetes.cluster_by_link.get(network.link) if network.link is not None else None
    return (known.ref,) if known is not None else ()


def kubectl(namespace: str, *words: str) -> str:
    """Return `kubectl --namespace=N WORDS`."""
    return command("kubectl", f"--namespace={namespace}", *words)
