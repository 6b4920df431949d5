"""What a fleet costs, reckoned from list prices hour by hour; shares no code with the planner's."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from netplan_planner.model import Usage
from netplan_pricing.book import SnapshotPriceBook

MONTH = 730
FLEXIBLE = {"n1", "n2", "n2d", "c2", "c2d", "e2"}
"""Series that flexible commitments cover, as Google's billing documentation names them."""
PAID = {1: Fraction(72, 100), 3: Fraction(54, 100)}
CUD = {1: Usage.CUD_1Y, 3: Usage.CUD_3Y}


class Group(NamedTuple):
    """Equal machines of one type."""

    region: str
    machine_type: str
    machines: int
    hours: Fraction
    active: frozenset[int]
    tier1_gbps: float | None = None


class Commitment(NamedTuple):
    """A commitment that is bought."""

    kind: str
    family: str
    region: str
    years: int
    vcpus: Fraction
    memory_gib: Fraction
    usd_per_hour: Fraction


def series(machine_type: str) -> str:
    return machine_type.split("-", maxsplit=1)[0]


@cache
def rates(
    book: SnapshotPriceBook, region: str, machine_type: str, usage: Usage
) -> dict[str, Fraction]:
    """Return the price of a vCPU and of a GiB."""
    parts = book.machine(region, machine_type, usage).parts
    return {one.component: Fraction(one.unit_price_usd) for one in parts}


@cache
def amounts(book: SnapshotPriceBook, region: str, machine_type: str) -> dict[str, Fraction]:
    """Return the vCPUs and the GiB that are billed."""
    parts = book.machine(region, machine_type, Usage.ON_DEMAND).parts
    return {one.component: Fraction(one.quantity) for one in parts}


@cache
def listed(book: SnapshotPriceBook, region: str, machine_type: str) -> Fraction:
    """Return the price of an hour on demand."""
    return Fraction(book.machine(region, machine_type, Usage.ON_DEMAND).usd)


@cache
def kept(book: SnapshotPriceBook, machine_type: str, ratio: Fraction) -> Fraction:
    """Return what the discount for sustained use leaves."""
    return Fraction(book.sustained_use_ratio(machine_type, float(ratio)))


def cost(
    book: SnapshotPriceBook, groups: Sequence[Group], bought: Iterable[Commitment]
) -> Fraction:
    """Return dollars a month."""
    bought = list(bought)
    total = Fraction(0)
    for one in groups:
        hourly = listed(book, one.region, one.machine_type)
        hourly *= kept(book, one.machine_type, one.hours / MONTH)
        if one.tier1_gbps is not None:
            hourly += Fraction(book.tier1_fee(one.region, one.machine_type, one.tier1_gbps).usd)
        total += hourly * one.machines * one.hours
    for bond in bought:
        total += fee(book, groups, bond) * MONTH
    # Days: on share `day` of them a group runs; the same days first.
    shares = {one: one.hours / (Fraction(MONTH) * len(one.active) / 24) for one in groups}
    edges = sorted({Fraction(0), *shares.values()})
    for low, high in pairwise(edges):
        for hour in range(24):
            running = [one for one in groups if hour in one.active and shares[one] >= high]
            length = Fraction(MONTH, 24) * (high - low)
            total -= length * saved(book, running, bought)
    return total


def fee(book: SnapshotPriceBook, groups: Sequence[Group], bond: Commitment) -> Fraction:
    """Return the fee of a commitment an hour."""
    if bond.kind == "flexible":
        return bond.usd_per_hour
    of = next(
        g.machine_type
        for g in groups
        if g.region == bond.region and series(g.machine_type) == bond.family
    )
    unit = rates(book, bond.region, of, CUD[bond.years])
    return bond.vcpus * unit["core"] + bond.memory_gib * unit["ram"]


def saved(
    book: SnapshotPriceBook, running: Sequence[Group], bought: Sequence[Commitment]
) -> Fraction:
    """Return what commitments take off in an hour."""
    pools: dict[tuple[str, str, str], list[Fraction]] = {}
    for one in running:
        per_unit = rates(book, one.region, one.machine_type, Usage.ON_DEMAND)
        left = kept(book, one.machine_type, Fraction(1))
        for part, amount in amounts(book, one.region, one.machine_type).items():
            if part in {"core", "ram"}:
                key = one.region, series(one.machine_type), part
                pool = pools.setdefault(key, [Fraction(0), per_unit[part], left])
                pool[0] += amount * one.machines
    off = Fraction(0)
    spends: list[tuple[Fraction, Fraction]] = []
    for (region, family, part), (used, price, left) in pools.items():
        sold = sum(
            (
                bond.vcpus if part == "core" else bond.memory_gib
                for bond in bought
                if bond.kind == "resource" and (bond.region, bond.family) == (region, family)
            ),
            Fraction(0),
        )
        covered = min(used, sold)
        off += covered * price * left
        if family in FLEXIBLE:
            spends.append((left, (used - covered) * price))
    room = sum(
        (bond.usd_per_hour / PAID[bond.years] for bond in bought if bond.kind == "flexible"),
        Fraction(0),
    )
    for left, spend in sorted(spends, reverse=True):
        taken = min(room, spend)
        off += taken * left
        room -= taken
    return off
