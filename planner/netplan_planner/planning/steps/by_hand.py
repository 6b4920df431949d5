"""Changes for which Google Cloud has no command: in the configuration of machines and clusters."""

from collections.abc import Sequence

from netplan_planner.model import Fix, Instance, Instruction, NetworkInterface
from netplan_planner.model.plans.changes import PlanChange
from netplan_rules.steps import no_longer_addressed
from netplan_rules.wording import internal_target, listed

_DNS = "https://cloud.google.com/compute/docs/internal-dns"
_PLUGINS = (
    "https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/"
)


def call_inside(
    machine: Instance,
    nic: NetworkInterface,
    peers: Sequence[Instance],
    used: str | None,
    clean_up: Instruction | None,
    *,
    is_made_again: bool = False,
) -> PlanChange:
    """Return the step by which others call a machine by its internal address.

    Args:
        machine: Which is called.
        nic: By which it is reached inside.
        peers: Who exchanges traffic with it by the external address, at least one.
        used: That address; None: the traffic does not tell.
        clean_up: What becomes of it.
        is_made_again: Whether a step before this one makes the machine again, with other addresses.
    """
    by = internal_target(peers[0], machine, nic)
    if is_made_again:
        by = "the internal DNS name or address of the machine that an earlier step made of it"
        clean_up = None
    address = used or "its external address"
    names = listed([one.name for one in peers])
    return PlanChange(
        subject=machine.name,
        fix=Fix(
            text=f"In the configuration of {names}, call {machine.name} by {by}, not by {address}",
            label="internal address",
            verify=None if used is None else no_longer_addressed(used, machine.project),
            clean_up=clean_up,
            undo=Instruction(
                text=f"Put {address} back into the configuration; nothing else changed."
            ),
            documents=(_DNS,),
            caution="A firewall rule must let the internal source addresses in. Where the machine"
            " opens the connection itself, its own configuration is the one to change.",
        ),
    )


def call_outside(
    machine: Instance, peers: Sequence[Instance], address: str, *, is_made_again: bool = False
) -> PlanChange:
    """Return the step by which others call a machine by its external address.

    Args:
        machine: Which is called.
        peers: Who exchanges traffic with it by the internal address, at least one.
        address: The external one.
        is_made_again: Whether a step before this one makes the machine again, with other addresses.
    """
    if is_made_again:
        address = "the external address of the machine that an earlier step made of it"
    names = listed([one.name for one in peers])
    return PlanChange(
        subject=machine.name,
        fix=Fix(
            text=f"In the configuration of {names}, call {machine.name} by {address}, not by its"
            " internal address",
            label="external address",
            verify=Instruction(
                text=f"An hour later the flow logs have records of these machines to {address}."
            ),
            undo=Instruction(
                text="Put the internal address back into the configuration; nothing else changed."
            ),
            caution="A firewall rule must let the external source addresses in. This path is billed"
            " by the GiB inside a zone too, and counts against the cap to addresses outside the"
            " VPC.",
        ),
    )


def change_plugin(nodes: Sequence[Instance], plugin: str) -> PlanChange:
    """Return the step that gives a cluster's nodes another network plugin.

    Args:
        nodes: At least one.
        plugin: As netplan names it.
    """
    names = listed([one.name for one in nodes])
    return PlanChange(
        subject=nodes[0].name if len(nodes) == 1 else f"{len(nodes)} nodes",
        fix=Fix(
            text=f"Let the cluster of {names} use {plugin}: by the plugin's own tools, on new nodes"
            " beside the old ones, then move the pods",
            label=plugin,
            verify=Instruction(
                text="All nodes are Ready, pods of different nodes reach each other, and the path"
                " carries what `netplan predict` says of it."
            ),
            undo=Instruction(text="Keep the old nodes, cordoned, until the new ones are proven."),
            documents=(_PLUGINS,),
            caution="A plugin is a choice of the whole cluster: nodes with two of them do not see"
            " each other's pods, and network policies of one may mean nothing to the other. GKE's"
            " is chosen when the cluster is made: there it takes a new cluster.",
        ),
    )
