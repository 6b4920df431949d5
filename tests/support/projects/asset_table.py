"""Assets as the table that an export to BigQuery makes, in a Parquet file."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def write_assets(path: Path, assets: Sequence[Json], **more: list[Any]) -> Path:
    """Write assets of an export, as JSON has them; `more` are columns of their own."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = {
        "name": [one["name"] for one in assets],
        "asset_type": [one["assetType"] for one in assets],
        "resource": [_resource(one.get("resource")) for one in assets],
        "ancestors": [one.get("ancestors", []) for one in assets],
        **more,
    }
    pq.write_table(pa.table(table), path)
    return path


def _resource(resource: Json | None) -> Json | None:
    if resource is None:
        return None
    plain = {name: resource.get(name) for name in ("version", "parent", "location")}
    return {**plain, "data": json.dumps(resource["data"])}


def write_assets_by_type(
    folder: Path, assets: Sequence[Json], prefix: str = "export"
) -> list[Path]:
    """Write assets as `gcloud asset export --per-asset-type` does: a table for each type.

    Its columns are spelt `assetType`, and the fields of resources are columns that are empty in
    the rows of those that lack them.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    by_type: dict[str, list[Json]] = {}
    for one in assets:
        by_type.setdefault(one["assetType"], []).append(one)
    written = []
    for asset_type, alike in by_type.items():
        plain = ("version", "parent", "location")
        resources = [
            {name: one["resource"].get(name) for name in plain}
            | {"data": _without_maps(one["resource"]["data"])}
            for one in alike
        ]
        table = pa.table(
            {
                "name": [one["name"] for one in alike],
                "assetType": [asset_type] * len(alike),
                "resource": pa.array(resources),
                "ancestors": [one.get("ancestors", []) for one in alike],
            }
        )
        name = asset_type.replace(".", "_").replace("/", "_")
        written.append(folder / f"{prefix}_{name}.parquet")
        pq.write_table(table, written[-1])
    return written


def _without_maps(value: Any) -> Any:
    """Return a resource without empty objects, of which no column can be made."""
    if isinstance(value, dict):
        return {name: _without_maps(part) for name, part in value.items() if part != {}}
    return [_without_maps(one) for one in value] if isinstance(value, list) else value
