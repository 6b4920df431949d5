"""Machines that something else makes and places, and which of them are changed in one go.

What keeps a machine in its zone: the guard of every move, whichever rule or plan proposes it.
"""

from collections.abc import Iterable, Iterator

from netplan_planner.model import PIN_LABEL, ROLE_LABEL, Facts, Instance

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


HA_ROLES = frozenset({"standby", "quorum", "replica"})
"""Values of the label netplan-role that say: this machine stands elsewhere on purpose."""


def why_it_stays(facts: Facts, one: Instance) -> str:
    """Return why a machine stays in its zone; empty: it may move."""
    inventory, link = facts.inventory, one.ref.self_link
    policies = (inventory.policy_by_link.get(link) for link in one.resource_policies)
    disks = inventory.disks_by_user.get(link, ())
    own = {link, *(nic.internal_ipv4 for nic in one.interfaces if nic.internal_ipv4)}
    reasons = {
        "members of managed groups, which place them": is_managed(facts, one),
        f"label {PIN_LABEL}": one.label(PIN_LABEL) is not None,
        f"label {ROLE_LABEL}": one.label(ROLE_LABEL) in HA_ROLES,
        "a specific reservation": one.reservation is not None,
        "sole-tenant nodes": one.is_sole_tenant,
        "a compact placement policy, or one that was not read": any(
            policy is None or policy.is_compact for policy in policies
        ),
        "Local SSDs, whose data a move loses": bool(one.local_ssd_count),
        "attached GPUs, whose zones are not known here": bool(one.gpu_count),
        "parts that are known after apply": bool(one.unknown_parts),
        "regional disks, whose zones are not known here": any(
            "/regions/" in disk.ref.self_link for disk in disks
        ),
        "disks that other machines use too": any(len(disk.users) > 1 for disk in disks),
        "the next hop of a route": not own.isdisjoint(inventory.next_hops),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
