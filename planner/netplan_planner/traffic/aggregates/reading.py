"""Aggregates read from a folder: what the manifest names and is as it says, and nothing else."""

import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import LARGEST_BYTES, decode_json, opened, reading, unreadable
from netplan_planner.model import Inventory, OwnerKind, TrafficMatrix, Value
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.tables.engine import EngineError, TableEngine
from netplan_planner.tables.sql import identifier, quoted
from netplan_planner.traffic.aggregates import MANIFEST
from netplan_planner.traffic.aggregates.manifest import (
    AGAIN,
    NOTHING,
    SUFFIX,
    Manifest,
    Shape,
    Table,
    damaged,
    digests_of,
    manifest_of,
    shape_of,
)
from netplan_planner.traffic.aggregates.tables import TABLES, columns_of, odd_numbers, put_together
from netplan_planner.traffic.files.bundle import with_machines_from
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.units import counted
from netplan_planner.writing import private_folder

_PIECE_BYTES = 1 << 20
_ROWS_AT_ONCE = 2000
_MOST_RATIO = 2_000
"""Of rows as text and packed: tables of 400 machines have 22 at most, one row again and again 8,500
(measured 2026-11-23)."""
_ANY_BYTES = 1 << 26
"""What any table may unpack to, however small it is."""
_LEFT = frozenset({"_SUCCESS", ".DS_Store"})
"""What Hadoop and macOS leave in a folder, beside check sums; it goes with the folder."""
_OPTIONS = {"reporter": "--reporter", "since": "--since", "until": "--until"}


def read(paths: Sequence[Path], inventory: Inventory, options: TrafficOptions) -> TrafficMatrix:
    """Return the matrix of aggregates, as the records would give it.

    Args:
        paths: One folder, first.
        inventory: What the answer is made of; it should be the one that ends were looked up in.
        options: Must be those that shaped the sums, where they are named.

    Raises:
        UsageError: If an option contradicts what is stored.
        InputError: If there is other traffic beside it, or it is damaged, of another version, or of
            other machines.
    """
    folder = paths[0]
    shown = inert_line(str(folder))
    if len(paths) > 1:
        raise InputError(
            f"{shown}: aggregates cannot be combined with other traffic. Create them from all"
            " traffic"
        )
    with reading(shown):
        manifest = manifest_of(folder)
        _check_options(shown, manifest.options, shape_of(options), options)
        rows = _rows(folder, manifest, set(TABLES) - {"pods"})
        try:
            matrix = put_together(manifest.matrix, rows)
        except ValueError as exc:
            raise damaged(folder, str(exc)) from exc
    matrix = _as_asked(matrix, options, shown)
    return _with_inventory(matrix, manifest, inventory, shown)


def read_pods(folder: Path) -> PodTraffic | None:
    """Return the traffic of pods of aggregates; None where none was known when they were made.

    Raises:
        InputError: If they are damaged or of another version.
    """
    with reading(inert_line(str(folder))):
        manifest = manifest_of(folder)
        if manifest.pods is None:
            return None
        flows = _rows(folder, manifest, {"pods"})["pods"]
    return replace(manifest.pods, flows=tuple(flows))


def foreign_entries(
    folder: Path, tables: AbstractSet[str], *, are_replaced: bool = False
) -> list[str]:
    """Return the names of a folder that are no part of aggregates with these tables.

    Args:
        folder: Where they are.
        tables: Those of the aggregates.
        are_replaced: Whether the folder is to be removed, so that hidden files count, too.
    """
    with os.scandir(folder) as found:
        entries = {entry.name: entry.is_file(follow_symlinks=False) for entry in found}
    others = {name for name, is_file in entries.items() if not is_file}
    if not are_replaced:
        entries = {name: is_file for name, is_file in entries.items() if not _is_hidden(name)}
        others &= entries.keys()
    return sorted({*foreign_names(entries, tables), *others})


def foreign_names(names: Iterable[str], tables: AbstractSet[str]) -> list[str]:
    """Return those of some names that are no part of aggregates, nor what copying leaves."""
    own = {MANIFEST, *(f"{name}{SUFFIX}" for name in tables)}
    left = {*_LEFT, *(f".{name}.crc" for name in own)}
    return sorted(name for name in names if name not in own and name not in left)


def _is_hidden(name: str) -> bool:
    """Return whether others leave files of such names in folders."""
    return name.startswith((".", "_SUCCESS"))


def _check_options(shown: str, held: Shape, asked: Shape, options: TrafficOptions) -> None:
    """Refuse options that would give other sums; a window that is not named is the stored one."""
    for name in Shape.__struct_fields__:
        was, now = getattr(held, name), getattr(asked, name)
        if was == now or (name in ("since", "until") and now is None):
            continue
        option = _OPTIONS.get(name, name)
        if was is None:
            held_with, same = f"without {option}", "leave it out"
        else:
            held_with, same = f"with {option} {_spelled(was)}", "use the same"
        raise UsageError(
            f"{option} {_spelled(now)}: {shown} has sums {held_with}; {same}, or {AGAIN}"
        )


def _spelled(value: Any) -> str:
    return inert_line(value.isoformat() if hasattr(value, "isoformat") else str(value))


def _as_asked(matrix: TrafficMatrix, options: TrafficOptions, shown: str) -> TrafficMatrix:
    """Return a matrix with as much as a reading of the records with these options has."""
    if not options.by_hour:
        matrix = replace(matrix, hours=None)
    if options.log_volume_from_gbps is None:
        return replace(matrix, log_volume=None, log_volume_from_gbps=None)
    return with_machines_from(matrix, options.log_volume_from_gbps, shown)


def _with_inventory(
    matrix: TrafficMatrix, manifest: Manifest, inventory: Inventory, shown: str
) -> TrafficMatrix:
    """Return a matrix that says so where its ends were looked up in another inventory.

    Raises:
        InputError: If none of its machines is in the one that is given.
    """
    now = digests_of(inventory)
    # Aggregates of an earlier version know nothing of a part that was added since.
    made = {name: manifest.inventory.get(name, NOTHING) for name in now}
    names = [name for name, digest in now.items() if made[name] != digest]
    if not names:
        return matrix
    links = {o.link for o in matrix.owners if o.kind is OwnerKind.VM and o.link is not None}
    gone = len(links - inventory.instance_by_link.keys())
    if links and gone == len(links):
        raise InputError(
            f"{shown}: aggregates of another inventory: this one has none of their"
            f" {counted(len(links), 'VM')}. Give the inventory that they were created with"
        )
    lost = f"; this one lacks {gone:,} of {counted(len(links), 'VM')}" if gone else ""
    note = (
        f"{shown} was aggregated with an inventory whose {', '.join(names)} differ from this one:"
        f" owners and paths of its traffic follow the other inventory{lost}"
    )
    coverage = matrix.coverage
    return replace(matrix, coverage=replace(coverage, incomplete=(note, *coverage.incomplete)))


def _rows(folder: Path, manifest: Manifest, wanted: AbstractSet[str]) -> dict[str, list[Any]]:
    """Return the rows of some tables; one that the manifest does not name has none.

    Raises:
        InputError: If a file is missing, or not what the manifest says.
    """
    tables = {table.name: table for table in manifest.tables}
    if len(tables) < len(manifest.tables) or not tables.keys() <= TABLES.keys():
        raise damaged(folder, f"{MANIFEST} names tables that do not exist")
    try:
        others = foreign_entries(folder, tables.keys())
    except OSError as exc:
        raise unreadable(folder, exc) from exc
    if others:
        raise damaged(folder, f"{inert_line(others[0])} is not one of its files")
    engine = TableEngine()
    try:
        with private_folder(None) as private:
            # A folder's own name may hold what the engine would interpret.
            link = private / "in"
            link.symlink_to(folder.resolve(), target_is_directory=True)
            return {
                name: _table(folder, link, tables[name], engine) if name in tables else []
                for name in sorted(wanted)
            }
    finally:
        engine.close()


def _table(folder: Path, link: Path, table: Table, engine: TableEngine) -> list[Any]:
    file = f"{table.name}{SUFFIX}"
    _check_file(folder, file, table)
    kind = TABLES[table.name]
    try:
        rows = _decoded(folder, kind, table, link / file, engine)
    except (EngineError, msgspec.DecodeError) as exc:
        raise damaged(folder, f"{file}: {inert_line(str(exc))}") from exc
    if len(rows) != table.row_count:
        raise damaged(folder, f"{file} has {len(rows):,} rows, not {table.row_count:,}")
    return rows


def _check_file(folder: Path, file: str, table: Table) -> None:
    path = folder / file
    digest = hashlib.sha256()
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode):
            raise damaged(folder, f"{file} is not a regular file")
        if about.st_size == table.byte_count:
            with opened(path) as content:
                while piece := content.read(_PIECE_BYTES):
                    digest.update(piece)
    except FileNotFoundError as exc:
        raise damaged(folder, f"{file} is missing") from exc
    except OSError as exc:
        raise unreadable(path, exc) from exc
    if digest.hexdigest() != table.sha256:
        raise damaged(folder, f"{file} is not what {MANIFEST} says")


def _decoded(
    folder: Path, kind: type[Value], table: Table, path: Path, engine: TableEngine
) -> list[Any]:
    """Return the rows of a file, which has the columns of a kind of value and no others."""
    relation = f"read_parquet({quoted(str(path))}, hive_partitioning = false)"
    columns = columns_of(kind)
    nulls = ", ".join(f"NULL::{sql} AS {identifier(name)}" for name, sql in columns.items())
    expected, found = engine.types(f"(SELECT {nulls})"), engine.types(relation)
    for name in (*expected, *found):
        if expected.get(name) != found.get(name):
            raise damaged(folder, f"{path.name}: unexpected type of column {inert_line(name)}")
    held = engine.value(f"SELECT COUNT(*) FROM {relation}")
    if held != table.row_count:
        raise damaged(folder, f"{path.name} has {held:,} rows, not {table.row_count:,}")
    odd = odd_numbers(kind)
    if odd and engine.value(f"SELECT COUNT(*) FROM {relation} WHERE {odd}"):
        raise damaged(folder, f"{path.name} has numbers that are negative or infinite")
    most = min(LARGEST_BYTES, max(_ANY_BYTES, _MOST_RATIO * table.byte_count))
    # Each row as text has the names of all columns at least.
    if held * sum(map(len, columns)) > most:
        raise damaged(folder, f"{path.name} unpacks to more than a file of its size holds")
    kinds, rows = list[kind], list[Any]()  # type: ignore[valid-type]
    texts: list[str] = []
    size = 0
    for (text,) in engine.stream(f"SELECT CAST(to_json(t) AS VARCHAR) FROM {relation} AS t"):
        texts.append(text)
        size += len(text)
        if size > most:
            raise damaged(folder, f"{path.name} unpacks to more than a file of its size holds")
        if len(texts) == _ROWS_AT_ONCE:
            rows += decode_json(f"[{','.join(texts)}]", kinds)
            texts.clear()
    return rows + decode_json(f"[{','.join(texts)}]", kinds)
