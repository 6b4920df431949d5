"""Tables and texts that ship with the code: files beside it, whose cells are known to be sound."""

import csv
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


def shipped_rows(file: Path) -> tuple[dict[str, str], ...]:
    """Return the rows of a table by column name, as texts.

    Args:
        file: CSV in UTF-8 that is part of the package, or that a part of it is built from; what
            users give is read by `tables`.
    """
    with file.open(encoding="utf-8", newline="") as stream:
        return tuple(csv.DictReader(stream))


def shipped_values(file: Path, kind: type[T], **columns: str) -> tuple[T, ...]:
    """Return a value for each row of a table.

    Args:
        file: As for `shipped_rows`.
        kind: Of the values. A field is read from the column of its name by its type, and has its
            default where the cell is empty.
        columns: The column of a field that has another name.
    """
    names = {column: field for field, column in columns.items()}
    return tuple(
        msgspec.convert(
            {names.get(name, name): cell for name, cell in row.items() if cell}, kind, strict=False
        )
        for row in shipped_rows(file)
    )


def shipped_texts(file: Path, kind: type[T]) -> T:
    """Return the value of a TOML file that is part of the package."""
    return msgspec.toml.decode(file.read_bytes(), type=kind)
