"""Questions to the optimisers, and their answers."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from netplan_planner.model.base import ResourceRef, Text, Value
from netplan_planner.model.finding import Change, Confidence, Fix
from netplan_planner.model.limits import Estimate, Limit
from netplan_planner.model.money.prices import LineItem, Usage
from netplan_planner.model.plans.commitment import CoverLedger
from netplan_planner.model.plans.connections import Connections
from netplan_planner.model.plans.plan_answer import Shortfall
from netplan_planner.model.project.inventory import Inventory
from netplan_planner.model.project.resources import Instance, MachineShape


class Destination(StrEnum):
    """Where the wanted bandwidth goes, which decides the cap that counts."""

    INTERNAL = "internal"
    ZONE = "zone"
    """Internal, inside one zone: no traffic charge."""
    EXTERNAL = "external"


class Ties(Value, frozen=True, kw_only=True):
    """What a machine holds that another type has to take over; None: not read."""

    series: str
    disk_types: tuple[str, ...] | None = None
    """Sorted, such as `pd-ssd`; None where no disk of it was read."""
    is_compact: bool | None = False
    """It follows a compact placement policy; None: it follows a policy that was not read."""
    reservation: str | None = None
    """The specific reservation that it uses."""
    is_sole_tenant: bool = False
    """It runs on sole-tenant nodes, which are paid for and not it."""
    machine_type: str = ""
    """Its own, where a reservation or nodes are for it; empty without either."""
    gpu_type: str | None = None
    attached_gpu_count: int = 0
    built_in_gpu_count: int = 0
    """GPUs that its type brings."""
    local_ssd_count: int = 0
    built_in_local_ssd_gib: int = 0
    """Local SSDs that its type brings, and that are in its price."""


class FarEnd(Connections, frozen=True, kw_only=True):
    """What is told of where a bandwidth goes, and of how; None of each: not told."""

    region: str | None = None
    """Of the receiver; None: the sender's own."""
    machine_type: str | None = None
    """Of the receiver; None: the sender's."""
    rtt_ms: float | None = None
    """In place of that of the places."""
    transfer_bytes: int | None = None
    """Of one transfer, whose start counts; None: steady state."""


class MachineNeed(Value, frozen=True, kw_only=True):
    """A wanted bandwidth and what the machine must have besides."""

    gbps: float
    """Wanted egress of the whole group of machines, in Gbit/s."""
    outside_gbps: float = 0.0
    """The part of it that goes to addresses outside the VPC, which have a cap of their own."""
    region: str
    zone: str | None = None
    """The only zone that has to offer the type; None: any of the region."""
    destination: Destination = Destination.INTERNAL
    far: FarEnd = FarEnd()
    vcpus: int = 0
    """Least vCPUs, over all machines together."""
    memory_gib: float = 0.0
    headroom_ratio: float = 0.2
    """Share of both caps that stays free, 0 to below 1."""
    usage: Usage = Usage.ON_DEMAND
    series: tuple[str, ...] = ()
    """Allowed series; empty means any."""
    architecture: str | None = None
    """The only architecture that is allowed, as the Compute API spells it."""
    first_architecture: str | None = None
    """The architecture that goes before others; None: all are alike."""
    max_count: int = 1
    """How many equal machines may share the need; more only where the load is known to spread."""
    min_flow_gbps: float = 0.0
    """What a single flow must reach."""
    allow_gpu: bool = False
    allow_shared_core: bool = False
    month_ratio: float = 1.0
    """Share of the month that it runs, for sustained-use discounts."""
    basis: str = ""
    """Where the wanted bandwidth comes from, for the reader."""
    ties: Ties | None = None
    """What the new type has to take over from a machine that it replaces; None: a new machine."""


def usage_of(instance: Instance) -> Usage:
    """Return how a running machine is billed by itself; what a commitment covers is not known.

    A machine that is not Spot is taken to run whole months, so it has the sustained-use discount
    of its series.
    """
    return Usage.SPOT if instance.is_spot else Usage.SUSTAINED_USE


def need_for_vm(
    instance: Instance,
    gbps: float,
    shape: MachineShape,
    *,
    destination: Destination = Destination.INTERNAL,
    outside_gbps: float = 0.0,
    headroom_ratio: float = 0.2,
    vcpus: int | None = None,
    memory_gib: float | None = None,
    usage: Usage | None = None,
    series: tuple[str, ...] = (),
    ties: Ties | None = None,
) -> MachineNeed:
    """Return the need of a machine: its bandwidth, with its own vCPUs and memory as floors.

    The architecture stays, because another one needs another image. A machine with GPUs stays in
    its series; one on shared cores may stay on them.

    Args:
        instance: The machine.
        gbps: Wanted egress; usually the 95th percentile that was observed.
        shape: What its type has.
        destination: Where the bandwidth goes.
        outside_gbps: The part of it that goes to addresses outside the VPC.
        headroom_ratio: Share of the cap that stays free.
        vcpus: Another floor than the machine's own.
        memory_gib: Another floor than the machine's own.
        usage: Another way of paying than the machine's own (`usage_of`).
        series: Allowed series; empty means any.
        ties: What the new type has to take over from it.
    """
    has_gpu = shape.gpu_count > 0 or instance.gpu_count > 0
    return MachineNeed(
        gbps=gbps,
        outside_gbps=outside_gbps,
        region=instance.region,
        zone=instance.zone,
        destination=destination,
        vcpus=shape.vcpus if vcpus is None else vcpus,
        memory_gib=shape.memory_gib if memory_gib is None else memory_gib,
        headroom_ratio=headroom_ratio,
        usage=usage or usage_of(instance),
        series=series or ((instance.series,) if has_gpu else ()),
        architecture=shape.architecture,
        allow_gpu=has_gpu,
        allow_shared_core=shape.is_shared_core,
        ties=ties,
    )


class MachinesOfType(Value, frozen=True, kw_only=True):
    """So many machines of a type, with or without Tier_1."""

    machine_type: str
    count: int
    is_tier1: bool
    vcpus: int
    """Of one machine."""
    memory_gib: float
    note: str = ""


class Candidate(MachinesOfType, frozen=True, kw_only=True):
    """A way to meet a need: so many machines of a type, with or without Tier_1."""

    cap_gbps: float
    """Of one machine, to the need's destination."""
    low_gbps: float | None = None
    """The ends of its interval at 0.9."""
    high_gbps: float | None = None
    usable_gbps: float
    """Of all machines, after headroom."""
    usd_per_month: Decimal | None
    """None when a price is unknown; then it is ranked after all known ones."""
    line_items: tuple[LineItem, ...]
    limit: Limit
    cpu_platform: str = ""
    """The least CPU platform to ask for, where the cap depends on it."""
    is_peak: bool = False
    """The cap is a peak of unknown length: no steady one is ranked behind it."""
    architecture: str | None = None
    to_check: str = ""
    """What has to be looked at before the machine can become this type; it ranks behind those of
    which nothing has."""


class Rejected(Value, frozen=True, kw_only=True):
    """A type that was looked at and not proposed, and why."""

    machine_type: str
    is_tier1: bool
    reason: str
    """One word of a closed list: `bandwidth`, `vcpus`, `memory`, `price`, `not-offered`, `cap`,
    `dominated`, `series`, `architecture`, `gpu`, `shared-core`, `deprecated`, `flow`, `disks`,
    `placement`, `reservation`."""
    detail: str


class MachinePlan(Value, frozen=True, kw_only=True):
    """The cheapest ways to meet a need, ranked, beside what is there today."""

    need: MachineNeed
    ranked: tuple[Candidate, ...]
    """Steady caps before peaks, known prices before unknown ones, the first architecture before
    others, types of which nothing has to be checked before others; then by price, by number of
    machines and by type name."""
    front: tuple[Candidate, ...]
    """Single machines that no other beats in both price and bandwidth, cheapest first."""
    rejected: tuple[Rejected, ...]
    """What falls short first, then what cannot be judged, then what a filter keeps out."""
    baseline: Candidate | None = None
    baseline_note: Text = ""
    traffic_items: tuple[LineItem, ...] = ()
    """What the traffic itself costs a month, where its destination was named; it comes on top of
    every machine alike."""
    doubt: str = ""
    """What published measurements say against the bandwidth of the first one."""
    traffic_note: str = ""
    """How much traffic that is, and to where; or why its price is not known."""
    confidence: Confidence = Confidence.HIGH
    confidence_reason: str = ""


class Infeasible(Shortfall, frozen=True, kw_only=True):
    """No candidate meets the need; what binds, and by how much it falls short."""

    need: MachineNeed
    shortfall: str
    rejected: tuple[Rejected, ...] = ()


class MachineChooser(Protocol):
    """Finds the cheapest machine for a need; rules ask it, `world` supplies it."""

    def choose(self, need: MachineNeed) -> MachinePlan | Infeasible:
        """Return the ranked plan for a need."""

    def choose_from(self, instance: Instance, need: MachineNeed) -> MachinePlan | Infeasible:
        """Return the same for a machine that stands, by prices that compare with its own."""

    def cost_today(self, instance: Instance, usage: Usage) -> tuple[LineItem, ...]:
        """Return what a machine costs a month as it stands: its Tier_1 fee and GPUs included.

        A stopped machine costs nothing: no lines; a suspended one pays for its memory.

        Raises:
            MissingDatum: If the machine has no such price, or a part of it is not known.
        """

    def ledger(self, inventory: Inventory, today: date) -> CoverLedger:
        """Return what the commitments of an inventory cover, before any change."""

    @property
    def even(self) -> "MachineChooser":
        """The same by prices that can be compared (`PriceBook.even`)."""


class FixStep(Value, frozen=True, kw_only=True):
    """A fix, or several together, applied to a path."""

    name: str
    estimate: Estimate
    saving_usd_per_month: Decimal | None
    """Positive saves, negative costs, None unknown or none."""


class FixSet(Value, frozen=True, kw_only=True):
    """Fixes of one group of alike paths that depend on each other."""

    subject: str
    member_count: int
    resources: tuple[ResourceRef, ...]
    now: Estimate
    singles: tuple[FixStep, ...]
    joint: FixStep
    """The best set: the smallest that reaches the greatest throughput."""
    worth: str
    """One sentence: which steps to take together, or that one is enough."""
    findings: tuple[str, ...]
    """Fingerprints."""
    used_ratio: float
    """Share of what the path carries now that the sender uses at the 95th percentile, or wants by a
    declared target: the greatest of the paths; above 1 where a limit is lower than what was seen.
    """


class FurtherCost(Value, frozen=True, kw_only=True):
    """What traffic beyond today's costs on a path that a fix has lifted."""

    usd_per_tib: Decimal | None
    """At the last volume step of the month; 0: nobody pays for it; None: it is not known."""
    crowded: str = ""
    """Which other flow of the sender it then takes most from, at worst; empty: none is known."""


class MachineMove(Value, frozen=True, kw_only=True):
    """A machine that goes to another zone."""

    machine: str
    """Its name."""
    from_zone: str
    """Where it stands by then."""
    to_zone: str
    peers: tuple[str, ...] = ()
    """Names of the machines for whose traffic it goes there, the one with the most first."""
    data: str = ""
    """What says that it keeps data, which goes with it; empty: nothing does."""


class PlannedChange(Value, frozen=True, kw_only=True):
    """What a fix of the order does at one place, as things stand when its turn comes."""

    subject: str
    place: str
    """Fingerprint of the place: that of a member of the finding."""
    change: Change | None
    """None: it is no change of a machine, a path or a zone."""
    saving_usd_per_month: Decimal | None
    """After all changes before it: these add up. None: no saving is stated."""
    fix: Fix | None
    """With the zones that machines are in by then."""
    further: FurtherCost | None = None
    """Where the fix lifts what holds traffic back; None: it lifts nothing."""
    one_stop_with: tuple[int, ...] = ()
    """Other entries of the order, by rank, that stop a machine of it: to be done in one stop."""
    moves: tuple[MachineMove, ...] = ()
    """The machines that go to another zone by it."""
    tiers: tuple[str, ...] = ()
    """Of new external addresses: the network tier of that of each machine, as `targets` has them.
    """
    made_with: int | None = None
    """The entry whose commands make this change, too; None: its own."""


class Brought(Value, frozen=True, kw_only=True):
    """What a fix still brings after those before it."""

    place_count: int
    """Places at which the fix is still worth making: `changes` has each."""
    overlap: str
    """Why the two differ."""
    now: Estimate | None
    """Of the path that waits most, after the fixes above; None where no traffic is held back."""
    fixed: Estimate | None
    used_ratio: float | None
    """Share of what binds that is in use there; without `fixed`, of a limit that the fix lifts."""
    lost: str = ""
    """What is lost today and no longer after the fix, in a few words; empty: nothing known."""
    changes: tuple[PlannedChange, ...] = ()
    """At each of its places, in the order to make them; the finding may have other places, at which
    nothing is worth changing once the fixes above are made."""


class OrderedFix(Brought, frozen=True, kw_only=True):
    """One line of the order of fixes: what it still brings after those above it."""

    rank: int
    finding: str
    """Fingerprint of the finding whose fix it is."""
    rule: str
    subject: str
    """The greatest of its places, as it is named by then."""
    finding_place_count: int
    """Places that the finding has."""
    label: str
    """The change in a few words."""
    saving_usd_per_month: Decimal | None
    """On the changed facts: these add up. Negative: it costs; None: no saving is stated."""
    alone_usd_per_month: Decimal | None
    """What it would save were it the only fix; these do not add up."""
    saving_low_usd_per_month: Decimal | None = None
    """At the least that a month can have of the traffic; None: the window leaves nothing open, or
    it is not known."""
    saving_high_usd_per_month: Decimal | None = None
    """At the most."""
    saving_unknown: str = ""
    """Why the saving is not known; empty: it is stated, or there is none to state."""
    further: FurtherCost | None = None
    """Of traffic beyond today's at the place that is named; None: no limit is lifted there."""
    is_sure: bool = True
    """False: it, or one before it, is of low confidence, or saves too little where a month has the
    least traffic that it may have. Such stand behind all that are sure, and are in no sum."""
