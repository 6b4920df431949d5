"""Machines that something else makes and places: what is changed on them by hand does not last."""

from netplan_planner.model import Facts, Instance

_GKE_NODE_LABEL = "goog-gke-node"


def is_managed(facts: Facts, instance: Instance) -> bool:
    """Return whether a managed instance group or GKE looks after a machine."""
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    return (
        instance.created_by is not None
        or (group is not None and group.is_managed)
        or instance.label(_GKE_NODE_LABEL) is not None
    )
