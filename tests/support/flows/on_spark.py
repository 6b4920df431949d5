"""Matrices of a folder's files by DuckDB and by a Spark server, where its client is installed."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.traffic.spark import read as spark
from netplan_planner.traffic.spark.place import SparkPlace
from support.flows.records import Json


def place(server: str, folder: Path) -> SparkPlace:
    return SparkPlace(remote=server, work=folder.as_uri())


def both(
    server: str, folder: Path, known: Inventory, options: TrafficOptions | None = None
) -> tuple[TrafficMatrix, TrafficMatrix]:
    """Return the matrix of a folder's files by DuckDB, and by Spark."""
    chosen = options or TrafficOptions()
    work = folder.parent / "work"
    work.mkdir()
    kept = work / "of another"
    kept.write_text("kept")
    by_file = read_traffic([folder], known, chosen)
    by_spark = spark.read_logs([folder.as_uri()], known, chosen, place=place(server, work))
    assert list(work.iterdir()) == [kept]
    return by_file, by_spark


def without_examples(matrix: TrafficMatrix) -> TrafficMatrix:
    return replace(matrix, coverage=replace(matrix.coverage, examples=()))


def write_lines(file: Path, lines: Sequence[Json | str | bytes]) -> None:
    """Write a file of lines, which are entries, texts or bytes; by its name packed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    texts = [
        one
        if isinstance(one, bytes)
        else (one if isinstance(one, str) else json.dumps(one)).encode()
        for one in lines
    ]
    opened: Any = gzip.open if file.suffix == ".gz" else open
    with opened(file, "wb") as out:
        out.write(b"\n".join(texts))


def flags(server: str, folder: Path) -> list[str]:
    return ["--engine", "spark", "--spark-remote", server, "--spark-work", folder.as_uri()]
