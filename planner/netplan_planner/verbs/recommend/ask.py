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
            "Egress of all VMs in Gbit/s. With --vm: its observed 95th percentile.",
            least=0,
            panel=NEED,
        ),
    ] = None
    region: Annotated[
        str | None,
        Ask(
            "Region, such as us-central1. With --vm: the region of the VM.",
            metavar="REGION",
            panel=NEED,
        ),
    ] = None
    vm: Annotated[
        str | None,
        Ask(
            "Replace this VM. Its traffic is the target, its vCPUs and memory the minimum.",
            metavar="NAME",
            panel=NEED,
        ),
    ] = None
    to: Annotated[
        Goal | None,
        Reading(str, lambda _, text: goal_of(text)),
        Ask(
            "Where the traffic goes. internal (default): also other zones; zone: the same zone; "
            "external: addresses outside the VPC, with the lower cap; a region: internal, with "
            "the price of traffic to it. With --vm: internal and external, as observed.",
            metavar="PLACE",
            panel=NEED,
            short="internal (default), zone, external, or a region.",
        ),
    ] = None
    dst_type: Annotated[
        str | None,
        Ask("Receiver's machine type. Default: the sender's.", panel=NEED, is_expert=True),
    ] = None
    transfer_bytes: Annotated[
        Bytes | None,
        Ask(
            "Size of one transfer, such as 2TiB, to include its start. Default: steady state.",
            "--bytes",
            parameter="byte_count",
            metavar="SIZE",
            panel=SENT,
            is_expert=True,
        ),
    ] = None
    rtt_ms: RoundTrip = None
    vcpus: Annotated[int | None, Ask("Minimum vCPUs of all VMs.", least=0, panel=NEED)] = None
    memory_gib: Annotated[
        float | None, Ask("Minimum memory of all VMs, in GiB.", least=0, panel=NEED)
    ] = None
    min_flow_gbps: Annotated[
        float, Ask("Rate that one flow must reach, in Gbit/s.", least=0, panel=NEED, is_expert=True)
    ] = 0.0
    headroom: Annotated[
        float, Ask("Share of the cap to keep free.", least=0, most=0.99, panel=NEED)
    ] = 0.2
    max_count: Annotated[
        int | None,
        Ask(
            "Maximum number of equal VMs, if the load can be split. Default: 1.",
            least=1,
            most=1000,
            panel=NEED,
            is_expert=True,
        ),
    ] = None


class Payment(Request, frozen=True, kw_only=True):
    """How it is paid."""

    on_demand: Annotated[
        bool,
        Ask("At list price. Default, except with --vm.", panel=PAYMENT, is_expert=True),
    ] = False
    spot: Annotated[bool, Ask("At Spot prices.", panel=PAYMENT)] = False
    cud_1y: Annotated[bool, Ask("With a 1-year commitment.", panel=PAYMENT)] = False
    cud_3y: Annotated[bool, Ask("With a 3-year commitment.", panel=PAYMENT)] = False
    sustained_use: Annotated[
        bool,
        Ask(
            "On demand with the sustained-use discount of a full month. Default with --vm.",
            panel=PAYMENT,
            is_expert=True,
        ),
    ] = False
    month_ratio: Annotated[
        float,
        Ask(
            "Share of the month that it runs, such as 0.5.",
            least=0.001,
            most=1,
            panel=PAYMENT,
            is_expert=True,
        ),
    ] = 1.0


class Choice(Request, frozen=True, kw_only=True):
    """Which types are considered."""

    series: SeriesNames = ()
    arch: Annotated[
        Architecture | None,
        Ask(
            "Only x86, only arm, or any (by price alone). Default: x86 first; with --vm: that of"
            " the VM.",
            "--architecture",
            also=("--arch",),
            parameter="arch",
            panel=CHOICE,
        ),
    ] = None
    gpu: Annotated[bool, Ask("Include types with GPUs.", panel=CHOICE, is_expert=True)] = False
    shared_core: Annotated[
        bool, Ask("Include shared-core types.", panel=CHOICE, is_expert=True)
    ] = False

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
        Texts,
        Ask(
            "Explain why this type is not first. Repeat for more.",
            metavar="TYPE",
            panel=OUTPUT,
            is_expert=True,
        ),
    ] = ()
