"""An answer as CSV: its table in the one dialect that `tables.writing` describes."""

import math

from netplan_planner.renderers.content import Cell, DataTable, content_of
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.tables.writing import csv_text


def render(answer: object, options: RenderOptions) -> str:
    """Return an answer as a table; no option leaves a row out.

    Raises:
        ValueError: If a number of it is not finite; the text names the column.
    """
    return text_of(content_of(answer).table(answer))


def text_of(data: DataTable) -> str:
    """Return a table as text; several texts of one value are joined by bars.

    Raises:
        ValueError: If a number is not finite; the text names the column.
    """
    rows = (map(_plain, data.columns, row) for row in data.rows)
    return csv_text(data.columns, rows)


def _plain(column: str, value: Cell) -> object:
    if isinstance(value, tuple):
        return "|".join(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{column}: {value} is not a finite number")
    return value
