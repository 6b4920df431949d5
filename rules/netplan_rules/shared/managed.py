"""Machines that something else makes and places: what is changed on them by hand does not last."""

from typing import NamedTuple

from netplan_planner.machines.groups import GKE_NODE_LABEL, POOL_LABEL
from netplan_planner.model import Instance, Instruction

_BY_HAND = "a manual change on the VM does not last"


class Replacement(NamedTuple):
    """How machines that something else makes get another type."""

    text: str
    verify: Instruction
    undo: Instruction
    caution: str


def replacement(instance: Instance, machine_type: str) -> Replacement:
    """Return how what made a machine is told of another type, as a node pool or as a group."""
    if instance.label(GKE_NODE_LABEL) is None:
        return Replacement(
            text="Give its managed instance group a template with this change. The group replaces"
            " its VMs.",
            verify=Instruction(
                text=f"The group's VMs run as {machine_type} and pass their health check under"
                " load."
            ),
            undo=Instruction(
                text="Give the group its old template again. It replaces its VMs once more."
            ),
            caution=f"A managed instance group created it: {_BY_HAND}.",
        )
    pool = instance.label(POOL_LABEL)
    return Replacement(
        text=f"Create a node pool like {pool or 'its own'} with this change, let the pods move"
        " there, then delete the old pool.",
        verify=Instruction(
            text=f"The new nodes run as {machine_type}, and their pods pass their health checks"
            " under load.",
        ),
        undo=Instruction(text="Keep the old pool, cordoned, until the new one is proven."),
        caution=f"GKE created it: {_BY_HAND}. Pods restart as they move.",
    )
