"""Changes of a whole network: another MTU, taken by all machines in it at once."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from netplan_planner.model import Fix, Instance, Instruction, Network
from netplan_planner.model.plans.changes import PlanChange, TerraformChange
from netplan_planner.planning.steps import in_batches
from netplan_planner.units import counted
from netplan_rules.wording import gcloud_of, listed

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
