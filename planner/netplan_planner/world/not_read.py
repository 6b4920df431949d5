"""What of the given evidence did not reach the answer; evidence that was not given is not meant."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from netplan_planner import model
from netplan_planner.machines.groups import CLUSTER_LABEL, POOL_LABEL
from netplan_planner.model.project.gke import Cluster, NodePool
from netplan_planner.readers.compute.networks import names_no_tier
from netplan_planner.units import counted


def what_is_incomplete(
    facts: model.Facts, not_evaluated: Iterable[model.NotEvaluated]
) -> tuple[str, ...]:
    """Return what is missing, a line each: pages, projects, damaged parts, rules that crashed."""
    crashed = [note.rule for note in not_evaluated if note.kind == "crashed"]
    measured = facts.measurement_coverage
    faults = len(measured.faults) if measured is not None else 0
    return (
        *(f"the rule {rule} crashed" for rule in dict.fromkeys(crashed)),
        *lost_of_inventory(facts.inventory),
        *_unread(facts.metrics.coverage.unread if facts.metrics is not None else ()),
        *(facts.traffic.coverage.incomplete if facts.traffic is not None else ()),
        *(facts.pod_traffic.incomplete if facts.pod_traffic is not None else ()),
        *((f"{counted(faults, 'line')} of measurements could not be used",) if faults else ()),
    )


def lost_of_inventory(inventory: model.Inventory) -> tuple[str, ...]:
    """Return what of an inventory is missing, a line each."""
    return (*_projects(inventory), *_unread(all_unread(inventory)))


def stopped_machines(inventory: model.Inventory) -> tuple[str, ...]:
    """Return a line on the machines that a plan of what runs leaves out."""
    off = [one for one in inventory.instances if one.is_off]
    if not off:
        return ()
    is_are = "is" if len(off) == 1 else "are"
    kind = "stopped or suspended" if any(one.is_suspended for one in off) else "stopped"
    named = some(sorted(one.name for one in off))
    return (f"{counted(len(off), f'{kind} VM')} {is_are} skipped: {named}",)


def _projects(inventory: model.Inventory) -> Iterator[str]:
    for project in inventory.projects:
        if project.errors:
            more = f" (and {len(project.errors) - 1} more)" if len(project.errors) > 1 else ""
            yield f"project {project.project}: {project.errors[0]}{more}"


def _unread(unread: Sequence[model.Unread]) -> Iterator[str]:
    """Yield what was not understood by its cause; what the audit does not need is no loss."""
    lost = [entry for entry in unread if not entry.is_needless]
    places = {entry.reason: _place(entry) for entry in reversed(lost)}
    causes = Counter(entry.reason for entry in lost)
    for reason, count in sorted(causes.items(), key=lambda pair: (-pair[1], pair[0])):
        more = f" (and {count - 1:,} more)" if count > 1 else ""
        method, _, _ = places[reason].partition(" ")
        yield f"{places[reason]}{more}: {reason.removeprefix(f'{method}: ')}"


def _place(entry: model.Unread) -> str:
    """Return where something was read, with its name where the place does not end in it."""
    name = model.last_part(entry.resource or "")
    return entry.source if entry.source.endswith(name) else f"{entry.source} {name}"


_UNKNOWN = "their number is unknown"


Owner = Cluster | model.InstanceGroup | NodePool


def all_unread(inventory: model.Inventory) -> tuple[model.Unread, ...]:
    """Return what was not read of an inventory, with the machines that it tells of."""
    told = {one.resource for one in inventory.unread if not one.is_needless and not one.field}
    return (
        *inventory.unread,
        *(
            model.Unread(source=owner.ref.source, resource=owner.ref.self_link, reason=reason)
            for owner, reason in _Missing(inventory).all()
            if owner.ref.self_link not in told
        ),
    )


def groups_not_read(inventory: model.Inventory) -> int:
    """Return how many groups, node pools and clusters have machines that are in no input."""
    return sum(1 for _ in _Missing(inventory).all())


class _Missing:
    """The machines of an inventory by what made them, and what made none of them."""

    def __init__(self, inventory: model.Inventory) -> None:
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
                yield group, f"the input has none of its VMs: {group.size:,}"
        for cluster in self._clusters:
            yield from self._of_cluster(cluster)
        autopilot = {one.ref.self_link for one in self._clusters if one.is_autopilot}
        for pool in self._pools:
            if pool.cluster not in autopilot and not self._has_nodes(pool):
                count = self._count_of(pool)
                if count:
                    yield pool, f"the input has none of its nodes: {count}"

    def _of_cluster(self, cluster: Cluster) -> Iterator[tuple[Owner, str]]:
        own = (cluster.project, cluster.name)
        if any(labels[:2] == own for labels in self._nodes):
            return
        count = _UNKNOWN if cluster.node_count is None else f"{cluster.node_count:,}"
        if cluster.is_autopilot:
            yield cluster, f"the input has none of its nodes: {count} (GKE Autopilot)"
        elif cluster.node_count and all(p.cluster != cluster.ref.self_link for p in self._pools):
            yield cluster, f"the input has none of its nodes: {count}"

    def _has_machines(self, group: model.InstanceGroup) -> bool:
        return (
            group.ref.self_link in self._makers
            or not self._groups.isdisjoint({group.ref.self_link, group.instance_group})
            or (group.project, group.base_instance_name) in self._bases
        )

    def _has_nodes(self, pool: NodePool) -> bool:
        own = pool.project, model.last_part(pool.cluster), pool.name
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
        return f"initially {first:,} per zone" if first else ""

    def _sizes_of(self, pool: NodePool) -> list[int] | None:
        """Return the sizes of a pool's groups; None: not all of them were read."""
        sizes = {
            group.ref.self_link: group.size
            for group in self._inventory.instance_groups
            if group.ref.self_link in pool.instance_groups
        }
        known = [size for size in sizes.values() if size is not None]
        return known if known and len(known) == len(pool.instance_groups) else None


_NAMED = 3


def unresolved(inventory: model.Inventory, metrics: model.Metrics | None) -> tuple[str, ...]:
    """Return a line each for host projects, tiers, members of groups and measured machines."""
    here = (*_hosts(inventory), *_tiers(inventory), *_groups(inventory))
    return (*here, *(_measured(metrics) if metrics else ()))


def _tiers(inventory: model.Inventory) -> tuple[str, ...]:
    """Return how many external addresses have a network tier that nothing tells."""
    machines = (one.project for one in inventory.instances if names_no_tier(one))
    reserved = (one.project for one in inventory.addresses if names_no_tier(one))
    fronts = (one.project for one in inventory.forwarding_rules if names_no_tier(one))
    bare = [*machines, *reserved, *fronts]
    if not bare:
        return ()
    names = "names" if len(bare) == 1 else "name"
    return (
        f"{counted(len(bare), 'resource')} with an external IP address {names} no network tier,"
        f" and the default tier of {some(sorted(set(bare)))} was not read: assumed Premium Tier"
        " (gcloud compute project-info describe --format=json shows it)",
    )


def _measured(metrics: model.Metrics) -> tuple[str, ...]:
    """Return the machines that have metrics and are in no inventory."""
    names = sorted(
        {
            (one.resource.name, one.resource.location, one.resource.project)
            for one in metrics.series
            if one.resource.kind is model.MeasuredKind.MACHINE and one.resource.link is None
        }
    )
    if not names:
        return ()
    shown = some([name for name, _, _ in names])
    return (
        f"metrics of {counted(len(names), 'VM')} are not used ({shown}): the inventory does"
        f" not have {'it' if len(names) == 1 else 'them'}",
    )


def some(names: Sequence[str]) -> str:
    """Return the first names of many, and how many more there are."""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _hosts(inventory: model.Inventory) -> tuple[str, ...]:
    """Return the host projects of shared networks, where their subnetworks are not known."""
    known = inventory.subnetwork_by_link
    machines: Counter[str] = Counter()
    for instance in inventory.instances:
        hosts = {
            model.project_of(nic.subnetwork)
            for nic in instance.interfaces
            if nic.subnetwork and nic.subnetwork not in known
        }
        machines.update(host for host in hosts if host and host != instance.project)
    read = {project.project for project in inventory.projects}
    return tuple(
        f"{counted(count, 'VM')} of other projects {'is' if count == 1 else 'are'} in"
        f" shared networks of {host}, "
        + (
            "which was read, but without these subnetworks"
            if host in read
            else f"which was not read (--project {host})"
        )
        + ": MTU, flow logs and ranges of those networks are unknown"
        for host, count in sorted(machines.items())
    )


def _groups(inventory: model.Inventory) -> tuple[str, ...]:
    """Return the unmanaged groups of which no member is known."""
    names = [
        group.name
        for group in inventory.instance_groups
        if not group.is_managed and group.size and not group.members
    ]
    if not names:
        return ()
    count = counted(len(names), "unmanaged instance group")
    return (
        f"{count} with unknown members ({some(names)}). Read them with the live API (--project),"
        " or export the relationship INSTANCE_TO_INSTANCEGROUP",
    )


"""Labels that VMs of GKE carry (docs.cloud.google.com/kubernetes-engine/docs/how-to/
creating-managing-labels, read 2026-11-24)."""


_NAMED_GROUPS = 3


def autoscaled(inventory: model.Inventory) -> tuple[str, ...]:
    """Return a line on autoscaled groups, whose machines count as many as were read."""
    found = [*_autoscaled_groups(inventory), *_pools(inventory)]
    if not found:
        return ()
    more = f"; and {len(found) - _NAMED_GROUPS:,} more" if len(found) > _NAMED else ""
    return (
        "Autoscaled groups are counted with the VMs that were read, for a full month:"
        f" {'; '.join(found[:_NAMED_GROUPS])}{more}.",
    )


def limits_of_pool(pool: NodePool) -> str:
    """Return between which numbers of nodes a pool's autoscaler stays; empty: it has none."""
    if pool.total_max_node_count is not None:
        return f"{pool.total_min_node_count or 0:,} to {pool.total_max_node_count:,} in all"
    if pool.max_node_count is not None:
        return f"{pool.min_node_count or 0:,} to {pool.max_node_count:,} per zone"
    return ""


def labels_of_node(machine: model.Instance) -> tuple[str, str | None, str | None]:
    """Return the project, cluster and node pool of a VM of GKE, as its labels name them."""
    return machine.project, machine.label(CLUSTER_LABEL), machine.label(POOL_LABEL)


def _autoscaled_groups(inventory: model.Inventory) -> Iterator[str]:
    sizes: Counter[model.SelfLink | None] = Counter(
        group.ref.self_link
        for link, group in inventory.group_by_member.items()
        if link in inventory.instance_by_link
    )
    for group in inventory.instance_groups:
        size = sizes[group.ref.self_link] + sizes.get(group.instance_group, 0)
        if group.is_autoscaled and size:
            yield f"{group.name} has {counted(size, 'VM')} ({_limits_of_group(group)})"


def _limits_of_group(group: model.InstanceGroup) -> str:
    if group.min_size is None and group.max_size is None:
        return "its limits were not read"
    low, high = ("?" if one is None else f"{one:,}" for one in (group.min_size, group.max_size))
    return f"{low} to {high}"


def _pools(inventory: model.Inventory) -> Iterator[str]:
    kubernetes = inventory.kubernetes
    pools = (kubernetes.node_pools or ()) if kubernetes is not None else ()
    by_label = Counter(map(labels_of_node, inventory.instances)) if pools else Counter()
    by_maker = Counter(one.created_by for one in inventory.instances) if pools else Counter()
    for pool in pools:
        limits = limits_of_pool(pool)
        size = by_label[pool.project, model.last_part(pool.cluster), pool.name] or sum(
            by_maker[link] for link in pool.instance_groups
        )
        if limits and size:
            yield f"{pool.name} has {counted(size, 'node')} ({limits})"
