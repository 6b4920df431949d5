"""Aggregates of a project of four machines, whole, and changed with hashes that fit again."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.traffic.aggregates import MANIFEST, writing
from support.flows.cases import project
from support.flows.kinds import BAD, of_all_kinds
from support.flows.records import lines

OPTIONS = TrafficOptions(by_hour=True, log_volume_from_gbps=0.0, threads=1)
"""With every table that records alone can fill."""
Json = dict[str, Any]


def known() -> Inventory:
    return project(True, True)


def matrix_of(folder: Path, options: TrafficOptions = OPTIONS) -> TrafficMatrix:
    """Return the matrix of records of every kind, left-out ones among them."""
    path = folder / "flows.jsonl"
    path.write_text(lines([*of_all_kinds(), *BAD.values()]), encoding="utf-8")
    return read_traffic([path], known(), options)


def written(
    folder: Path,
    matrix: TrafficMatrix,
    *,
    inventory: Inventory | None = None,
    options: TrafficOptions = OPTIONS,
    pods: PodTraffic | None = None,
) -> Path:
    """Write a matrix as aggregates into a folder."""
    out = folder / "sums"
    writing.write(out, matrix, pods, inventory or known(), options, tool="netplan 1.0")
    return out


def change_manifest(sums: Path, change: Callable[[Json], None]) -> None:
    """Change what aggregates say of themselves."""
    held: Json = json.loads((sums / MANIFEST).read_text("utf-8"))
    change(held)
    (sums / MANIFEST).write_text(json.dumps(held), encoding="utf-8")


def change_rows(sums: Path, table: str, selected: str, source: str = "t") -> None:
    """Replace a table by what is selected from it, and say so in the manifest."""
    path = sums / f"{table}.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM read_parquet('{path}')")
        connection.execute(f"COPY (SELECT {selected} FROM {source}) TO '{path}' (FORMAT parquet)")
        found = connection.execute(f"SELECT COUNT(*) FROM read_parquet('{path}')").fetchone()
    assert found is not None
    reseal(sums, table, row_count=found[0])


def reseal(sums: Path, table: str, **told: object) -> None:
    """Let the manifest say of a table what it is now."""
    content = (sums / f"{table}.parquet").read_bytes()
    given = {
        "byte_count": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        **told,
    }

    def change(held: Json) -> None:
        next(one for one in held["tables"] if one["name"] == table).update(given)

    change_manifest(sums, change)
