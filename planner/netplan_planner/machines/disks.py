"""What the disk of a machine lets through: given, or documented by type, size and machine.

Sources, read on 2026-11-28: docs.cloud.google.com/compute/docs/disks/performance, "Throughput
limits for zonal Persistent Disk" (a GiB: 0.12, 0.28, 0.48 MiB/s; an instance: 1,200 MiB/s, of
pd-standard 400 of what is written) and "Baseline performance" (140 and 240 MiB/s whatever the
size). What machines of few vCPUs and of each series reach: `disk_limits.csv`, from the `pd-limits`
of `sources.csv`. Limits of Hyperdisk are not in it: what a volume lets through is provisioned, so
its size does not tell it, and it is given as a rate.

Both tables are of an instance with all its Persistent Disks, of which a machine has one here. The
lesser holds: what the second has above 1,200 MiB/s (C3D from 180 vCPUs, T2A of 48, reading of
C2D of 112) binds no disk.
"""

import math
from functools import cache
from pathlib import Path
from typing import NamedTuple

from netplan_planner.asks import byte_count
from netplan_planner.errors import UsageError
from netplan_planner.model import MachineShape, series_of
from netplan_planner.model.base import Value
from netplan_planner.shipped import shipped_values
from netplan_planner.units import BITS_PER_BYTE, BITS_PER_GIGABIT, BYTES_PER_GIB, BYTES_PER_MIB

_LEAST_GIB = 10
NO_BOUND = "none"


class Disk(Value, frozen=True, kw_only=True):
    """The disk of a machine at an end, with what it reads and writes."""

    name: str
    """As people write it; `none`: no disk is in the way."""
    read_mib_per_s: float | None
    """None: not bounded; so the next one."""
    write_mib_per_s: float | None
    disk_type: str = ""
    """Of Persistent Disk, which machines bound too; empty: the rate is given."""


class _Documented(NamedTuple):
    """The limits of a disk type, in MiB/s: of one disk by its size, of an instance at most."""

    baseline: float
    per_gib: float
    most_read: float
    most_write: float


_TYPES = {
    "pd-standard": _Documented(0, 0.12, 1200, 400),
    "pd-balanced": _Documented(140, 0.28, 1200, 1200),
    "pd-ssd": _Documented(240, 0.48, 1200, 1200),
}
ASSUMED = "pd-balanced"
"""The default of the console."""


class _Limit(Value, frozen=True, kw_only=True):
    """What machines let through to all their disks of some types."""

    of: str
    """A series; or a machine type, where its row differs from that of its series."""
    least_vcpus: int
    most_vcpus: int | None = None
    disks: str
    read_mib_per_s: float
    write_mib_per_s: float
    source: str


@cache
def _limits() -> tuple[_Limit, ...]:
    return shipped_values(Path(__file__).with_name("disk_limits.csv"), _Limit)


def documented(disk_type: str, gib: float, name: str = "") -> Disk:
    """Return a disk of a type and size with its documented limits.

    >>> documented("pd-balanced", 1000).read_mib_per_s
    420.0
    """
    own = _TYPES[disk_type]
    rate = own.baseline + own.per_gib * gib
    return Disk(
        name=name or f"{disk_type}:{gib:g}GiB",
        read_mib_per_s=min(rate, own.most_read),
        write_mib_per_s=min(rate, own.most_write),
        disk_type=disk_type,
    )


def on_machine(disk: Disk, shape: MachineShape) -> Disk | None:
    """Return a disk with what a machine reads and writes of it; None: that is not documented.

    >>> own = on_machine(documented("pd-balanced", 1000), MachineShape(
    ...     machine_type="n2-standard-2", vcpus=2, memory_gib=8))
    >>> own.read_mib_per_s if own else None
    240.0
    """
    if not disk.disk_type:
        return disk
    assert disk.read_mib_per_s is not None
    assert disk.write_mib_per_s is not None
    of = {shape.machine_type, "" if shape.is_shared_core else series_of(shape.machine_type)}
    for row in _limits():
        fits = row.least_vcpus <= shape.vcpus <= (row.most_vcpus or math.inf)
        if fits and row.of in of and disk.disk_type in row.disks.split():
            return Disk(
                name=disk.name,
                read_mib_per_s=min(disk.read_mib_per_s, row.read_mib_per_s),
                write_mib_per_s=min(disk.write_mib_per_s, row.write_mib_per_s),
                disk_type=disk.disk_type,
            )
    return None


def disk_of(option: str, text: str) -> Disk:
    """Return a disk of the form TYPE:SIZE, RATE or none.

    Raises:
        UsageError: If it is none of these.

    >>> disk_of("--disk", "800MiB/s").write_mib_per_s, disk_of("--disk", "pd-ssd:100GiB").name
    (800.0, 'pd-ssd:100GiB')
    """
    told = text.strip()
    kind, colon, size = told.partition(":")
    if told == NO_BOUND:
        return Disk(name=NO_BOUND, read_mib_per_s=None, write_mib_per_s=None)
    if told.endswith("/s"):
        rate = (byte_count(option, told.removesuffix("/s")) or 0) / BYTES_PER_MIB
        return Disk(name=told, read_mib_per_s=rate, write_mib_per_s=rate)
    if not colon or kind not in _TYPES:
        raise UsageError(
            f"{option} {text[:60]!r} must be TYPE:SIZE of {', '.join(_TYPES)}, such as"
            " pd-ssd:2TB, a rate such as 800MiB/s, or none; of Hyperdisk the provisioned rate"
        )
    gib = (byte_count(option, size) or 0) / BYTES_PER_GIB
    return documented(kind, gib, told)


def assumed(volume_bytes: int, count: int) -> Disk:
    """Return a disk that holds the share of one of so many machines."""
    gib = max(math.ceil(volume_bytes / count / BYTES_PER_GIB), _LEAST_GIB)
    return documented(ASSUMED, gib)


def gbps(mib_per_s: float | None) -> float | None:
    """Return a rate of a disk in Gbit/s; None: it is not bounded.

    >>> round(gbps(140) or 0, 2)
    1.17
    """
    if mib_per_s is None:
        return None
    return mib_per_s * BYTES_PER_MIB * BITS_PER_BYTE / BITS_PER_GIGABIT
