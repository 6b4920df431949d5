"""Cloud Asset Inventory in BigQuery, as a Parquet file of the exported table.

A row is an asset: `name`, `asset_type`, `resource` with the resource as JSON text in `data`, and in
exports of relationships `related_asset`. Exports with a table for each asset type spell the columns
`assetType`, and have the fields of `data` as columns of their own, empty where an asset has none
(docs.cloud.google.com/asset-inventory/docs/export-bigquery, 2026-11). A partitioned table holds
several snapshots: the last one is read. What a table holds is told by its columns.
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
from netplan_planner.tables.reading import OpenTable
from netplan_planner.tables.sql import identifier

FOREIGN = (
    "a Parquet file, but not a table of assets (name, asset_type, resource.data). Give flow logs"
    " in Parquet to `--traffic`"
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
            types = table.engine.types(relation)
            is_typed = _has_field(types.get("resource", ""), _RECORD)
            for row in table.engine.stream(_query(relation, types)):
                _take(row, shown, into, is_typed=is_typed)
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
    resource = types.get(names.get("resource", ""), "")
    asset_type = names.get("asset_type", names.get("assettype"))
    related = names.get("related_asset", names.get("relatedasset"))
    own = f"{identifier(names['resource'])}.data" if resource else ""
    data = ""
    if _has_field(resource, *_TEXTS):
        data = f"CAST({own} AS VARCHAR)"
    elif _has_field(resource, _RECORD):
        data = f"CAST(to_json({own}) AS VARCHAR)"
    if "name" not in names or asset_type is None or not (data or related):
        raise NotAssets(FOREIGN)
    columns = [
        "number",
        identifier(names["name"]),
        identifier(asset_type),
        data or "NULL",
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


def _has_field(resource: str, *kinds: str) -> bool:
    """Return whether a resource's type has data of one of some kinds."""
    plain = resource.replace('"', "")
    is_there = any(f"{begin}data {kind}" in plain for begin in ("(", " ") for kind in kinds)
    return resource.startswith("STRUCT(") and is_there


_TEXTS = ("VARCHAR", "JSON")
_RECORD = "STRUCT("


def _take(row: tuple[Any, ...], shown: str, into: Collector, *, is_typed: bool) -> None:
    number, name, asset_type, data, related = row
    origin = Origin(shown, f"{shown}:{number}:")
    if name is None or asset_type is None:
        into.note(origin.at(""), "a row without the name or type of an asset")
        return
    asset: dict[str, Any] = {"name": name, "asset_type": asset_type}
    try:
        if data is not None:
            found = decode_json(data.encode())
            asset["resource"] = {"data": _without_empty(found) if is_typed else found}
        if related is not None:
            asset["related_asset"] = decode_json(related.encode())
    except msgspec.DecodeError as exc:
        into.note(origin.at("/resource/data"), f"damaged JSON: {exc}", str(name))
        return
    cloud_asset.take(asset, origin, "", into)


def _without_empty(value: Any, name: str = "") -> Any:
    """Return a resource without the fields that its row leaves empty; a column is of all rows.

    Labels, whose names no column can know, may come as a list of keys and values.
    """
    if isinstance(value, dict):
        parts = ((key, _without_empty(part, key)) for key, part in value.items())
        return {key: part for key, part in parts if part is not None and part not in ({}, [])}
    if not isinstance(value, list):
        return value
    if name == "labels" and all(isinstance(one, dict) and "key" in one for one in value):
        return {str(one["key"]): one.get("value") or "" for one in value}
    return [_without_empty(one) for one in value if one is not None]
