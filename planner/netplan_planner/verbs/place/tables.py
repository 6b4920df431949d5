"""The tables of `netplan place`: machines, traffic, zones."""

import re
from pathlib import Path

import numpy as np

from netplan_planner.errors import InputError, UsageError, did_you_mean
from netplan_planner.inert import inert_line
from netplan_planner.model import PathClass, Zone, region_of
from netplan_planner.tables.columns import Column, number_column
from netplan_planner.tables.reading import Table
from netplan_planner.verbs.place.ask import PlaceChoices
from netplan_planner.verbs.place.asked import Asked, AskedEdges, AskedLimit, AskedMachine, Kind

_MOST_VCPUS, _MOST_GIB, _MOST_MS = 1e9, 1e12, 1e6
"""Far beyond what there is: more is a slip of the hand, and would drown all other sums."""
VMS = (
    Column(name="name", meaning="of the VM, unique", is_required=True),
    Column(name="zone", meaning="current zone", is_required=True),
    Column(name="region", meaning="of the zone; empty: derived from the zone"),
    number_column(
        "vcpus", "what it uses of a zone's capacity", unit="vCPU", least=0, most=_MOST_VCPUS
    ),
    Column(name="group", meaning="which VMs belong together"),
    Column(name="is_spread", meaning="true: members of the group are in different zones"),
    Column(name="is_pinned", meaning="true: it stays in its zone"),
    Column(name="machine_type", meaning="billed with the traffic; empty: only traffic counts"),
)
EDGES = (
    Column(name="src", meaning="name of the sender", is_required=True),
    Column(name="dst", meaning="name of the receiver", is_required=True),
    number_column(
        "gib_per_month",
        "volume sent, with headers",
        unit="GiB",
        least=0,
        most=_MOST_GIB,
        is_required=True,
    ),
    number_column(
        "max_rtt_ms", "maximum round-trip time; empty: any", unit="ms", least=0, most=_MOST_MS
    ),
)
ZONES = (
    Column(name="zone", meaning="an allowed zone", is_required=True),
    number_column(
        "capacity_vcpus",
        "what it can hold of these VMs; empty: unknown, so no limit",
        unit="vCPU",
        least=0,
        most=_MOST_VCPUS,
    ),
)
_BOOLEANS = {"true": True, "false": False, "": None}
_NAMED = 3
_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z0-9]+")


def read_tables(request: PlaceChoices) -> Asked:
    """Return what the tables ask.

    Raises:
        UsageError: If one of the two that are needed is missing.
        InputError: If a table cannot be read, or contradicts itself or another one.
    """
    if request.vms is None or request.edges is None:
        raise UsageError("VMs and their traffic are two tables: --vms FILE and --edges FILE")
    machines = _machines(request.vms)
    number = {machine.name: at for at, machine in enumerate(machines)}
    edges, limits = _edges(request.edges, number, request.vms)
    zones, capacity = _zones(request.zones, machines, request.vms)
    assumptions = [
        "traffic between VMs uses internal addresses",
        "commands use gcloud's current project, because the tables name none",
    ]
    if request.zones is None:
        assumptions.append(
            "a VM may move to zones that other VMs of its region use (others: --zones)"
            + (
                ""
                if request.zone_growth_ratio is not None
                else ", and zones have no capacity limit"
            )
        )
    elif np.isinf(capacity).any():
        open_zones = [zone for zone, room in zip(zones, capacity, strict=True) if np.isinf(room)]
        assumptions.append(f"no limit for zones without a capacity: {', '.join(open_zones)}")
    if np.isfinite(capacity).any() or request.zone_growth_ratio is not None:
        lacking = [
            machine.name
            for machine in machines
            if machine.vcpus is None and not machine.machine_type
        ]
        if lacking:
            raise InputError(
                f"{_shown(request.vms)}: vcpus of {_listed(lacking)} unknown, but zones have a "
                "capacity: fill them in"
            )
    return Asked(
        title=_shown(request.vms),
        machines=machines,
        kinds=(Kind(PathClass.SAME_ZONE_INTERNAL),),
        edges=edges,
        limits=limits,
        zones=zones,
        capacity=capacity,
        least_zones={},
        assumptions=tuple(assumptions),
    )


def _shown(path: Path) -> str:
    return inert_line(path.name)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{', '.join(map(inert_line, names[:_NAMED]))}{more}"


def _all_rows(table: Table) -> dict[str, np.ndarray]:
    """Return the numbers of a table of which no row may be left out."""
    found = table.checked_numbers()
    if table.refused.count:
        raise InputError(f"{table.shown}: {'; '.join(table.refused.named)}")
    return found


def _machines(path: Path) -> tuple[AskedMachine, ...]:
    with Table(path, VMS) as table:
        table.refuse_unread()
        vcpus = _all_rows(table)["vcpus"]
        names = ("name", "zone", "region", "group", "is_spread", "is_pinned", "machine_type")
        cells, which = table.coded(names)
        shown = table.shown
    rows = [(*cells[kind], vcpus[at]) for at, kind in enumerate(which.tolist())]
    if not rows:
        raise InputError(f"{shown}: no VM")
    spread: dict[str, bool] = {}
    seen: dict[str, int] = {}
    found = []
    for at, (name, zone, region, group, is_spread, is_pinned, kind, count) in enumerate(rows, 1):
        where = f"{shown}: row {at}"
        if not name or not zone:
            raise InputError(f"{where}: a VM needs a name and its zone")
        if name in seen:
            raise InputError(f"{where}: {inert_line(name)} is in row {seen[name]} already")
        seen[name] = at
        if not _ZONE.fullmatch(zone):
            raise InputError(f"{where}: {inert_line(zone)} is not a zone such as us-central1-a")
        if region and region != region_of(Zone(zone)):
            raise InputError(
                f"{where}: {inert_line(name)} is in {inert_line(zone)}, which is not in "
                f"{inert_line(region)}: correct one of them"
            )
        stays_apart = _boolean(is_spread, "is_spread", where)
        if stays_apart and not group:
            raise InputError(
                f"{where}: {inert_line(name)} must stay spread, but has no group: state its group"
            )
        if (
            group
            and stays_apart is not None
            and spread.setdefault(group, stays_apart) != stays_apart
        ):
            raise InputError(
                f"{where}: is_spread of group {inert_line(group)} differs between rows: use one "
                "value in all of them"
            )
        pinned = "is_pinned of the table" if _boolean(is_pinned, "is_pinned", where) else ""
        known = None if np.isnan(count) else float(count)
        found.append(AskedMachine(name, zone, known, group, pinned, machine_type=kind))
    kept = (one if spread.get(one.group) else one._replace(group="") for one in found)
    return tuple(sorted(kept, key=lambda one: one.name))


def _boolean(cell: str, column: str, where: str) -> bool | None:
    if cell.casefold() not in _BOOLEANS:
        raise InputError(f"{where}: {column} {inert_line(cell)!r} is not true or false")
    return _BOOLEANS[cell.casefold()]


def _edges(
    path: Path, number: dict[str, int], vms: Path
) -> tuple[AskedEdges, tuple[AskedLimit, ...]]:
    with Table(path, EDGES) as table:
        table.refuse_unread()
        numbers = _all_rows(table)
        ends = [table.texts(name) for name in ("src", "dst")]
        shown = table.shown
    sides = []
    for (names, which), column in zip(ends, ("src", "dst"), strict=True):
        unknown = [at for at, name in enumerate(names) if name not in number]
        if unknown:
            rows = np.flatnonzero(np.isin(which, unknown))
            name = names[which[rows[0]]]
            near = did_you_mean(name, number)
            raise InputError(
                f"{shown}: row {rows[0] + 1}: {column} {inert_line(name)!r} is not a VM of "
                f"{_shown(vms)}{near}"
            )
        index = np.array([number[name] for name in names], dtype=np.intp)
        sides.append(index[which])
    gib, most_ms = numbers["gib_per_month"], numbers["max_rtt_ms"]
    if np.isnan(gib).any():
        row = int(np.flatnonzero(np.isnan(gib))[0]) + 1
        raise InputError(
            f"{shown}: row {row}: gib_per_month is empty: state it, or 0 if nothing is sent"
        )
    src, dst = sides
    limits: dict[tuple[int, int], float] = {}
    for at in np.flatnonzero(~np.isnan(most_ms) & (src != dst)).tolist():
        pair = min(int(src[at]), int(dst[at])), max(int(src[at]), int(dst[at]))
        limits[pair] = min(limits.get(pair, np.inf), float(most_ms[at]))
    kept = (src != dst) & (gib > 0)
    if not kept.any() and not limits:
        raise InputError(
            f"{shown}: no traffic between two VMs: every row has 0 GiB or one end, so no zone is "
            "better than another"
        )
    src, dst, gib = src[kept], dst[kept], gib[kept]
    order = np.lexsort((gib, dst, src))
    edges = AskedEdges(src[order], dst[order], np.zeros(len(order), dtype=np.intp), gib[order])
    return edges, tuple(AskedLimit(*pair, most) for pair, most in sorted(limits.items()))


def _zones(
    path: Path | None, machines: tuple[AskedMachine, ...], vms: Path
) -> tuple[tuple[str, ...], np.ndarray]:
    if path is None:
        zones = sorted({machine.zone for machine in machines})
        return tuple(zones), np.full(len(zones), np.inf)
    with Table(path, ZONES) as table:
        table.refuse_unread()
        capacity = _all_rows(table)["capacity_vcpus"]
        names, which = table.texts("zone")
        shown = table.shown
    found: dict[str, float] = {}
    for at, kind in enumerate(which.tolist()):
        name = names[kind]
        if not _ZONE.fullmatch(name):
            raise InputError(
                f"{shown}: row {at + 1}: {inert_line(name)!r} is not a zone such as us-central1-a"
            )
        if name in found:
            raise InputError(f"{shown}: row {at + 1}: {inert_line(name)} appears twice")
        found[name] = np.inf if np.isnan(capacity[at]) else float(capacity[at])
    for machine in machines:
        if machine.zone not in found:
            near = did_you_mean(machine.zone, found)
            raise InputError(
                f"{_shown(vms)}: {inert_line(machine.name)} is in {inert_line(machine.zone)}, "
                f"which {shown} does not have: add it (with capacity 0 to empty it){near}"
            )
    order = sorted(found)
    return tuple(order), np.array([found[zone] for zone in order])
