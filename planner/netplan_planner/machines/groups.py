"""Machines that something else makes and places, and which of them are changed in one go."""

from collections.abc import Iterable, Iterator

from netplan_planner.model import Facts, Instance

GKE_NODE_LABEL = "goog-gke-node"
CLUSTER_LABEL = "goog-k8s-cluster-name"
POOL_LABEL = "goog-k8s-node-pool-name"


def is_managed(facts: Facts, instance: Instance) -> bool:
    """Return whether a managed instance group or GKE looks after a machine."""
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    return (
        instance.created_by is not None
        or (group is not None and group.is_managed)
        or instance.label(GKE_NODE_LABEL) is not None
    )


def changed_together(facts: Facts, instances: Iterable[Instance]) -> Iterator[tuple[Instance, ...]]:
    """Yield the machines that get another type in one go: of a node pool or group, else alone."""
    found: dict[tuple[str, ...], list[Instance]] = {}
    for instance in instances:
        found.setdefault(_maker(facts, instance), []).append(instance)
    yield from map(tuple, found.values())


def _maker(facts: Facts, instance: Instance) -> tuple[str, ...]:
    """Return what made a machine of its type; the machine itself where nothing is known to."""
    pool, cluster = instance.label(POOL_LABEL), instance.label(CLUSTER_LABEL)
    if pool is not None and cluster is not None:
        # A pool has a group in each zone, and one type.
        return instance.project, instance.region, cluster, pool
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    if group is not None and group.is_managed:
        return (group.ref.self_link,)
    return (instance.created_by or instance.ref.self_link,)
