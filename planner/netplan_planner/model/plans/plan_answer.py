"""What the answers of plans share: what they rest on, and changes in the order that is safe."""

from datetime import date
from decimal import Decimal

from netplan_planner.model.base import Text, Value
from netplan_planner.model.finding import Fix

# Nothing here is ever executed by netplan.


LEAST_SAVING_USD = Decimal(10)
"""A month: a change that saves less is not worth making, unless traffic is held back or lost."""


class TerraformChange(Value, frozen=True, kw_only=True):
    """One attribute of one resource in the configuration."""

    resource: str
    """The resource type, as the provider names it."""
    name: str
    """Of the resource in Google Cloud; its address in the configuration is not known here."""
    attribute: str
    before: str | None
    """None: it is not set, or not known here."""
    after: str | None
    """None: it is taken out."""
    replaces: bool
    """Whether Terraform destroys the resource and makes another."""
    note: str = ""
    """What the configuration needs first, or beside it."""


class PlanChange(Value, frozen=True, kw_only=True):
    """One step of a plan; it may be the last one that is made."""

    number: int = 1
    """From 1, in the order to make them."""
    subject: str
    """What changes: the name of a machine, a group or a commitment."""
    fix: Fix
    """Change, verify, clean up and undo, with the commands of each."""
    worth: Text = ""
    """What it saves or costs a month after the steps before it, and how sure that is."""
    is_partial: bool = False
    """Whether its commands leave something of the change to be made by hand."""
    terraform: tuple[TerraformChange, ...] = ()


class PlanChanges(Value, frozen=True, kw_only=True):
    """All steps of a plan."""

    steps: tuple[PlanChange, ...] = ()
    order: str = ""
    """Why they stand in this order, and where one may stop."""


# What the answers of plans share: what they rest on
#
# Why there is no plan, as the verbs say it that search for one under bounds.


class Shortfall(Value, frozen=True, kw_only=True):
    """Why nothing keeps the bounds, by how little it misses them, and what to change.

    The one form in which every verb that plans says so; some add what they measure besides.
    """

    name: str = ""
    """What it is of: a group, zone, pair or quota; empty: all that was asked for."""
    binding: str
    """What binds."""
    shortfall: Text = ""
    """By how much the best falls short, in words; empty: there is nothing to compare."""
    shortfall_s: float | None = None
    """Beyond the deadline, of the fastest; None: time is not what is missed."""
    changes: tuple[Text, ...] = ()
    """What to change, each enough by itself where it says no other; empty: nothing is known."""


class PricedAnswer(Value, frozen=True, kw_only=True):
    """What an answer with prices rests on."""

    price_age: str = ""
    """That prices are old, and the command for newer ones; empty while they hold."""
    prices_as_of: date
    prices_sha256: str = ""
    """Of the snapshot; empty: of a report that does not say it."""


class PlannedAnswer(PricedAnswer, frozen=True, kw_only=True):
    """What an answer about machines rests on."""

    limits_as_of: date


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
