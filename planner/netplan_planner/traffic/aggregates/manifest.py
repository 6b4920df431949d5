"""What aggregates say of themselves: the options that shaped them, the inventory, the tables."""

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import decode_json, unreadable, whole
from netplan_planner.model import Inventory, Reporter, TrafficMatrix, Value, taken
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.traffic.aggregates import MANIFEST
from netplan_planner.traffic.options import HeaderBytes, TrafficOptions

NAME = "netplan.aggregates"
VERSION = 1
FORMAT = f"{NAME}/{VERSION}"
_FORMAT = re.compile(rf"{re.escape(NAME)}/([0-9]{{1,9}})")
_LARGEST_BYTES = 1 << 26
"""Of a manifest, which has no rows: one of a million records takes three kilobytes."""
SUFFIX = ".parquet"
AGAIN = "create them again with `netplan flows aggregate`"


class Table(Value, frozen=True, kw_only=True):
    """One file of rows."""

    name: str
    row_count: int
    byte_count: int
    sha256: str


class Shape(Value, frozen=True, kw_only=True):
    """The options that decide what the sums are; the others bound an engine, or choose rows."""

    reporter: Reporter
    since: datetime | None
    until: datetime | None
    header_bytes: HeaderBytes
    gap_minutes: int
    max_skew_days: int
    skew_ratio: float
    max_record_minutes: int
    max_table_minutes: int
    max_record_gbps: float
    example_count: int
    flow_min_gbps: float
    flow_ratio: float


def shape_of(options: TrafficOptions) -> Shape:
    """Return those of some options that decide what the sums are."""
    return taken(Shape, options)


class Manifest(Value, frozen=True, kw_only=True):
    """What aggregates say of themselves."""

    format: str
    tool: str
    """Name and version of what made them."""
    options: Shape
    inventory: Mapping[str, str]
    """SHA-256 of each part of the inventory by which ends got their names; see `digests_of`."""
    matrix: TrafficMatrix
    """Without its rows."""
    pods: PodTraffic | None
    """Without its flows; None: none were asked for, or none known."""
    tables: tuple[Table, ...]


class _Head(msgspec.Struct):
    """What every version has."""

    format: str


def manifest_of(folder: Path) -> Manifest:
    """Return what aggregates say of themselves.

    Raises:
        InputError: If it cannot be read, is damaged, or of another version.
    """
    shown = inert_line(str(folder))
    path = folder / MANIFEST
    try:
        if path.is_symlink() or not path.is_file():
            raise damaged(folder, f"{MANIFEST} is not a regular file")
        data = whole(path, _LARGEST_BYTES)
    except OSError as exc:
        raise unreadable(path, exc) from exc
    try:
        told = decode_json(data, _Head).format
        found = _FORMAT.fullmatch(told)
        if found is None:
            raise damaged(folder, f"{MANIFEST} has the format {inert_line(told)}")
        if int(found[1]) != VERSION:
            age = "a newer" if int(found[1]) > VERSION else "an older"
            raise InputError(
                f"{shown}: aggregates of format {told}, made by {age} netplan; this one reads"
                f" {FORMAT}: {AGAIN}"
            )
        return decode_json(data, Manifest)
    except msgspec.DecodeError as exc:
        raise damaged(folder, f"{MANIFEST}: {inert_line(str(exc))}") from exc


def damaged(folder: Path, why: str) -> InputError:
    """Return the error of aggregates that do not hold together."""
    return InputError(f"{inert_line(str(folder))}: the aggregates are damaged: {why}; {AGAIN}")


_PARTS: Mapping[str, str] = {
    "subnetworks": "subnetworks",
    "networks": "networks",
    "addresses": "addresses",
    "forwarding_rules": "forwarding rules",
    "routers": "routers",
    "routes": "routes",
    "hubs": "hubs",
    "spokes": "spokes",
    "flow_log_configurations": "flow-log configurations",
    "kubernetes": "objects of Kubernetes",
}
"""Parts of an inventory by which ends get their names and paths, beside the machines."""
_OF_MACHINES = ("project", "zone", "name", "interfaces", "created", "last_started")


def digests_of(inventory: Inventory) -> dict[str, str]:
    """Return a hash of each part of an inventory by which ends get their names, by its name.

    Where it was read does not count, nor what no end's name depends on, such as labels.
    """
    machines = [
        (one.ref.self_link, *(getattr(one, name) for name in _OF_MACHINES))
        for one in inventory.instances
    ]
    read = sorted(str(one.project) for one in inventory.projects if not one.errors)
    parts = {"machines": machines, "projects": read}
    parts |= {name: getattr(inventory, field) for field, name in _PARTS.items()}
    return {name: _hash(part) for name, part in parts.items()}


def _hash(part: Any) -> str:
    plain = _without_places(msgspec.to_builtins(part, order="deterministic"))
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()


def _without_places(value: Any) -> Any:
    """Return plain data without the files that resources were read from."""
    if isinstance(value, dict):
        is_reference = "self_link" in value
        return {
            name: _without_places(inner)
            for name, inner in value.items()
            if not (is_reference and name == "source")
        }
    if isinstance(value, list | tuple):
        return [_without_places(one) for one in value]
    return value


NOTHING = _hash(())
"""Of a part that holds nothing."""
