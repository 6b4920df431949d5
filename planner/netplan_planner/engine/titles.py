"""What an answer is about: the projects that were read, and the title that names them."""

from collections.abc import Sequence

from netplan_planner.engine.demos import Demo
from netplan_planner.engine.request import AuditRequest
from netplan_planner.model import Inventory, ProjectId

_NAMED_PROJECTS = 3
"""How many projects a title names; a report lists all of them."""


def projects_of(request: AuditRequest, inventory: Inventory) -> tuple[str, ...]:
    """Return the projects that were asked for or read, by name."""
    read: set[ProjectId] = {i.project for i in inventory.instances}
    read |= {p.project for p in inventory.projects}
    return tuple(sorted(read | set(request.projects)))


def title_of(demo: Demo | None, projects: Sequence[str]) -> str:
    """Return what an answer is about: a demo's story, or the first projects."""
    if demo is not None:
        return demo.title
    if not projects:
        return "no project"
    rest = len(projects) - _NAMED_PROJECTS
    named = ", ".join(projects[:_NAMED_PROJECTS])
    return f"{named} and {rest} more" if rest > 0 else named
