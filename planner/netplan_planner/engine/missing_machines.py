"""Machines that an inventory tells of and does not hold: of groups, node pools and clusters.

One of which any machine was read is not looked at: its size and its machines may be of two times.
"""

from collections.abc import Iterator

from netplan_planner.engine.autoscaled import labels_of_node, limits_of_pool
from netplan_planner.model import InstanceGroup, Inventory, Unread, last_part
from netplan_planner.model.gke import Cluster, NodePool

_UNKNOWN = "their number is not known"

Owner = Cluster | InstanceGroup | NodePool


def all_unread(inventory: Inventory) -> tuple[Unread, ...]:
    """Return what was not read of an inventory, with the machines that it tells of."""
    told = {one.resource for one in inventory.unread if not one.is_needless and not one.field}
    return (
        *inventory.unread,
        *(
            Unread(source=owner.ref.source, resource=owner.ref.self_link, reason=reason)
            for owner, reason in _Missing(inventory).all()
            if owner.ref.self_link not in told
        ),
    )


class _Missing:
    """The machines of an inventory by what made them, and what made none of them."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        kubernetes = inventory.kubernetes
        self._clusters = (kubernetes.clusters or ()) if kubernetes is not None else ()
        self._pools = (kubernetes.node_pools or ()) if kubernetes is not None else ()
        machines = inventory.instances
        self._makers = {one.created_by for one in machines}
        # Not every export has the metadata that names the maker.
        self._bases = {(one.project, one.name.rpartition("-")[0]) for one in machines}
        self._nodes = {labels_of_node(one) for one in machines}
        self._groups = {
            group.ref.self_link
            for link, group in inventory.group_by_member.items()
            if link in inventory.instance_by_link
        }

    def all(self) -> Iterator[tuple[Owner, str]]:
        """Yield each owner of machines that were not read, and how many these are."""
        of_pools = {link for pool in self._pools for link in pool.instance_groups}
        for group in self._inventory.instance_groups:
            is_manager = "/instanceGroupManagers/" in group.ref.self_link
            is_asked = is_manager and group.ref.self_link not in of_pools
            if is_asked and group.size and not self._has_machines(group):
                yield group, f"its machines are in no input: {group.size:,}"
        for cluster in self._clusters:
            yield from self._of_cluster(cluster)
        autopilot = {one.ref.self_link for one in self._clusters if one.is_autopilot}
        for pool in self._pools:
            if pool.cluster not in autopilot and not self._has_nodes(pool):
                count = self._count_of(pool)
                if count:
                    yield pool, f"its nodes are in no input: {count}"

    def _of_cluster(self, cluster: Cluster) -> Iterator[tuple[Owner, str]]:
        own = (cluster.project, cluster.name)
        if any(labels[:2] == own for labels in self._nodes):
            return
        count = _UNKNOWN if cluster.node_count is None else f"{cluster.node_count:,}"
        if cluster.is_autopilot:
            yield cluster, f"its nodes are in no input: {count} (GKE Autopilot)"
        elif cluster.node_count and all(p.cluster != cluster.ref.self_link for p in self._pools):
            yield cluster, f"its nodes are in no input: {count}"

    def _has_machines(self, group: InstanceGroup) -> bool:
        return (
            group.ref.self_link in self._makers
            or not self._groups.isdisjoint({group.ref.self_link, group.instance_group})
            or (group.project, group.base_instance_name) in self._bases
        )

    def _has_nodes(self, pool: NodePool) -> bool:
        own = pool.project, last_part(pool.cluster), pool.name
        return own in self._nodes or not self._makers.isdisjoint(pool.instance_groups)

    def _count_of(self, pool: NodePool) -> str:
        """Return how many nodes a pool has, as far as that is known; empty: none."""
        sizes = self._sizes_of(pool)
        if sizes is not None:
            return f"{sum(sizes):,}" if any(sizes) else ""
        scaled = limits_of_pool(pool)
        if scaled:
            return scaled
        if pool.initial_node_count is None:
            return _UNKNOWN
        first = pool.initial_node_count
        return f"{first:,} in each zone at first" if first else ""

    def _sizes_of(self, pool: NodePool) -> list[int] | None:
        """Return the sizes of a pool's groups; None: not all of them were read."""
        sizes = {
            group.ref.self_link: group.size
            for group in self._inventory.instance_groups
            if group.ref.self_link in pool.instance_groups
        }
        known = [size for size in sizes.values() if size is not None]
        return known if known and len(known) == len(pool.instance_groups) else None
