"""Changes for which Google Cloud has no command: in the configuration of machines and clusters.

Changes of a whole network: another MTU, taken by all machines in it at once.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from netplan_planner.model import Fix, Instance, Instruction, Network, NetworkInterface
from netplan_planner.model.plans.plan_answer import PlanChange, TerraformChange
from netplan_planner.planning.steps import in_batches
from netplan_planner.units import counted
from netplan_rules.wording import gcloud_of, internal_target, listed, no_longer_addressed

_MTU = "https://cloud.google.com/vpc/docs/change-mtu-vpc-network"
_PING_HEADERS = 28
"""IPv4 and ICMP, of a ping with the don't-fragment bit."""


def change_mtu(
    network: Network, mtu_bytes: int, machines: Sequence[Instance], groups: Sequence[str] = ()
) -> PlanChange:
    """Return the step that gives a network another MTU while its machines are stopped.

    The documented way: machines that run meanwhile keep the old one, and some packets are lost.

    Args:
        network: As it is today.
        mtu_bytes: Its new MTU.
        machines: Which have an interface in it and run, without those of managed groups.
        groups: Names of managed groups with machines in it: they start again what is stopped.
    """
    networks, name = gcloud_of("networks", network.project), _word(network)
    stop, start = list(_of_all(machines, "stop")), list(_of_all(machines, "start"))

    def to(value: int) -> tuple[str, ...]:
        return (*stop, networks("update", name, f"--mtu={value}"), *start)

    before = network.mtu_bytes
    scaled = (
        f" Managed instance groups ({listed(groups)}) restart their VMs: set their size to 0"
        " first, and back afterwards."
        if groups
        else ""
    )
    return PlanChange(
        subject=network.name,
        fix=Fix(
            text=f"Set the MTU of network {network.name} to {mtu_bytes} while"
            f" {counted(len(machines), 'VM')} in it {'is' if len(machines) == 1 else 'are'}"
            " stopped",
            label=f"MTU {mtu_bytes}",
            commands=to(mtu_bytes),
            verify=Instruction(
                text=f"The network has it, and a ping of {mtu_bytes - _PING_HEADERS} bytes with"
                " the don't-fragment bit passes between two of the VMs.",
                commands=(networks("describe", name, "--format=value(mtu)"),),
            ),
            undo=Instruction(text="Today's MTU is not in the input: note it before the change.")
            if before is None
            else Instruction(
                text=f"Set it back to {before}, with one more stop of all VMs.", commands=to(before)
            ),
            documents=(_MTU,),
            caution="The whole network is down meanwhile. Peered networks keep their MTU. Windows,"
            " images with a fixed MTU and pods do not take it from the network: set it there"
            f" too. VMs outside the inventory keep running.{scaled}",
        ),
        terraform=(
            TerraformChange(
                resource="google_compute_network",
                name=network.name,
                attribute="mtu",
                before=None if before is None else str(before),
                after=str(mtu_bytes),
                replaces=False,
                note="Terraform stops no VMs: stop them before, start them afterwards.",
            ),
        ),
    )


def _word(one: Instance | Network) -> str:
    """Return what names it in a command: its path where the name could be taken for a flag."""
    return one.ref.self_link if one.name.startswith("-") else one.name


def _of_all(machines: Sequence[Instance], verb: str) -> Iterator[str]:
    """Yield a verb for all machines, a few of one zone and project at a time."""

    def place(one: Instance) -> tuple[str, str]:
        return one.project, one.zone

    ordered = sorted(machines, key=lambda one: (*place(one), one.name))
    for (project, zone), found in groupby(ordered, key=place):
        names = [_word(one) for one in found]
        run = gcloud_of("instances", project, f"--zone={zone}")
        for batch in in_batches(names):
            yield run(verb, *batch)


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
        by = "the internal DNS name or address of the VM that an earlier step created from it"
        clean_up = None
    address = used or "its external address"
    names = listed([one.name for one in peers])
    return PlanChange(
        subject=machine.name,
        fix=Fix(
            text=f"In the configuration of {names}, call {machine.name} at {by} instead of"
            f" {address}",
            label="internal address",
            verify=None if used is None else no_longer_addressed(used, machine.project),
            clean_up=clean_up,
            undo=Instruction(
                text=f"Put {address} back into the configuration. Nothing else changed."
            ),
            documents=(_DNS,),
            caution="A firewall rule must allow the internal source addresses. If the VM opens the"
            " connection itself, change its own configuration.",
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
        address = "the external address of the VM that an earlier step created from it"
    names = listed([one.name for one in peers])
    return PlanChange(
        subject=machine.name,
        fix=Fix(
            text=f"In the configuration of {names}, call {machine.name} at {address} instead of"
            " its internal address",
            label="external address",
            verify=Instruction(
                text=f"After one hour, the flow logs have records of these VMs to {address}."
            ),
            undo=Instruction(
                text="Put the internal address back into the configuration. Nothing else changed."
            ),
            caution="A firewall rule must allow the external source addresses. This path is billed"
            " per GiB, even within a zone, and counts against the cap to addresses outside"
            " the VPC.",
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
            text=f"Let the cluster of {names} use {plugin}: with the plugin's tools, on new nodes"
            " next to the old ones, then move the pods",
            label=plugin,
            verify=Instruction(
                text="All nodes are Ready, pods on different nodes reach each other, and the path"
                " carries what `netplan predict` shows."
            ),
            undo=Instruction(text="Keep the old nodes, cordoned, until the new ones are proven."),
            documents=(_PLUGINS,),
            caution="The plugin applies to the whole cluster: nodes with different plugins do not"
            " see each other's pods, and network policies may not transfer. GKE sets the"
            " plugin when the cluster is created, so you need a new cluster there.",
        ),
    )
