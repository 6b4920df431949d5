"""What a plan changes, in the order in which it is safe: for people, gcloud and Terraform.

Nothing here is ever executed by netplan.
"""

from decimal import Decimal

from netplan_planner.model.amounts import Text
from netplan_planner.model.base import Value
from netplan_planner.model.finding import Fix

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
