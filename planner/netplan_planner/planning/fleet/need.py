"""What a fleet needs, by which hours, and the machine types that it may buy for it."""

from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import LineItem, MachineShape, PriceBook, series_of
from netplan_planner.model.base import ProjectId, SelfLink, Value, Zone, region_of
from netplan_planner.model.plans.plan import Ties
from netplan_planner.model.plans.plan_answer import Shortfall
from netplan_planner.optimise.bill import GPUS_ON_N1, MachineBill
from netplan_planner.optimise.offers import ARM, Pool
from netplan_planner.units import HOURS_PER_MONTH


class CommitmentChoice(StrEnum):
    """Which kinds of commitments may be bought."""

    NONE = "none"
    RESOURCE = "resource"
    FLEXIBLE = "flexible"
    ALL = "all"


class MoveKind(StrEnum):
    """What makes a move to another type work, each with a price that the user may set."""

    RESTART = "restart"
    """Any other type, or Tier_1 other than today."""
    ARCHITECTURE = "architecture"
    """Another processor architecture: other images."""
    LOCAL_SSD = "local-ssd"
    """It has Local SSDs: a new machine, whose Local SSDs begin empty."""
    GPU = "gpu"
    """It has GPUs: a new machine."""
    LICENCE = "licence"
    """It has licences, and another number of vCPUs."""
    CHECK = "check"
    """Something has to be looked at before."""


class FleetNeed(Value, frozen=True, kw_only=True):
    """A group of equal machines that keeps its number and has one type."""

    name: str
    zone: Zone
    more_zones: tuple[Zone, ...] = ()
    """Further zones of the same region in which its machines stand."""
    count: int
    gbps: float
    """What each machine sends inside the VPC."""
    outside_gbps: float = 0.0
    """What each sends to addresses outside the VPC, on top."""
    vcpus: int
    """Least vCPUs of each."""
    memory_gib: float
    hours_per_month: Decimal
    active_hours: tuple[int, ...]
    """Hours of the day in which it runs, UTC; 8 is from 8 to 9."""
    machine_type: str | None = None
    """Its type today; None: it is new."""
    is_tier1: bool = False
    cpu_platform: str | None = None
    architecture: str | None = None
    """The only one that is allowed, as the Compute API spells it; None: any."""
    is_pinned: bool = False
    """It keeps its type."""
    why_pinned: str = ""
    """Why it does, where nobody asked for it."""
    is_spot: bool = False
    project: ProjectId = ProjectId("")
    ties: Ties | None = None
    has_licences: bool = False
    basis: str = ""
    """Where the wanted bandwidth and size come from."""
    machines: tuple[SelfLink, ...] = ()
    """The machines of the inventory that it stands for."""

    @property
    def region(self) -> str:
        """The region of its zone."""
        return region_of(self.zone)


class VcpuLimit(NamedTuple):
    """A quota: most vCPUs of a series in a region at once."""

    region: str
    series: str
    vcpus: int


# A machine type in a region as a fleet counts it, and what a group may become


class Machine(NamedTuple):
    """One type in a region, with or without Tier_1, ready to be counted."""

    shape: MachineShape
    region: str
    is_tier1: bool
    is_spot: bool
    bill: MachineBill
    """Of one machine that runs all month on demand, or as Spot."""
    usable_gbps: float | None
    cpu_platform: str = ""
    caution: str = ""

    @property
    def machine_type(self) -> str:
        """The name of the type."""
        return self.shape.machine_type

    @property
    def series(self) -> str:
        """Its series."""
        return series_of(self.shape.machine_type)

    @property
    def key(self) -> tuple[str, str, bool, bool, str]:
        """What tells it from others."""
        attached = ", ".join(one.name for one in (self.bill.gpus, self.bill.local_ssds) if one)
        return self.region, self.machine_type, self.is_tier1, self.is_spot, attached


class Candidate(NamedTuple):
    """A machine that a group may become."""

    machine: Machine
    move_usd: Decimal
    """Dollars a month that the move of one machine is priced at."""
    moves: tuple[MoveKind, ...] = ()
    to_check: str = ""
    is_at_list: bool = False
    """Its machine is at list prices, because the bill does not tell it or the machine of today."""
    at_list_usd: Decimal = Decimal(0)
    """Dollars a month beside that: what the machine of today is paid above its list price."""
    charged_ratio: Decimal = Decimal(1)
    """What is charged of the list price then, which is all that cover can take off."""
    least_usd: Decimal = Decimal(0)
    """Dollars a month that the move of one machine must save; in no bill."""


def notes_of(candidate: Candidate) -> str:
    """Return what to know before a group becomes a candidate."""
    said = [
        f"check first: {candidate.to_check}" if candidate.to_check else "",
        "Arm: needs an Arm image" if candidate.machine.shape.architecture == ARM else "",
        candidate.machine.caution,
    ]
    return "; ".join(filter(None, said))


def hourly_lines(machine: Machine) -> tuple[LineItem, ...]:
    """Return the parts of a machine's price that are not discounted: fee and Local SSDs."""
    parts = (machine.bill.tier1, machine.bill.local_ssds)
    return tuple(one for one in parts if one is not None)


def gpu_ratio(prices: PriceBook, machine: Machine, month_ratio: float) -> Decimal:
    """Return what sustained use leaves of the price of the GPUs that are attached to a machine."""
    if machine.is_spot:
        return Decimal(1)
    return prices.sustained_use_ratio(GPUS_ON_N1, month_ratio)


def priced_lines(machine: Machine) -> tuple[LineItem, ...]:
    """Return the lines of a machine's price: what it is by itself, and what is attached."""
    gpus = machine.bill.gpus
    return (machine.bill.machine, *hourly_lines(machine), *((gpus,) if gpus is not None else ()))


def month_usd(prices: PriceBook, machine: Machine, hours: Decimal) -> Decimal:
    """Return what a machine costs for some hours of a month, sustained use taken off."""
    ratio = float(hours / HOURS_PER_MONTH)
    left = (
        Decimal(1) if machine.is_spot else prices.sustained_use_ratio(machine.machine_type, ratio)
    )
    hourly = machine.bill.machine.unit_price_usd * left
    fees = sum((one.unit_price_usd * one.quantity for one in hourly_lines(machine)), Decimal(0))
    if machine.bill.gpus is not None:
        fees += machine.bill.gpus.usd_per_month * gpu_ratio(prices, machine, ratio)
    return hourly * hours + fees * hours / HOURS_PER_MONTH


# Which groups run at the same time: the month cut into stretches of hours
#
# A commitment covers in each hour at most what runs in that hour. A group runs in some hours of the
# day (UTC), on a share of the days. Which days is not known: groups are taken to run on the same
# ones, which makes the peaks as high as they can be, so that a commitment is never counted as
# better used than it is.


HOURS_PER_DAY = 24
_GRID = 24
"""Steps of the share of days, where there are more different shares than this."""
ALL_DAY = frozenset(range(HOURS_PER_DAY))


class Profile(NamedTuple):
    """When a group runs."""

    hours_per_month: Decimal
    """Above 0, at most what the hours of the day allow."""
    active: frozenset[int] = ALL_DAY
    """Hours of the day, UTC: 8 is from 8 to 9."""

    @property
    def day_ratio(self) -> Decimal:
        """The share of the days on which it runs."""
        return min(Decimal(1), self.hours_per_month / hours_of(self.active))

    @property
    def month_ratio(self) -> float:
        """The share of the month that it runs, for sustained-use discounts."""
        return float(min(Decimal(1), self.hours_per_month / HOURS_PER_MONTH))


def hours_of(active: frozenset[int]) -> Decimal:
    """Return the hours of a month that fall into hours of the day."""
    return Decimal(HOURS_PER_MONTH) * len(active) / HOURS_PER_DAY


class Stretch(NamedTuple):
    """Hours of the month in which the same profiles run."""

    hours_per_month: Decimal
    profiles: frozenset[int]
    """By their place in the calendar."""


class Calendar:
    """The month as stretches, for all profiles of a fleet."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self.profiles = tuple(
            sorted(set(profiles), key=lambda p: (sorted(p.active), p.hours_per_month))
        )

    @cached_property
    def place(self) -> dict[Profile, int]:
        """The place of each profile."""
        return {profile: place for place, profile in enumerate(self.profiles)}

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """All stretches in which anything runs, in a fixed order.

        Where there are many shares of days they are rounded down to a grid: what runs beyond it
        is paid, but no commitment covers it.
        """
        edges = sorted({Decimal(0), *(p.day_ratio for p in self.profiles)})
        if len(edges) > _GRID:
            edges = [Decimal(step) / _GRID for step in range(_GRID + 1)]
        found: dict[frozenset[int], Decimal] = {}
        for hour in range(HOURS_PER_DAY):
            awake = [at for at, p in enumerate(self.profiles) if hour in p.active]
            for low, high in pairwise(edges):
                running = frozenset(at for at in awake if self.profiles[at].day_ratio >= high)
                if running:
                    hours = Decimal(HOURS_PER_MONTH) * (high - low) / HOURS_PER_DAY
                    found[running] = found.get(running, Decimal(0)) + hours
        return tuple(
            Stretch(hours, running)
            for running, hours in sorted(found.items(), key=lambda item: sorted(item[0]))
        )


# Why no type carries what a group needs: the smallest shortfall, and what has to change


def why_none(
    need: FleetNeed,
    pool: Pool,
    is_offered: NDArray[np.bool_],
    headroom_ratio: float,
    series: tuple[str, ...],
) -> Shortfall:
    """Return what binds for a group that no offered type carries.

    Args:
        need: The group.
        pool: The offers of its region under the filters.
        is_offered: Which of them its zone has.
        headroom_ratio: Share of the cap that stays free.
        series: The only ones that are allowed; empty: any.
    """
    only = f" of series {', '.join(series)}" if series else ""
    if not is_offered.any():
        return Shortfall(
            name=need.name,
            binding="not-offered",
            shortfall=f"zone {need.zone} offers no machine type{only} with a price and a cap",
            changes=("another zone", *(("other series (--series)",) if series else ())),
        )
    fitting = is_offered.copy()
    if need.architecture is not None:
        own = np.array([o.shape.architecture == need.architecture for o in pool.offers])
        if not (own & fitting).any():
            return Shortfall(
                name=need.name,
                binding="architecture",
                shortfall=f"zone {need.zone} offers no {need.architecture} type{only}",
                changes=("another architecture", "other series (--series)", "another zone"),
            )
        fitting &= own
    return _amount(need, pool, fitting, headroom_ratio, only)


def _amount(
    need: FleetNeed, pool: Pool, fitting: NDArray[np.bool_], headroom_ratio: float, only: str
) -> Shortfall:
    wanted = need.gbps + need.outside_gbps
    offers = [pool.offers[i] for i in np.flatnonzero(fitting)]
    amounts = (
        ("bandwidth", wanted, "Gbit/s", [o.usable_gbps for o in offers]),
        (
            "bandwidth to external addresses",
            need.outside_gbps,
            "Gbit/s",
            [o.usable_outside_gbps or 0.0 for o in offers],
        ),
        ("vcpus", float(need.vcpus), "vCPUs", [float(o.shape.vcpus) for o in offers]),
        ("memory", need.memory_gib, "GiB", [o.shape.memory_gib for o in offers]),
    )
    for binding, amount, unit, each in amounts:
        best = max(range(len(each)), key=each.__getitem__)
        if each[best] * (1 + 1e-9) >= amount:
            continue
        name = _name(offers[best].shape.machine_type, is_tier1=offers[best].cap.is_tier1)
        short = amount - each[best]
        kept = f" after {headroom_ratio:.0%} headroom" if binding.startswith("bandwidth") else ""
        changes = [
            f"reduce the need by {short:.6g} {unit} per VM",
            "spread it over more VMs",
        ]
        if binding == "bandwidth" and headroom_ratio:
            changes.append("reserve less headroom (--headroom)")
        return Shortfall(
            name=need.name,
            binding=binding,
            shortfall=f"{short:.6g} {unit} short: the largest type{only} in {need.zone} has"
            f" {each[best]:.6g} of {amount:.6g} {unit}{kept} ({name})",
            changes=tuple(changes),
        )
    if need.ties is not None:
        return Shortfall(
            name=need.name,
            binding="ties",
            shortfall="the types that carry it cannot use its disks, GPUs, placement policy or"
            " reservation, or have no known price",
            changes=("remove what ties it", "leave it as it is"),
        )
    closest = min(
        range(len(offers)), key=lambda at: max(w / max(e[at], 1e-9) for _, w, _, e in amounts)
    )
    offer = offers[closest]
    lacking = [
        f"{each[closest]:.6g} of {amount:.6g} {unit} ({binding})"
        for binding, amount, unit, each in amounts
        if each[closest] * (1 + 1e-9) < amount
    ]
    name = _name(offer.shape.machine_type, is_tier1=offer.cap.is_tier1)
    said = " and ".join(lacking) or "everything except a known price"
    return Shortfall(
        name=need.name,
        binding="combination",
        shortfall=f"no type{only} in {need.zone} has all of it at once; {name} is closest with"
        f" {said}",
        changes=("reduce one of these", "spread the work over more VMs"),
    )


def _name(machine_type: str, *, is_tier1: bool) -> str:
    return f"{machine_type} with Tier_1" if is_tier1 else machine_type
