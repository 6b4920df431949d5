"""A table written again with more columns, and one whose damaged records are left out."""

import csv
from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import InputError
from netplan_planner.tables import engine as db
from netplan_planner.tables.reading import Table
from netplan_planner.tables.sql import identifier, quoted
from netplan_planner.tables.writing import text_cell


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


# A table written again with more columns: Parquet, or CSV in the dialect of `writing`


_NOT_PLAIN = r"'[^\x20-\x7e]'"
"""Texts with anything else; the standard library tells which of that is not printed."""
_FORMULA = r"'^\s*[=+@-]'"


class CodedTexts(NamedTuple):
    """A column of few distinct texts."""

    texts: Sequence[str]
    code: NDArray[np.integer]
    """Number of each row's text; -1: none."""


AddedColumn = NDArray[np.float64] | CodedTexts


def write_extended(
    table: Table, added: Mapping[str, AddedColumn], target: Path, *, is_parquet: bool = False
) -> None:
    """Write a table with columns after its own; its own cells stay as they are if harmless.

    No spreadsheet takes a cell of Parquet for a formula: there they stay as they are.

    Args:
        table: The table.
        added: By name: numbers, NaN becoming an empty cell; or texts with the number of each
            row's, -1 for an empty one.
        target: The file.
        is_parquet: Whether it is Parquet instead of CSV.

    Raises:
        InputError: If the file cannot be written.
        UsageError: If the table has a column of that name already.
    """
    table.check_free(added)
    arrays = {n: v if isinstance(v, np.ndarray) else v.code for n, v in added.items()}
    engine = table.engine
    engine.register("given", arrays)
    # A table of its own: DuckDB joins tables by position several times faster than arrays.
    engine.run("create or replace temp table added as select * from given")
    kept, joined = [], ["held", "added"]
    for column in table.columns:
        cell = table.sql(column)
        changed = {} if is_parquet else _changed(table, cell)
        if changed:
            engine.register("changed", changed)
            engine.run(
                f"create or replace temp table said_{cell} as"
                f" select coalesce(changed.said, held.{cell}::varchar) as said_{cell}"
                f" from held left join changed on changed.own = held.{cell}::varchar"
                " order by held.rowid"
            )
            joined.append(f"said_{cell}")
        # The engine takes no empty name, which the index of a data frame has; a space will do.
        name = identifier(text_cell(column) or " ")
        kept.append(f"{f'said_{cell}.said_{cell}' if changed else cell} as {name}")
    new = [f"{_cell(n, v)} as {identifier(n)}" for n, v in added.items()]
    form = "format parquet" if is_parquet else "format csv, header, delimiter ','"
    try:
        engine.run(
            f"copy (select {', '.join([*kept, *new])} from {' positional join '.join(joined)})"
            f" to {quoted(str(target))} ({form})"
        )
    except db.EngineError as exc:
        raise InputError(f"the table cannot be written: {exc}") from exc


def _changed(table: Table, cell: str) -> dict[str, NDArray[np.object_]]:
    """Return the texts of a column that could do harm, and what is written instead."""
    is_number = "coalesce(isfinite(try_cast(own as double)), false)"
    # Few texts are distinct. Were this a condition and no aggregate, the engine would look at the
    # text of each row before it knows that.
    suspects = table.engine.value(
        f"select list(own) filter (where regexp_matches(own, {_NOT_PLAIN})"
        f" or (regexp_matches(own, {_FORMULA}) and not {is_number}))"
        f" from (select distinct {cell}::varchar as own from held)"
    )
    pairs = [(own, said) for own in suspects or () if (said := text_cell(own)) != own]
    if not pairs:
        return {}
    texts = np.array(pairs, dtype=object)
    return {"own": texts[:, 0].copy(), "said": texts[:, 1].copy()}


def _cell(name: str, values: AddedColumn) -> str:
    """Return the expression of an added cell, null where it is empty."""
    if isinstance(values, np.ndarray):
        return f"nullif({identifier(name)}, 'nan'::double)"
    texts = ", ".join(quoted(text_cell(text)) for text in values.texts)
    return f"([{texts}]::varchar[])[nullif({identifier(name)}, -1) + 1]"
