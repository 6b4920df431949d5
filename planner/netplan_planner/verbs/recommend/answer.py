"""The answer of `netplan recommend`."""

from datetime import date
from decimal import Decimal

from netplan_planner.model import Infeasible, MachinePlan
from netplan_planner.model.plans.plan_answer import PlannedAnswer, Shortfall


class Basis(PlannedAnswer, frozen=True, kw_only=True):
    """What a recommendation rests on."""

    calibration: str | None
    """What it says of itself, where probes corrected the limits."""
    price_terms: str
    """Of the contract, where prices are effective ones; empty: list prices."""
    is_feasible: bool
    """Whether any candidate meets the need."""
    infeasible: Shortfall | None = None
    """Why none does, as every verb says it."""
    incomplete: tuple[str, ...] = ()
    """What of the given evidence could not be read in full, a line each."""


class Recommendation(Basis, frozen=True, kw_only=True):
    """The answer of `netplan recommend`: a plan, or why there is none, and what it rests on."""

    plan: MachinePlan | Infeasible
    network_prices_as_of: date
    long_use_percents: tuple[tuple[str, Decimal], ...] = ()
    """Sustained-use discounts by series that the list prices of the plan leave out."""
    why_not: tuple[str, ...] = ()
    """Types whose place or reason is asked for by name."""
