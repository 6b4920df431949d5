"""A table written again as CSV with more columns after its own, in the dialect of `writing`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import InputError
from netplan_planner.tables.engine import EngineError
from netplan_planner.tables.reading import Table
from netplan_planner.tables.sql import identifier, quoted
from netplan_planner.tables.writing import text_cell

_UNPRINTED = r"'\p{C}|[^\P{Z} ]'"
_FORMULA = r"'^\s*[=+@＝＋－＠-]'"
"""Texts that may do harm: what is not printed in them, or that they begin as a formula does."""


class CodedTexts(NamedTuple):
    """A column of few distinct texts."""

    texts: Sequence[str]
    code: NDArray[np.integer]
    """Number of each row's text; -1: none."""


AddedColumn = NDArray[np.float64] | CodedTexts


def write_extended(table: Table, added: Mapping[str, AddedColumn], target: Path) -> None:
    """Write a table with columns after its own; its own cells stay as they are if harmless.

    Args:
        table: The table.
        added: By name: numbers, NaN becoming an empty cell; or texts with the number of each
            row's, -1 for an empty one.
        target: The file.

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
        changed = _changed(table, cell)
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
    try:
        engine.run(
            f"copy (select {', '.join([*kept, *new])} from {' positional join '.join(joined)})"
            f" to {quoted(str(target))} (format csv, header, delimiter ',')"
        )
    except EngineError as exc:
        raise InputError(f"the table cannot be written: {exc}") from exc


def _changed(table: Table, cell: str) -> dict[str, NDArray[np.object_]]:
    """Return the texts of a column that could do harm, and what is written instead."""
    text = f"{cell}::varchar"
    is_number = f"coalesce(isfinite(try_cast({text} as double)), false)"
    suspects = table.engine.rows(
        f"select distinct {text} from held where regexp_matches({text}, {_UNPRINTED})"
        f" or (not {is_number} and regexp_matches({text}, {_FORMULA}))"
    )
    pairs = [(own, text_cell(own)) for (own,) in suspects]
    pairs = [(own, said) for own, said in pairs if own != said]
    if not pairs:
        return {}
    own, said = zip(*pairs, strict=True)
    return {"own": np.array(own, dtype=object), "said": np.array(said, dtype=object)}


def _cell(name: str, values: AddedColumn) -> str:
    """Return the expression of an added cell, null where it is empty."""
    if isinstance(values, np.ndarray):
        return f"nullif({identifier(name)}, 'nan'::double)"
    texts = ", ".join(quoted(text_cell(text)) for text in values.texts)
    return f"([{texts}]::varchar[])[nullif({identifier(name)}, -1) + 1]"
