"""The columns of a data table, each with what its cells hold, declared once."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from netplan_planner.renderers.content import Cell, DataTable

Row = TypeVar("Row")


class Columns(Generic[Row]):
    """The columns of rows of a kind: `Columns(machine_type=lambda row: row.machine_type, …)`.

    The name of a column of numbers ends in their unit.
    """

    def __init__(self, **cells: Callable[[Row], Cell]) -> None:
        self._cells = cells
        self.names = tuple(cells)

    def table(self, rows: Iterable[Row]) -> DataTable:
        """Return rows as a table."""
        cells = tuple(self._cells.values())
        return DataTable(self.names, (tuple(cell(row) for cell in cells) for row in rows))
