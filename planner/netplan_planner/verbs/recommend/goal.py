"""Where a bandwidth goes."""

from enum import StrEnum
from typing import NamedTuple


class To(StrEnum):
    """Where the bandwidth goes."""

    INTERNAL = "internal"
    ZONE = "zone"
    EXTERNAL = "external"


class Goal(NamedTuple):
    """Where the bandwidth goes, and the region whose traffic price is asked for."""

    to: To
    region: str | None = None


def goal_of(text: str) -> Goal:
    """Return what `--to` names: a kind of destination, or a region, which is internal."""
    return Goal(To(text)) if text in set(To) else Goal(To.INTERNAL, text)
