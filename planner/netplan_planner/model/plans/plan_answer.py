"""What the answers of plans share: what they rest on.

Why there is no plan, as the verbs say it that search for one under bounds.
"""

from datetime import date

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


class PlanAnswer(Value, frozen=True, kw_only=True):
    """The answer of a verb that plans: what it rests on stands first."""

    price_age: str
    """That prices are old, and the command for newer ones; empty while they hold."""
    limits_as_of: date
    calibration: str | None
    """What it says of itself, where probes corrected the limits."""
    prices_as_of: date
    spot_prices_as_of: date
    network_prices_as_of: date
    prices_sha256: str
    price_terms: str
    """Of the contract, where prices are effective ones; empty: list prices."""
