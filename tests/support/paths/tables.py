"""Tables of paths as files, and what comes out of them."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq

from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.verbs.predict.table_file import TableAnswer, predict_table
from support.paths.queries import DAY

ADDED = ("predicted_gbps", "low_gbps", "high_gbps", "binding_limit", "next_limit", "reason")
PLAIN = {
    "machine_type": "n2-standard-32",
    "path_class": "inter-region-external",
    "streams": "64",
    "rtt_ms": "80",
    "date": "2022-11-01",
}
"""A row with an answer."""

Cells = Mapping[str, str]


def written(path: Path, *rows: Cells, columns: Sequence[str] = ()) -> Path:
    """Write rows as CSV under the columns of the first, or the given ones."""
    with path.open("w", encoding="utf-8", newline="") as file:
        names = list(columns) or list(rows[0])
        table = csv.DictWriter(file, names, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    return path


def as_parquet(source: Path) -> Path:
    """Write a CSV again as Parquet with the types that its cells suggest."""
    target = source.with_suffix(".parquet")
    pq.write_table(pyarrow.csv.read_csv(source), target)
    return target


def answered(path: Path, *, level: float = 0.9) -> TableAnswer:
    """Return the predictions of a table."""
    with PathTable(path) as table:
        return predict_table(table, as_of=DAY, level=level)


def reasons(answer: TableAnswer) -> list[str]:
    """Return the reason of each row, empty where it has a value."""
    return [answer.reason.texts[code] if code >= 0 else "" for code in answer.reason.code]


def read(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV."""
    return list(csv.DictReader(io.StringIO(text, newline="")))
