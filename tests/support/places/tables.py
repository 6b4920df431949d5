"""Made tables of machines and traffic, and what they cost by a count that shares no code."""

import csv
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

ZONES = ("us-central1-a", "us-central1-b", "us-central1-c")
USD_PER_GIB = 0.01
"""Between zones of a region, from the catalogue of 30 April 2026, as all prices here."""
FAR_ZONES = ("us-central1-a", "us-central1-b", "us-east1-b", "europe-west1-b")
_FREE_GIB = 1.0
"""Of what is sent between regions of the United States, and from there to Europe."""
_USD_PER_FAR_GIB = {"us-us": 0.02, "us-europe": 0.05, "europe-us": 0.05}
_USD_PER_HOUR = {"us-central1": 0.3107776, "us-east1": 0.3107776, "europe-west1": 0.3418688}
"""Of an n2-standard-8 on demand all month, with its sustained-use discount of 20 %."""
TYPE = "n2-standard-8"


class Vm(NamedTuple):
    """A row of --vms."""

    name: str
    zone: str
    vcpus: int = 4
    group: str = ""
    is_spread: bool = False
    is_pinned: bool = False
    machine_type: str = ""


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
        ("name", "zone", "region", "vcpus", "group", "is_spread", "is_pinned", "machine_type"),
        [
            (
                *(vm.name, vm.zone, vm.zone[:-2], vm.vcpus, vm.group),
                *(str(vm.is_spread).lower(), str(vm.is_pinned).lower(), vm.machine_type),
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
    """Return dollars a month: what crosses zones, in both directions, and machines with a type."""
    usd, far = 0.0, dict.fromkeys(_USD_PER_FAR_GIB, 0.0)
    for flow in case.flows:
        src, dst = zones[flow.src], zones[flow.dst]
        if src[:-2] != dst[:-2]:
            far[f"{src.partition('-')[0]}-{dst.partition('-')[0]}"] += flow.gib
        elif src != dst:
            usd += USD_PER_GIB * flow.gib
    for ends, gib in far.items():
        free = 0.0 if ends == "europe-us" else _FREE_GIB
        usd += _USD_PER_FAR_GIB[ends] * max(0.0, gib - free)
    typed = [zones[vm.name] for vm in case.vms if vm.machine_type]
    return usd + sum(730 * _USD_PER_HOUR[zone[:-2]] for zone in typed)


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
