"""Leaves projects out of an inventory: an organisation has some that nobody wants to hear of."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from netplan_planner.model import Inventory, ProjectId, Unread
from netplan_planner.readers.collector import REFERENCED_FIELDS
from netplan_planner.units import counted

OPTION = "--exclude-project"


def without_projects(inventory: Inventory, patterns: Sequence[str]) -> Inventory:
    """Return an inventory without the projects that fit a pattern, which it says.

    What other projects' resources name in them stays named, as in an inventory that was never read.

    Args:
        inventory: Of any inputs.
        patterns: Project ids, or globs over them (`sandbox-*`); case counts.
    """
    if not patterns:
        return inventory
    left_out: dict[ProjectId, int] = {
        project.project: 0
        for project in inventory.projects
        if any(fnmatchcase(project.project, pattern) for pattern in patterns)
    }
    fields: dict[str, tuple[object, ...]] = {}
    for field in REFERENCED_FIELDS:
        kept = []
        for value in getattr(inventory, field):
            if value.project in left_out:
                left_out[value.project] += 1
            else:
                kept.append(value)
        fields[field] = tuple(kept)
    unread = [u for u in inventory.unread if _project_of(u) not in left_out]
    unread += [
        Unread(
            source=OPTION,
            reason=f"project {project}: {counted(count, 'resource')} left out, as asked",
            is_needless=True,
        )
        for project, count in sorted(left_out.items())
    ]
    unread += [
        Unread(source=OPTION, reason=f"no project fits {pattern!r}", is_needless=True)
        for pattern in dict.fromkeys(patterns)
        if not any(fnmatchcase(project, pattern) for project in left_out)
    ]
    projects = tuple(one for one in inventory.projects if one.project not in left_out)
    return replace(inventory, **fields, unread=tuple(unread), projects=projects)


def _project_of(unread: Unread) -> str:
    parts = (unread.resource or "").split("/")
    return parts[1] if parts[0] == "projects" and len(parts) > 1 else ""
