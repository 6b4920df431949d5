"""Machines that something else makes and places: what is changed on them by hand does not last."""

from typing import NamedTuple

from netplan_planner.machines.groups import GKE_NODE_LABEL, POOL_LABEL
from netplan_planner.model import Instance, Instruction

_BY_HAND = "what is changed on the machine by hand does not last"


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
    pool = instance.label(POOL_LABEL)
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
