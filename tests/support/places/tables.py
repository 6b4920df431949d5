"""Made tables of machines and traffic, and what they cost by a count that shares no code."""

import csv
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

ZONES = ("us-central1-a", "us-central1-b", "us-central1-c")
USD_PER_GIB = 0.01
"""Between zones of us-central1, from the catalogue of 30 April 2026."""


class Vm(NamedTuple):
    """A row of --vms."""

    name: str
    zone: str
    vcpus: int = 4
    group: str = ""
    is_spread: bool = False
    is_pinned: bool = False


class Flow(NamedTuple):
    """A row of --edges."""

    src: str
    dst: str
    gib: float
    max_rtt_ms: float | None = None


class Case(NamedTuple):
    """All three tables."""

    vms: tuple[Vm, ...]
    flows: tuple[Flow, ...]
    capacity: Mapping[str, int]


def written(case: Case, folder: Path) -> list[str]:
    """Write the tables and return the words that name them."""
    _write(
        folder / "vms.csv",
        ("name", "zone", "region", "vcpus", "group", "is_spread", "is_pinned"),
        [
            (
                *(vm.name, vm.zone, vm.zone[:-2], vm.vcpus, vm.group),
                *(str(vm.is_spread).lower(), str(vm.is_pinned).lower()),
            )
            for vm in case.vms
        ],
    )
    rows = [(f.src, f.dst, f.gib, "" if f.max_rtt_ms is None else f.max_rtt_ms) for f in case.flows]
    _write(folder / "edges.csv", ("src", "dst", "gib_per_month", "max_rtt_ms"), rows)
    _write(folder / "zones.csv", ("zone", "capacity_vcpus"), list(case.capacity.items()))
    return [
        *("--vms", str(folder / "vms.csv"), "--edges", str(folder / "edges.csv")),
        *("--zones", str(folder / "zones.csv")),
    ]


def _write(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(head)
        table.writerows(rows)


def cost(case: Case, zones: Mapping[str, str]) -> float:
    """Return dollars a month: what crosses zones, in both directions."""
    return sum(USD_PER_GIB * f.gib for f in case.flows if zones[f.src] != zones[f.dst])


def faults(case: Case, zones: Mapping[str, str]) -> list[str]:
    """Return every constraint that a placement breaks."""
    found = [f"{vm.name} moved" for vm in case.vms if vm.is_pinned and zones[vm.name] != vm.zone]
    for zone, room in case.capacity.items():
        if sum(vm.vcpus for vm in case.vms if zones[vm.name] == zone) > room:
            found.append(f"{zone} is full")
    for group in sorted({vm.group for vm in case.vms if vm.is_spread and vm.group}):
        members = [vm.name for vm in case.vms if vm.group == group]
        wanted = min(len(members), len(case.capacity))
        if len({zones[name] for name in members}) < wanted:
            found.append(f"{group} is not spread")
    # Zones of one region are some 0.5 ms apart, machines of one zone some 0.2 ms.
    return found + [
        f"{flow.src} and {flow.dst} are too far apart"
        for flow in case.flows
        if flow.max_rtt_ms is not None and zones[flow.src] != zones[flow.dst]
    ]


def cheapest(case: Case) -> float | None:
    """Return the least cost of all placements; None where none keeps every constraint."""
    names = [vm.name for vm in case.vms]
    costs = [
        cost(case, zones)
        for chosen in product(case.capacity, repeat=len(names))
        if not faults(case, zones := dict(zip(names, chosen, strict=True)))
    ]
    return min(costs, default=None)
