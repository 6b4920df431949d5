"""What the answers of plans share: what they rest on.

Why there is no plan, as the verbs say it that search for one under bounds.
"""

from datetime import date

from netplan_planner.model.amounts import Text
from netplan_planner.model.base import Value
from netplan_planner.model.plans.changes import PlanChanges


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


class PricedAnswer(Value, frozen=True, kw_only=True):
    """What an answer with prices rests on."""

    price_age: str = ""
    """That prices are old, and the command for newer ones; empty while they hold."""
    prices_as_of: date


class PlannedAnswer(PricedAnswer, frozen=True, kw_only=True):
    """What an answer about machines rests on."""

    limits_as_of: date
    prices_sha256: str


class PlanAnswer(PlannedAnswer, frozen=True, kw_only=True):
    """The answer of a verb that plans: what it rests on stands first."""

    calibration: str | None
    """What it says of itself, where probes corrected the limits."""
    spot_prices_as_of: date
    network_prices_as_of: date
    price_terms: str
    """Of the contract, where prices are effective ones; empty: list prices."""


class ProjectPlan(PlannedAnswer, frozen=True, kw_only=True):
    """The answer about the machines of a project that were read."""

    incomplete: tuple[str, ...] = ()
    """What of the input could not be read, a line each."""
    changes: PlanChanges = PlanChanges()
    """How to make them, as far as there are commands."""


class ProjectAnswer(PricedAnswer, frozen=True, kw_only=True):
    """The answer about a project that was read."""

    title: str
    incomplete: tuple[str, ...] = ()
    """What of the input could not be read, a line each."""
