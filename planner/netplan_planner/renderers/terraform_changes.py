"""A plan as a list of what changes in a Terraform configuration, as JSON."""

from netplan_planner.model import Value, taken
from netplan_planner.model.plans.plan_answer import PlanChanges
from netplan_planner.renderers.commands import HasChanges
from netplan_planner.renderers.json_report import document, plain
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.terraform-changes/1"


class OneChange(Value, frozen=True, kw_only=True):
    """One attribute of one resource, to be changed in a configuration."""

    step: int
    """Of the plan, from 1; changes of one step go together."""
    resource: str
    """The resource type, as the provider names it."""
    name: str
    """Of the resource in Google Cloud; its address in the configuration is not known here."""
    attribute: str
    before: str | None
    """null: it is not set, or not known here."""
    after: str | None
    """null: it is taken out."""
    replaces: bool
    """Whether Terraform destroys the resource and makes another."""
    note: str
    """What the configuration needs first, or beside it."""


class TerraformChanges(Value, frozen=True, kw_only=True):
    """What a plan changes in a Terraform configuration, in the order of its steps."""

    order: str
    """Why in this order."""
    changes: tuple[OneChange, ...]


def render(answer: HasChanges, options: RenderOptions) -> str:
    """Return the list, in the order of the steps."""
    held = plain(record(answer.changes))
    assert isinstance(held, dict)
    return document({"schema": SCHEMA, **held})


def record(found: PlanChanges) -> TerraformChanges:
    """Return what the document holds behind `schema`."""
    return TerraformChanges(
        order=found.order,
        changes=tuple(
            taken(OneChange, change, step=step.number)
            for step in found.steps
            for change in step.terraform
        ),
    )
