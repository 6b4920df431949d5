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
from netplan_planner.machines.disks import Disk, assumed, disk_of
from netplan_planner.model.base import Value
from netplan_planner.model.plans.machine_choice import PAYMENT, Interruptions, MachineChoice
from netplan_planner.planning.inputs import PlanBasis

MOVED, BOUNDS, WAYS = "Bytes to move", "Goal and limits", "Allowed paths"
GIVEN = "Other networks"
LEAST = 1e-6
VCPU_GBPS = 2.0
"""The general rule of egress caps: 2 Gbit/s a vCPU (docs.cloud.google.com/compute/docs/
network-bandwidth, spot check of 2026-09-16). Types with few vCPUs may send more; whether a tool
that copies does is another question."""


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
            "Source: a region, storage:REGION (a Cloud Storage bucket), or a place of --grid.",
            "--from",
            metavar="PLACE",
            panel=MOVED,
            short="Source: a region, or storage:REGION (Cloud Storage).",
        ),
    ] = ""
    """Empty: not told, and no plan is made."""
    targets: Annotated[
        Names,
        Ask(
            "Destination: as --from, or internet; several (commas or repeated) each get all bytes.",
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
            "Amount of data, such as 10TB or 10TiB.",
            "--bytes",
            parameter="volume",
            metavar="SIZE",
            panel=MOVED,
        ),
    ] = 0
    goal: Annotated[
        TransferGoal,
        Ask(
            "cost: the cheapest plan within the deadline; time: the fastest within the budget.",
            short="Cheapest by the deadline, or fastest in the budget.",
        ),
    ] = TransferGoal.COST
    deadline_s: Annotated[
        Deadline | None,
        Ask(
            "Maximum time, such as 2h, or end time, such as 2026-12-01T06:00:00Z.",
            "--deadline",
            metavar="TIME",
        ),
    ] = None
    """From the state RUNNING of the machines until the last byte has arrived."""
    budget_usd: Annotated[
        Usd | None, Ask("Maximum cost of VMs and traffic.", "--budget", metavar="USD")
    ] = None
    area: Annotated[
        str | None,
        Ask(
            "Continent or country, for the price. Only with --to internet.",
            metavar="AREA",
            panel=MOVED,
        ),
    ] = None
    """Of the internet, which decides the price."""
    network_tier: Annotated[
        NetworkTier | None,
        Reading(Tier, lambda _, tier: tier and NetworkTier(tier.value.upper())),
        Ask(
            "Network tier to the internet. Default: the cheaper one.",
            short="Tier to the internet. Default: the cheaper one.",
            panel=WAYS,
        ),
    ] = None
    """None: the cheaper, for which the plan chooses it."""
    address: Annotated[
        AddressKind,
        Ask("Addresses to use between regions.", panel=WAYS, is_expert=True),
    ] = AddressKind.INTERNAL
    relays: tuple[str, ...] | None = None
    """Places that may pass bytes on, beside the ends; None: all that are known."""
    max_count: Annotated[
        int, Ask("Maximum number of VMs per place.", least=1, most=1000, panel=CHOICE)
    ] = 16
    """Machines in each place."""
    inside_quotas: Annotated[
        tuple[PlaceLimit, ...],
        Reading(list[str], place_limits),
        Ask(
            "Quota of a region for traffic to other regions (console, Quotas page). Repeat for"
            " more.",
            "--quota",
            metavar="REGION=GBPS",
            is_expert=True,
        ),
    ] = ()
    """Of what a region's machines send to other regions inside the VPC."""
    outside_quotas: Annotated[
        tuple[PlaceLimit, ...],
        Reading(list[str], place_limits),
        Ask(
            "Quota of a region for traffic to addresses outside the VPC. Repeat for more.",
            "--internet-quota",
            metavar="REGION=GBPS",
            is_expert=True,
        ),
    ] = ()
    """Of what they send to addresses outside of it."""
    machine_gbps: Annotated[
        float | None,
        Ask(
            "Maximum rate of one VM in each direction, as you measured it (disk, tool).",
            least=LEAST,
            panel=WAYS,
            is_expert=True,
        ),
    ] = None
    """What one machine was measured to move each way, whatever the network allows; then no vCPU
    bounds it, and no disk but one that is told."""
    vcpus: Annotated[
        int, Ask("Minimum vCPUs of one VM.", least=1, panel=CHOICE, is_expert=True)
    ] = 1
    """Least of one machine."""
    vcpu_gbps: Annotated[
        float | None,
        Ask(
            "Rate of one vCPU in each direction. Default: 2, the basis of Google's caps.",
            least=LEAST,
            panel=WAYS,
            is_expert=True,
        ),
    ] = None
    """None: `VCPU_GBPS` of Google's machines."""
    disk: Annotated[
        Disk | None,
        Reading(str, lambda option, text: None if text is None else disk_of(option, text)),
        Ask(
            "Disk of a VM at an end: TYPE:SIZE such as pd-ssd:2TB, a rate such as 800MiB/s "
            "(Hyperdisk: the provisioned one), or none. Default: pd-balanced that holds its share.",
            short="Disk of a VM at an end, such as pd-ssd:2TB.",
            panel=WAYS,
        ),
    ] = None
    """Of the machines of regions and places that bytes come from or go to; None: not told."""
    storage_gbps: Annotated[
        float | None,
        Ask(
            "Rate between one VM and Cloud Storage, as you measured it.",
            least=LEAST,
            panel=WAYS,
            is_expert=True,
        ),
    ] = None
    """What one machine was measured to exchange with Cloud Storage."""
    machine_egress_gbps: Annotated[
        float | None,
        Ask(
            "Total egress of a VM of the grid. Default: the highest of one edge.",
            least=LEAST,
            panel=GIVEN,
            is_expert=True,
        ),
    ] = None
    """Of all that a machine of a given grid sends; None: the most that the grid shows of one."""
    machine_ingress_gbps: Annotated[
        float | None,
        Ask(
            "Total ingress of a VM of the grid. Default: the highest of one edge.",
            least=LEAST,
            panel=GIVEN,
            is_expert=True,
        ),
    ] = None
    machine_usd_per_hour: Annotated[
        Usd | None,
        Ask("Price of a VM of the grid.", metavar="USD", panel=GIVEN, is_expert=True),
    ] = None
    """Of a machine of a given grid; None: not told."""
    interruptions_per_day: Interruptions = None
    """Of one Spot machine."""
    lost_work_s: Annotated[
        Duration | None,
        Ask(
            "Work lost in an interruption, such as 10m. Default: all work so far.",
            "--spot-lost-work",
            metavar="TIME",
            panel=PAYMENT,
            is_expert=True,
        ),
    ] = None
    """What an interruption takes with it; None: all of the transfer so far."""

    @property
    def own_disk(self) -> Disk | None:
        """The disk of a machine at an end: told, or one that holds its share of the bytes.

        None: what one machine moves was measured, with its disk.
        """
        if self.disk is not None or self.machine_gbps is not None:
            return self.disk
        return assumed(self.volume_bytes, self.max_count)

    def is_in_time(self, duration_s: float) -> bool:
        """Return whether a time keeps the deadline, but for the noise of binary fractions."""
        return self.deadline_s is None or duration_s <= self.deadline_s * (1 + 1e-6)


class TransferAsk(Request, frozen=True, kw_only=True):
    """A transfer, and what its plan rests on."""

    need: TransferNeed = TransferNeed()
    relays: Annotated[
        Names,
        Ask(
            "Allow only these relays, besides targets. Separate with commas, or repeat. Default:"
            " any.",
            "--relay",
            metavar="PLACE",
            panel=WAYS,
            is_expert=True,
        ),
    ] = ()
    has_no_relays: Annotated[
        bool, Ask("Use only the direct path.", "--no-relays", panel=WAYS, is_expert=True)
    ] = False
    grid: Annotated[
        Path | None,
        Ask(
            "Table of rates between places: src, dst, gbps_per_vm.",
            metavar="FILE",
            panel=GIVEN,
            is_expert=True,
        ),
    ] = None
    edge_prices: Annotated[
        Path | None,
        Ask(
            "Table of traffic prices between places: src, dst, usd_per_gib.",
            metavar="FILE",
            panel=GIVEN,
            is_expert=True,
        ),
    ] = None
    is_spot: Annotated[bool, Ask("On Spot VMs.", "--spot", panel=PAYMENT)] = False
    on: PlanBasis = PlanBasis()

    @property
    def price_folder(self) -> Path | None:
        """Where prices are; None: the embedded ones."""
        return self.on.pricing.prices
