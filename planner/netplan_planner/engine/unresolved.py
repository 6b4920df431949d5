"""What the resources of an inventory name that it does not hold, in words for the report."""

from collections import Counter

from netplan_planner.model import Inventory, project_of
from netplan_planner.units import counted

_NAMED = 3


def unresolved(inventory: Inventory) -> tuple[str, ...]:
    """Return a line each for host projects that were not read, and for groups without members."""
    return (*_hosts(inventory), *_groups(inventory))


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
    shown = ", ".join(names[:_NAMED])
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    count = counted(len(names), "unmanaged instance group")
    return (
        f"{count} without known members ({shown}{more}): groups do not name them; the live API"
        " (--project) does, and an export of the relationship INSTANCE_TO_INSTANCEGROUP",
    )
