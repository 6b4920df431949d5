"""Why there is no plan, as the verbs say it that search for one under bounds."""

from netplan_planner.model.amounts import Text
from netplan_planner.model.base import Value


class Shortfall(Value, frozen=True, kw_only=True):
    """Why nothing keeps the bounds, and by how little it misses them.

    Each verb's own kind adds what it measures besides, and the changes that would each be enough.
    """

    binding: str
    """What binds."""
    shortfall: Text = ""
    """By how much the best falls short, in words; empty: there is nothing to compare."""
    shortfall_s: float | None = None
    """Beyond the deadline, of the fastest; None: time is not what is missed."""
