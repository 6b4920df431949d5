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
