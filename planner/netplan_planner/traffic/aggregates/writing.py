"""Aggregates written to a folder, which appears whole or not at all."""

import hashlib
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.model import Inventory, TrafficMatrix, Value
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.tables.engine import EngineError, TableEngine
from netplan_planner.tables.sql import quoted
from netplan_planner.traffic.aggregates import MANIFEST, is_aggregates
from netplan_planner.traffic.aggregates.manifest import (
    FORMAT,
    SUFFIX,
    Manifest,
    Table,
    digests_of,
    shape_of,
)
from netplan_planner.traffic.aggregates.reading import foreign_entries, foreign_names
from netplan_planner.traffic.aggregates.tables import (
    TABLES,
    columns_of,
    pods_without_rows,
    rows_of,
    without_rows,
)
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.writing import folder_written_whole, private_folder

_ROWS_AT_ONCE = 20_000
_LARGEST_ROW_BYTES = 1 << 30
"""Of one row as JSON, which the engine wants told: a machine's series of a year takes 50 MB."""


def check_target(asked: str, folder: Path) -> None:
    """Refuse a folder that holds what netplan did not write.

    Args:
        asked: The option and its value, for the text of an error.
        folder: The value.

    Raises:
        UsageError: If it is a file, or holds anything but aggregates.
    """
    try:
        target = folder.resolve()
        if target.exists() and not target.is_dir():
            raise UsageError(f"{asked}: this is a file, but aggregates need a folder")
        if target.is_dir() and any(target.iterdir()):
            if not is_aggregates(target):
                raise UsageError(
                    f"{asked}: the folder contains files that `netplan flows aggregate` did not"
                    " write; name a new one"
                )
            if others := foreign_entries(target, TABLES.keys(), are_replaced=True):
                raise UsageError(
                    f"{asked}: the folder also contains {inert_line(others[0])}, which would be"
                    " lost; name a new one"
                )
        if not target.parent.is_dir():
            raise UsageError(f"{asked}: the folder {folder.parent} does not exist")
    except (OSError, RuntimeError) as exc:
        raise UsageError(f"{asked}: not usable: {getattr(exc, 'strerror', None) or exc}") from exc


def is_own(names: Collection[str]) -> bool:
    """Return whether a folder with files of these names may be replaced: empty, or aggregates."""
    return not names or (MANIFEST in names and not foreign_names(names, TABLES.keys()))


def write(
    folder: Path,
    matrix: TrafficMatrix,
    pods: PodTraffic | None,
    inventory: Inventory,
    options: TrafficOptions,
    *,
    tool: str,
) -> Manifest:
    """Write a matrix as aggregates, in the place of older ones, and return what they say.

    Args:
        folder: Where they go.
        matrix: Read with `options`, its ends looked up in `inventory`.
        pods: The traffic of pods beside it.
        inventory: Its digest is stored, so that who reads with another one is told.
        options: Those that decide what the sums are are stored.
        tool: Name and version of what makes them.

    Raises:
        UsageError: If the folder holds what netplan did not write.
        InputError: If it cannot be written; older aggregates are then as they were.
    """
    check_target(str(folder), folder)
    with folder_written_whole(folder) as beside:
        try:
            tables = _tables(beside, matrix, pods, options)
        except EngineError as exc:
            raise InputError(f"{inert_line(str(folder))}: cannot be written: {exc}") from exc
        manifest = Manifest(
            format=FORMAT,
            tool=tool,
            options=shape_of(options),
            inventory=digests_of(inventory),
            matrix=without_rows(matrix),
            pods=pods_without_rows(pods),
            tables=tables,
        )
        encoded = msgspec.json.encode(manifest, order="deterministic")
        (beside / MANIFEST).write_bytes(msgspec.json.format(encoded, indent=2) + b"\n")
    return manifest


def _tables(
    folder: Path, matrix: TrafficMatrix, pods: PodTraffic | None, options: TrafficOptions
) -> tuple[Table, ...]:
    """Write the tables that have rows."""
    engine = TableEngine()
    try:
        with private_folder(options.temp_directory) as private:
            return tuple(
                _table(name, rows, folder / f"{name}{SUFFIX}", private / "rows.json", engine)
                for name, rows in rows_of(matrix, pods).items()
                if rows
            )
    finally:
        engine.close()


def _table(
    name: str, rows: Sequence[Value], path: Path, between: Path, engine: TableEngine
) -> Table:
    encoder = msgspec.json.Encoder()
    with between.open("wb") as file:
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            file.write(encoder.encode_lines(rows[first : first + _ROWS_AT_ONCE]))
    columns = ", ".join(
        f"{quoted(column)}: {quoted(kind)}" for column, kind in columns_of(TABLES[name]).items()
    )
    target = between.with_name(f"rows{SUFFIX}")
    engine.run(
        f"COPY (SELECT * FROM read_json({quoted(str(between))}, format = 'newline_delimited',"
        f" auto_detect = false, maximum_object_size = {_LARGEST_ROW_BYTES},"
        f" columns = {{{columns}}})) TO {quoted(str(target))}"
        " (FORMAT parquet, COMPRESSION zstd)"
    )
    # The engine writes among the private files; the folder may be on another disk.
    shutil.copyfile(target, path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    return Table(
        name=name,
        row_count=len(rows),
        byte_count=path.stat().st_size,
        sha256=digest.hexdigest(),
    )
