"""Groups and node pools whose number of machines an autoscaler decides, in words for an answer."""

from collections import Counter
from collections.abc import Iterator

from netplan_planner.model import Instance, InstanceGroup, Inventory, SelfLink, last_part
from netplan_planner.model.gke import NodePool
from netplan_planner.units import counted

_CLUSTER_LABEL, _POOL_LABEL = "goog-k8s-cluster-name", "goog-k8s-node-pool-name"
"""Labels that VMs of GKE carry (docs.cloud.google.com/kubernetes-engine/docs/how-to/
creating-managing-labels, read 2026-11-24)."""
_NAMED = 3


def autoscaled(inventory: Inventory) -> tuple[str, ...]:
    """Return a line on autoscaled groups, whose machines count as many as were read."""
    found = [*_groups(inventory), *_pools(inventory)]
    if not found:
        return ()
    more = f"; and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
    return (
        "Autoscaled groups are counted with the machines that were read, for the whole month:"
        f" {'; '.join(found[:_NAMED])}{more}.",
    )


def limits_of_pool(pool: NodePool) -> str:
    """Return between which numbers of nodes a pool's autoscaler stays; empty: it has none."""
    if pool.total_max_node_count is not None:
        return f"{pool.total_min_node_count or 0:,} to {pool.total_max_node_count:,} in all"
    if pool.max_node_count is not None:
        return f"{pool.min_node_count or 0:,} to {pool.max_node_count:,} in each zone"
    return ""


def labels_of_node(machine: Instance) -> tuple[str, str | None, str | None]:
    """Return the project, cluster and node pool of a VM of GKE, as its labels name them."""
    return machine.project, machine.label(_CLUSTER_LABEL), machine.label(_POOL_LABEL)


def _groups(inventory: Inventory) -> Iterator[str]:
    sizes: Counter[SelfLink | None] = Counter(
        group.ref.self_link
        for link, group in inventory.group_by_member.items()
        if link in inventory.instance_by_link
    )
    for group in inventory.instance_groups:
        size = sizes[group.ref.self_link] + sizes.get(group.instance_group, 0)
        if group.is_autoscaled and size:
            yield f"{group.name} has {counted(size, 'machine')} ({_limits_of_group(group)})"


def _limits_of_group(group: InstanceGroup) -> str:
    if group.min_size is None and group.max_size is None:
        return "its limits are not read"
    low, high = ("?" if one is None else f"{one:,}" for one in (group.min_size, group.max_size))
    return f"{low} to {high}"


def _pools(inventory: Inventory) -> Iterator[str]:
    kubernetes = inventory.kubernetes
    pools = (kubernetes.node_pools or ()) if kubernetes is not None else ()
    by_label = Counter(map(labels_of_node, inventory.instances)) if pools else Counter()
    by_maker = Counter(one.created_by for one in inventory.instances) if pools else Counter()
    for pool in pools:
        limits = limits_of_pool(pool)
        size = by_label[pool.project, last_part(pool.cluster), pool.name] or sum(
            by_maker[link] for link in pool.instance_groups
        )
        if limits and size:
            yield f"{pool.name} has {counted(size, 'node')} ({limits})"
