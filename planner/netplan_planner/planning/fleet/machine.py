"""A machine type in a region as a fleet counts it, and what a group may become."""

from decimal import Decimal
from typing import NamedTuple

from netplan_planner.model import LineItem, MachineShape, PriceBook, series_of
from netplan_planner.optimise.bill import GPUS_ON_N1, MachineBill
from netplan_planner.optimise.offers import ARM
from netplan_planner.planning.fleet.need import MoveKind
from netplan_planner.units import HOURS_PER_MONTH


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
    at_list_usd: Decimal = Decimal(0)
    """Dollars a month that a machine's price is changed by, so that what it differs by from the
    machine of today is that of list prices: where the bill does not tell one of the two."""
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
