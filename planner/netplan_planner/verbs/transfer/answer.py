"""A transfer: bytes from one place to others, and the machines and ways that carry them."""

from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import Text, Value
from netplan_planner.model.money.prices import LineItem
from netplan_planner.model.plans.plan_answer import PlanAnswer, PlanChanges, Shortfall
from netplan_planner.verbs.transfer.ask import TransferNeed

INTERNET = "internet"
STORAGE_PREFIX = "storage:"


class PlaceKind(StrEnum):
    """What stands at an end."""

    REGION = "region"
    INTERNET = "internet"
    STORAGE = "storage"
    """A Cloud Storage bucket of a region."""
    OTHER = "other"
    """A place of another network, known by the tables that were given."""


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
    network_tier: str
    """`PREMIUM` or `STANDARD` of what leaves for the internet; else empty."""
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


class TransferInfeasible(Shortfall, frozen=True, kw_only=True):
    """Why it cannot be done, by how little, and what to change."""

    shortfall_usd: Decimal | None = None
    held_back_by: TransferBinding | None = None
    """What the fastest plan uses in full, where that is what makes it late."""


class UnknownMachines(Value, frozen=True, kw_only=True):
    """Machine types that cannot be judged for one reason, each once."""

    reason: str
    """In one word, as of `Rejected`."""
    detail: str
    machine_types: tuple[str, ...]
    tier1_machine_types: tuple[str, ...]
    """With Tier_1 alone."""


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
    """Without relays, under the same goal and bounds; None: there is none, or it is the plan."""
    why_no_direct: Text
    """Empty: there is one."""
    front: tuple[TransferOption, ...]
    """What no other beats in both cost and time, cheapest first, whatever the bounds. Bills are
    those of the plan and of the direct way alone: `line_items` is empty here."""
    ways: tuple[TransferWay, ...]
    relay_verdict: Text
    """Whether a relay pays, and why or why not."""
    infeasible: TransferInfeasible | None
    unknown: tuple[UnknownMachines, ...]
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
    """The plan in short, all of it, and what it is based on."""

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
