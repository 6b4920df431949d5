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
        f" Groups start their machines again ({listed(groups)}): scale those to 0 first, and back"
        " after."
        if groups
        else ""
    )
    return PlanChange(
        subject=network.name,
        fix=Fix(
            text=f"Give the network {network.name} the MTU {mtu_bytes}, while"
            f" {counted(len(machines), 'machine')} in it {'is' if len(machines) == 1 else 'are'}"
            " stopped",
            label=f"MTU {mtu_bytes}",
            commands=to(mtu_bytes),
            verify=Instruction(
                text=f"The network has it, and a ping of {mtu_bytes - _PING_HEADERS} bytes with the"
                " don't-fragment bit crosses between two of the machines.",
                commands=(networks("describe", name, "--format=value(mtu)"),),
            ),
            undo=Instruction(text="The MTU of today was not read: note it before the change.")
            if before is None
            else Instruction(
                text=f"Give it {before} back, with one more stop of all.", commands=to(before)
            ),
            documents=(_MTU,),
            caution="All of the network stands still meanwhile; peered networks keep their MTU."
            " Windows, and images that set an MTU of their own, do not take it from the network,"
            f" nor do pods: set it there too. Machines that were not read keep running.{scaled}",
        ),
        terraform=(
            TerraformChange(
                resource="google_compute_network",
                name=network.name,
                attribute="mtu",
                before=None if before is None else str(before),
                after=str(mtu_bytes),
                replaces=False,
                note="Terraform stops no machine: stop them before, start them after.",
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
