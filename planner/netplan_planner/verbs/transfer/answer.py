"""A transfer: bytes from one place to others, and the machines and ways that carry them."""

import math
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from netplan_planner.asks import CHOICE, Ask, Reading
from netplan_planner.errors import UsageError
from netplan_planner.model.amounts import Text
from netplan_planner.model.base import Value
from netplan_planner.model.changes import PlanChanges
from netplan_planner.model.machine_choice import (
    PAYMENT,
    AskedArchitecture,
    Interruptions,
    LeastMemory,
    MachineTypes,
    SeriesNames,
)
from netplan_planner.model.plan import Rejected
from netplan_planner.model.plan_answer import PlanAnswer
from netplan_planner.model.prices import LineItem, Usage
from netplan_planner.quantities import Bytes, Deadline, Duration, Names, Usd

MOVED, BOUNDS, WAYS = "What is moved", "Goal and bounds", "Which ways it may take"
GIVEN = "Other people's networks"
LEAST = 1e-6


class TransferGoal(StrEnum):
    """What is to be least."""

    COST = "cost"
    TIME = "time"


class AddressKind(StrEnum):
    """How machines of two regions address each other."""

    INTERNAL = "internal"
    EXTERNAL = "external"


class NetworkTier(StrEnum):
    """Of what leaves for the internet, as the Compute API spells it."""

    PREMIUM = "PREMIUM"
    STANDARD = "STANDARD"


class Tier(StrEnum):
    """Network tiers, as people write them."""

    PREMIUM = "premium"
    STANDARD = "standard"


class PlaceKind(StrEnum):
    """What stands at an end."""

    REGION = "region"
    INTERNET = "internet"
    STORAGE = "storage"
    """A Cloud Storage bucket of a region."""
    OTHER = "other"
    """A place of another network, known by the tables that were given."""


INTERNET = "internet"
STORAGE_PREFIX = "storage:"


class PlaceLimit(Value, frozen=True, kw_only=True):
    """A quota of a project in a region, as the console shows it."""

    place: str
    gbps: float


def place_limits(option: str, stated: Sequence[str]) -> tuple[PlaceLimit, ...]:
    """Return quotas of the form PLACE=GBPS, each place once.

    Raises:
        UsageError: If one is not, or a place has two.
    """
    found: dict[str, PlaceLimit] = {}
    for one in stated:
        place, equals, text = one.rpartition("=")
        try:
            gbps = float(text)
        except ValueError:
            gbps = math.nan
        if not (equals and place and math.isfinite(gbps) and gbps > 0):
            raise UsageError(f"{option} {one[:80]!r} is not PLACE=GBPS, such as us-central1=100")
        if place in found:
            raise UsageError(f"{option}: {place} has two values; give one")
        found[place] = PlaceLimit(place=place, gbps=gbps)
    return tuple(found[place] for place in sorted(found))


class GridEdge(Value, frozen=True, kw_only=True):
    """A row of a table of measured rates."""

    src: str
    dst: str
    gbps_per_vm: float
    """From one machine to one machine."""


class EdgePrice(Value, frozen=True, kw_only=True):
    """A row of a table of traffic prices."""

    src: str
    dst: str
    usd_per_gib: Decimal


class TransferNeed(Value, frozen=True, kw_only=True):
    """What is to be moved, within which bounds, and on which machines."""

    source: Annotated[
        str,
        Ask(
            "A region, storage:REGION (a bucket of Cloud Storage), or a place of --grid.",
            "--from",
            metavar="PLACE",
            panel=MOVED,
        ),
    ] = ""
    """Empty: not told, and no plan is made."""
    targets: Annotated[
        Names,
        Ask(
            "As --from, or internet; several each get all bytes; commas or repeated.",
            "--to",
            parameter="target",
            metavar="PLACE",
            panel=MOVED,
        ),
    ] = ()
    """Each gets all bytes."""
    volume_bytes: Annotated[
        Bytes,
        Ask(
            "How much, such as 10TB or 10TiB.",
            "--bytes",
            parameter="volume",
            metavar="SIZE",
            panel=MOVED,
        ),
    ] = 0
    goal: Annotated[
        TransferGoal,
        Ask(
            "cost: the cheapest within the deadline; time: the fastest within the budget.",
            panel=BOUNDS,
        ),
    ] = TransferGoal.COST
    deadline_s: Annotated[
        Deadline | None,
        Ask(
            "How long it may take, such as 2h, or until when, such as 2026-12-01T06:00:00Z.",
            "--deadline",
            metavar="TIME",
            panel=BOUNDS,
        ),
    ] = None
    """From the state RUNNING of the machines until the last byte has arrived."""
    budget_usd: Annotated[
        Usd | None,
        Ask("What it may cost, machines and traffic.", "--budget", metavar="USD", panel=BOUNDS),
    ] = None
    area: Annotated[
        str | None,
        Ask(
            "With --to internet: continent or country, for the price.", metavar="AREA", panel=MOVED
        ),
    ] = None
    """Of the internet, which decides the price."""
    network_tier: Annotated[
        NetworkTier,
        Reading(Tier, lambda _, tier: NetworkTier(tier.value.upper())),
        Ask("To the internet: premium or standard.", panel=WAYS),
    ] = NetworkTier.PREMIUM
    address: Annotated[
        AddressKind, Ask("Between regions: internal or external addresses.", panel=WAYS)
    ] = AddressKind.INTERNAL
    streams: Annotated[
        int | None,
        Ask("Connections of one machine (default: as many as it takes).", least=1, panel=WAYS),
    ] = None
    """Connections of one machine; None: as many as it takes."""
    relays: tuple[str, ...] | None = None
    """Places that may pass bytes on, beside the ends; None: all that are known."""
    max_count: Annotated[
        int, Ask("How many machines may stand in a place.", least=1, most=1000, panel=CHOICE)
    ] = 16
    """Machines in each place."""
    inside_quotas: Annotated[
        tuple[PlaceLimit, ...],
        Reading(list[str], place_limits),
        Ask(
            "What a region's machines may send to other regions (console, Quotas page); repeat it.",
            "--quota",
            metavar="REGION=GBPS",
            panel=BOUNDS,
        ),
    ] = ()
    """Of what a region's machines send to other regions inside the VPC."""
    outside_quotas: Annotated[
        tuple[PlaceLimit, ...],
        Reading(list[str], place_limits),
        Ask(
            "What they may send to addresses outside the VPC; repeat it.",
            "--internet-quota",
            metavar="REGION=GBPS",
            panel=BOUNDS,
        ),
    ] = ()
    """Of what they send to addresses outside of it."""
    machine_gbps: Annotated[
        float | None,
        Ask(
            "What one machine moves each way at most, where you measured it: disk, tool.",
            least=LEAST,
            panel=WAYS,
        ),
    ] = None
    """What one machine was measured to move each way, whatever the network allows."""
    storage_gbps: Annotated[
        float | None,
        Ask(
            "What one machine exchanges with Cloud Storage, where you measured it.",
            least=LEAST,
            panel=WAYS,
        ),
    ] = None
    """What one machine was measured to exchange with Cloud Storage."""
    machine_egress_gbps: Annotated[
        float | None,
        Ask(
            "What a machine of the grid sends in all (default: the most on one edge).",
            least=LEAST,
            panel=GIVEN,
        ),
    ] = None
    """Of all that a machine of a given grid sends; None: the most that the grid shows of one."""
    machine_ingress_gbps: Annotated[
        float | None,
        Ask("What it takes in all (default: the most on one edge).", least=LEAST, panel=GIVEN),
    ] = None
    machine_usd_per_hour: Annotated[
        Usd | None, Ask("What a machine of the grid costs.", metavar="USD", panel=GIVEN)
    ] = None
    """Of a machine of a given grid; None: not told."""
    startup_s: Annotated[
        Duration | None,
        Ask(
            "From a machine's start until it works, such as 40s: it is paid, too.",
            "--start-up",
            metavar="TIME",
            panel=BOUNDS,
        ),
    ] = None
    memory_gib: LeastMemory = 0.0
    machine_types: MachineTypes = ()
    series: SeriesNames = ()
    architecture: AskedArchitecture = "X86_64"
    usage: Usage = Usage.ON_DEMAND
    interruptions_per_day: Interruptions = None
    """Of one Spot machine."""
    lost_work_s: Annotated[
        Duration | None,
        Ask(
            "What an interruption takes with it, such as 10m (default: all so far).",
            "--spot-lost-work",
            metavar="TIME",
            panel=PAYMENT,
        ),
    ] = None
    """What an interruption takes with it; None: all of the transfer so far."""

    def is_in_time(self, duration_s: float) -> bool:
        """Return whether a time keeps the deadline, but for the noise of binary fractions."""
        return self.deadline_s is None or duration_s <= self.deadline_s * (1 + 1e-6)


class TransferMachines(Value, frozen=True, kw_only=True):
    """Equal machines in one place."""

    place: str
    machine_type: str
    """Empty: a machine of a given grid."""
    is_tier1: bool
    cpu_platform: str
    """The least CPU platform to ask for, where the cap depends on it."""
    count: int
    usd_per_hour: Decimal | None
    """Of one, with its Tier_1 fee and external address; None: not told."""
    role: str
    """`sender`, `relay`, `receiver`, `relay and receiver`."""
    note: str = ""


class TransferFlow(Value, frozen=True, kw_only=True):
    """What crosses from one place to another; a byte for several targets crosses once."""

    src: str
    dst: str
    gbps: float
    """In steady state, of all machines together."""
    gib: Decimal
    """As billed: with headers by list prices, as told by a table of prices."""
    usd: Decimal | None
    streams: int | None
    """Of one machine at least, for nearly all of its rate; None: not known."""
    rtt_ms: float | None
    ramp_s: float
    """What the start of the connections costs."""
    bound_by: str


class TransferRoute(Value, frozen=True, kw_only=True):
    """A way of a share of the bytes: a path, or a tree that reaches every target."""

    share_ratio: float
    hops: tuple[tuple[str, str], ...]


class TransferBinding(Value, frozen=True, kw_only=True):
    """What is used in full and decides the time."""

    name: str
    """Of the limit or quota."""
    place: str
    count: int
    """Machines there; 0: it is not theirs, as a quota of the project."""
    is_most: bool
    """Whether there may be no more of them."""


class TransferOption(Value, frozen=True, kw_only=True):
    """A way to do it: machines, flows, time and cost."""

    machines: tuple[TransferMachines, ...]
    flows: tuple[TransferFlow, ...]
    routes: tuple[TransferRoute, ...]
    gbps: float
    """At which each target gets its bytes in steady state."""
    duration_s: float
    """Start-up and start of the connections included; of Spot machines as expected, at most."""
    low_duration_s: float
    """At the high end of the throughput interval."""
    high_duration_s: float | None
    """At the low end; None: Spot machines would be interrupted before they are ever done."""
    transfer_s: float
    """Of the steady state alone."""
    ramp_s: float
    billed_s: int
    """Of each machine."""
    usd_total: Decimal
    """Of what has a price; `machine_usd` None: the traffic alone."""
    traffic_usd: Decimal
    machine_usd: Decimal | None
    line_items: tuple[LineItem, ...]
    relays: tuple[str, ...]
    binding: tuple[TransferBinding, ...]
    """What sends before what receives; empty where the start takes most of the time."""


class TransferWay(Value, frozen=True, kw_only=True):
    """Another way to do it, under the same goal and bounds."""

    name: str
    option: TransferOption | None
    why_not: Text = ""


class TransferInfeasible(Value, frozen=True, kw_only=True):
    """Why it cannot be done, by how little, and what to change."""

    binding: str
    shortfall: Text
    shortfall_s: float | None = None
    shortfall_usd: Decimal | None = None
    held_back_by: TransferBinding | None = None
    """What the fastest plan uses in full, where that is what makes it late."""
    changes: tuple[Text, ...] = ()


class TransferPlan(Value, frozen=True, kw_only=True):
    """The best way to do a transfer, what it is held against, or why there is none."""

    need: TransferNeed
    plan: TransferOption | None
    deadline_probability: float | None
    """That the plan meets the deadline, by the interval of the rates: between its ends in
    proportion, beyond them as at its end. Spot: without any interruption. None: no plan, no
    deadline, or rates of a given grid."""
    bound_usd: Decimal | None
    """No plan within the same time costs less, machines counted in fractions."""
    direct: TransferOption | None
    """Without relays, under the same goal and bounds."""
    why_no_direct: Text
    front: tuple[TransferOption, ...]
    """What no other beats in both cost and time, cheapest first, whatever the bounds."""
    ways: tuple[TransferWay, ...]
    relay_verdict: Text
    """Whether a relay pays, and why or why not."""
    infeasible: TransferInfeasible | None
    unknown: tuple[Rejected, ...]
    """Machine types that cannot be judged."""
    unpriced: tuple[str, ...]
    """Ways that are left out since their price is not known."""
    doubts: tuple[str, ...]
    """What published measurements say against the rates."""
    advice: tuple[str, ...]
    """What to look at or measure first."""
    assumptions: tuple[str, ...]
    is_given: bool
    """Whether rates and prices are all of the given tables."""


class TransferAnswer(PlanAnswer, frozen=True, kw_only=True):
    """The plan in short, all of it, and what it rests on."""

    is_feasible: bool
    flows: tuple[TransferFlow, ...]
    """Of the plan; so the next ones."""
    machines: dict[str, int]
    """How many stand in each place."""
    usd_total: Decimal | None
    """null: there is no plan. Where machines have no price, that of the traffic."""
    seconds: float | None
    """Until the last byte has arrived, start-up included."""
    bound_usd_total: Decimal | None
    """No plan within the same time costs less."""
    transfer: TransferPlan
    changes: PlanChanges
    """Machines to make, and to delete afterwards."""
