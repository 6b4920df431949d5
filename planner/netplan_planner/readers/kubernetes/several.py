"""Whether objects are of several clusters, which nothing in an object says.

Names of one cluster are used again in the next: put together, their Services would have each
other's endpoints, and their nodes each other's network plugin.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from netplan_planner.model import Instance
from netplan_planner.model.project.kubernetes import Node, Service

OF_GKE_CLUSTERS = frozenset({"clusters", "node_pools"})
"""Fields of `Kubernetes` that the Kubernetes Engine API states; their links name the cluster."""
_CLUSTER = "goog-k8s-cluster-name"
"""Label that VMs of GKE carry."""


def why_several(found: Mapping[str, Sequence[Any]]) -> str:
    """Return what shows that objects are of several clusters; empty where nothing does.

    Args:
        found: Readings by field of `Kubernetes` and of `Inventory`, repeated ones included.
    """
    services: Sequence[Service] = found["services"]
    addresses: dict[str, set[tuple[str, ...]]] = {}
    for one in services:
        if one.cluster_ips:
            addresses.setdefault(one.full_name, set()).add(one.cluster_ips)
    for name, held in sorted(addresses.items()):
        # A Service keeps its address; only where it was made anew has it another.
        if len(held) > 1:
            shown = "; ".join(sorted(", ".join(each) for each in held)[:3])
            return f"the Service {name} has several addresses ({shown})"
    nodes: Sequence[Node] = found["nodes"]
    pooled = {one.instance for one in nodes if one.node_pool is not None and one.instance}
    projects = {link.split("/")[1] for link in pooled if "/" in link}
    if len(projects) > 1:
        return f"nodes of GKE are in several projects ({', '.join(sorted(projects)[:3])})"
    machines: Sequence[Instance] = found["instances"]
    names = {
        label
        for machine in machines
        if machine.ref.self_link in pooled
        for key, label in machine.labels
        if key == _CLUSTER
    }
    if len(names) > 1:
        return f"the VMs of nodes name several clusters ({', '.join(sorted(names)[:3])})"
    return ""
