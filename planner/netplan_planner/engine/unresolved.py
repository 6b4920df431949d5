"""What resources and metrics name that no inventory holds, in words for the report."""

from collections import Counter
from collections.abc import Sequence

from netplan_planner.model import Inventory, MeasuredKind, Metrics, project_of
from netplan_planner.units import counted

_NAMED = 3


def unresolved(inventory: Inventory, metrics: Metrics | None) -> tuple[str, ...]:
    """Return a line each for host projects, members of groups and measured machines not read."""
    return (*_hosts(inventory), *_groups(inventory), *(_measured(metrics) if metrics else ()))


def _measured(metrics: Metrics) -> tuple[str, ...]:
    """Return the machines that have metrics and are in no inventory."""
    names = sorted(
        {
            (one.resource.name, one.resource.location, one.resource.project)
            for one in metrics.series
            if one.resource.kind is MeasuredKind.MACHINE and one.resource.link is None
        }
    )
    if not names:
        return ()
    shown = some([name for name, _, _ in names])
    return (
        f"metrics of {counted(len(names), 'machine')} are not used ({shown}): no inventory has"
        f" {'it' if len(names) == 1 else 'them'}",
    )


def some(names: Sequence[str]) -> str:
    """Return the first names of many, and how many more there are."""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _hosts(inventory: Inventory) -> tuple[str, ...]:
    """Return the host projects of shared networks, where their subnetworks are not known."""
    known = inventory.subnetwork_by_link
    machines: Counter[str] = Counter()
    for instance in inventory.instances:
        hosts = {
            project_of(nic.subnetwork)
            for nic in instance.interfaces
            if nic.subnetwork and nic.subnetwork not in known
        }
        machines.update(host for host in hosts if host and host != instance.project)
    read = {project.project for project in inventory.projects}
    return tuple(
        f"{counted(count, 'machine')} of other projects {'stands' if count == 1 else 'stand'} in"
        f" shared networks of {host}, "
        + (
            "which has been read, but not these subnetworks"
            if host in read
            else f"which was not read (--project {host})"
        )
        + ": MTU, flow logs and ranges of those networks are not known"
        for host, count in sorted(machines.items())
    )


def _groups(inventory: Inventory) -> tuple[str, ...]:
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
        f"{count} without known members ({some(names)}): groups do not name them; the live API"
        " (--project) does, and an export of the relationship INSTANCE_TO_INSTANCEGROUP",
    )
