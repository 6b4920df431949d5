"""What `netplan transfer` is asked: what to move, within which bounds, on which machines."""

import math
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import (
    CHOICE,
    Ask,
    Bytes,
    Deadline,
    Duration,
    Names,
    Reading,
    Request,
    Usd,
)
from netplan_planner.errors import UsageError
from netplan_planner.model.base import Value
from netplan_planner.model.plans.machine_choice import PAYMENT, Interruptions, MachineChoice
from netplan_planner.planning.inputs import PlanBasis

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


class TransferNeed(MachineChoice, frozen=True, kw_only=True):
    """What is to be moved, within which bounds, and on which machines."""

    PANEL: ClassVar[str] = BOUNDS

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
        Ask("cost: the cheapest within the deadline; time: the fastest within the budget."),
    ] = TransferGoal.COST
    deadline_s: Annotated[
        Deadline | None,
        Ask(
            "How long it may take, such as 2h, or until when, such as 2026-12-01T06:00:00Z.",
            "--deadline",
            metavar="TIME",
        ),
    ] = None
    """From the state RUNNING of the machines until the last byte has arrived."""
    budget_usd: Annotated[
        Usd | None, Ask("What it may cost, machines and traffic.", "--budget", metavar="USD")
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


class TransferAsk(Request, frozen=True, kw_only=True):
    """A transfer, and what its plan rests on."""

    need: TransferNeed = TransferNeed()
    relays: Annotated[
        Names,
        Ask(
            "Only these may pass bytes on, beside targets; commas or repeated (default: any).",
            "--relay",
            metavar="PLACE",
            panel=WAYS,
        ),
    ] = ()
    has_no_relays: Annotated[bool, Ask("The direct way alone.", "--no-relays", panel=WAYS)] = False
    grid: Annotated[
        Path | None,
        Ask("Rates between places: a table of src, dst, gbps_per_vm.", metavar="FILE", panel=GIVEN),
    ] = None
    edge_prices: Annotated[
        Path | None,
        Ask(
            "Traffic prices between places: a table of src, dst, usd_per_gib.",
            metavar="FILE",
            panel=GIVEN,
        ),
    ] = None
    is_spot: Annotated[bool, Ask("On Spot machines.", "--spot", panel=PAYMENT)] = False
    on: PlanBasis = PlanBasis()

    @property
    def price_folder(self) -> Path | None:
        """Where prices are; None: the embedded ones."""
        return self.on.pricing.prices
