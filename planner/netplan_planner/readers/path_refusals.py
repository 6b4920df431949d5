"""Rows of a table that are refused because of one cell; the other rows keep their answers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplan_planner.inert import inert_line

MOST_NAMED = 5
"""Refused rows that a note names; each row has its own reason in the answer."""
_SHOWN = 60


class Refusals:
    """Which rows are refused, and why."""

    def __init__(self, row_count: int) -> None:
        self.code: NDArray[np.intp] = np.full(row_count, -1, dtype=np.intp)
        """Number of each row's reason; -1: not refused."""
        self.texts: list[str] = []
        """The reasons, without what stands in the cell."""
        self._named: dict[int, str] = {}

    @property
    def count(self) -> int:
        """How many rows are refused."""
        return int((self.code >= 0).sum())

    @property
    def named(self) -> tuple[str, ...]:
        """The first refused rows, with the cell that is to blame."""
        first = np.flatnonzero(self.code >= 0)[:MOST_NAMED].tolist()
        return tuple(self._named.get(row, f"row {row + 1}: {self._reason(row)}") for row in first)

    def add(self, rows: NDArray[np.intp], column: str, why: str, cells: Sequence[str]) -> None:
        """Refuse rows because of a column; the first reason of a row stays.

        Args:
            rows: Their numbers, rising, from 0.
            column: The name of the column.
            why: What its cell is not, such as "not a finite number".
            cells: What stands there in the first of these rows.
        """
        text = f"{column} is {why}"
        if text not in self.texts:
            self.texts.append(text)
        fresh = rows[self.code[rows] < 0]
        self.code[fresh] = self.texts.index(text)
        is_fresh = set(fresh[: len(cells)].tolist())
        for row, cell in zip(rows.tolist(), cells, strict=False):
            if row in is_fresh:
                shown = repr(inert_line(cell)[:_SHOWN])
                self._named[row] = f"row {row + 1}: {column} is {shown}, {why}"

    def _reason(self, row: int) -> str:
        return self.texts[int(self.code[row])]
