"""Cloud Asset Inventory in BigQuery, as a Parquet file of the exported table.

A row is an asset: `name`, `asset_type`, `resource` with the resource as JSON text in `data`, and in
exports of relationships `related_asset`. A partitioned table holds several snapshots: the last one
is read. What a table holds is told by its columns.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from netplan_planner.errors import InputError
from netplan_planner.input_files import decode_json
from netplan_planner.readers import cloud_asset
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.tables.engine import EngineError
from netplan_planner.tables.opening import OpenTable
from netplan_planner.tables.sql import identifier

FOREIGN = (
    "a Parquet file, but no table of assets (name, asset_type, resource.data as JSON text): flow"
    " logs in Parquet are given to `--traffic`"
)
_SNAPSHOTS = ("readTime", "read_time", "requestTime", "request_time")
"""Columns by which an export divides a table, and which tell its snapshots apart."""


class NotAssets(Exception):
    """A Parquet file that holds no assets; the text says what it is."""


class Unreadable(Exception):
    """A file that begins as Parquet and is damaged; the text is the engine's."""


def read(path: Path, shown: str, into: Collector) -> None:
    """Take the Compute resources of a table of assets.

    Raises:
        NotAssets: If it is another table.
        Unreadable: If it is damaged.
    """
    try:
        with OpenTable(path) as table:
            relation = table.relation()
            for row in table.engine.stream(_query(relation, table.engine.types(relation))):
                _take(row, shown, into)
    except EngineError as exc:
        raise Unreadable(str(exc).replace(str(path), shown)) from exc
    except InputError as exc:
        raise Unreadable(str(exc).removeprefix(f"{shown}: ")) from exc


def _query(relation: str, types: Mapping[str, str]) -> str:
    """Return the query of rows: number, name, type, data as text, related asset as JSON.

    Raises:
        NotAssets: If the columns are those of another table.
    """
    names = {name.casefold(): name for name in types}
    data = _json_text(types.get(names.get("resource", ""), ""))
    related = names.get("related_asset")
    if not {"name", "asset_type"} <= names.keys() or not (data or related):
        raise NotAssets(FOREIGN)
    columns = [
        "number",
        identifier(names["name"]),
        identifier(names["asset_type"]),
        f"CAST({identifier(names['resource'])}.{data} AS VARCHAR)" if data else "NULL",
        f"CAST(to_json({identifier(related)}) AS VARCHAR)" if related else "NULL",
    ]
    snapshot = next((name for name in _SNAPSHOTS if name in types), None)
    where = ""
    if snapshot is not None:
        column = identifier(snapshot)
        where = f" WHERE {column} IS NULL OR {column} = (SELECT max({column}) FROM {relation})"
    # Rows come in the order of the file.
    numbered = f"(SELECT *, row_number() OVER () AS number FROM {relation})"
    return f"SELECT {', '.join(columns)} FROM {numbered}{where} ORDER BY number"


def _json_text(resource: str) -> str:
    """Return the field of a resource's data, empty where it is not text."""
    plain = resource.replace('"', "")
    is_text = any(f"{begin}data {kind}" in plain for begin in ("(", " ") for kind in _TEXTS)
    return "data" if resource.startswith("STRUCT(") and is_text else ""


_TEXTS = ("VARCHAR", "JSON")


def _take(row: tuple[Any, ...], shown: str, into: Collector) -> None:
    number, name, asset_type, data, related = row
    origin = Origin(shown, f"{shown}:{number}:")
    if name is None or asset_type is None:
        into.note(origin.at(""), "a row without the name or the type of an asset")
        return
    asset: dict[str, Any] = {"name": name, "asset_type": asset_type}
    try:
        if data is not None:
            asset["resource"] = {"data": decode_json(data.encode())}
        if related is not None:
            asset["related_asset"] = decode_json(related.encode())
    except msgspec.DecodeError as exc:
        into.note(origin.at("/resource/data"), f"damaged JSON: {exc}", str(name))
        return
    cloud_asset.take(asset, origin, "", into)
