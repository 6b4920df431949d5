"""Which machines plans consider, and how they are paid: asked in the same words by every verb."""

from typing import Annotated

from netplan_planner.asks import CHOICE, ArchitectureName, Ask, DurationFrom0, Names
from netplan_planner.model.money.prices import Usage
from netplan_planner.model.plans.connections import Connections

PAYMENT = "How it is paid"
LeastMemory = Annotated[
    float,
    Ask("Minimum memory per VM in GiB.", "--memory-gib", least=0, panel=CHOICE, is_expert=True),
]
MachineTypes = Annotated[
    Names,
    Ask("Only these types; commas or repeated.", "--machine-type", metavar="TYPE", panel=CHOICE),
]
"""The only ones that are considered; empty: all that pass."""
SeriesNames = Annotated[
    Names,
    Ask(
        "Only these series, such as n2,c3; commas or repeated.",
        "--series",
        metavar="SERIES",
        panel=CHOICE,
    ),
]
AskedArchitecture = Annotated[
    ArchitectureName | None,
    Ask(
        "Only x86, only arm, or any.", "--architecture", ("--arch",), "arch", CHOICE, is_expert=True
    ),
]
StartUp = Annotated[
    DurationFrom0 | None,
    Ask(
        "Time from a VM's start until it works, such as 40s; it is billed, too.",
        "--start-up",
        metavar="TIME",
    ),
]
Interruptions = Annotated[
    float | None,
    Ask(
        "Interruptions per Spot VM and day; no default, because Google documents no rate.",
        "--spot-interruptions-per-day",
        metavar="COUNT",
        least=0,
        panel=PAYMENT,
        is_expert=True,
    ),
]


class MachineChoice(Connections, frozen=True, kw_only=True):
    """Which machines may do it, beside the connections that they use."""

    startup_s: StartUp = None
    """From the state RUNNING, which is billed, until a machine works; None: not told, left out."""
    memory_gib: LeastMemory = 0.0
    """Least memory of one machine."""
    machine_types: MachineTypes = ()
    """The only ones that are considered; empty: all that pass."""
    series: SeriesNames = ()
    architecture: AskedArchitecture = "X86_64"
    usage: Usage = Usage.ON_DEMAND
