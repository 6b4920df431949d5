"""A plan as a list of what changes in a Terraform configuration, as JSON."""

import msgspec

from netplan_planner.renderers.commands import HasChanges
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.terraform-changes/1"


def render(answer: HasChanges, options: RenderOptions) -> str:
    """Return the list, in the order of the steps."""
    steps = [
        {"step": step.number, **msgspec.structs.asdict(change)}
        for step in answer.changes.steps
        for change in step.terraform
    ]
    document = {"schema": SCHEMA, "order": answer.changes.order, "changes": steps}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
