"""A declared column of a user table: what it is called, what it holds, in which unit, and why."""

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum

from netplan_planner.model import Value


class ColumnKind(StrEnum):
    """What the cells of a column hold; an empty cell is unknown in each."""

    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole number"
    """A number that counts something: half a connection is a slip of the hand."""


class Column(Value, frozen=True, kw_only=True):
    """One column that a verb reads from a table."""

    name: str
    meaning: str
    """In a few words, without the unit."""
    unit: str = ""
    """Of a number; empty where it counts, or where another column says it."""
    kind: ColumnKind = ColumnKind.TEXT
    least: float = -math.inf
    most: float = math.inf
    """Of a number: a cell outside of these refuses its row."""
    other_names: tuple[str, ...] = ()
    """Names that are read where the first is absent, in this order."""
    is_required: bool = False
    """Whether a table without it is refused."""
    is_aside: bool = False
    """Says nothing by itself: a table of such columns alone is no table of the verb's."""

    @property
    def names(self) -> tuple[str, ...]:
        """All accepted names, the first one first."""
        return (self.name, *self.other_names)

    @property
    def is_number(self) -> bool:
        """Whether its cells are numbers, and not texts."""
        return self.kind is not ColumnKind.TEXT


def number_column(
    name: str,
    meaning: str,
    *,
    unit: str = "",
    least: float = -math.inf,
    most: float = math.inf,
    other_names: tuple[str, ...] = (),
    is_required: bool = False,
    kind: ColumnKind = ColumnKind.NUMBER,
) -> Column:
    """Return a column of numbers."""
    return Column(
        name=name,
        meaning=meaning,
        unit=unit,
        kind=kind,
        least=least,
        most=most,
        other_names=other_names,
        is_required=is_required,
    )


def names_of(columns: Iterable[Column]) -> tuple[str, ...]:
    """Return the first names of columns, in their order."""
    return tuple(column.name for column in columns)


def unread(columns: Iterable[Column], names: Sequence[str]) -> list[str]:
    """Return the names in a table that no column has, perhaps because they are misspelt.

    >>> columns = [Column(name="path_class", meaning="the path", other_names=("path",))]
    >>> unread(columns, ["PATH", "pth"])
    ['pth']
    """
    known = {name.casefold() for column in columns for name in column.names}
    return [name for name in names if name.casefold() not in known]
