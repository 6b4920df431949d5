"""Tables of records of which some may be damaged: those are left out and counted, not refused."""

import csv
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from netplan_planner.tables.sql import quoted


def row_starts(lines: Iterable[str], delimiter: str, skipped_lines: int = 0) -> Sequence[int]:
    """Return the line at which each row of a CSV text starts, the header included.

    Blank lines are no rows, and a quoted value may run over several lines. The list ends where the
    text is not what the standard library takes for a table.

    Args:
        lines: Of the text, with their ends, behind those that were skipped.
        delimiter: Between the columns.
        skipped_lines: How many lines stand before these.
    """
    reader = csv.reader(lines, delimiter=delimiter)
    starts = array("q")
    before = skipped_lines
    with suppress(csv.Error):
        for row in reader:
            if row:
                starts.append(before + 1)
            before = skipped_lines + reader.line_num
    return starts


def lenient_relation(
    path: Path, *, delimiter: str = ",", skipped_lines: int = 0, compression: str = "none"
) -> str:
    """Return what rows of a CSV file are selected from, with `filename`; NULL where cells lack."""
    skip = f" skip = {skipped_lines}," if skipped_lines else ""
    return (
        f"read_csv({quoted(str(path))}, header = true, delim = {quoted(delimiter)}, quote = '\"',"
        f" escape = '\"', all_varchar = true, null_padding = true,{skip}"
        " ignore_errors = true, strict_mode = false, filename = true, parallel = false,"
        f" compression = {quoted(compression)})"
    )


def numbered_parquet(path: Path) -> str:
    """Return what rows of a Parquet file are selected from, with `filename` and their numbers."""
    return f"read_parquet([{quoted(str(path))}], filename = true, file_row_number = true)"
