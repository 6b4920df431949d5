"""Why a table, or a row of it, is refused: one wording for all tables.

A text names the file, then the line or row, the column and the value, then what is wanted. Rows are
counted from 1 without the header; lines are those of the file.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import EmptyError, InputError, UsageError, nearest_names
from netplan_planner.inert import inert_line
from netplan_planner.units import counted

MOST_NAMED = 5
"""Refused rows that a note names; each row has its own reason in the answer."""
NO_NUMBER = "not a finite number; leave the cell empty if it is unknown"
NOT_WHOLE = "not a whole number"
_SHOWN = 60
_COLUMNS_SHOWN = 10
_EXPECTED_SHOWN = 4
_COLUMN = re.compile(rf'[^{{}}":=]{{0,{_SHOWN}}}')
"""What a name of a column is made of; JSON and settings are not."""
_UNCLOSED = "unexpected end of data"
"""What the standard library says of a quote that is never closed."""


def empty(shown: str) -> InputError:
    """Return the error of a file without content."""
    return EmptyError(f"{shown}: the file is empty")


def directory(shown: str) -> InputError:
    """Return the error of a folder where a file is wanted."""
    return InputError(f"{shown}: a directory, not a file")


def no_file(shown: str) -> InputError:
    """Return the error of a pipe or device where a file is wanted."""
    return InputError(
        f"{shown}: a pipe or device, but a table is read more than once. Write it to a file first"
    )


def damaged(shown: str, layout: str, reason: object) -> InputError:
    """Return the error of a file that is not what it seems to be, such as Parquet or gzip."""
    return InputError(f"{shown}: cannot be read as {layout}: {reason}")


def not_csv(shown: str, line: int, reason: object) -> InputError:
    """Return the error of a line that is no CSV."""
    said = "a quote is opened and never closed" if str(reason) == _UNCLOSED else reason
    return InputError(f"{shown}:{line}: not CSV: {said}")


def not_encoded(shown: str, line: int, encoding: str) -> InputError:
    """Return the error of a line that is no text of its encoding."""
    return InputError(f"{shown}:{line}: not {encoding}")


def cell_count(shown: str, line: int, count: int, wanted: int) -> InputError:
    """Return the error of a row that does not fit under the header."""
    return InputError(
        f"{shown}:{line}: wrong number of cells: the row has {count}, the header {wanted}"
    )


def long_row(shown: str, line: int, most_bytes: int) -> InputError:
    """Return the error of a row, or a line, that is longer than any of a table."""
    return InputError(
        f"{shown}:{line}: the row is longer than {most_bytes // 10**6} MB. Check that each row is"
        " one line"
    )


def too_many_columns(shown: str, count: int, most: int) -> InputError:
    """Return the error of a header that no table has."""
    return InputError(f"{shown}: {count:,} columns; at most {most:,} are supported")


def repeated_column(shown: str, name: str) -> InputError:
    """Return the error of two columns with one name; upper and lower case are alike."""
    return InputError(f"{shown}: two columns are named {inert_line(name)!r}")


def lacking_columns(
    shown: str, lacking: Iterable[Sequence[str]], present: Sequence[str], hint: str = ""
) -> InputError:
    """Return the error of a table without columns that its verb cannot do without.

    Args:
        shown: The file.
        lacking: The accepted names of each of these columns.
        present: The columns that are there.
        hint: What stands behind the names, if anything, such as what the columns are for.

    >>> print(lacking_columns("t.csv", [["region"]], ["Regoin", "x"]))
    t.csv: no column region (nearest: Regoin); it has Regoin, x
    """
    wanted = " and ".join(
        f"no column {' or '.join(names)}{_nearest(names, present)}" for names in lacking
    )
    return InputError(f"{shown}: {wanted}{hint}; it has {listed(present)}")


def unknown_columns(shown: str, expected: Sequence[str], present: Sequence[str]) -> InputError:
    """Return the error of a table of which no column is known."""
    return InputError(
        f"{shown}: none of its columns is supported; expected some of"
        f" {', '.join(expected[:_EXPECTED_SHOWN])}, …; it has {listed(present)}"
    )


def undeclared_columns(shown: str, unread: Sequence[str], declared: Sequence[str]) -> InputError:
    """Return the error of columns that nothing reads.

    >>> print(undeclared_columns("t.csv", ["is_pined", "colour"], ["name", "is_pinned"]))
    t.csv: no such column: is_pined (did you mean is_pinned?), colour; there are name, is_pinned
    """
    named = ", ".join(
        inert_line(name)[:_SHOWN]
        + "".join(f" (did you mean {near}?)" for near in nearest_names(name, declared, count=1))
        for name in unread[:MOST_NAMED]
    )
    more = f" and {len(unread) - MOST_NAMED:,} more" if len(unread) > MOST_NAMED else ""
    return InputError(f"{shown}: no such column: {named}{more}; there are {', '.join(declared)}")


def taken_column(shown: str, name: str) -> UsageError:
    """Return the error of a table that has a column already which an answer would add."""
    return UsageError(f"{shown}: it already has a column {inert_line(name)}")


def outside(least: float, most: float) -> str:
    """Return what a number is not that lies outside of a range.

    >>> outside(0, float("inf")), outside(1, 1e6)
    ('not 0 or more', 'not between 1 and 1e+06')
    """
    if np.isinf(most):
        return f"not {least:g} or more"
    return f"not between {least:g} and {most:g}"


def _nearest(names: Sequence[str], present: Sequence[str]) -> str:
    found = [near for name in names for near in nearest_names(name, present, count=1)]
    return f" (nearest: {inert_line(found[0])})" if found else ""


def listed(names: Sequence[str]) -> str:
    """Return names of columns; what is none, such as a line of another file, is not quoted."""
    shown = [
        inert_line(one) if _COLUMN.fullmatch(one) else f"({counted(len(one), 'character')})"
        for one in names[:_COLUMNS_SHOWN]
    ]
    return ", ".join(shown) or "none"


class Refusals:
    """Which rows are refused because of one cell, and why; the others keep their answers."""

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
