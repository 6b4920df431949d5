"""Machines that something else makes and places: what is changed on them by hand does not last."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from netplan_planner.model import Facts, Instance, Instruction

_GKE_NODE_LABEL = "goog-gke-node"
_CLUSTER_LABEL = "goog-k8s-cluster-name"
_POOL_LABEL = "goog-k8s-node-pool-name"
_BY_HAND = "what is changed on the machine by hand does not last"


class Replacement(NamedTuple):
    """How machines that something else makes get another type."""

    text: str
    verify: Instruction
    undo: Instruction
    caution: str


def is_managed(facts: Facts, instance: Instance) -> bool:
    """Return whether a managed instance group or GKE looks after a machine."""
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    return (
        instance.created_by is not None
        or (group is not None and group.is_managed)
        or instance.label(_GKE_NODE_LABEL) is not None
    )


def changed_together(facts: Facts, instances: Iterable[Instance]) -> Iterator[tuple[Instance, ...]]:
    """Yield the machines that get another type in one go: of a node pool or group, else alone."""
    found: dict[tuple[str, ...], list[Instance]] = {}
    for instance in instances:
        found.setdefault(_maker(facts, instance), []).append(instance)
    yield from map(tuple, found.values())


def _maker(facts: Facts, instance: Instance) -> tuple[str, ...]:
    """Return what made a machine of its type; the machine itself where nothing is known to."""
    pool, cluster = instance.label(_POOL_LABEL), instance.label(_CLUSTER_LABEL)
    if pool is not None and cluster is not None:
        # A pool has a group in each zone, and one type.
        return instance.project, instance.region, cluster, pool
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    if group is not None and group.is_managed:
        return (group.ref.self_link,)
    return (instance.created_by or instance.ref.self_link,)


def replacement(instance: Instance, machine_type: str) -> Replacement:
    """Return how what made a machine is told of another type, as a node pool or as a group."""
    if instance.label(_GKE_NODE_LABEL) is None:
        return Replacement(
            text="Give its managed instance group a template with it; the group replaces its"
            " machines.",
            verify=Instruction(
                text=f"The group's machines run as {machine_type} and pass their health check under"
                " load."
            ),
            undo=Instruction(
                text="Give the group its old template back; it replaces its machines once more."
            ),
            caution=f"A managed instance group made it: {_BY_HAND}.",
        )
    pool = instance.label(_POOL_LABEL)
    return Replacement(
        text=f"Make a node pool like {pool or 'its own'} with it, let the pods move there, then"
        " take the old pool out.",
        verify=Instruction(
            text=f"The new nodes run as {machine_type}, and their pods pass their health checks"
            " under load.",
        ),
        undo=Instruction(text="Keep the old pool, cordoned, until the new one is proven."),
        caution=f"GKE made it: {_BY_HAND}. Pods restart as they move.",
    )
