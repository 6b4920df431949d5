"""What `netplan recommend` is asked.

Where a bandwidth goes.
"""

from enum import StrEnum
from typing import Annotated, NamedTuple

from netplan_planner.asks import CHOICE, OUTPUT, Ask, Bytes, Reading, Request, Texts
from netplan_planner.choices import Architecture
from netplan_planner.model.plans.connections import SENT, Connections, RoundTrip
from netplan_planner.model.plans.machine_choice import PAYMENT, SeriesNames
from netplan_planner.planning.project import Input, OfMachines


class To(StrEnum):
    """Where the bandwidth goes."""

    INTERNAL = "internal"
    ZONE = "zone"
    EXTERNAL = "external"


class Goal(NamedTuple):
    """Where the bandwidth goes, and the region whose traffic price is asked for."""

    to: To
    region: str | None = None


def goal_of(text: str) -> Goal:
    """Return what `--to` names: a kind of destination, or a region, which is internal."""
    return Goal(To(text)) if text in set(To) else Goal(To.INTERNAL, text)


NEED = "What is needed"


class Need(Connections, Request, frozen=True, kw_only=True):
    """What is needed."""

    gbps: Annotated[
        float | None,
        Ask(
            "Wanted egress in Gbit/s, of all machines; with --vm, its observed 95th percentile.",
            least=0,
            panel=NEED,
        ),
    ] = None
    region: Annotated[
        str | None,
        Ask(
            "Where it runs, such as us-central1; with --vm, the machine's own.",
            metavar="REGION",
            panel=NEED,
        ),
    ] = None
    vm: Annotated[
        str | None,
        Ask(
            "Replace this machine of the input: its traffic is the target, its vCPUs and memory"
            " are the floors.",
            metavar="NAME",
            panel=NEED,
        ),
    ] = None
    to: Annotated[
        Goal | None,
        Reading(str, lambda _, text: goal_of(text)),
        Ask(
            "internal (default): other zones too; zone: the own one; external: addresses outside"
            " the VPC, with the lower cap; a region: internal, with the price of the traffic"
            " there. With --vm: both, as it was seen to send.",
            metavar="PLACE",
            panel=NEED,
        ),
    ] = None
    dst_type: Annotated[
        str | None, Ask("Machine type of the receiver (default: as the sender).", panel=NEED)
    ] = None
    transfer_bytes: Annotated[
        Bytes | None,
        Ask(
            "Size of one transfer, such as 2TiB, whose start counts (default: steady state).",
            "--bytes",
            parameter="byte_count",
            metavar="SIZE",
            panel=SENT,
        ),
    ] = None
    rtt_ms: RoundTrip = None
    vcpus: Annotated[int | None, Ask("Least vCPUs, of all machines.", least=0)] = None
    memory_gib: Annotated[
        float | None, Ask("Least memory in GiB, of all machines.", least=0, panel=NEED)
    ] = None
    min_flow_gbps: Annotated[
        float, Ask("What one flow must reach, in Gbit/s.", least=0, panel=NEED)
    ] = 0.0
    headroom: Annotated[
        float, Ask("Share of the cap that stays free.", least=0, most=0.99, panel=NEED)
    ] = 0.2
    max_count: Annotated[
        int | None,
        Ask(
            "How many equal machines may share it, where the load spreads (default: 1).",
            least=1,
            most=1000,
            panel=NEED,
        ),
    ] = None


class Payment(Request, frozen=True, kw_only=True):
    """How it is paid."""

    on_demand: Annotated[
        bool, Ask("At list price, no discount (default, but with --vm).", panel=PAYMENT)
    ] = False
    spot: Annotated[bool, Ask("At Spot prices.")] = False
    cud_1y: Annotated[bool, Ask("With a commitment for 1 year.", panel=PAYMENT)] = False
    cud_3y: Annotated[bool, Ask("With a commitment for 3 years.", panel=PAYMENT)] = False
    sustained_use: Annotated[
        bool,
        Ask(
            "On demand, with the discount that a month of use brings by itself (default with"
            " --vm).",
            panel=PAYMENT,
        ),
    ] = False
    month_ratio: Annotated[
        float,
        Ask("Share of the month that it runs, such as 0.5.", least=0.001, most=1, panel=PAYMENT),
    ] = 1.0


class Choice(Request, frozen=True, kw_only=True):
    """Which types are considered."""

    series: SeriesNames = ()
    arch: Annotated[
        Architecture | None,
        Ask(
            "Only x86, or only arm; any: by price alone (default: x86 first; with --vm the"
            " machine's own only).",
            "--architecture",
            also=("--arch",),
            parameter="arch",
            panel=CHOICE,
        ),
    ] = None
    gpu: Annotated[bool, Ask("Consider types with GPUs too.")] = False
    shared_core: Annotated[bool, Ask("Consider shared-core types too.", panel=CHOICE)] = False

    @property
    def architecture(self) -> str | None:
        """As the Compute API names it; None: none is named, or any."""
        return self.arch.as_the_api_names_it if self.arch is not None else None

    @property
    def is_any(self) -> bool:
        """Whether no architecture is asked for, and none goes first."""
        return self.arch is Architecture.ANY


class RecommendAsk(OfMachines, frozen=True, kw_only=True):
    """What is wanted, and what it is held against."""

    need: Need = Need()
    payment: Payment = Payment()
    choice: Choice = Choice()
    given: Input = Input()
    why_not: Annotated[
        Texts, Ask("Why this type is not first; repeat it.", metavar="TYPE", panel=OUTPUT)
    ] = ()
