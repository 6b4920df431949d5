"""What `netplan collect` wrote."""

from netplan_planner.model.base import Value


class CollectedPart(Value, frozen=True, kw_only=True):
    """One part of a bundle."""

    name: str
    holds: str
    """In words, with how many of what."""
    byte_count: int
    """Before it is packed."""
    sha256: str


class Collected(Value, frozen=True, kw_only=True):
    """A bundle that was written."""

    file: str
    format: str
    """Name and version of the bundle's format."""
    byte_count: int
    sha256: str
    is_pseudonymised: bool
    parts: tuple[CollectedPart, ...]
    incomplete: tuple[str, ...]
    """What of the input could not be read or used in full, a line each."""
