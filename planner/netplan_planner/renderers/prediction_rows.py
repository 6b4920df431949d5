"""What JSON holds of a table of predictions, which is written as it is computed."""

from collections.abc import Iterable
from typing import NotRequired, TypedDict

SCHEMA = "netplan.predictions/1"
OPEN = ("PredictionRow",)
"""Types that hold more fields, of which the schema knows no names."""


class PredictionRow(TypedDict):
    """A row of the table with all its own columns, and what is predicted of it."""

    predicted_gbps: float | None
    low_gbps: float | None
    high_gbps: float | None
    binding_limit: str | None
    next_limit: str | None
    """The limit that would bind if the first one were lifted."""
    reason: str | None
    """Why nothing is predicted."""
    shared_gbps: NotRequired[float | None]
    """With `--together`: what it gets while all rows run at once."""
    shared_limit: NotRequired[str | None]


class Record(TypedDict):
    """A table of paths with its predictions."""

    level: float
    """Of the intervals."""
    predictions: tuple[PredictionRow, ...]


def record(level: float, rows: Iterable[PredictionRow]) -> Record:
    """Return what stands behind the schema's id."""
    return {"level": level, "predictions": tuple(rows)}
