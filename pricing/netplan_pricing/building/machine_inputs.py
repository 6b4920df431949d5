"""Machine types and where they are offered: from the Compute API's answers, or from tables of them.

Accepted, told apart by what they hold: answers of `machineTypes.aggregatedList` or `.list` and
`gcloud compute machine-types list --format=json` (JSON, or gzip of it); CSV tables of types (a
column `guest_vcpus`), of regions and of zones. What the API does not say (how large a local SSD
is, CPU platforms) is taken from a table of types, or from the snapshot before.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from netplan_planner.errors import InputError
from netplan_planner.input_files import decode_json, reading, unpacked, unreadable
from netplan_pricing import schema
from netplan_pricing.building.csv_tables import (
    Columns,
    Row,
    Sources,
    as_columns,
    header_of,
    read_rows,
)

API_SOURCE = "Compute Engine API machineTypes"
_TYPE_CELLS = (
    *("machine_type", "series", "family", "guest_vcpus", "billed_vcpus", "memory_gib"),
    *("architecture", "cpu_platforms", "is_shared_core", "gpu_type", "gpu_count"),
    *("bundled_local_ssd_gib", "is_bare_metal", "deprecation"),
)
_NAMES = schema.COLUMNS[schema.MACHINE_TYPES]
_ONLY_IN_TABLES = ("family", "cpu_platforms")
_SSD = "local_ssd_gib"
_GIB_PER_DISK = 375
"""Of every series but those in `_OTHER_DISKS` (cloud.google.com/compute/docs/disks/local-ssd)."""
_OTHER_DISKS = frozenset({"z3"})
"""Series whose disks have other sizes: known from tables only."""
_MIB_PER_GIB = 1024
_MOST = 10**9
"""More than any machine has, of vCPUs and of MiB."""
_SHOWN = 60


class _Accelerator(msgspec.Struct, frozen=True, rename="camel"):
    guest_accelerator_type: str = ""
    guest_accelerator_count: int = 0


class _Disks(msgspec.Struct, frozen=True, rename="camel"):
    partition_count: int = 0


class _Deprecation(msgspec.Struct, frozen=True):
    state: str = ""


class ApiType(msgspec.Struct, frozen=True, rename="camel"):
    """A machine type in a zone, as the API says it."""

    name: str
    guest_cpus: int
    memory_mb: int
    zone: str = ""
    is_shared_cpu: bool = False
    architecture: str = ""
    accelerators: tuple[_Accelerator, ...] = ()
    bundled_local_ssds: _Disks = _Disks()
    deprecated: _Deprecation = _Deprecation()


class Machines(msgspec.Struct, frozen=True, kw_only=True):
    """Types, and where they are offered, as tables of the snapshot."""

    types: Columns
    region_offers: Columns
    zone_offers: Columns


class MachineInputs:
    """Collects what files say; the API's word goes before that of a table."""

    def __init__(self, sources: Sources, facts: Path) -> None:
        self._sources = sources
        self._billed = {
            row["machine_type"]: row["billed_vcpus"]
            for row in read_rows(facts / "billed_vcpus.csv", ("machine_type", "billed_vcpus"))
        }
        self._disks = {
            row["machine_type"]: row["local_ssd_gib"]
            for row in read_rows(facts / "local_ssd.csv", ("machine_type", "local_ssd_gib"))
        }
        self._tables: dict[str, dict[str, str]] = {}
        self._of_api: dict[str, dict[str, str]] = {}
        self._regions: dict[tuple[str, str], tuple[str, ...]] = {}
        self._zones: dict[tuple[str, str], tuple[str, ...]] = {}
        self._states: dict[tuple[str, str], set[str]] = {}
        self._unfinished = ""
        """The last file of API pages, if its last page names a next one."""

    def read(self, path: Path, as_of: str) -> None:
        """Add what a file says; `as_of` dates what carries no date itself.

        Raises:
            InputError: If it is none of the accepted forms; the text says where and why.
        """
        with reading(path):
            self._read(path, as_of)

    def _read(self, path: Path, as_of: str) -> None:
        content = _content(path)
        if content.lstrip()[:1] in {b"{", b"["}:
            types, is_finished = _api_types(path, content)
            self._unfinished = "" if is_finished else str(path)
            self.add(types, API_SOURCE, as_of)
            return
        source, dated = self._sources.dated_or(path.name, f"table {path.name}", as_of)
        columns = header_of(path)
        if {"machine_type", "guest_vcpus"} <= columns:
            self._read_types(path, source, dated)
        elif {"machine_type", "region"} <= columns:
            for row in read_rows(path, ("machine_type", "region", "deprecation")):
                key = (row["region"], row["machine_type"])
                self._add_once(self._regions, key, (row["deprecation"], source, dated), row)
        elif {"machine_type", "zone"} <= columns:
            for row in read_rows(path, ("machine_type", "zone")):
                key = (row["machine_type"], row["zone"])
                self._add_once(self._zones, key, (source, dated), row)
        else:
            raise InputError(
                f"{path}: not machine types: the table needs the columns machine_type and"
                " guest_vcpus, and region or zone"
            )

    def _add_once(
        self,
        into: dict[tuple[str, str], tuple[str, ...]],
        key: tuple[str, str],
        cells: tuple[str, ...],
        row: Row,
    ) -> None:
        if into.setdefault(key, cells) is not cells:
            raise InputError(f"{row.where}: {' in '.join(key)} is given twice")

    def _read_types(self, path: Path, source: str, dated: str) -> None:
        for row in read_rows(path, _TYPE_CELLS):
            if not row.count("guest_vcpus") or not row.price("memory_gib"):
                raise InputError(f"{row.where}: no vCPUs or no memory")
            row.amount("billed_vcpus")
            row.amount("gpu_count")
            row.count("bundled_local_ssd_gib")
            cells = (*(row[cell] for cell in _TYPE_CELLS), source, dated)
            if row["machine_type"] in self._tables:
                raise InputError(f"{row.where}: {row['machine_type']} is given twice")
            self._tables[row["machine_type"]] = dict(zip(_NAMES, cells, strict=True))

    def add_known(self, types: Iterable[Mapping[str, str]]) -> None:
        """Add types of the snapshot before, for what neither the API nor a table says."""
        for cells in types:
            self._tables.setdefault(cells["machine_type"], dict(cells))

    def add(self, types: Iterable[ApiType], source: str, as_of: str) -> None:
        """Add types in their zones, as the API says them."""
        for one in types:
            zone = one.zone.rpartition("/")[2]
            region = zone.rpartition("-")[0]
            if region:
                self._zones[one.name, zone] = (source, as_of)
                self._states.setdefault((region, one.name), set()).add(one.deprecated.state)
                self._regions[region, one.name] = ("", source, as_of)
            if one.name not in self._of_api or not one.deprecated.state:
                self._of_api[one.name] = _cells(one, source, as_of)

    def tables(self) -> Machines:
        """Return the three tables.

        Raises:
            InputError: If no type or no offer was given, or an answer is cut.
        """
        if self._unfinished:
            raise InputError(
                f"{self._unfinished}: the last page names a next one, so the answer is incomplete"
            )
        if not self._regions:
            raise InputError(
                "no machine types with regions were given: --machine-types needs answers of"
                " machineTypes.aggregatedList, or a table with columns machine_type and region"
            )
        for (region, name), states in self._states.items():
            # Deprecated in a region when it is in each of its zones.
            state = min(states) if "" not in states else ""
            _, source, as_of = self._regions[region, name]
            self._regions[region, name] = (state, source, as_of)
        known = {name for _, name in self._regions}
        types = [self._type(name) for name in sorted({*self._of_api, *self._tables} & known)]
        types += [cells for name, cells in self._tables.items() if name not in known]
        for cells in types:
            cells[_SSD] = cells[_SSD] or self._disks.get(cells["machine_type"], "")
        types.sort(key=lambda cells: cells["machine_type"])
        rows = [tuple(cells[name] for name in _NAMES) for cells in types]
        return Machines(
            types=as_columns(schema.MACHINE_TYPES, rows),
            region_offers=_table(schema.REGION_OFFERS, self._regions),
            zone_offers=_table(schema.ZONE_OFFERS, self._zones),
        )

    def _type(self, name: str) -> dict[str, str]:
        """Return a type's cells: those of the API, and of a table what the API does not say."""
        table, api = self._tables.get(name), self._of_api.get(name)
        if api is None:
            return table or {}
        cells = dict(api)
        if table is not None:
            cells.update({column: table[column] for column in _ONLY_IN_TABLES})
            if not cells[_SSD]:
                cells[_SSD] = table[_SSD]
        cells["billed_vcpus"] = self._billed.get(name, cells["vcpus"])
        return cells


def _table(name: str, found: dict[tuple[str, str], tuple[str, ...]]) -> Columns:
    return as_columns(name, [(*key, *found[key]) for key in sorted(found)])


def _cells(one: ApiType, source: str, as_of: str) -> dict[str, str]:
    series = one.name.partition("-")[0]
    gpu = one.accelerators[0] if one.accelerators else None
    disks = one.bundled_local_ssds.partition_count
    size = f"{disks * _GIB_PER_DISK}" if disks and series not in _OTHER_DISKS else ""
    memory = Decimal(one.memory_mb) / _MIB_PER_GIB
    # f1-micro and g1-small belong to N1.
    return dict(
        zip(
            _NAMES,
            (
                *(one.name, "n1" if series in {"f1", "g1"} else series, ""),
                *(str(one.guest_cpus), str(one.guest_cpus), f"{memory.normalize():f}"),
                *(one.architecture, "", "1" if one.is_shared_cpu else "0"),
                gpu.guest_accelerator_type if gpu else "",
                str(gpu.guest_accelerator_count) if gpu else "",
                *(size, "1" if one.name.endswith("-metal") else "0", one.deprecated.state),
                *(source, as_of),
            ),
            strict=True,
        )
    )


def _content(path: Path) -> bytes:
    try:
        return unpacked(path)
    except OSError as exc:
        raise unreadable(path, exc) from exc
    except (EOFError, zlib.error) as exc:
        raise InputError(f"{path}: cannot be read: {exc}") from exc


def _api_types(path: Path, content: bytes) -> tuple[list[ApiType], bool]:
    """Return the types of an answer, and whether its last page is the last one."""
    try:
        entries = decode_json(content)
    except msgspec.DecodeError as exc:
        raise InputError(f"{path}: incomplete or not JSON: {exc}; fetch it again") from exc
    last = entries[-1] if isinstance(entries, list) and entries else entries
    is_finished = not (isinstance(last, dict) and last.get("nextPageToken"))
    try:
        return [_api_type(one) for one in _listed(entries)], is_finished
    except msgspec.ValidationError as exc:
        raise InputError(f"{path}: not machine types: {exc}") from exc


def _api_type(one: Any) -> ApiType:
    """Return a machine type.

    Raises:
        msgspec.ValidationError: If it is none.
    """
    found = msgspec.convert(one, ApiType)
    if not 0 < found.guest_cpus < _MOST or not 0 < found.memory_mb < _MOST:
        raise msgspec.ValidationError(f"{found.name[:_SHOWN]!r} has no vCPUs or no memory")
    return found


def _listed(entries: Any) -> Iterator[Any]:
    """Yield the machine types of a page, of pages, or of a plain list."""
    pages: Sequence[Any] = entries if isinstance(entries, list) else [entries]
    for page in pages:
        items = page.get("items") if isinstance(page, dict) else None
        if isinstance(items, dict):
            for scope in items.values():
                listed = scope.get("machineTypes", ()) if isinstance(scope, dict) else scope
                # What is no list is no machine type either, and refused as one.
                yield from listed if isinstance(listed, list | tuple) else (listed,)
        elif isinstance(items, list):
            yield from items
        elif isinstance(page, dict) and "items" not in page and "guestCpus" not in page:
            # An empty page has no items; anything else is told by what it lacks.
            yield from () if str(page.get("kind", "")).startswith("compute#") else (page,)
        else:
            yield page
